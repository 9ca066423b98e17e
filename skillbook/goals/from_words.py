"""Goals in words become predicates by rules; what no rule knows is a page that is about these words."""

from __future__ import annotations

import re
from datetime import date

from skillbook.errors import InvalidInput
from skillbook.goals.goal_matching import content_words
from skillbook.goals.period import Period, period_in
from skillbook.goals.predicates import Goal, action, collection, dated, download, form, text
from skillbook.perception.escape import clean
from skillbook.perception.summary.action_intent import action_intent
from skillbook.perception.summary.kind_words import KINDS, word_pattern, words_of

_ASK = re.compile(
    r"(?i)^(?:please\s+)?(?:find|open|show|get|go to|navigate to|visit|look for|look up|see|read|reach|take me to|"
    r"where (?:is|are|can i find)|how (?:to|do i|can i)(?: use)?|what (?:is|are)|zeige?|finde?|öffne|gehe? zu|"
    r"trouver?|ouvrir|ouvre|montre|aller à|busca|abre|"
    r"muestra|ir a|trova|apri|mostra|vai a|encontre|abra|mostre)\b\s*(?:me\b|us\b|mir\b)?"
)
_QUESTION = re.compile(
    r"(?i)^(?:how|what|where|which|when|who|wie|was|wo|welche[rs]?|wann|wer|comment|où|quand|qui|quel(?:le)?s?|cómo|dónde|"
    r"qué|cuándo|come|dove|quando|como|onde)\b"
)
_NEXT = re.compile(
    r"(?i)[,;.!]\s+|\b(?:and|then|but|und|dann|aber|et|puis|mais|y|luego|pero|e|poi|ma|depois|mas|en|maar)\b"
)
_DOES = re.compile(
    r"(?i)^(?:then\s+|also\s+|please\s+)*(?:open|click|press|choose|pick|select|tell|read|extract|collect|buy|order|"
    r"compare|print|fill|enter|type|write|cancel|add|put|remove|change|set|make|check|tick|count|list|copy|show|give|go|"
    r"find|get|take|use|answer|reply|don'?t|do not|öffne|klicke|wähle|zeige?|nenne|lies|kaufe?|bestelle?|ouvre|clique|"
    r"choisis|lis|achète|abre|elige|lee|compra|apri|scegli|leggi|abra|escolha|leia)\b"
)
_EVERY = re.compile(
    r"(?i)\b(?:all|every|each|both|alle[nrs]?|jede[nrs]?|beide|tous|toutes|chaque|todos|todas|cada|tutti|tutte|ogni)\b"
)
_FORM = re.compile(r"(?i)\b(?:form|formular|formulaire|formulario|modulo|formulário)\b")
# What a page is, before and after what it is about: its title seldom says so.
_ABOUT = re.compile(
    r"(?i)^(?:the |an? )?(?:documentation|docs?|manual|reference|chapter|section|article|page|entry|demo|example|"
    r"tutorial|help|seite|kapitel|abschnitt|chapitre|página|capítulo|pagina|capitolo) "
    r"(?:of|for|about|on|über|zu|zum|zur|sur|sobre|su) (?=\S)"
)
_KIND_OF = re.compile(
    r"(?i)(?<=\S) (?:module|package|library|class|function|command|page|section|chapter|article)$"
)
_LIST = re.compile(r"(?i)^(?:the )?(?:list|table|overview) of (?:all )?(?P<what>.+)$")


def from_words(goal: str, today: date | None = None) -> Goal:
    """The predicate for a goal in words.

    Parameters
    ----------
    goal : as a person would say it: "Download last month's invoice", "log in", "the contact form", "opening hours".
    today : what "last month" is counted from; the present day by default.

    Returns
    -------
    A predicate; look at it before you use it.

    Raises
    ------
    InvalidInput : the goal has no words.
    """
    today = today or date.today()
    period, rest = period_in(goal, today)
    said = clean(_ASK.sub("", clean(rest))).strip(" ?!.")
    kind = action_intent(said)
    if kind == "download":
        words = word_pattern(words_of(KINDS["download"])).sub(" ", said.casefold())
        return download(" ".join(content_words(words)) or None)
    if kind in {"login", "logout"} and len(content_words(said)) <= 3:
        return action(kind="logout") if kind == "login" else action(kind="login") | form(purpose="login")
    if kind in {"register", "search"} and (_FORM.search(said) or len(content_words(said)) <= 2):
        return form(purpose=kind)
    if _FORM.search(said):
        said = clean(_FORM.sub(" ", said))
        purpose = {"help": "contact", "billing": "payment"}.get(action_intent(said) or "")
        if purpose:
            return form(purpose=purpose)
    listed = _LIST.match(said)
    if listed:
        about = " ".join(content_words(listed["what"]))
        return _in_period(collection(name=about) | text(about, where="heading"), period, today)
    words = " ".join(content_words(_KIND_OF.sub("", _ABOUT.sub("", said)))) or " ".join(content_words(said))
    if not words:
        raise InvalidInput(
            "the goal says nothing to look for", hint="for example 'download the latest invoice'"
        )
    return _in_period(text(words, where="heading"), period, today)


def _in_period(goal: Goal, period: Period | None, today: date) -> Goal:
    """The goal, on a page of that time; what a page says today needs no date."""
    if period is None or period == Period(today.year, today.month, today.day):
        return goal
    return goal & dated(period)


def only_looks(goal: str) -> bool:
    """Whether a goal asks to see something, so that an open page is all of it: "open the settings", "where is …"."""
    said = clean(goal)
    return bool(_ASK.match(said) or _QUESTION.match(said))


def beyond_one_skill(goal: str) -> str:
    """Why one skill can't be all of a goal; empty where it can.

    A wrong "yes" only refuses a goal; a wrong "no" calls half of it done. So words that may begin another step count.
    """
    said = clean(goal)
    for part in _NEXT.split(said)[1:]:
        if _DOES.match(part.strip()) or action_intent(" ".join(part.split()[:3])) is not None:
            return f"it has several parts, as {clean(part)[:60]!r}"
    several = _EVERY.search(said)
    return f"it is about more than one ({several[0]!r})" if several else ""


def wants_action(goal: str) -> bool:
    """Whether a goal begins as something to do does, rather than as something to see."""
    said = clean(goal)
    is_step = bool(_DOES.match(said)) or action_intent(" ".join(said.split()[:2])) is not None
    return is_step and not only_looks(said)

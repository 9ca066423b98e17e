"""Goals in words become predicates by rules; what no rule knows is a page that is about these words."""

from __future__ import annotations

import re
from datetime import date

from skillbook.errors import InvalidInput
from skillbook.goals.matching import content_words
from skillbook.goals.period import Period, period_in
from skillbook.goals.predicates import Goal, action, collection, dated, download, form, text
from skillbook.perception.escape import clean
from skillbook.perception.summary.action_intent import action_intent
from skillbook.perception.summary.kind_words import KINDS, word_pattern, words_of

_ASK = re.compile(
    r"(?i)^(?:please\s+)?(?:find|open|show|get|go to|navigate to|visit|look for|look up|see|read|reach|take me to|"
    r"where (?:is|are|can i find)|how (?:do|can) i|what (?:is|are)|zeige?|finde?|öffne|gehe? zu|trouver?|ouvrir|ouvre|"
    r"montre|aller à|busca|abre|muestra|ir a|trova|apri|mostra|vai a|encontre|abra|mostre)\b\s*(?:me\b|us\b|mir\b)?"
)
_FORM = re.compile(r"(?i)\b(?:form|formular|formulaire|formulario|modulo|formulário)\b")
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
    words = " ".join(content_words(said))
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

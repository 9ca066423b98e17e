"""Goals in words become predicates by rules; what no rule knows is a page that is about these words."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from skillbook import lexicon
from skillbook.errors import InvalidInput
from skillbook.goals.goal_words import Period, content_words, goal_itself, period_in
from skillbook.goals.predicates import Goal, action, collection, dated, download, form, text
from skillbook.perception.action_intent import ACTION_KINDS, action_intent
from skillbook.perception.escape import clean

_PART = re.compile(r"[,;.!]\s+")


@cache
def _list_of() -> re.Pattern[str]:
    every, listed = lexicon.alternation("small_word", "every"), lexicon.alternation("list_word")
    return re.compile(rf"^(?:{every} )?{listed}(?: {every})+ (?P<what>.+)$")


@cache
def _kind_of() -> re.Pattern[str]:
    return re.compile(rf"(?<=\S) {lexicon.alternation('kind_of_thing')}$")


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
    request = _without_start("look", rest).strip(" ?!.")
    kind = action_intent(request)
    if kind == "download":
        return download(" ".join(content_words(_without("download", request))) or None)
    if kind in {"login", "logout"} and len(content_words(request)) <= 3:
        return action(kind="logout") if kind == "login" else action(kind="login") | form(purpose="login")
    if kind in {"register", "search"} and (
        lexicon.matches("form_word", request) or len(content_words(request)) <= 2
    ):
        return form(purpose=kind)
    if lexicon.matches("form_word", request):
        request = clean(_without("form_word", request))
        purpose = {"help": "contact", "billing": "payment"}.get(action_intent(request) or "")
        if purpose:
            return form(purpose=purpose)
    listed = _list_of().match(request)
    if listed:
        about = " ".join(content_words(listed["what"]))
        return _in_period(collection(name=about) | text(about, where="heading"), period, today)
    words = " ".join(content_words(_kind_of().sub("", _about().sub("", request)))) or " ".join(
        content_words(request)
    )
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
    text = goal_itself(goal)
    return lexicon.begins("look", text) or lexicon.begins("question", text)


def beyond_one_skill(goal: str) -> str:
    """Why one skill can't be all of a goal; empty where it can.

    A wrong "yes" only refuses a goal; a wrong "no" calls half of it done. So words that may begin another step count.
    """
    folded = lexicon.fold(clean(goal))
    hits = lexicon.find(folded, is_goal=True)
    starts = [
        *(match.end() for match in _PART.finditer(folded)),
        *(hit.end for hit in hits if hit.meaning == "then"),
    ]
    for part in (folded[start:].strip() for start in sorted(starts)):
        if _is_step(part, 3):
            return f"it has several parts, as {part[:60]!r}"
    several = next((hit for hit in hits if hit.meaning == "every"), None)
    return f"it is about more than one ({folded[several.start : several.end]!r})" if several else ""


def wants_action(goal: str) -> bool:
    """Whether a goal begins as something to do does, rather than as something to see."""
    return _is_step(lexicon.fold(clean(goal)), 2) and not only_looks(goal)


def _is_step(part: str, words: int) -> bool:
    """Whether a part of a goal begins with something to do."""
    part = goal_itself(part)
    return lexicon.begins("do", part) or action_intent(" ".join(part.split()[:words])) is not None


def _without_start(meaning: str, text: str) -> str:
    """A goal without the words that it begins with, if they have a meaning."""
    text = goal_itself(text)
    ends = [hit.end for hit in lexicon.find(text, is_goal=True) if hit.begins and hit.meaning == meaning]
    return text[max(ends, default=0) :].strip()


def _without(meaning: str, text: str) -> str:
    """A folded text without the words of a meaning."""
    for hit in reversed(lexicon.find(text, is_goal=meaning not in ACTION_KINDS)):
        if hit.meaning == meaning:
            text = f"{text[: hit.start]} {text[hit.end :]}"
    return text


@cache
def _about() -> re.Pattern[str]:
    """What a page is, before what it is about: its title seldom says so."""
    article, page, about = map(lexicon.alternation, ("article", "page_word", "about"))
    return re.compile(rf"^(?:{article} )?{page} {about} (?=\S)")

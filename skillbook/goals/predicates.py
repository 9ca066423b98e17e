"""Predicates over a page summary: whether a goal holds on a page, and how near to it the page is.

Predicates combine with `&`, `|` and `~`.

Source: Browser Copilot technical specification, section 10 (forms by purpose, actions by kind, collections by fields).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import unquote_plus

from skillbook.errors import InvalidInput
from skillbook.goals.goal_words import Period, covers, exactness, likeness
from skillbook.perception.action_intent import ACTION_KINDS
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.forms import FORM_PURPOSES
from skillbook.perception.summary import PageSummary

Where = Literal["page", "heading"]
_BELOW = 0.8
_SEPARATOR = re.compile(r"\s+[-–—|·•»>/]\s+|\s*::\s*|:\s+")
"""What stands between a page's title and its site's."""
_WITHIN = {"payment_method": {"payment_method", "payment"}}
"""Purposes that are kinds of another."""


class Goal(ABC):
    """What must be true; `a & b`, `a | b` and `~a` make others of it."""

    @abstractmethod
    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        """Whether it is true.

        Parameters
        ----------
        summary : the page, as `page.summary()` gives it.
        downloads : names of the files that were downloaded on the way there.
        """

    @abstractmethod
    def nearness(self, summary: PageSummary) -> float:
        """How much on the page speaks for it, from 0 to 1; what exploration orders pages by."""

    def closeness(self, summary: PageSummary) -> float:
        """How exactly a page that has it is what was meant, from 0 to 1; 0 where it doesn't hold.

        Of two pages that hold, the one that says the goal's words and little else is meant.
        """
        return float(self.holds(summary))

    def __and__(self, other: Goal) -> Goal:
        return _All((self, _goal(other)))

    def __or__(self, other: Goal) -> Goal:
        return _Any((self, _goal(other)))

    def __invert__(self) -> Goal:
        return _Not(self)


def form(purpose: str | None = None, fields: Iterable[str] = ()) -> Goal:
    """A form for a purpose, or with fields of these labels.

    Parameters
    ----------
    purpose : "login", "register", "change_password", "payment", "payment_method", "billing", "search", "newsletter",
        "upload", "contact", "address", "schedule", "filter", "checkout" or "book". A form that takes a card's number
        ("payment") is one for a payment method too.
    fields : words of the fields' labels; each must be there.

    Raises
    ------
    InvalidInput : neither is given, or there is no such purpose.
    """
    if purpose is not None and purpose not in FORM_PURPOSES:
        raise InvalidInput(f"no form is for {purpose!r}", hint=f"one of {', '.join(FORM_PURPOSES)}")
    return _Form(purpose, _several(fields, needed=purpose is None, what="form"))


def action(kind: str | None = None, label: str | None = None) -> Goal:
    """Something to activate: of a kind, or with these words in its label.

    Parameters
    ----------
    kind : "login", "logout", "download", "search", "add_to_cart", "next_page" or another of
        `skillbook.perception.action_intent.ACTION_KINDS`.
    label : words of its label; each must be there.

    Raises
    ------
    InvalidInput : neither is given, or there is no such kind.
    """
    if kind is None and not (label or "").strip():
        raise InvalidInput("an action needs a kind or a label", hint="goals.action(kind='download')")
    if kind is not None and kind not in ACTION_KINDS:
        raise InvalidInput(
            f"there are no actions of the kind {kind!r}", hint=f"one of {', '.join(ACTION_KINDS)}"
        )
    return _Action(kind, label)


def collection(fields: Iterable[str] = (), name: str | None = None, at_least: int = 1) -> Goal:
    """A list or table with these columns, or of this name.

    Parameters
    ----------
    fields : words of its columns' names; each must be there.
    name : words of its name.
    at_least : how many items it must have.

    Raises
    ------
    InvalidInput : neither fields nor name are given.
    """
    return _Collection(_several(fields, needed=not name, what="collection"), name, at_least)


def text(words: str, where: Where = "page") -> Goal:
    """A text that can be seen.

    Parameters
    ----------
    words : the text, without regard to case and white space; as a heading, words of which each must be there.
    where : anywhere on the page, or in its title or a heading of the first two levels.

    Raises
    ------
    InvalidInput : it is empty.
    """
    if not words.strip():
        raise InvalidInput("a text is wanted", hint="goals.text('Thank you')")
    return _Text(words, where)


def dated(period: Period) -> Goal:
    """A date in a period, in the page's title, a heading, or a row of a table, list or set of cards.

    Parameters
    ----------
    period : a year, a month of it, or a day of that.
    """
    return _Dated(period)


def url(pattern: str) -> Goal:
    """An address that fits a pattern with `*`, as `*/orders/*`; a word alone must be somewhere in it.

    Raises
    ------
    InvalidInput : it is empty.
    """
    if not pattern.strip():
        raise InvalidInput("a pattern is wanted", hint="goals.url('*/orders/*')")
    return _Url(pattern)


def download(name: str | None = None) -> Goal:
    """A file that was downloaded.

    Parameters
    ----------
    name : a pattern with `*` for its name, as `*.pdf`, or words of it; None for any file.
    """
    return _Download(name)


@dataclass(frozen=True, repr=False)
class _Shown(Goal):
    """A goal that is written as it was made."""

    def __repr__(self) -> str:
        given = {key: value for key, value in vars(self).items() if value not in (None, (), "page", 1)}
        return f"{type(self).__name__[1:].lower()}({', '.join(f'{key}={value!r}' for key, value in given.items())})"

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        return self.nearness(summary) == 1.0


@dataclass(frozen=True, repr=False)
class _Form(_Shown):
    purpose: str | None
    fields: tuple[str, ...]

    def nearness(self, summary: PageSummary) -> float:
        best = 0.0
        for one in summary.forms:
            if self.purpose is not None and one.purpose not in _WITHIN.get(self.purpose, {self.purpose}):
                continue
            labels = [part.label for part in one.fields]
            found = [any(covers(label, wanted) for label in labels) for wanted in self.fields]
            best = max(best, sum(found) / len(found) if found else 1.0)
        if best or self.purpose is None or self.purpose not in ACTION_KINDS:
            return best
        # A link to the form is on the way to it.
        return 0.5 * any(one.kind == self.purpose for one in summary.actions)


@dataclass(frozen=True, repr=False)
class _Action(_Shown):
    kind: str | None
    label: str | None

    def nearness(self, summary: PageSummary) -> float:
        best = 0.0
        for one in summary.all_actions:
            if self.kind is None or one.kind == self.kind:
                fits = self.label is None or covers(one.label, self.label)
                best = max(best, 1.0 if fits else 0.9 * likeness(one.label, self.label or ""))
        return best


@dataclass(frozen=True, repr=False)
class _Collection(_Shown):
    fields: tuple[str, ...]
    name: str | None
    at_least: int

    def nearness(self, summary: PageSummary) -> float:
        best = 0.0
        for one in summary.collections:
            wanted = [any(covers(field, each) for field in one.fields) for each in self.fields]
            wanted += [covers(one.name, self.name)] if self.name else []
            wanted += [one.count >= self.at_least]
            best = max(best, sum(wanted) / len(wanted) if any(wanted[:-1]) else 0.0)
        return best


@dataclass(frozen=True, repr=False)
class _Text(_Shown):
    words: str
    where: Where

    def closeness(self, summary: PageSummary) -> float:
        """The title and the main heading count whole, a heading below them a little less: a page may have many."""
        if self.where == "page" or not self.holds(summary):
            return float(self.holds(summary))
        main = [summary.title, *_SEPARATOR.split(clean(summary.title)), *_headings(summary, 1)]
        below = [_BELOW * exactness(one, self.words) for one in _headings(summary, 2)]
        return max([*(exactness(one, self.words) for one in main), *below])

    def nearness(self, summary: PageSummary) -> float:
        snapshot = summary.snapshot
        if self.where == "page" and snapshot.has_text(self.words):
            return 1.0
        headings = [summary.title, *_headings(summary, 1), *_headings(summary, 2)]
        if self.where == "heading" and any(covers(heading, self.words) for heading in headings):
            return 1.0
        return 0.9 * max((likeness(heading, self.words) for heading in headings), default=0.0)


@dataclass(frozen=True, repr=False)
class _Dated(_Shown):
    period: Period

    def __repr__(self) -> str:
        return f"dated({str(self.period)!r})"

    def nearness(self, summary: PageSummary) -> float:
        snapshot = summary.snapshot
        headings = [summary.title, *(one.name for one in snapshot.nodes if one.role == "heading")]
        rows = (
            row.node.text
            for one in find_collections(snapshot)
            if not one.minor and len(one.fields) > 1
            for row in one.rows
        )
        if any(self.period.shown_in(text) for text in (*headings, *rows)):
            return 1.0
        # A link with the date, such as a year's tab, is on the way to it.
        return 0.5 * any(self.period.shown_in(one.label) for one in summary.all_actions)


@dataclass(frozen=True, repr=False)
class _Url(_Shown):
    pattern: str

    def nearness(self, summary: PageSummary) -> float:
        address = unquote_plus(summary.url).casefold()
        wanted = self.pattern.casefold()
        whole = wanted if "*" in wanted else f"*{wanted}*"
        if fnmatchcase(address, whole.replace("[", "[[]").replace("?", "[?]")):
            return 1.0
        return 0.9 * likeness(address, wanted.replace("*", " "))


@dataclass(frozen=True, repr=False)
class _Download(_Shown):
    name: str | None

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        return any(self._fits(one) for one in downloads)

    def _fits(self, file: str) -> bool:
        if self.name is None:
            return True
        if "*" in self.name:
            return fnmatchcase(file.casefold(), self.name.casefold().replace("[", "[[]"))
        return covers(file, self.name)

    def nearness(self, summary: PageSummary) -> float:
        """A page is never the file itself: at most 0.9."""
        words = (self.name or "").replace("*", " ").replace(".", " ").strip()
        files = [one for one in summary.all_actions if one.kind == "download"]
        if not files:
            return 0.0
        names = [one.label for one in files] + [summary.title, *(one.name for one in summary.collections)]
        about = max(likeness(clean(one), words) for one in names) if words else 1.0
        return 0.3 + 0.6 * about


@dataclass(frozen=True, repr=False)
class _All(Goal):
    parts: tuple[Goal, ...]

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        return all(part.holds(summary, downloads) for part in self.parts)

    def closeness(self, summary: PageSummary) -> float:
        return min(part.closeness(summary) for part in self.parts)

    def nearness(self, summary: PageSummary) -> float:
        return sum(part.nearness(summary) for part in self.parts) / len(self.parts)

    def __repr__(self) -> str:
        return " & ".join(f"({part!r})" if isinstance(part, _Any) else repr(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class _Any(Goal):
    parts: tuple[Goal, ...]

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        return any(part.holds(summary, downloads) for part in self.parts)

    def closeness(self, summary: PageSummary) -> float:
        return max(part.closeness(summary) for part in self.parts)

    def nearness(self, summary: PageSummary) -> float:
        return max(part.nearness(summary) for part in self.parts)

    def __repr__(self) -> str:
        return " | ".join(repr(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class _Not(Goal):
    part: Goal

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        return not self.part.holds(summary, downloads)

    def nearness(self, summary: PageSummary) -> float:
        return float(not self.part.holds(summary))

    def __repr__(self) -> str:
        return f"~({self.part!r})" if isinstance(self.part, _All | _Any) else f"~{self.part!r}"


def _headings(summary: PageSummary, level: int) -> list[str]:
    return [one.name for one in summary.snapshot.nodes if one.role == "heading" and (one.level or 9) == level]


def _goal(thing: Any) -> Goal:
    if not isinstance(thing, Goal):
        raise InvalidInput(
            f"a goal must be a predicate, not {type(thing).__name__}", hint="goals.text('Thank you')"
        )
    return thing


def _several(words: Iterable[str], *, needed: bool, what: str) -> tuple[str, ...]:
    found = (words,) if isinstance(words, str) else tuple(words)
    if needed and not found:
        raise InvalidInput(f"a {what} needs something to know it by", hint=f"goals.{what}(fields=['date'])")
    return found

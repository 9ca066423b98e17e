"""Whether what was caused is over: the one question of everything that waits, and its answer in words.

The browser marks what an act causes (the load of a document is an act, too) and says what of it is pending. Nothing
here waits for silence. See docs/waiting.md.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.limits import ANSWER_SECONDS, ENDING_SECONDS, MOMENT_SECONDS, READ_SECONDS, SHOWN_SECONDS
from skillbook.perception.collections import has_blank_rows_only
from skillbook.perception.escape import clean, shorten, without_controls
from skillbook.perception.nodes import BaseSnapshot
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands.settled import OpenEffect, SettledResult
from skillbook.protocol.snapshot import State

Need = Literal["answers", "rest"]
"""What is waited for: the answers of the last act, also those at which the page never looks, or the page at rest."""

BUDGETS: Mapping[Need, float] = {"answers": ANSWER_SECONDS, "rest": READ_SECONDS}
STILL_LOADING = "it is still loading"
FEW_ROWS = 3
"""Fewer rows may be what a page shows before the others come."""
UNREADABLE = frozenset(
    {"page_closed", "page_navigated", "page_unreachable", "dialog_blocked", "timeout", "not_allowed"}
)
_MOST_WORDS = 80  # characters of what a page says it waits for
_LONGEST_MARK = 40  # characters of a text that stands where something isn't there yet
_BUSY = int(State.BUSY)
_LINES = frozenset({"socket", "stream"})
_SIGNS = frozenset({"text", "img", "image", "progressbar", "status"})


@dataclass(frozen=True)
class Settled:
    """The answer.

    state: "rest"; "waiting" if the budget was over before; "never" if only what never ends is pending, such as a clock;
        "unknown" if the page can't say.
    waiting, never: what is pending of each kind, in words that are page data: "POST /search".
    waited_ms: how long that took.
    script: whether the page's causes are marked in it; else only what the browser itself sees is known.
    is_pushed: whether the page has a line to a server, which may push what was asked for long after it answered.
    """

    state: Literal["rest", "waiting", "never", "unknown"]
    waiting: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    waited_ms: float = 0.0
    script: bool = True
    is_pushed: bool = False

    @classmethod
    def of(cls, data: Any) -> Settled:
        """The answer as the wire has it."""
        found = SettledResult.model_validate(data)
        waiting, never = tuple(map(_in_words, found.waiting)), tuple(map(_in_words, found.never))
        is_pushed = any(effect.kind in _LINES for effect in found.never)
        return cls(found.state, waiting, never, found.waited_ms, found.script, is_pushed)

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it, as far as is known."""
        return self.state != "waiting"

    @property
    def why(self) -> str:
        """Why what is read may not be all yet, in words; "" if nothing says so."""
        if self.is_over:
            return ""
        return f"{STILL_LOADING}: it waits for {self.words}" if self.waiting else STILL_LOADING

    @property
    def words(self) -> str:
        """What it still waits for, or what never ends, in a few words; "" for nothing."""
        named = list(dict.fromkeys(self.waiting if self.state == "waiting" else self.never))
        more = f" and {len(named) - 1} more" if len(named) > 1 else ""
        return f"{named[0]}{more}" if named else ""


def _in_words(effect: OpenEffect) -> str:
    return shorten(clean(without_controls(effect.detail or effect.kind)), _MOST_WORDS)


UNKNOWN = Settled("unknown", script=False)


class PageRest:
    """Asks one page. A budget counts from the act: what was waited in vain isn't waited again, nor after later acts.

    ask: sends the question with its parameters, within so many seconds.
    url: gives the page's address.
    last: the last answer, while nothing was done since.
    awaits: what is waited for at this moment, in a few words.
    """

    def __init__(
        self, ask: Callable[[dict[str, Any], float], Awaitable[Mapping[str, Any]]], url: Callable[[], str]
    ) -> None:
        self._ask, self._url = ask, url
        self._of = ""
        self._spent = self._in_vain = 0.0
        self._vain: list[
            tuple[float, str]
        ] = []  # so long was waited for what earlier acts than this one caused
        self._act: str | None = None
        self._answered: tuple[str, str] | None = None
        self.last = UNKNOWN
        self.awaits = ""
        self.on_wait: Callable[[], None] | None = None
        self._under_way: Mapping[str, Any] | None = None
        self._look: asyncio.Future[None] | None = None

    def begin(self) -> None:
        """Something is done on the page, whose effects weren't waited for yet."""
        self._in_vain = max(self._in_vain, self._spent if self.last.state == "waiting" else 0.0)
        self._spent, self.last, self._act, self._answered = 0.0, UNKNOWN, None, None

    def begun(self, act: str | None) -> None:
        """The browser knows what was done by this id."""
        self._act = act
        if act is not None and self._in_vain:
            self._vain = [(waited, since) for waited, since in self._vain if waited > self._in_vain]
            self._vain.append((self._in_vain, act))
            self._in_vain = 0.0

    def _since(self, budget: float) -> str | None:
        """The first act of whose effects it isn't known yet that so long a time doesn't end them; None for the load."""
        enough = budget - MOMENT_SECONDS
        return next((act for waited, act in reversed(self._vain) if waited >= enough), None)

    @property
    def is_known(self) -> bool:
        """Whether it is known that what the last act caused is over."""
        return self._of == self._url() and self.last.state in {"rest", "never"}

    async def settled(self, need: Need, seconds: float | None, *, again: bool = False) -> Settled:
        """Wait until what was caused is over, `seconds` at most; see `PageReader.settled`."""
        budget = BUDGETS[need] if seconds is None else max(seconds, 0.0)
        if self._of != self._url() or again:
            self._of, self._spent = self._url(), 0.0
        act = self._act if need == "answers" else None
        if act is not None and self._answered == (act, self._url()):
            return Settled("rest")  # what an act caused ends once
        left = max(budget - self._spent, 0.0)
        began = time.monotonic()
        since = act if need == "answers" else self._since(budget)
        params = {"since": since, "need": need, "budget_ms": round(left * 1000)}
        self._under_way = params
        if self.on_wait is not None:
            self.look()
        try:
            self.last = Settled.of(await self._ask(params, left))
        except SkillbookError as error:
            if error.code not in UNREADABLE | {"unknown_command"}:
                raise
            self.last = UNKNOWN  # what is done next says why
        finally:
            self._under_way = None
            if self._look is not None:
                self._look.cancel()
                self._look = None
                self._note("")
        if not self.last.is_over:
            self._spent += time.monotonic() - began
        elif act is not None and self.last.state == "rest" and self.last.script and act == self._act:
            self._answered = act, self._url()
        return self.last

    async def until_unbusy(self, page: Readable, seconds: float | None) -> Settled:
        """What a server pushes is foreseen by nobody: a page with a line to one is waited for while it says it works.

        page: the page, of which nothing else is pending.
        seconds: how long at most since the act.
        """
        budget = BUDGETS["rest"] if seconds is None else seconds
        while self.last.is_pushed and self.last.is_over:
            snapshot = await page.snapshot()
            sign = busy_sign(snapshot)
            if not sign:
                break
            began = time.monotonic()
            changed = await page.changed_since(snapshot, budget - self._spent)
            self._spent += time.monotonic() - began
            if not changed:
                self.last = replace(self.last, state="waiting", waiting=(sign,))
            else:
                await self.settled("rest", seconds)
        return self.last

    def look(self) -> None:
        """Find out for `awaits` what is waited for, if anything is; on the I/O thread."""
        if self._under_way is not None and self._look is None:
            self._look = asyncio.ensure_future(self._look_meanwhile(self._under_way))

    async def _look_meanwhile(self, params: Mapping[str, Any]) -> None:
        """Say what is waited for that isn't over soon."""
        with suppress(SkillbookError):
            soon = {**params, "budget_ms": round(SHOWN_SECONDS * 1000)}
            answer = Settled.of(await self._ask(soon, SHOWN_SECONDS))
            self._note("" if answer.is_over else answer.words)

    def _note(self, words: str) -> None:
        if words != self.awaits:
            self.awaits = words
            if self.on_wait is not None:
                self.on_wait()


class Readable(Protocol):
    """A page that can be read and waited for."""

    async def snapshot(self) -> Snapshot:
        """Read the page now."""

    async def settled(self, need: Need = "rest", seconds: float | None = None) -> Settled:
        """Wait until what was caused is over."""

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""


async def read_settled(
    page: Readable, count: Callable[[Snapshot], Awaitable[int]], seconds: float = READ_SECONDS
) -> tuple[Snapshot, str]:
    """A page's snapshot once nothing is on its way that may change what is read of it.

    A page that says that it loads, and shows few rows, is waited for although nothing is known to be pending.

    seconds: how long to wait at most.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = await page.settled("rest", deadline - time.monotonic())
        snapshot = await page.snapshot()
        if answer.why:
            return snapshot, answer.why
        if not says_busy(snapshot) or await count(snapshot) >= FEW_ROWS:
            return snapshot, ""
        if not await page.changed_since(snapshot, deadline - time.monotonic()):
            return snapshot, STILL_LOADING


class Looking:
    """Looks at a page until it shows something, or until what was caused is over and it still doesn't.

    seconds: how long at most.
    """

    def __init__(self, page: Readable, seconds: float) -> None:
        self._page, self._deadline = page, time.monotonic() + seconds
        self._is_over = False

    async def again(self, snapshot: Snapshot) -> bool:
        """Wait while something is on its way; whether the page differs from a snapshot without it by then."""
        left = self._deadline - time.monotonic()
        if left <= 0 or self._is_over:
            return False
        answer = await self._page.settled("rest", left)
        self._is_over = answer.script and answer.is_over
        left = self._deadline - time.monotonic()
        # How long something may take that nothing reports, where a document has no script that marks causes.
        # within which the page says that it differs by now
        unseen = MOMENT_SECONDS if answer.script else ENDING_SECONDS
        return await self._page.changed_since(snapshot, min(unseen, max(left, MOMENT_SECONDS)))

    async def more_comes(self, snapshot: Snapshot) -> bool:
        """Wait until the page differs from a snapshot; False once it is at rest as it was, or the time is over.

        Who repeats something, has a line to a server or can't say whether it is at rest may show more all that time.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            return False
        answer = await self._page.settled("rest", left)
        rests = answer.script and answer.state == "rest" and not answer.is_pushed
        left = max(self._deadline - time.monotonic(), MOMENT_SECONDS)
        return await self._page.changed_since(snapshot, MOMENT_SECONDS if rests else left)


def says_busy(snapshot: BaseSnapshot) -> bool:
    """Whether a page marks something in it as busy, or says "Loading" in some language where nothing else stands.

    A table whose rows are all blank says so, too.
    """
    columns = snapshot.columns
    if marks_busy(snapshot):
        return True
    texts = (
        name
        for role, name in zip(columns.role, columns.name, strict=True)
        if role in {"text", "progressbar", "status"} and 0 < len(name) <= _LONGEST_MARK
    )
    return any(is_loading_text(text) for text in texts) or has_blank_rows_only(snapshot)


def busy_sign(snapshot: BaseSnapshot) -> str:
    """By what a page says that it works on something, in words; "" if by nothing.

    A text that says nothing else than that it loads, or the name of a picture, a status or progress that says it works.
    """
    columns = snapshot.columns
    for role, name in zip(columns.role, columns.name, strict=True):
        if not 0 < len(name) <= _LONGEST_MARK or role not in _SIGNS:
            continue
        if is_loading_text(name) or (role != "text" and lexicon.is_all("working", clean(name))):
            return f"the page, which says {clean(without_controls(name))!r}"
    return "a part of the page that is marked as busy" if marks_busy(snapshot) else ""


def marks_busy(snapshot: BaseSnapshot) -> bool:
    """Whether a page marks something in it as busy."""
    return any(flags & _BUSY for flags in set(snapshot.columns.flags))


def is_loading_text(text: str) -> bool:
    """Whether a text says nothing but that something is loading."""
    return lexicon.is_all("loading", clean(text))


def in_words(call: str, awaits: str) -> str:
    """A call, and what its page waits for, if it does."""
    return f"{call}: waiting for {awaits}" if awaits else call

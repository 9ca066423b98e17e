"""What became of the requests of each act on a page: who decided on them, which were refused, and which failed.

An act is said to be done only as far as its requests were: see `ActRequests.problem`. Which request is which act's is
known from when it was sent (`ActLog.failed`); all who judge an act by its requests use `failed_requests`.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from skillbook.policy.request_facts import RequestFact, RequestVerdict
from skillbook.policy.request_rules import RequestRule
from skillbook.policy.rules import Actor
from skillbook.policy.urls import origin_of, path_template, shares_domain
from skillbook.protocol.commands.read import ShownField
from skillbook.protocol.events import RequestFailed

if TYPE_CHECKING:
    from skillbook.journal import Journal


Ending = Literal["sent", "blocked", "gone", "unknown"]


@dataclass(frozen=True)
class HeldRequest:
    """A request that waits for a decision: what it is, why it is asked about, and what caused it, in words.

    `learn` is what a rule made with the approval would allow, `form` the rule that its form only reads; None if none
    may be made. `shown` are the fields with labels of the form that the act belongs to. `address` is its path and query
    as the person who decides reads them, with ids and without secrets: page text, never kept. In words it has none.
    """

    fact: RequestFact
    verdict: RequestVerdict
    cause: str
    learn: RequestRule | None = None
    form: RequestRule | None = None
    shown: Sequence[ShownField] = field(default=(), repr=False)
    address: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.cause} wants to send {self.fact}: {self.verdict.reason}"

    @property
    def what(self) -> str:
        """What is sent, for the person who decides: to the very address."""
        return self.fact.worded(self.address or self.fact.path)

    @property
    def question(self) -> str:
        """It in words for the person who decides."""
        return f"{self.cause} wants to send {self.what}: {self.verdict.reason}"


@dataclass(frozen=True)
class RequestDecision:
    """Whether a request may go, and who said so and why."""

    allow: bool
    reason: str


@dataclass(frozen=True)
class RequestOutcome:
    """A request that was decided on, and what became of it; `began` is when the act that caused it did."""

    fact: RequestFact
    ending: Ending
    reason: str
    asked: bool
    began: float = field(default=0.0, repr=False, compare=False)

    def __str__(self) -> str:
        if self.ending == "sent":
            return f"sent {self.fact}"
        if self.ending == "unknown":
            return f"{self.fact} may have been sent: {self.reason}"
        if self.ending == "gone":
            return f"the page gave up {self.fact} before it was decided on; nothing was sent"
        return f"{self.fact} was not allowed ({self.reason}); it was not sent"


class RequestReview(Protocol):
    """Decides on requests that the policy asks about, for one who acts: an agent's run, or a replayed skill."""

    key: str
    """What names the acting run or replay in the journal; for an agent it names the call too."""
    actor: Actor

    @property
    def send_allowlist(self) -> bool:
        """Whether its list of requests (a skill's `sends:`) alone decides; cards and learned rules allow nothing."""

    @property
    def announced_is_approved(self) -> bool:
        """Whether a person saw the card of the call that is being carried out, with what it said it would send."""

    async def judge(self, request: HeldRequest) -> RequestDecision:
        """Decide on one request; several may wait at once."""


class RequestWatcher(Protocol):
    """Notes what is sent while a person acts: nothing of that is decided on, all of it goes."""

    def sent(self, fact: RequestFact) -> None:
        """A request that may change something went."""

    def missed_requests(self) -> None:
        """From now on, or for a while, it isn't known what is sent."""


def in_words(outcomes: Iterable[RequestOutcome]) -> str:
    """What requests became of, a line each."""
    return "\n".join(f"- {outcome}" for outcome in outcomes)


NOT_SENT: Literal["not_sent"] = "not_sent"
"""The error of a step whose requests were refused, all of them or some."""
REQUEST_FAILED: Literal["request_failed"] = "request_failed"
"""The error of a step that was done, and whose request failed."""
BROKE = "broke"
_MOST_ACTS = 200
_DOCUMENTS = frozenset({"main_frame", "sub_frame"})
_DECISIVE = _DOCUMENTS | {"xmlhttprequest"}
"""What may carry an act; images, scripts, fonts and beacons only go with it."""
_PROBES = frozenset({"HEAD", "OPTIONS"})
_BLOCKED = "net::ERR_BLOCKED_BY_CLIENT"
"""Refused, which is known otherwise, or blocked by a rule or by another extension, as somebody wants it."""


@dataclass(frozen=True)
class FailedRequest:
    """A request that was answered with an error, or broke.

    method, url: as it was sent; secrets are masked in the address.
    status: the answer's status; None where it broke.
    error: why it broke, as Chrome calls it.
    type: "main_frame", "sub_frame", "xmlhttprequest" (fetch, too), "image" and so on.
    """

    method: str
    url: str
    status: int | None = None
    error: str = ""
    type: str = ""

    @property
    def shape(self) -> tuple[str, str, str]:
        """What another run would have, too: the method, the path with `{id}` for ids, the status or `broke`."""
        return self.method, path_template(self.url), str(self.status or BROKE)

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.status or self.error or BROKE}"


@dataclass(eq=False)
class ActRequests:
    """The requests of one act, as far as they were refused or failed; more may become known after its call.

    number: which of the page's acts it is; 0 for what comes before all.
    began: when, on the monotonic clock.
    by_hand: whether a person did it in the browser.
    navigates: whether it loads a document by itself, as `goto` does.
    frame_url: the address of the document that it acts in.
    beside: what else failed meanwhile: images, scripts, requests to other sites.
    sent: other requests of it that may change something, which were sent, or may have been.
    """

    number: int
    began: float
    navigates: bool = False
    frame_url: str = ""
    refused: list[RequestOutcome] = field(default_factory=list)
    failed: list[FailedRequest] = field(default_factory=list)
    beside: list[FailedRequest] = field(default_factory=list)
    sent: list[RequestOutcome] = field(default_factory=list)
    changed: list[Callable[[], None]] = field(default_factory=list, repr=False)
    _calls: list[int] = field(default_factory=list, repr=False)
    _intent: int | None = None
    _journal: Journal | None = field(default=None, repr=False)

    @property
    def error(self) -> Literal["not_sent", "request_failed"] | None:
        """The code of what went wrong with its requests; None for nothing."""
        return NOT_SENT if self.refused else REQUEST_FAILED if self.failed else None

    @property
    def problem(self) -> str:
        """What went wrong with its requests, in words; empty for nothing. Addresses are page text."""
        parts = []
        if self.refused:
            parts.append("; ".join(map(str, [*self.refused, *self.sent])))
        if self.failed:
            parts.append(f"failed: {', '.join(map(str, self.failed))}")
        return "; ".join(parts)

    def called(self, name: str | None) -> None:
        """The browser did a part of it, and calls that so; its names are numbers that grow."""
        if name is not None:
            self._calls.append(int(name))

    def place_of(self, call: int) -> int | None:
        """Whether a call came before it (-1), is one of it (0), or came after it (1); None if it isn't known yet."""
        if not self._calls:
            return None
        return -1 if call < self._calls[0] else 0 if call <= self._calls[-1] else 1

    def decided(self, outcome: RequestOutcome) -> None:
        """A request of it was decided on, and left or not."""
        if outcome.ending == "blocked":
            self.refused.append(outcome)
        elif outcome.ending in {"sent", "unknown"}:
            self.sent.append(outcome)
        if self.refused:
            self._tell()

    def fail(self, request: FailedRequest, *, is_own: bool) -> None:
        """A request of it failed."""
        found = self.failed if is_own else self.beside
        if request not in found:
            found.append(request)
            self._tell()

    @property
    def only_reads(self) -> bool:
        """Whether something failed, and nothing but GET requests, which may be sent again."""
        return bool(self.failed) and all(each.method == "GET" for each in self.failed)

    def answered(self, method: str, url: str) -> None:
        """A request of it like one that failed was answered: the page tried again."""
        kept = [each for each in self.failed if (each.method, each.url) != (method, url)]
        if len(kept) < len(self.failed):
            self.failed[:] = kept
            self._tell()

    def journaled(self, journal: Journal, intent: int) -> None:
        """The journal has the act under a number: what becomes known of its requests is noted there."""
        self._journal, self._intent = journal, intent
        if self.error is not None or self.beside:
            self._note()

    def _tell(self) -> None:
        self._note()
        for listener in list(self.changed):
            listener()

    def _note(self) -> None:
        """Have the journal say what the act came to; an act without a problem is as its outcome says."""
        if self._journal is None or self._intent is None:
            return
        # What was sent in part isn't done again: only what was refused as a whole counts as refused.
        outcome = "error" if self.error else ""
        if self.refused and not self.sent:
            outcome = "refused"
        error: dict[str, Any] = {}
        if self.error is not None:
            failed = [[each.method, each.url, each.status, each.error] for each in self.failed]
            error = {"code": self.error, "message": self.problem, "failed": failed}
        known: dict[str, Any] = {"outcome": outcome, "error": error}
        known |= {"failed_beside": list(map(str, self.beside))} if self.beside else {}
        self._journal.note(self._intent, "requests", json.dumps(known, ensure_ascii=False))


class ActLog:
    """The acts of one page, newest last; on the I/O thread only.

    shown_url: masks what an address must not show.
    document: what failed when the document that is there was loaded; None where it is as it should be.
    listeners: called with each request that failed and may be an act's own, also where only a person acts by hand.
    """

    def __init__(self, shown_url: Callable[[str], str]) -> None:
        self._shown_url = shown_url
        self._acts: deque[ActRequests] = deque([ActRequests(0, 0.0)], _MOST_ACTS)
        self.document: FailedRequest | None = None
        self.listeners: list[Callable[[FailedRequest], None]] = []
        self._readings: list[tuple[ActRequests, bool]] = []

    @property
    def current(self) -> ActRequests:
        """The last act."""
        return self._acts[-1]

    def begin(self, number: int, *, navigates: bool = False, frame_url: str = "") -> ActRequests:
        """An act begins."""
        self._acts.append(ActRequests(number, time.monotonic(), navigates, frame_url))
        return self.current

    @contextmanager
    def reading(self, *, scrolls: bool = False) -> Iterator[ActRequests]:
        """What fails of what a reading of several acts causes; not documents, whose status is looked at.

        scrolls: it scrolls, which the page answers by itself: then all counts that is sent meanwhile.
        """
        noted = (ActRequests(0, time.monotonic()), scrolls)
        self._readings.append(noted)
        try:
            yield noted[0]
        finally:
            self._readings.remove(noted)

    def since(self, number: int) -> list[ActRequests]:
        """The acts from a number on, the oldest first."""
        return [act for act in self._acts if act.number >= max(number, 1)]

    def take(self, request: RequestFailed, page_url: str) -> None:
        """The extension reported a request that failed, or that was answered after it had failed."""
        sent = time.monotonic() - request.age_ms / 1000
        act = self._cause(request.act, sent)
        found = FailedRequest(
            request.method, self._shown_url(request.url), request.status, request.error, request.resource_type
        )
        is_failure = request.status is None or request.status >= 400
        if request.resource_type == "main_frame":
            self.document = found if is_failure else None
        if not is_failure:
            for each in (act, *(reading for reading, _ in self._readings)):
                each.answered(found.method, found.url)
            return
        may_be_own = is_decisive(request, page_url, act.frame_url)
        is_caused = request.caused or (act.navigates and request.resource_type == "main_frame")
        if act.number and is_caused:
            act.fail(found, is_own=may_be_own)
        if may_be_own and request.resource_type != "main_frame":
            for reading, scrolls in self._readings:
                if reading.began <= sent and (scrolls or request.caused):
                    reading.fail(found, is_own=True)
        if may_be_own:
            for listener in list(self.listeners):
                listener(found)

    def _cause(self, call: int, sent: float) -> ActRequests:
        """The act after which a request was sent: by the browser's name for the last one then, else by the time."""
        acts = [act for act in self._acts if not call or act.place_of(call) in {None, 0, 1}]
        done = next((act for act in reversed(acts) if call and act.place_of(call) is not None), None)
        if done is not None and done.place_of(call) == 0:
            return done
        return next((act for act in reversed(acts) if act.began <= sent), self._acts[0])


def is_decisive(request: RequestFailed, page_url: str, frame_url: str) -> bool:
    """Whether an act isn't done where this request failed, if it has caused it.

    page_url, frame_url: the page, and the document in it in which somebody acts.
    """
    if request.resource_type not in _DECISIVE or request.method in _PROBES:
        return False
    if request.habit or request.error == _BLOCKED:
        return False
    if request.resource_type == "main_frame":
        return True
    origin = origin_of(request.url)
    places = (origin_of(url) for url in (page_url, frame_url))
    return origin is not None and any(shares_domain(place, origin) for place in places if place)


def failed_requests(acts: Sequence[ActRequests]) -> list[FailedRequest]:
    """The requests of some acts that failed, and that the acts aren't done without."""
    return list(dict.fromkeys(failed for act in acts for failed in act.failed))

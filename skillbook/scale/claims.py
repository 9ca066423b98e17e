"""How fast rows may begin at a site, over all workers of a map."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from skillbook.errors import ClusterLost
from skillbook.io_thread import io
from skillbook.limits import ENDING_SECONDS, PRESENT_SECONDS
from skillbook.policy.effects import classify
from skillbook.protocol.commands import Effect
from skillbook.scale.row_store import RowStore
from skillbook.session.out_of_bounds import Robots
from skillbook.skill.consent.consent_summary import special_steps
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.templates import Value, fill_url


class Pace:
    """Gives each attempt at a row a time at which it may begin.

    seconds: between the begins of two rows at one origin.
    clock: seconds, monotonic.
    """

    def __init__(self, seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next: dict[str, float] = {}
        self._begins: dict[str, float] = {}

    def wait(self, origin: str, attempt: str) -> float:
        """Seconds until an attempt may begin; the same time for the same attempt, unless the site asked for more."""
        now = self._clock()
        if attempt not in self._begins:
            at = max(now, self._next.get(origin, now))
            self._begins[attempt] = at
            self._next[origin] = at + self._seconds
        return max(0.0, self._begins[attempt] - now)

    def rest(self, origin: str, seconds: float) -> None:
        """Let nothing begin at an origin for so long: the site asked for that."""
        until = self._clock() + seconds
        self._next[origin] = max(until, self._next.get(origin, until))


def first_effect(spec: SkillSpec, inputs: Mapping[str, Value], approve: str | None) -> int | None:
    """The number of the step from which on a repetition could do something twice; 0 for the start, None for none.

    What a skill doesn't list is blocked, unless a person's approval covers it.
    """
    if spec.all_sends is None and approve is not None:
        return 0
    if spec.start and classify("goto", destination=fill_url(spec.start, inputs)) is Effect.IRREVERSIBLE:
        return 0
    return min([*special_steps(spec), *(send.step for send in spec.all_sends or ())], default=None)


class Claims:
    """The client's side: which attempt has which row.

    store: where each claim is written before it is granted.
    robots: fetches each site's robots.txt once, for all workers.
    name: of the queue on which claims arrive.
    hosts: by row, the host that began it last.
    error: what keeps claims from being granted; None if nothing does.
    """

    def __init__(self, store: RowStore, pace: Pace | None = None, robots: Robots | None = None) -> None:
        self.name = f"skillbook-claims-{uuid.uuid4().hex[:12]}"
        self.hosts: dict[str, str] = {}
        self.error: Exception | None = None
        self._store = store
        self._pace = pace or Pace()
        self._robots = robots or Robots()
        self._granted: dict[str, str] = {}
        self._client: Any = None
        self._closed = threading.Event()
        self._lock = threading.Lock()

    def is_claimed(self, key: str) -> bool:
        """Whether a row was claimed, in this map or in an earlier one with the same store."""
        return key in self._granted or self._store.is_claimed(key)

    @property
    def granted(self) -> list[str]:
        """The rows that were granted in this map."""
        return list(self._granted)

    def grant(self, key: str, attempt: str) -> str:
        """Grant a row to an attempt; returns an empty text, or why not."""
        with self._lock:
            if self._granted.get(key) == attempt:
                return ""
            if self._closed.is_set():
                return "the map was stopped before the row's first effect"
            if key in self._granted:
                return "the row was claimed before, and doing it again could do it twice"
            try:
                is_first = self._store.claim(key)
            except Exception as error:
                self.error = error
                return f"the claim can't be kept: {error}"
            if is_first:
                self._granted[key] = attempt
            return "" if is_first else "another map has claimed the row"

    def close(self) -> None:
        """Grant nothing more."""
        with self._lock:
            client = None if self._closed.is_set() else self._client
            self._closed.set()
        if client is not None and client.status == "running":
            from distributed import Queue

            with suppress(Exception):  # a scheduler that was lost meanwhile ends it as well
                # How long telling our own thread that the map has ended may take.
                Queue(self.name, client=client).put({"what": "end"}, timeout=ENDING_SECONDS)

    def serve(self, client: Any) -> threading.Thread:
        """Answer claims until `close`, on a thread of its own."""
        self._client = client
        thread = threading.Thread(target=self._serve, args=(client,), name="skillbook-claims", daemon=True)
        thread.start()
        return thread

    def _answer(self, request: Mapping[str, Any]) -> str | float:
        self.hosts[request["key"]] = request["host"]
        if request["what"] == "claim":
            return self.grant(request["key"], request["attempt"])
        if request["what"] == "robots":
            return io.sync(self._robots.text(request["origin"])) or ""
        if request["what"] == "rest":
            self._pace.rest(request["origin"], request["seconds"])
        return self._pace.wait(request["origin"], request["attempt"])

    def _serve(self, client: Any) -> None:
        from distributed import Queue

        try:
            queue = Queue(self.name, client=client)
            # Without a timeout: the scheduler logs each that runs out as an error.
            while (request := queue.get()) and not self._closed.is_set():
                if request["what"] == "robots":  # a site may take seconds, and claims don't wait for it
                    threading.Thread(target=self._reply_later, args=(client, request), daemon=True).start()
                else:
                    self._reply(client, request)
            queue.close()
        except Exception as error:
            if not self._closed.is_set():
                self.error = error

    def _reply_later(self, client: Any, request: Mapping[str, Any]) -> None:
        with suppress(
            Exception
        ):  # the map or its scheduler ended meanwhile; the worker's wait ends by itself
            self._reply(client, request)

    def _reply(self, client: Any, request: Mapping[str, Any]) -> None:
        from distributed import Variable

        Variable(_answer_name(self.name, request), client=client).set(self._answer(request))


@dataclass(frozen=True)
class ClaimAsker:
    """A worker's side: what one attempt at a row asks the client.

    client: the worker's, of the same scheduler.
    name: of the queue on which claims arrive.
    key, host, attempt: the row, this machine, and a name for the attempt.
    """

    client: Any
    name: str
    key: str
    host: str
    attempt: str

    def begin(self, origin: str) -> float:
        """Say that the row begins; returns for how many seconds it has to wait before."""
        return float(self._ask("begin", origin=origin))

    def rest(self, origin: str, seconds: float) -> None:
        """Report that a site asks everybody to wait."""
        self._ask("rest", origin=origin, seconds=seconds)

    def robots(self, origin: str, seconds: float) -> str | None:
        """A site's robots.txt, which the client fetches for all; None where there is none, or nobody answers."""
        with suppress(ClusterLost):
            return str(self._ask("robots", wait=seconds, origin=origin)) or None
        return None

    def claim(self) -> str:
        """Claim the row; returns an empty text once it is granted, else why not."""
        return str(self._ask("claim"))

    # How long a worker waits for the answer to its claim.
    def _ask(self, what: str, wait: float = PRESENT_SECONDS, **more: Any) -> Any:
        """Ask and wait for the answer."""
        from distributed import Queue, Variable

        request = {"what": what, "key": self.key, "host": self.host, "attempt": self.attempt, **more}
        request["ask"] = uuid.uuid4().hex
        try:
            answer = Variable(_answer_name(self.name, request), client=self.client)
            Queue(self.name, client=self.client).put(request)
            found = answer.get(timeout=wait)
            answer.delete()
        except Exception as error:
            raise ClusterLost(
                f"whoever started the map doesn't answer ({type(error).__name__}), so nothing was sent"
            ) from error
        return found


def _answer_name(name: str, request: Mapping[str, Any]) -> str:
    return f"{name}-{request['ask']}"

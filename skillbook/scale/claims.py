"""Claims: each row whose repetition could do harm is granted to one attempt, before that attempt's first effect.

The client decides, since it alone lives as long as the map. Requests and answers travel through the scheduler, so that
no folder has to be shared. A stopped or dead client grants nothing.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from typing import Any

from skillbook.errors import ClusterLost
from skillbook.policy.effects import classify
from skillbook.protocol.commands import Effect
from skillbook.scale.row_store import RowStore
from skillbook.skill.consent.wants import special_steps
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.templates import Value, fill_url

ANSWER_SECONDS = 60.0
"""How long a worker waits for the answer to its claim."""
_POLL_SECONDS = 1.0


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

    Parameters
    ----------
    store : where each claim is written before it is granted.

    Attributes
    ----------
    name : of the queue on which claims arrive.
    hosts : by row, the host that began it last.
    error : what keeps claims from being granted; None if nothing does.
    """

    def __init__(self, store: RowStore) -> None:
        self.name = f"skillbook-claims-{uuid.uuid4().hex[:12]}"
        self.hosts: dict[str, str] = {}
        self.error: Exception | None = None
        self._store = store
        self._granted: dict[str, str] = {}
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
            self._closed.set()

    def serve(self, client: Any) -> threading.Thread:
        """Answer claims until `close`, on a thread of its own."""
        thread = threading.Thread(target=self._serve, args=(client,), name="skillbook-claims", daemon=True)
        thread.start()
        return thread

    def _serve(self, client: Any) -> None:
        from distributed import Queue, Variable

        try:
            queue = Queue(self.name, client=client)
            while not self._closed.is_set():
                try:
                    said = queue.get(timeout=_POLL_SECONDS)
                except TimeoutError:
                    continue
                self.hosts[said["key"]] = said["host"]
                if said["attempt"]:
                    answer = self.grant(said["key"], said["attempt"])
                    Variable(_answer_name(self.name, said["attempt"]), client=client).set(answer)
            queue.close()
        except Exception as error:
            if not self._closed.is_set():
                self.error = error


def announce(client: Any, name: str, key: str, host: str) -> None:
    """Say from a worker that it begins a row."""
    from distributed import Queue

    Queue(name, client=client).put({"key": key, "attempt": "", "host": host})


def claim(client: Any, name: str, key: str, host: str, attempt: str) -> str:
    """Claim a row from a worker; returns an empty text once it is granted, else why not.

    Raises
    ------
    ClusterLost : nobody answers, so that nothing may be sent.
    """
    from distributed import Queue, Variable

    try:
        answer = Variable(_answer_name(name, attempt), client=client)
        Queue(name, client=client).put({"key": key, "attempt": attempt, "host": host})
        said = str(answer.get(timeout=ANSWER_SECONDS))
        answer.delete()
    except Exception as error:
        raise ClusterLost(
            f"the claim of the row was not answered ({type(error).__name__}), so nothing was sent"
        ) from error
    return said


def _answer_name(name: str, attempt: str) -> str:
    return f"{name}-{attempt}"

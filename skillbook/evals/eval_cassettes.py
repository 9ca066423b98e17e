"""Cassettes of attempts: the first time records what pages and models answered, later ones need neither."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from skillbook.evals.eval_task import Task
from skillbook.evals.served_start import Place
from skillbook.session.cassette import Cassette, cassette

_FILE = "attempt.json"


class AttemptCassette:
    """The cassette of one attempt, where there is to be one; a block in which it runs.

    Served sites get a port that nobody chose. A replay serves nothing, and its addresses have the recorded port.

    Parameters
    ----------
    folder : of all cassettes; None where the task's own is used, or none.
    task : the task.
    key : names the attempt.

    Attributes
    ----------
    port : of the recording; 0 where there is none.
    sent : in a replay, what reached the site when it was recorded.
    """

    def __init__(self, folder: str | None, task: Task, key: str) -> None:
        self._own = task.start.cassette is not None
        named = Path(folder) / f"{task.name}-{key[:8]}".replace(".", "-") if folder else None
        self._path = Path(task.start.cassette) if task.start.cassette else named
        self._tape: Cassette | None = None
        self._place: Place | None = None
        self.port = 0
        self.sent: list[str] = []
        kept = self._path / _FILE if self._path is not None else None
        if kept is not None and kept.exists():
            data = json.loads(kept.read_text(encoding="utf-8"))
            self.port, self.sent = int(data["port"]), list(data["sent"])

    def __enter__(self) -> Self:
        if self._path is not None:
            mode: Literal["replay", "once"] = "replay" if self._own else "once"
            self._tape = cassette(self._path.name, folder=self._path.parent, mode=mode)
        return self

    def take(self, place: Place) -> None:
        """Note where the attempt's page is served."""
        self._place = place

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tape is None:
            return
        self._tape.__exit__(kind, error, trace)
        if error is None and not self._tape.replaying and self._place is not None and self._path is not None:
            said = {"port": self._place.port, "sent": self._place.sent}
            (self._path / _FILE).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")

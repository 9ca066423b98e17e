"""A session as one file, for bug reports and for doing it again elsewhere: written scrubbed, read with suspicion."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from skillbook.errors import ConfigError
from skillbook.journal.records import (
    JournalStep,
    Measure,
    Metric,
    Outcome,
    read_journal,
    read_measures,
    summarize,
)
from skillbook.storage import readable_home, storing

FORMAT = "skillbook-journal"
SCRUBBED = "•••"
_TYPED = {"value", "text", "values", "files", "expression"}
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_LONG_NUMBER = re.compile(r"\d(?:[ -]?\d){7,}")
_LARGEST = 200 * 2**20


@dataclass(frozen=True)
class SavedJournal:
    """A session that was exported."""

    steps: tuple[JournalStep, ...]
    measures: tuple[Measure, ...] = ()

    @property
    def metrics(self) -> list[Metric]:
        """Its figures, by command."""
        return summarize(self.steps, self.measures)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"<SavedJournal: {len(self.steps)} steps>"


def export_journal(source: Path, target: Path, *, values: bool = False, thumbnails: bool = False) -> Path:
    """Write a journal as one JSON file, mode 0600, without what is nobody else's business.

    Left out are typed values, query strings, mail addresses, long numbers and the home folder's name; secrets never
    were in the journal.

    values: keep what was typed, so that the session can be done again.
    """
    steps = [scrub(step, values=values, thumbnails=thumbnails) for step in read_journal(source)]
    data = {
        "format": FORMAT,
        "version": 1,
        "steps": [_plain(step) for step in steps],
        "measures": [[each.name, each.time, each.elapsed_ms, each.ok] for each in read_measures(source)],
    }
    with storing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=False, indent=1)
        Path(name).replace(target)
    return target


def load_journal(path: Path | str) -> SavedJournal:
    """Read an exported session.

    Raises ConfigError: it is no such file.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["format"] != FORMAT or data["version"] != 1:
            raise ValueError("it is of another kind or version")
        steps = tuple(_step(row) for row in data["steps"])
        measures = tuple(Measure(str(n), float(t), float(ms), bool(ok)) for n, t, ms, ok in data["measures"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file.name!r} is no exported journal: {error}",
            hint="write one with browser.export_journal(path)",
        ) from None
    return SavedJournal(steps, measures)


def scrub(step: JournalStep, *, values: bool = False, thumbnails: bool = False) -> JournalStep:
    """A step without typed values, query strings, addresses of people and numbers that may be somebody's."""
    params = {
        name: value if name not in _TYPED or (values and name != "files") else _hide(value)
        for name, value in step.params.items()
    }
    return replace(
        step,
        url=_scrub_url(step.url),
        params=_scrub(params),
        target=_scrub(step.target),
        record=_scrub(step.record),
        result=_scrub(step.result),
        error=_scrub(step.error),
        observation=_scrub(step.observation),
        thumbnail=step.thumbnail if thumbnails else None,
    )


def _hide(value: Any) -> Any:
    if isinstance(value, list):
        return [_hide(item) for item in value]
    return value if isinstance(value, str) and value.startswith("${secret:") else SCRUBBED


def _scrub(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _scrub(item) for key, item in data.items()}
    if isinstance(data, list):
        return [_scrub(item) for item in data]
    if not isinstance(data, str):
        return data
    if re.match(r"https?://", data):
        return _scrub_url(data)
    text = data.replace(str(readable_home()), "~")
    return _LONG_NUMBER.sub(SCRUBBED, _MAIL.sub(SCRUBBED, text))


def _scrub_url(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return SCRUBBED
    query = re.sub(r"=[^&]*", f"={SCRUBBED}", parts.query)
    return urlunsplit(parts._replace(query=query, fragment=""))


def _plain(step: JournalStep) -> dict[str, Any]:
    row = {each.name: getattr(step, each.name) for each in fields(step)}
    row["outcome"] = step.outcome.value
    row["thumbnail"] = base64.b64encode(step.thumbnail).decode() if step.thumbnail else None
    return row


def _step(row: Any) -> JournalStep:
    known = {each.name for each in fields(JournalStep)}
    if not isinstance(row, dict) or not set(row) <= known:
        raise ValueError("a step has unknown fields")
    for name in ("params", "target", "record", "result", "error", "observation"):
        if not isinstance(row.get(name, {}), dict):
            raise TypeError(f"a step's {name} are no mapping")
    thumbnail = row.get("thumbnail")
    return JournalStep(
        **{
            **row,
            "outcome": Outcome(row["outcome"]),
            "thumbnail": base64.b64decode(thumbnail) if thumbnail else None,
        }
    )

"""What a trace of a run shows, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace; all texts may be a page's.

    title: what was done, in words.
    facts: names and values, shown at once; empty values are left out.
    texts: titles and long texts, folded; empty ones are left out.
    requests: what the page sent: method, address, and what came of it.
    image: media type and Base64 of a screenshot.
    at, elapsed_ms: when it ended, in seconds since 1970, and how long it took; 0 where nobody knows.
    """

    title: str
    status: Literal["ok", "failed", "declined"] = "ok"
    facts: Sequence[tuple[str, str]] = ()
    texts: Sequence[tuple[str, str]] = ()
    requests: Sequence[tuple[str, str, str]] = ()
    image: tuple[str, str] | None = None
    at: float = 0.0
    elapsed_ms: float = 0.0


@dataclass(frozen=True)
class Trace:
    """What a trace shows.

    title, facts: of the whole run.
    mask: takes secrets out of a text.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    steps: Sequence[TraceStep]
    mask: Callable[[str], str]

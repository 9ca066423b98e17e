"""What names a replay in the journal: an id, after the call of a run that replays the skill, if one does."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SEPARATOR = "/replay-"
_caller: ContextVar[str] = ContextVar("caller", default="")


@contextmanager
def called_by(key: str) -> Iterator[None]:
    """Replays in here are a call's; `key` names that call in the journal."""
    before = _caller.set(key)
    try:
        yield
    finally:
        _caller.reset(before)


def new_key() -> str:
    """What names a replay that begins now."""
    return f"{_caller.get()}{_SEPARATOR}{uuid.uuid4().hex[:12]}".removeprefix("/")


def is_of_call(run: str, key: str) -> bool:
    """Whether a step of the journal is a call's, or one of a skill that the call replayed."""
    return run == key or run.startswith(f"{key}{_SEPARATOR}")

"""The sites that one task may reach, whoever's code it runs: a client's calls, with skills and workflows inside."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skillbook.policy import Policy
from skillbook.policy.urls import origin_of

_only: ContextVar[frozenset[str]] = ContextVar("only", default=frozenset())
_lent: ContextVar[set[str] | None] = ContextVar("lent", default=None)


@contextmanager
def confined_to(origins: Collection[str]) -> Iterator[None]:
    """What is begun in here goes to no other origins; none of them stands for any."""
    token = _only.set(_only.get() or frozenset(filter(None, map(origin_of, origins))))
    try:
        yield
    finally:
        _only.reset(token)


@contextmanager
def lending() -> Iterator[None]:
    """What is begun in here may act on sites that it opens, and nothing else may because of that."""
    token = _lent.set(set())
    try:
        yield
    finally:
        _lent.reset(token)


def left_by(destination: str | None) -> str | None:
    """The origin of an address that this task may not go to; None for any other address."""
    origin = origin_of(destination) if destination else None
    only = _only.get()
    return origin if only and origin not in only else None


def lent() -> frozenset[str]:
    """The origins on which this task may act besides those that are allowed to all."""
    return frozenset(_lent.get() or ())


def allow_landing(policy: Policy, requested: str, landed: str) -> None:
    """A task opened an address: it may act there, and all may unless the sites of the task are lent to it."""
    borrowed = _lent.get()
    if borrowed is None:
        policy.allow_landing(requested, landed)
        return
    opened = Policy()
    opened.allow_landing(requested, landed)
    borrowed |= opened.allowed - policy.allowed

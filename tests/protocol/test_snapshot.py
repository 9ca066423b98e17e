"""A snapshot's flags."""

from __future__ import annotations

from skillbook.protocol.snapshot import State


def test_a_columns_flags_are_compared_as_plain_numbers() -> None:
    flags = int(State.ACTIONABLE | State.CHECKED)
    assert type(flags & State.CHECKED) is int
    assert flags & State.CHECKED
    assert not flags & State.MIXED

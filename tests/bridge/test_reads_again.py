"""Reads that were under way when the connection ended are sent once more; writes never (FAULTS 11)."""

from __future__ import annotations

import pytest

from skillbook.errors import ConnectionLost
from tests.bridge.helpers import Bench, frames, settled


@pytest.fixture
def talking() -> Bench:
    bench = Bench()
    bench.greet(1, 0.0)
    return bench


def test_fault_11_a_read_is_sent_once_more_when_the_session_goes_on(talking: Bench) -> None:
    id = talking.request(1.0, timeout=10.0)
    talking.machine.lost(1, 2.0)
    assert settled(talking.take()) == {}
    session = talking.machine.conversation.session
    sent = frames(talking.greet(2, 5.0, session=session))
    assert [frame["type"] for frame in sent] == ["welcome", "request"]
    assert (sent[1]["id"], sent[1]["deadline_ms"]) == (id, 6000)
    talking.machine.lost(2, 6.0)
    error = settled(talking.take())[id].error
    assert isinstance(error, ConnectionLost)
    assert frames(talking.greet(3, 7.0, session=session))[1:] == []


def test_fault_11_a_read_that_was_sent_again_is_answered(talking: Bench) -> None:
    id = talking.request(1.0)
    talking.machine.lost(1, 2.0)
    talking.take()
    assert talking.answer(1, id, "old", 2.5) == []
    talking.greet(2, 3.0, session=talking.machine.conversation.session)
    assert settled(talking.answer(2, id, "new", 4.0))[id].result == "new"


def test_a_read_of_a_tab_is_not_sent_again_in_another_session(talking: Bench) -> None:
    id = talking.request(1.0)
    talking.machine.lost(1, 2.0)
    talking.take()
    outputs = talking.greet(2, 3.0)
    assert isinstance(settled(outputs)[id].error, ConnectionLost)
    assert [frame["type"] for frame in frames(outputs)][-1] == "welcome"


def test_a_read_whose_browser_stays_away_is_lost_at_its_deadline(talking: Bench) -> None:
    id = talking.request(1.0, timeout=10.0)
    talking.machine.lost(1, 2.0)
    assert settled(talking.run_until(10.9)) == {}
    error = settled(talking.run_until(11.0))[id].error
    assert isinstance(error, ConnectionLost)
    assert "wasn't back in time" in error.message


def test_a_read_held_for_a_browser_ends_with_the_bridge(talking: Bench) -> None:
    id = talking.request(1.0)
    talking.machine.lost(1, 2.0)
    talking.machine.close("done", 3.0)
    assert isinstance(settled(talking.take())[id].error, ConnectionLost)

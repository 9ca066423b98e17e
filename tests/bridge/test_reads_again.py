"""Reads that were under way when the connection ended are sent once more; writes never (FAULTS 11)."""

from __future__ import annotations

import pytest

from skillbook.bridge.conversation import Output
from skillbook.errors import CommandTimeout, ConnectionLost
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


GAVE_UP = {"code": "timeout", "message": "took too long"}


def _give_up(bench: Bench, id: int, now: float) -> list[Output]:
    return bench.say(1, {"v": 1, "type": "response", "id": id, "error": GAVE_UP}, now)


class TestABrowserThatStandsStill:
    """A browser whose process is stopped for 40 s keeps its connection and answers nothing meanwhile."""

    def test_a_read_is_answered_when_it_goes_on(self, talking: Bench) -> None:
        id = talking.request(1.0, is_limit=False)
        assert settled(talking.run_until(40.0)) == {}
        assert settled(talking.answer(1, id, "here", 41.0))[id].result == "here"

    def test_a_read_that_the_browser_gave_up_is_sent_once_more(self, talking: Bench) -> None:
        id = talking.request(1.0, is_limit=False)
        talking.run_until(40.0)
        talking.say(1, {"v": 1, "type": "pong", "n": 1}, 41.0)
        sent = frames(_give_up(talking, id, 41.1))
        assert [(frame["type"], frame["id"]) for frame in sent] == [("request", id)]
        error = settled(_give_up(talking, id, 50.0))[id].error
        assert isinstance(error, CommandTimeout)

    def test_a_read_that_was_given_up_just_in_time_is_sent_once_more(self, talking: Bench) -> None:
        id = talking.request(1.0, is_limit=False)
        talking.run_until(31.5)
        sent = frames(_give_up(talking, id, 31.6))
        assert [(frame["id"], frame["deadline_ms"]) for frame in sent] == [(id, 30_000)]

    def test_a_read_whose_caller_gave_a_timeout_ends_with_it(self, talking: Bench) -> None:
        id = talking.request(1.0)
        error = settled(talking.run_until(33.0))[id].error
        assert isinstance(error, CommandTimeout)
        assert error.message.endswith("in time: it has stood still for 33 s")

    def test_a_write_is_not_waited_for_nor_sent_again(self, talking: Bench) -> None:
        late = talking.request(1.0, command="click", is_limit=False)
        given_up = talking.request(2.0, command="click", is_limit=False)
        assert isinstance(settled(talking.run_until(33.0))[late].error, CommandTimeout)
        outputs = _give_up(talking, given_up, 33.5)
        assert (isinstance(settled(outputs)[given_up].error, CommandTimeout), frames(outputs)) == (True, [])

    def test_a_browser_that_is_alive_and_slow_is_given_up(self, talking: Bench) -> None:
        id = talking.request(1.0, is_limit=False)
        for second in range(5, 31, 5):
            talking.say(1, {"v": 1, "type": "pong", "n": 1}, float(second))
        error = settled(talking.run_until(33.0))[id].error
        assert isinstance(error, CommandTimeout)
        assert error.message.endswith("in time")

    def test_a_read_of_a_browser_that_never_goes_on_ends(self, talking: Bench) -> None:
        id = talking.request(1.0, is_limit=False)
        error = settled(talking.run_until(100.0))[id].error
        assert isinstance(error, ConnectionLost)
        assert "silent for 60 s" in error.message

"""The machine: greeting, sessions, requests, events, heartbeats; numbers in names are those of the fault list."""

from __future__ import annotations

import pytest

from skillbook.bridge.conversation import Changed
from skillbook.bridge.machine import CLOSE_PROTOCOL, CLOSE_REFUSED, CLOSE_REPLACED, MAX_PENDING, MAX_STRANGERS
from skillbook.errors import (
    AuthFailed,
    BridgeError,
    CommandTimeout,
    ConnectionLost,
    InvalidParams,
    NotConnected,
    ProtocolError,
    StaleRef,
    VersionMismatch,
)
from skillbook.protocol import PROTOCOL_MINOR
from skillbook.protocol.envelopes import RequestBody
from tests.bridge.helpers import TOKEN, Bench, closed, delivered, frames, make_hello, settled

EVENT = {"v": 1, "type": "event", "event": "tab_closed", "tab": 3, "data": {"reason": "closed"}}


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def talking(bench: Bench) -> Bench:
    bench.greet(1, 0.0)
    return bench


class TestGreeting:
    def test_ends_in_a_welcome(self, bench: Bench) -> None:
        outputs = bench.greet(1, 0.0)
        [welcome] = frames(outputs)
        assert welcome["type"] == "welcome"
        assert welcome["resumed"] is False
        assert welcome["heartbeat_ms"] == 20_000
        assert Changed() in outputs
        assert bench.machine.state == "connected"

    def test_fault_04_a_wrong_token_is_refused(self, bench: Bench) -> None:
        outputs = bench.greet(1, 0.0, token="another")
        assert frames(outputs)[0]["error"]["code"] == "auth_failed"
        assert closed(outputs) == [(1, CLOSE_REFUSED)]
        assert bench.machine.state == "waiting"
        assert isinstance(bench.machine.last_error, AuthFailed)

    def test_fault_04_neither_token_nor_proof_shows(self, bench: Bench) -> None:
        outputs = bench.greet(1, 0.0, token="another")
        assert TOKEN not in repr((bench.machine, outputs, vars(bench.machine.last_error)))
        assert all(TOKEN.encode() not in out.frame for out in bench.out if hasattr(out, "frame"))

    def test_a_hello_for_another_kernel_is_refused_without_a_proof_of_ours(self, bench: Bench) -> None:
        outputs = bench.greet(1, 0.0, kernel="k0")
        assert [frame["type"] for frame in frames(outputs)] == ["refused"]
        assert isinstance(bench.machine.last_error, AuthFailed)

    @pytest.mark.parametrize("protocol", ["2.0", f"1.{PROTOCOL_MINOR + 1}", "0.9", "one", None, 1.0])
    def test_fault_09_version_skew_names_the_update(self, bench: Bench, protocol: object) -> None:
        waiting = bench.request(0.0)
        outputs = bench.greet(1, 0.0, protocol=protocol)
        [refused] = frames(outputs)
        assert refused["error"]["code"] == "version_mismatch"
        assert "update" in refused["error"]["hint"]
        assert isinstance(settled(outputs)[waiting].error, VersionMismatch)
        with pytest.raises(VersionMismatch):
            bench.request(0.0)

    def test_fault_09_a_hello_of_another_major_may_look_different(self, bench: Bench) -> None:
        bench.machine.open(1, 0.0)
        outputs = bench.say(1, {"v": 2, "type": "hello", "protocol": "2.3", "who": {}}, 0.0)
        assert frames(outputs)[0]["error"]["code"] == "version_mismatch"

    def test_fault_09_an_old_extension_of_an_earlier_kernel_ends_nothing(self, bench: Bench) -> None:
        waiting = bench.request(0.0)
        outputs = bench.greet(1, 0.0, kernel="k0", protocol="2.0")
        assert frames(outputs)[0]["error"]["code"] == "auth_failed"
        assert waiting not in settled(outputs)

    @pytest.mark.parametrize(
        "frame",
        [
            "",
            "null",
            "[]",
            "{",
            "{}",
            '{"v":1,"type":"auth","proof":"x"}',
            '{"v":1,"type":"response","id":1}',
            b"\xff\xfe",
            "[" * 10_000,
            '{"a":' * 3_000,
            " " * 20_000,
            '{"v":1,"type":"hello","protocol":"1.0","nonce":NaN}',
        ],
        ids=lambda frame: repr(frame[:30]),
    )
    def test_fault_08_anything_else_is_refused(self, bench: Bench, frame: str | bytes) -> None:
        bench.machine.open(1, 0.0)
        outputs = bench.say(1, frame, 0.0)
        assert frames(outputs)[0]["error"]["code"] == "protocol"
        assert closed(outputs) == [(1, CLOSE_REFUSED)]
        assert bench.say(1, make_hello(), 0.0) == []

    def test_a_hello_is_said_once(self, bench: Bench) -> None:
        bench.machine.open(1, 0.0)
        bench.say(1, make_hello(), 0.0)
        assert frames(bench.say(1, make_hello(), 0.0))[0]["error"]["code"] == "protocol"

    def test_who_does_not_greet_is_closed(self, bench: Bench) -> None:
        bench.machine.open(1, 0.0)
        assert closed(bench.run_until(9.9)) == []
        assert closed(bench.run_until(10.0)) == [(1, CLOSE_REFUSED)]

    def test_fault_08_strangers_are_bounded(self, bench: Bench) -> None:
        for number in range(MAX_STRANGERS + 1):
            bench.machine.open(number, 0.0)
        assert closed(bench.take()) == [(0, CLOSE_REFUSED)]


class TestTakeover:
    def test_fault_06_the_same_profile_takes_over_with_a_notice(self, talking: Bench) -> None:
        pending = talking.request(1.0)
        outputs = talking.greet(2, 2.0)
        assert closed(outputs) == [(1, CLOSE_REPLACED)]
        assert isinstance(settled(outputs)[pending].error, ConnectionLost)
        assert "anew" in talking.machine.notice
        assert talking.answer(1, pending, "late", 3.0) == []
        id = talking.request(3.0)
        assert settled(talking.answer(2, id, "right", 4.0))[id].result == "right"

    def test_fault_06_another_profile_is_refused_while_one_is_active(self, talking: Bench) -> None:
        pending = talking.request(1.0)
        outputs = talking.greet(2, 2.0, profile="p2")
        assert frames(outputs, 2)[0]["error"]["code"] == "bridge"
        assert "refused" in talking.machine.notice
        assert talking.answer(2, pending, "wrong", 3.0) == []
        assert settled(talking.answer(1, pending, "right", 3.0))[pending].result == "right"

    def test_fault_06_nobody_is_replaced_before_the_proof(self, talking: Bench) -> None:
        outputs = talking.greet(2, 2.0, token="wrong")
        assert closed(outputs) == [(2, CLOSE_REFUSED)]
        assert talking.machine.state == "connected"
        assert talking.machine.last_error is None

    def test_another_profile_may_come_when_the_first_is_gone(self, talking: Bench) -> None:
        talking.machine.lost(1, 1.0)
        assert frames(talking.greet(2, 2.0, profile="p2"))[0]["type"] == "welcome"


class TestRequests:
    def test_an_answer_settles_its_request(self, talking: Bench) -> None:
        first, second = talking.request(1.0), talking.request(1.0)
        assert settled(talking.answer(1, second, 2, 1.5)).keys() == {second}
        assert settled(talking.answer(1, first, 1, 1.5))[first].result == 1

    def test_an_error_becomes_its_class(self, talking: Bench) -> None:
        id = talking.request(1.0)
        error = {"code": "stale_ref", "message": "gone", "data": {"ref": "e1", "self": 1, "message": 2}}
        outputs = talking.say(1, {"v": 1, "type": "response", "id": id, "error": error}, 2.0)
        found = settled(outputs)[id].error
        assert isinstance(found, StaleRef)
        assert found.data == {"ref": "e1"}

    def test_fault_08_duplicate_and_unknown_ids_are_counted_and_ignored(self, talking: Bench) -> None:
        id = talking.request(1.0)
        talking.answer(1, id, 1, 2.0)
        assert talking.answer(1, id, 2, 2.0) == []
        assert talking.answer(1, 999, 2, 2.0) == []
        assert talking.machine.conversation.ignored["responses"] == 2

    def test_a_passed_deadline_cancels_in_the_browser(self, talking: Bench) -> None:
        id = talking.request(0.0, command="click", timeout=5.0)
        assert settled(talking.run_until(6.9)) == {}
        outputs = talking.run_until(7.0)
        error = settled(outputs)[id].error
        assert isinstance(error, CommandTimeout)
        assert error.data == {"command": "click", "effect": "write", "sent": True}
        assert frames(outputs) == [{"v": 1, "type": "cancel", "id": id}]

    def test_a_cancelled_request_is_never_settled(self, talking: Bench) -> None:
        id = talking.request(1.0)
        talking.machine.cancel(id, 1.0)
        assert frames(talking.take()) == [{"v": 1, "type": "cancel", "id": id}]
        assert talking.answer(1, id, 1, 2.0) == []

    def test_parameters_that_are_no_json_are_refused(self, talking: Bench) -> None:
        for value in (object(), "\ud800", {1, object()}):
            with pytest.raises(InvalidParams):
                talking.machine.request(RequestBody(command="get", params={"what": value}, tab=3), 1.0, 1.0)
        assert talking.take() == []

    def test_fault_08_more_than_a_thousand_waiting_are_refused(self, bench: Bench) -> None:
        for _ in range(MAX_PENDING):
            bench.request(0.0)
        with pytest.raises(BridgeError, match="wait for the browser already"):
            bench.request(0.0)


class TestDrops:
    @pytest.mark.parametrize(
        ("command", "effect"), [("click", "write"), ("scroll", "read"), ("evaluate", "irreversible")]
    )
    def test_fault_11_a_sent_request_has_an_unknown_outcome(
        self, talking: Bench, command: str, effect: str
    ) -> None:
        id = talking.request(1.0, command=command)
        talking.machine.lost(1, 2.0)
        error = settled(talking.take())[id].error
        assert isinstance(error, ConnectionLost)
        assert error.data == {"command": command, "effect": effect, "sent": True}

    def test_fault_11_a_write_is_not_sent_again(self, talking: Bench) -> None:
        talking.request(1.0, command="click")
        talking.machine.lost(1, 2.0)
        session = talking.machine.conversation.session
        assert [frame["type"] for frame in frames(talking.greet(2, 3.0, session=session))] == ["welcome"]

    def test_an_unsent_request_waits_for_the_next_connection(self, talking: Bench) -> None:
        talking.machine.lost(1, 1.0)
        session = talking.machine.conversation.session
        id = talking.request(2.0, command="click", timeout=10.0)
        assert settled(talking.take()) == {}
        sent = frames(talking.greet(2, 6.0, session=session))
        assert [frame["type"] for frame in sent] == ["welcome", "request"]
        assert sent[1]["deadline_ms"] == 6000
        assert settled(talking.answer(2, id, "done", 7.0))[id].result == "done"

    def test_an_unsent_request_for_a_tab_does_not_reach_another_session(self, talking: Bench) -> None:
        talking.machine.lost(1, 1.0)
        paged, unpaged = talking.request(2.0, command="press"), talking.request(2.0, tab=None)
        outputs = talking.greet(2, 3.0)
        error = settled(outputs)[paged].error
        assert isinstance(error, ConnectionLost)
        assert error.data["sent"] is False
        assert [frame["id"] for frame in frames(outputs) if frame["type"] == "request"] == [unpaged]

    def test_an_unsent_request_fails_at_its_deadline(self, bench: Bench) -> None:
        id = bench.request(0.0, timeout=5.0)
        error = settled(bench.run_until(5.0))[id].error
        assert isinstance(error, NotConnected)
        assert error.data["sent"] is False

    def test_an_expired_request_is_not_sent_late_nor_answered(self, bench: Bench) -> None:
        id = bench.request(0.0, timeout=5.0)
        assert [frame["type"] for frame in frames(bench.greet(1, 5.5))] == ["welcome"]
        assert bench.answer(1, id, "forged", 5.5) == []
        assert isinstance(settled(bench.run_until(5.5))[id].error, NotConnected)

    def test_goodbye_ends_what_waits_and_what_comes(self, talking: Bench) -> None:
        id = talking.request(1.0)
        outputs = talking.say(1, {"v": 1, "type": "bye", "reason": "user"}, 2.0)
        assert isinstance(settled(outputs)[id].error, ConnectionLost)
        with pytest.raises(NotConnected):
            talking.request(3.0)
        talking.greet(2, 4.0)
        assert talking.request(5.0) > id

    @pytest.mark.parametrize(
        "frame",
        [
            "{",
            "[]",
            '{"v":1,"type":"nonsense"}',
            '{"v":1,"type":"auth","proof":""}',
            b"\x00\xff",
            "[" * 100_000,
        ],
        ids=lambda frame: repr(frame[:30]),
    )
    def test_fault_08_a_malformed_message_ends_the_connection(
        self, talking: Bench, frame: str | bytes
    ) -> None:
        id = talking.request(1.0)
        outputs = talking.say(1, frame, 2.0)
        assert closed(outputs) == [(1, CLOSE_PROTOCOL)]
        assert isinstance(settled(outputs)[id].error, ConnectionLost)
        assert isinstance(talking.machine.last_error, ProtocolError)
        assert len(talking.machine.last_error.message) < 200

    def test_a_response_with_result_and_error_is_malformed(self, talking: Bench) -> None:
        id = talking.request(1.0)
        both = {"v": 1, "type": "response", "id": id, "result": 1, "error": {"code": "x", "message": "y"}}
        outputs = talking.say(1, both, 2.0)
        assert closed(outputs) == [(1, CLOSE_PROTOCOL)]
        assert isinstance(settled(outputs)[id].error, ConnectionLost)

    def test_close_says_goodbye_and_fails_the_rest(self, talking: Bench) -> None:
        id = talking.request(1.0)
        talking.machine.close("done", 2.0)
        outputs = talking.take()
        assert frames(outputs)[-1] == {"v": 1, "type": "bye", "reason": "done"}
        assert isinstance(settled(outputs)[id].error, ConnectionLost)
        with pytest.raises(NotConnected):
            talking.request(3.0)
        talking.machine.open(9, 3.0)
        assert closed(talking.take()) == [(9, 1001)]


class TestEvents:
    def test_arrive_once_and_in_order(self, talking: Bench) -> None:
        outputs = [out for seq in (1, 2, 2, 1, 3) for out in talking.say(1, EVENT | {"seq": seq}, 1.0)]
        assert delivered(outputs) == [1, 2, 3]
        assert talking.machine.conversation.ignored["old events"] == 2

    def test_a_gap_is_reported(self, talking: Bench) -> None:
        talking.say(1, EVENT | {"seq": 1}, 1.0)
        outputs = talking.say(1, EVENT | {"seq": 5}, 1.0)
        assert delivered(outputs) == [5]
        assert Changed() in outputs
        assert talking.machine.conversation.missed_events == 3

    def test_unknown_and_invalid_ones_are_counted(self, talking: Bench) -> None:
        outputs = talking.say(1, EVENT | {"seq": 1, "event": "eaten"}, 1.0)
        outputs += talking.say(1, EVENT | {"seq": 2, "data": {"reason": "bored"}}, 1.0)
        assert delivered(outputs) == []
        assert talking.machine.conversation.ignored == {"unknown events": 1, "invalid events": 1}
        assert talking.machine.state == "connected"

    def test_a_session_is_resumed_within_the_grace_period(self, talking: Bench) -> None:
        talking.say(1, EVENT | {"seq": 1}, 1.0)
        talking.machine.lost(1, 2.0)
        session = talking.machine.conversation.session
        welcome = frames(talking.greet(2, 60.0, session=session, last_seq=4))[0]
        assert (welcome["resumed"], welcome["session"]) == (True, session)
        assert talking.machine.conversation.missed_events == 3
        assert delivered(talking.say(2, EVENT | {"seq": 5}, 61.0)) == [5]

    @pytest.mark.parametrize(
        ("hello", "at"),
        [
            ({"session": "another"}, 3.0),
            ({"session": None}, 3.0),
            ({"last_seq": 0}, 3.0),
            ({"profile": "p2"}, 3.0),
            ({}, 63.0),
        ],
        ids=["other session", "no session", "counter lost", "other profile", "too late"],
    )
    def test_else_a_new_session_begins(self, talking: Bench, hello: dict[str, object], at: float) -> None:
        talking.say(1, EVENT | {"seq": 1}, 1.0)
        talking.machine.lost(1, 2.0)
        session = talking.machine.conversation.session
        welcome = frames(talking.greet(2, at, **({"session": session, "last_seq": 1} | hello)))[0]
        assert welcome["resumed"] is False
        assert welcome["session"] != session
        assert delivered(talking.say(2, EVENT | {"seq": 1}, at)) == [1]


class TestHeartbeat:
    def test_fault_10_ten_idle_minutes_are_filled_with_pings(self, talking: Bench) -> None:
        now = pings = 0.0
        while now < 600.0:
            now = talking.machine.wakeup
            talking.machine.tick(now)
            for frame in frames(talking.take()):
                pings += frame["type"] == "ping"
                talking.say(1, {"v": 1, "type": "pong", "n": frame["n"]}, now + 0.01)
        assert pings == pytest.approx(30, abs=1)
        id = talking.request(now)
        assert settled(talking.answer(1, id, "here", now))[id].result == "here"

    def test_a_silent_browser_is_gone_after_three_intervals(self, talking: Bench) -> None:
        id = talking.request(0.0, command="click", timeout=100.0)
        assert closed(talking.run_until(59.9)) == []
        outputs = talking.run_until(60.0)
        assert closed(outputs) == [(1, 1001)]
        assert isinstance(settled(outputs)[id].error, ConnectionLost)
        assert talking.machine.state == "lost"

    def test_any_message_counts_as_a_sign_of_life(self, talking: Bench) -> None:
        for second in range(0, 200, 15):
            talking.run_until(second)
            talking.say(1, EVENT | {"seq": second + 1}, float(second))
        assert talking.machine.state == "connected"

    def test_a_ping_is_answered(self, talking: Bench) -> None:
        assert frames(talking.say(1, {"v": 1, "type": "ping", "n": 7}, 1.0)) == [
            {"v": 1, "type": "pong", "n": 7}
        ]

    def test_a_kernel_that_was_held_up_reads_before_it_judges(self, talking: Bench) -> None:
        id = talking.request(0.0, timeout=30.0)
        talking.machine.tick(100.0)
        assert talking.take() == []
        assert settled(talking.answer(1, id, "was waiting", 100.1))[id].result == "was waiting"
        talking.run_until(101.0)
        assert talking.machine.state == "connected"

    def test_a_kernel_that_was_held_up_judges_in_the_end(self, talking: Bench) -> None:
        id = talking.request(0.0, timeout=30.0)
        talking.machine.tick(100.0)
        outputs = talking.run_until(101.0)
        assert isinstance(settled(outputs)[id].error, CommandTimeout)
        assert talking.machine.state == "lost"

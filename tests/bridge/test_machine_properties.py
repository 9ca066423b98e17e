"""Whatever order things happen in, every request is settled exactly once and with its own answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from skillbook.bridge.conversation import Close, Send, Settle
from skillbook.errors import BridgeError, SkillbookError
from skillbook.protocol.envelopes import RequestBody
from tests.bridge.helpers import Bench, frames

TABS = st.sampled_from([None, 3])
GARBAGE = st.sampled_from(
    [
        b"{",
        b"\xff",
        b'{"v":1,"type":"response","id":true,"result":1,"error":{"code":"x","message":""}}',
        b'{"v":1,"type":"auth","proof":"x"}',
        b"[" * 5000,
    ]
)


class Wire(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.bench = Bench(heartbeat=20.0, grace=30.0)
        self.now = 0.0
        self.connection = 0
        self.active: int | None = None
        self.profile = "p1"
        self.made: set[int] = set()
        self.reads: set[int] = set()
        self.cancelled: set[int] = set()
        self.waiting_in: dict[int, set[int]] = {}
        self.settled: Counter[int] = Counter()
        self.sent: Counter[int] = Counter()
        self.closed: set[int] = set()

    def look(self, outputs: list[Any]) -> None:
        """Check what came out, and note it as the other side would."""
        for output in outputs:
            if isinstance(output, Send):
                assert output.connection not in self.closed, "sent after the close"
                for frame in frames([output]):
                    if frame["type"] == "request":
                        self.sent[frame["id"]] += 1
                        self.waiting_in[output.connection].add(frame["id"])
            elif isinstance(output, Close):
                assert output.connection not in self.closed, "closed twice"
                self.closed.add(output.connection)
                if output.connection == self.active:
                    self.active = None
            elif isinstance(output, Settle):
                self.settled[output.id] += 1
                assert output.id in self.made - self.cancelled
                if output.error is None:
                    assert output.result == {"for": output.id}
                else:
                    assert isinstance(output.error, SkillbookError)

    def dial(self, **options: Any) -> None:
        self.connection += 1
        self.waiting_in[self.connection] = set()
        outputs = self.bench.greet(self.connection, self.now, **options)
        if any(frame["type"] == "welcome" for frame in frames(outputs, self.connection)):
            self.look([output for output in outputs if isinstance(output, Close)])
            self.active = self.connection
            self.profile = options.get("profile", "p1")
            outputs = [output for output in outputs if not isinstance(output, Close)]
        self.look(outputs)

    @rule(tab=TABS, timeout=st.floats(0, 90), command=st.sampled_from(["click", "get"]))
    def request(self, tab: int | None, timeout: float, command: str) -> None:
        try:
            id = self.bench.machine.request(
                RequestBody(command=command, params={"ref": "e1"}, tab=tab), timeout, self.now
            )
        except BridgeError:
            return
        if command == "get":
            self.reads.add(id)
        self.made.add(id)
        self.look(self.bench.take())

    @rule(resume=st.booleans(), lag=st.integers(-1, 3))
    def connect(self, resume: bool, lag: int) -> None:
        talk = self.bench.machine.conversation
        session = talk.session if resume else None
        self.dial(session=session, last_seq=max(0, lag), profile=self.profile)

    @rule(profile=st.sampled_from(["p1", "p2"]), token=st.sampled_from(["wrong", "right"]))
    def connect_otherwise(self, profile: str, token: str) -> None:
        self.dial(profile=profile, **({"token": "wrong"} if token == "wrong" else {}))

    @precondition(lambda self: self.connection)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        """Any connection answers anything it was ever asked: in time, late, twice, or after its end."""
        connection = data.draw(st.integers(1, self.connection))
        known = sorted(self.waiting_in[connection])
        if known:
            id = data.draw(st.sampled_from(known))
            self.look(self.bench.answer(connection, id, {"for": id}, self.now))

    @precondition(lambda self: self.active)
    @rule(id=st.integers(1, 60))
    def answer_what_was_not_asked(self, id: int) -> None:
        if id not in self.waiting_in[self.active]:
            self.look(self.bench.answer(self.active, id, "forged", self.now))

    @precondition(lambda self: self.active)
    @rule(frame=GARBAGE)
    def send_garbage(self, frame: bytes) -> None:
        self.look(self.bench.say(self.active, frame, self.now))

    @precondition(lambda self: self.active)
    @rule()
    def say_bye(self) -> None:
        self.look(self.bench.say(self.active, {"v": 1, "type": "bye"}, self.now))

    @precondition(lambda self: self.active)
    @rule()
    def drop(self) -> None:
        self.bench.machine.lost(self.active, self.now)
        self.closed.add(self.active)
        self.active = None
        self.look(self.bench.take())

    @precondition(lambda self: self.made)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.made)))
        if not self.settled[id]:
            self.cancelled.add(id)
        self.bench.machine.cancel(id, self.now)
        self.look(self.bench.take())

    @rule(seconds=st.floats(0, 70), held_up=st.booleans())
    def wait(self, seconds: float, held_up: bool) -> None:
        self.now += seconds
        if held_up:
            self.bench.machine.tick(self.now)
            self.look(self.bench.take())
        else:
            self.look(self.bench.run_until(self.now))

    @invariant()
    def nothing_happens_twice(self) -> None:
        assert all(count == 1 for count in self.settled.values())
        assert all(count <= 1 + (id in self.reads) for id, count in self.sent.items())

    @invariant()
    def states_agree(self) -> None:
        assert (self.bench.machine.state == "connected") == (self.active is not None)

    def teardown(self) -> None:
        self.look(self.bench.run_until(self.now + 200.0))
        assert set(self.settled) | self.cancelled == self.made


TestWire = Wire.TestCase
TestWire.settings = settings(
    stateful_step_count=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

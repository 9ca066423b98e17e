"""The bridge without any I/O: connections, greeting, session, requests, events, heartbeats.

Facts go in as method calls with the time in seconds; what is to be done comes out of `take_outputs`. At most
one connection has greeted and is *active*. The rules, for both sides:

- A session outlives its connection by `grace` seconds. An extension that comes back with the session's id
  resumes it; its events go on from `last_seq`. In a new session (`welcome.resumed` false) they start at 1.
- What was sent and has no answer when a connection ends fails as `ConnectionLost` (a read is sent once more, when
  the session goes on); a late answer is ignored.
  What was not sent yet waits for the next connection until its deadline, but a command for a tab fails when
  the session doesn't go on: tab numbers of another session may mean other tabs.
- A browser that answers no ping stands still (a stopped process, a machine that sleeps). A read whose caller gave no
  timeout outlasts that: it may take its time once more, and is sent once more if the browser gave it up meanwhile.
- A new connection of the same profile takes over from the active one, which is closed with code 4001 (don't
  dial again because of it). Another profile is refused while one is active.
- Who hears nothing for `heartbeat` seconds sends a ping; after three times that the peer counts as gone.
"""

from __future__ import annotations

from copy import copy
from typing import Literal

from skillbook.bridge.codec import Greeting, decode, encode, read_message
from skillbook.bridge.conversation import (
    Changed,
    Close,
    Conversation,
    Deliver,
    Heartbeat,
    Output,
    Send,
    Settle,
    TakeAsk,
)
from skillbook.bridge.pending import Pending, PendingTable
from skillbook.errors import (
    AuthFailed,
    BridgeError,
    BrowserEnded,
    CommandTimeout,
    ConnectionLost,
    NotConnected,
    ProtocolError,
    SkillbookError,
    VersionMismatch,
    error_from_wire,
)
from skillbook.limits import CAUSE_SECONDS, ENDING_SECONDS, MOMENT_SECONDS
from skillbook.protocol.envelopes import (
    AnswerMessage,
    AskMessage,
    Bye,
    Cancel,
    Event,
    Hello,
    KernelInfo,
    NoticeMessage,
    Ping,
    Pong,
    Refused,
    RequestBody,
    Response,
    Welcome,
    WireError,
)
from skillbook.protocol.model import WireModel

State = Literal["waiting", "connected", "lost", "closed"]

MAX_STRANGERS = 16
MAX_PENDING = 1000

CLOSE_NORMAL, CLOSE_GOING_AWAY, CLOSE_PROTOCOL, CLOSE_REFUSED, CLOSE_REPLACED = 1000, 1001, 1002, 1008, 4001


class Machine:
    """The state of the kernel's end of the wire.

    token: what an extension must know.
    heartbeat, grace: seconds.
    allow_evaluate, input, effects, lasting: what the welcome says to the extension.
    """

    def __init__(
        self,
        kernel: KernelInfo,
        token: str,
        *,
        heartbeat: float = 20.0,
        grace: float = 60.0,
        allow_evaluate: bool = False,
        input: Literal["trusted", "synthetic"] = "trusted",
        effects: bool = False,
        lasting: bool = False,
    ) -> None:
        self.kernel = kernel
        self.state: State = "waiting"
        self.conversation = Conversation(grace)
        self.notice = ""
        self.last_error: SkillbookError | None = None
        self._token = token
        self._interval = heartbeat
        self._allow_evaluate, self._input, self._effects = allow_evaluate, input, effects
        self._lasting = lasting
        self._strangers: dict[int, Greeting] = {}
        self._active: int | None = None
        self._heartbeat = Heartbeat(heartbeat, 0.0)
        self._pings = 0
        self._pending = PendingTable()
        self._outputs: list[Output] = []
        self._said_bye = False
        self._ended: BrowserEnded | None = None
        self._blocked_until: float | None = None
        self._woke = float("-inf")

    def __repr__(self) -> str:
        return f"<Machine {self.state}, {len(self._pending)} pending>"

    def take_outputs(self) -> list[Output]:
        """What is to be done since the last call, in order."""
        outputs, self._outputs = self._outputs, []
        return outputs

    # --- connections ---

    def open(self, connection: int, now: float) -> None:
        """A connection was opened; it has ten seconds to greet."""
        if self.state == "closed":
            self._outputs.append(Close(connection, CLOSE_GOING_AWAY, "closing"))
            return
        while len(self._strangers) >= MAX_STRANGERS:
            self._turn_away(next(iter(self._strangers)), ProtocolError("too many connections are greeting"))
        self._strangers[connection] = Greeting(self.kernel.id, self._token, now)

    def receive(self, connection: int, frame: bytes, now: float) -> None:
        """A frame arrived on a connection."""
        if connection == self._active:
            if self._stands_still(now):
                self._woke = now
            self._heartbeat.note_message(now)
            try:
                self._take(read_message(decode(frame)), now)
            except SkillbookError as error:
                self._outputs.append(Close(connection, CLOSE_PROTOCOL, error.code))
                self._drop(error, now)
        elif connection in self._strangers:
            try:
                self._greet(connection, frame, now)
            except SkillbookError as error:
                self._turn_away(connection, error)

    def lost(self, connection: int, now: float, error: SkillbookError | None = None) -> None:
        """A connection ended; `error` says why where it is known."""
        greeting = self._strangers.pop(connection, None)
        if greeting is not None and greeting.challenged:
            # It has seen our proof and left: what it was paired with isn't us.
            self.note_refusal(AuthFailed("the extension doesn't accept this kernel's proof of its token"))
        if connection == self._active:
            self._drop(error or ConnectionLost("the browser closed the connection"), now)

    def note_refusal(self, error: SkillbookError) -> None:
        """Remember why somebody was turned away, for who waits for a browser."""
        if self._active is None and self.state != "closed":
            self.last_error = error
            self._outputs.append(Changed())

    def close(self, reason: str | None, now: float) -> None:
        """End everything; the machine can't be used again.

        reason: what the goodbye says, after which the extension forgets the pairing. None for no goodbye: another
            process comes back with this token, and the extension dials until it does.
        """
        if self.state == "closed":
            return
        self._part("closed", reason, "skillbook closed it")

    def unpair(self, token: str, reason: str) -> None:
        """Revoke the token: who has it gets a goodbye, or is refused when it dials; another can be paired."""
        if self.state == "closed":
            return
        self._token, self._said_bye, self.last_error, self.notice = token, True, None, ""
        self.conversation.forget()
        self._part("waiting", reason, reason)

    def browser_ended(self, why: str, now: float) -> None:
        """The only browser that can dial has ended: nothing waits for it, until another one dials in."""
        if self.state == "closed":
            return
        self._ended = BrowserEnded(why)
        if self._active is not None:
            self._outputs.append(Close(self._active, CLOSE_GOING_AWAY, "the browser ended"))
            self._drop(ConnectionLost(why), now)
        for row in tuple(self._pending):
            self._fail(row, copy(self._ended))
        self._outputs.append(Changed())

    # --- requests ---

    def request(self, body: RequestBody, timeout: float, now: float, *, is_limit: bool = True) -> int:
        """Send a command, or keep it for the next connection; returns its id, under which it is settled.

        timeout: seconds that it may take.
        is_limit: whether a read may take no longer even if the browser stands still meanwhile.
        Raises NotConnected: nothing is connected, and nothing will be by itself.
        Raises VersionMismatch: the only browser that dialled can't be talked to.
        Raises InvalidParams: the parameters can't be written as JSON.
        Raises BridgeError: too many commands wait already.
        """
        if self.state == "closed":
            raise NotConnected("this bridge is closed", command=body.command)
        if self._active is None:
            if self._ended is not None:
                raise copy(self._ended)
            if self._said_bye:
                raise NotConnected("the pairing was ended on purpose", command=body.command)
            if isinstance(self.last_error, VersionMismatch):
                raise copy(self.last_error)
        if len(self._pending) >= MAX_PENDING:
            raise BridgeError(
                f"{MAX_PENDING} commands wait for the browser already",
                hint="wait for some of them before you send more",
                command=body.command,
            )
        more = 0.0 if is_limit else timeout
        row = self._pending.add(body, now + timeout, self.conversation.session, more)
        try:
            frame = encode(row.to_request(now))
        except SkillbookError:
            self._pending.pop(row.id)
            raise
        if self._active is not None:
            self._pending.mark_sent(row, self.conversation.session, now)
            self._outputs.append(Send(self._active, frame))
        return row.id

    def cancel(self, id: int, now: float) -> None:
        """Nobody waits for a request any more: it is not settled, and the browser is to stop."""
        row = self._pending.pop(id)
        if row is not None:
            self._stop(row)

    # --- asks ---

    def answer(self, connection: int, answer: AnswerMessage) -> None:
        """Answer an ask; one that came on a connection that is gone is answered by nobody, and may be asked again."""
        if connection == self._active:
            self._outputs.append(Send(connection, encode(answer)))

    def notify(self, notice: NoticeMessage) -> None:
        """Report something to the browser; who isn't connected looks for itself once it is."""
        if self._active is not None:
            self._outputs.append(Send(self._active, encode(notice)))

    # --- time ---

    @property
    def wakeup(self) -> float | None:
        """When `tick` should be called next."""
        return self._blocked_until if self._blocked_until is not None else self._next_due()

    def tick(self, now: float) -> None:
        """Do what is due: deadlines, pings, silence, strangers that don't greet."""
        due = self.wakeup
        if due is None or due > now:
            return
        if now - due > ENDING_SECONDS:
            # This thread was blocked. What has arrived meanwhile is read first, then the clock counts.
            self._blocked_until = now + MOMENT_SECONDS
            return
        self._blocked_until = None
        stands_still = self._stands_still(now)
        for row in self._pending.pop_late(now):
            if stands_still and row.sent and row.repeatable and row.more:
                self._pending.prolong(row, now)
                continue
            silence = self._heartbeat.silence(now) if stands_still else None
            self._outputs.append(Settle(row.id, error=row.late(silence)))
            self._stop(row)
        for connection, greeting in tuple(self._strangers.items()):
            if now >= greeting.opened + CAUSE_SECONDS:
                self._turn_away(connection, ProtocolError("a connection was opened and nobody greeted"))
        if self._active is not None:
            self._check_heartbeat(now)

    def _next_due(self) -> float | None:
        dues = [greeting.opened + CAUSE_SECONDS for greeting in self._strangers.values()]
        dues += [end] if (end := self._pending.next_end) is not None else []
        if self._active is not None:
            dues.append(self._heartbeat.due)
        return min(dues, default=None)

    def _stands_still(self, now: float) -> bool:
        return self._active is not None and self._heartbeat.stands_still(now)

    def _check_heartbeat(self, now: float) -> None:
        assert self._active is not None
        match self._heartbeat.check(now):
            case "gone":
                self._outputs.append(Close(self._active, CLOSE_GOING_AWAY, "silent"))
                silence = self._heartbeat.silence(now)
                self._drop(ConnectionLost(f"the browser was silent for {silence:.0f} s"), now)
            case "ping":
                self._pings += 1
                self._outputs.append(Send(self._active, encode(Ping(n=self._pings))))

    # --- greeting ---

    def _greet(self, connection: int, frame: bytes, now: float) -> None:
        answer = self._strangers[connection].receive(frame)
        if not isinstance(answer, Hello):
            self._outputs.append(Send(connection, encode(answer)))
            return
        if self._active is not None:
            known = self.conversation.hello
            if known is not None and known.profile != answer.profile:
                self.notice = "Another browser profile tried to connect and was refused."
                self._outputs.append(Changed())
                raise BridgeError(
                    "another browser profile is connected to this kernel",
                    hint="disconnect that one in its popup first",
                )
            self._outputs.append(Close(self._active, CLOSE_REPLACED, "replaced"))
            self._drop(ConnectionLost("the same browser profile connected anew"), now)
            self.notice = "The same browser profile connected anew; its earlier connection was closed."
        else:
            self.notice = ""
        del self._strangers[connection]
        self._welcome(connection, answer, now)

    def _welcome(self, connection: int, hello: Hello, now: float) -> None:
        talk = self.conversation
        talk.begin(hello, now)
        assert talk.session is not None
        self._active, self.state = connection, "connected"
        self.last_error, self._said_bye, self._ended = None, False, None
        self._heartbeat = Heartbeat(self._interval, now)
        welcome = Welcome(
            session=talk.session,
            resumed=talk.resumed,
            kernel=self.kernel,
            heartbeat_ms=round(self._interval * 1000),
            allow_evaluate=self._allow_evaluate,
            input=self._input,
            effects=self._effects,
            lasting=self._lasting,
        )
        self._outputs += (Send(connection, encode(welcome)), Changed())
        for row in self._pending:
            if row.body.tab is not None and row.session not in (None, talk.session):
                self._fail(row, row.lost("the browser came back without its tabs"))
            elif row.deadline > now:
                frame = encode(row.to_request(now))
                self._pending.mark_sent(row, talk.session, now)
                self._outputs.append(Send(connection, frame))

    def _turn_away(self, connection: int, error: SkillbookError) -> None:
        del self._strangers[connection]
        refused = Refused(error=WireError(**error.to_wire()))
        self._outputs += (
            Send(connection, encode(refused)),
            Close(connection, CLOSE_REFUSED, error.code),
        )
        self.note_refusal(error)
        if isinstance(error, VersionMismatch) and self._active is None:
            for row in self._pending:
                self._fail(row, copy(error))

    # --- messages of the active connection ---

    def _take(self, message: WireModel, now: float) -> None:
        assert self._active is not None
        if isinstance(message, Response):
            self._take_response(message, now)
        elif isinstance(message, Event):
            self._take_event(message)
        elif isinstance(message, AskMessage):
            self._outputs.append(TakeAsk(self._active, message))
        elif isinstance(message, Ping):
            self._outputs.append(Send(self._active, encode(Pong(n=message.n))))
        elif isinstance(message, Bye):
            self._outputs.append(Close(self._active, CLOSE_NORMAL, "bye"))
            self._said_bye = True
            self._drop(ConnectionLost("the browser said goodbye: " + message.reason[:200]), now)
            for row in self._pending:
                self._fail(row, NotConnected("the pairing was ended on purpose", **row.facts))
        elif not isinstance(message, Pong):
            raise ProtocolError("the browser greeted again in the middle of a session")

    def _take_response(self, message: Response, now: float) -> None:
        row = self._pending.get(message.id)
        if row is None or not row.sent:
            self.conversation.ignored["responses"] += 1
            return
        if message.error is not None and message.result is not None:
            raise ProtocolError("a response has both a result and an error")
        if message.error is not None and message.error.code == CommandTimeout.code and self._again(row, now):
            return
        self._pending.pop(message.id)
        if message.error is None:
            self._outputs.append(Settle(row.id, message.result))
        else:
            wire = message.error
            self._fail(row, error_from_wire(**dict(wire)))

    def _again(self, row: Pending, now: float) -> bool:
        """Send a read once more that a browser gave up which had stood still; False if that can't be."""
        if row.sent_at > self._woke or not row.repeatable or self._active is None:
            return False
        if row.more:
            self._pending.prolong(row, now)
        if row.deadline <= now:
            return False
        row.lost_by = "the browser stood still"
        frame = encode(row.to_request(now))
        self._pending.mark_sent(row, self.conversation.session, now)
        self._outputs.append(Send(self._active, frame))
        return True

    def _take_event(self, message: Event) -> None:
        missed = self.conversation.missed_events
        if self.conversation.accept(message):
            self._outputs.append(Deliver(message))
        if self.conversation.missed_events != missed:
            self._outputs.append(Changed())

    # --- endings ---

    def _part(self, state: State, reason: str | None, cause: str) -> None:
        for connection in self._strangers:
            self._outputs.append(Close(connection, CLOSE_GOING_AWAY, "closing"))
        self._strangers.clear()
        if self._active is not None:
            if reason is None:
                self._outputs.append(Close(self._active, CLOSE_GOING_AWAY, "the kernel restarts"))
            else:
                self._outputs.append(Send(self._active, encode(Bye(reason=reason))))
                self._outputs.append(Close(self._active, CLOSE_NORMAL, "bye"))
            self._active = None
        for row in self._pending:
            self._fail(row, row.lost(cause))
        self.state = state
        self._outputs.append(Changed())

    def _drop(self, error: SkillbookError, now: float) -> None:
        self.conversation.pause(now)
        self._active = None
        self.state, self.last_error = "lost", error
        comes_back = isinstance(error, ConnectionLost) and not self._said_bye
        for row in self._pending:
            if row.sent and comes_back and row.repeatable:
                self._pending.hold(row, error.message)
            elif row.sent:
                self._fail(row, row.lost(error.message))
        self._outputs.append(Changed())

    def _fail(self, row: Pending, error: SkillbookError) -> None:
        self._pending.pop(row.id)
        self._outputs.append(Settle(row.id, error=error))

    def _stop(self, row: Pending) -> None:
        if row.sent and self._active is not None:
            self._outputs.append(Send(self._active, encode(Cancel(id=row.id))))

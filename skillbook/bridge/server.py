"""The WebSocket server: thin I/O around `Machine`, on one event loop (that of `io_thread`, outside of tests)."""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from datetime import UTC, datetime
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from skillbook.bridge.conversation import BridgeStatus, Changed, Close, Deliver, Output, Send, Settle, TakeAsk
from skillbook.bridge.machine import Machine
from skillbook.bridge.pairing import Pairing, PairingRequests
from skillbook.bridge.peer import Answer, Asks, Peer
from skillbook.bridge.request_guard import PAIR_PAGE_PATH, PAIR_SOCKET_PATH, PublicAddress, RequestGuard
from skillbook.config import Settings
from skillbook.errors import (
    AuthFailed,
    BridgeError,
    NotConnected,
    PortInUse,
    SkillbookError,
    ThreadError,
    VersionMismatch,
)
from skillbook.limits import CAUSE_SECONDS, PEER_SECONDS
from skillbook.protocol.envelopes import (
    AnswerMessage,
    Event,
    KernelInfo,
    NoticeMessage,
    RequestBody,
)

HOSTS = ("127.0.0.1", "::1")

_log = logging.getLogger("skillbook.bridge")
# websockets logs frames and addresses at DEBUG, and with them the token and pairing codes.
_wire_log = logging.getLogger("skillbook.bridge.wire")
_wire_log.setLevel(logging.CRITICAL)


class BridgeServer:
    """The kernel's server for one browser. Every coroutine runs on the loop that `start` ran on.

    settings: timeouts, heartbeat, largest frame, kind of input.
    extension_id: the only extension that may connect.
    kernel: who we are; a random id by default.
    token: what the extension must know; random by default.
    host, port: a loopback address; port 0 takes a free one.
    allow_evaluate: whether the extension may run the user's JavaScript.
    grace: seconds for which a session outlives its connection.
    public_url: where browsers on other computers reach the port, through a proxy or tunnel; `{port}` stands for it.
    lasting: whether a browser keeps the pairing when it is closed.
    """

    def __init__(
        self,
        settings: Settings,
        extension_id: str,
        *,
        kernel: KernelInfo | None = None,
        token: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        allow_evaluate: bool = False,
        grace: float = 60.0,
        public_url: str | None = None,
        lasting: bool = False,
    ) -> None:
        if host not in HOSTS:
            raise BridgeError(
                f"the bridge can't listen on {host!r}", hint="only 127.0.0.1 and ::1 are allowed", host=host
            )
        self.kernel = kernel or KernelInfo(id=secrets.token_hex(8), name="notebook")
        self.extension_id = extension_id
        self._token = token or secrets.token_urlsafe(32)
        self._settings = settings
        self._host, self._wanted_port = host, port
        self._machine = Machine(
            self.kernel,
            self._token,
            heartbeat=settings.heartbeat_seconds,
            grace=grace,
            allow_evaluate=allow_evaluate,
            input=settings.input,
            effects=settings.effects is True,
            lasting=lasting,
        )
        self._pairing = Pairing(self._token, self.kernel)
        self._pairing_requests = PairingRequests(self._pairing, self._note_refusal)
        self._server: Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._port = 0
        self._public_url = public_url
        self._public: PublicAddress | None = None
        self._peers: dict[int, Peer] = {}
        self._last_peer = 0
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self._event_callbacks: list[Callable[[Event], object]] = []
        self._status_callbacks: list[Callable[[BridgeStatus], object]] = []
        self._asks = Asks(self._reply)
        self._changed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._status = BridgeStatus("waiting", _now())

    def __repr__(self) -> str:
        return f"<BridgeServer {self._host}:{self._port} {self._status.state}>"

    @property
    def port(self) -> int:
        """The port that the server listens on; 0 before `start`."""
        return self._port

    @property
    def public(self) -> PublicAddress | None:
        """The configured address of the proxy or tunnel; None before `start`, or where there is none."""
        return self._public

    @property
    def token(self) -> str:
        """What an extension must know to connect: never show, log or save it where others can read."""
        return self._token

    @property
    def status(self) -> BridgeStatus:
        """The connection now."""
        return self._status

    async def start(self) -> None:
        """Begin to listen.

        Raises PortInUse: the wanted port belongs to somebody.
        Raises BridgeError: the port can't be had for another reason.
        Raises ConfigError: the public URL can't be used.
        """
        if self._public_url:
            PublicAddress.parse(self._public_url, self._wanted_port)
        self._loop = asyncio.get_running_loop()
        try:
            self._server = await serve(
                self._serve_socket,
                self._host,
                self._wanted_port,
                process_request=self._check_request,
                compression=None,
                max_size=self._settings.max_frame_bytes,
                ping_interval=None,
                open_timeout=CAUSE_SECONDS,
                close_timeout=PEER_SECONDS,
                server_header=None,
                logger=_wire_log,
            )
        except (OSError, OverflowError) as error:
            port = self._wanted_port
            if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
                raise PortInUse(f"port {port} belongs to another process", port=port) from None
            raise BridgeError(f"can't listen on port {port}: {error}", port=port) from None
        self._port = next(iter(self._server.sockets)).getsockname()[1]
        self._public = PublicAddress.parse(self._public_url, self._port) if self._public_url else None

    def pairing_link(self) -> str:
        """A link that pairs the browser it is opened in: works once, for ten minutes."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        base = self._public or f"http://{host}:{self._port}"
        return f"{base}{PAIR_PAGE_PATH}?code={self._pairing.new_code()}"

    async def request(self, body: RequestBody, timeout: float | None = None) -> Any:
        """Have the browser do a command and return its result, as plain data that isn't validated yet.

        body: the command, its tab and parameters, and what must hold when it is carried out.
        timeout: seconds; the setting `command_timeout` by default, and once more for a read if the browser stood still
            meanwhile.
        Raises CommandError: the browser's own error, of the class that its code names.
        Raises CommandTimeout: no answer in time; the browser was requested to stop.
        Raises ConnectionLost: the connection ended after the command was sent (`data["sent"]`).
        Raises NotConnected: no browser came in time.
        """
        loop = self._own_loop()
        seconds = self._settings.command_timeout if timeout is None else timeout
        id = self._machine.request(body, seconds, loop.time(), is_limit=timeout is not None)
        future = self._futures[id] = loop.create_future()
        self._carry_out()
        try:
            return await future
        finally:
            self._futures.pop(id, None)
            if future.cancelled():
                self._machine.cancel(id, loop.time())
                self._carry_out()

    async def connected(self, timeout: float | None = None) -> BridgeStatus:
        """Wait until a browser is connected.

        timeout: seconds; the setting `connect_timeout` by default.
        Raises VersionMismatch: a browser dialled in that this kernel can't talk to.
        Raises AuthFailed: only browsers dialled in that don't know the token.
        Raises NotConnected: none dialled in, or the server is closed.
        """
        self._own_loop()
        seconds = self._settings.connect_timeout if timeout is None else timeout
        try:
            async with asyncio.timeout(seconds):
                while self._status.state != "connected":
                    if self._status.state == "closed":
                        raise NotConnected("this bridge is closed")
                    if isinstance(self._status.last_error, VersionMismatch):
                        raise copy(self._status.last_error)
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            if isinstance(self._status.last_error, AuthFailed):
                raise copy(self._status.last_error) from None
            raise NotConnected(f"no browser connected within {seconds:g} s") from None
        return self._status

    def on_event(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """Call back with every event, in order, on the server's loop; returns what ends that."""
        self._event_callbacks.append(callback)
        return lambda: self._event_callbacks.remove(callback)

    def on_status(self, callback: Callable[[BridgeStatus], object]) -> Callable[[], None]:
        """Call back with every change of the status, on the server's loop; returns what ends that."""
        self._status_callbacks.append(callback)
        return lambda: self._status_callbacks.remove(callback)

    def answer_with(self, answer: Answer) -> None:
        """Have a function answer what the side panel asks.

        answer: awaited on the server's loop with an ask's name and parameters; a `SkillbookError` of it is the answer
            as well.
        """
        self._asks.answer = answer

    def _reply(self, connection: int, answer: AnswerMessage) -> None:
        self._machine.answer(connection, answer)
        self._carry_out()

    def notify(self, notice: str, data: dict[str, Any]) -> None:
        """Report something to the side panel, if a browser is connected."""
        if self._loop is not None:
            self._own_loop()
            self._machine.notify(NoticeMessage(notice=notice, data=data))
            self._carry_out()

    async def unpair(self, reason: str = "the kernel revoked the pairing") -> None:
        """Make the token and every pairing link worthless; the extension forgets it. Goes on listening for another."""
        self._token = secrets.token_urlsafe(32)
        self._pairing.revoke(self._token)
        self._machine.unpair(self._token, reason)
        self._carry_out()

    def browser_ended(self, why: str) -> None:
        """The browser that was started for this server has ended: what waits for it fails, as do later commands."""
        self._machine.browser_ended(why, self._own_loop().time())
        self._carry_out()

    async def close(self, reason: str | None = "the kernel closed the connection") -> None:
        """Stop listening; safe to call again.

        reason: what the goodbye to the browser says, after which it forgets the pairing. None for no goodbye: a process
            that comes back with this token, id and port finds it again.
        """
        if self._loop is None or self._server is None:
            self._machine.close(reason, 0.0)
            return
        loop = self._own_loop()
        self._asks.end()
        self._machine.close(reason, loop.time())
        self._carry_out()
        if self._timer is not None:
            self._timer.cancel()
        for peer in tuple(self._peers.values()):
            await peer.flushed(PEER_SECONDS)
        self._server.close()
        # Who opened a connection and said nothing isn't waited for.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._server.wait_closed(), PEER_SECONDS)

    # --- sockets ---

    @property
    def _guard(self) -> RequestGuard:
        return RequestGuard(self._port, self.extension_id, self._public)

    def _check_request(self, socket: ServerConnection, request: Request) -> Response | None:
        refusal = self._guard.check(request.path, request.headers)
        if refusal is not None:
            if refusal.status == 403:
                self._note_refusal(AuthFailed(f"a connection was refused: {refusal.sentence}"))
            return socket.respond(refusal.status, refusal.sentence + "\n")
        if self._guard.route(request.path) == PAIR_PAGE_PATH:
            return self._pairing_requests.show_page(request.path, self._public)
        return None

    async def _serve_socket(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        if self._guard.route(socket.request.path) == PAIR_SOCKET_PATH:
            await self._pairing_requests.serve_socket(socket)
            return
        loop = asyncio.get_running_loop()
        self._last_peer += 1
        number, peer = self._last_peer, Peer(socket, self._settings.max_frame_bytes)
        self._peers[number] = peer
        self._machine.open(number, loop.time())
        self._carry_out()
        try:
            while (frame := await peer.receive()) is not None:
                self._machine.receive(number, frame, loop.time())
                self._carry_out()
        finally:
            del self._peers[number]
            self._machine.lost(number, loop.time(), peer.error)
            self._carry_out()
            await peer.finish()

    def _note_refusal(self, error: SkillbookError) -> None:
        self._machine.note_refusal(error)
        self._carry_out()

    # --- carrying out what the machine wants ---

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._loop is None:
            raise NotConnected("the bridge isn't started", hint="await start() first")
        if loop is not self._loop:
            raise ThreadError("the bridge was used from another event loop", hint="go through io.wait")
        return loop

    def _carry_out(self) -> None:
        while outputs := self._machine.take_outputs():
            for output in outputs:
                self._do(output)
        self._set_timer()

    def _do(self, output: Output) -> None:
        match output:
            case Send(connection, frame):
                if connection in self._peers:
                    self._peers[connection].send(frame)
            case Close(connection, code, reason):
                if connection in self._peers:
                    self._peers[connection].close(code, reason)
            case Settle(id, result, error):
                future = self._futures.get(id)
                if future is not None and not future.done():
                    if error is None:
                        future.set_result(result)
                    else:
                        future.set_exception(error)
            case Deliver(event):
                for callback in tuple(self._event_callbacks):
                    _call(callback, event)
            case TakeAsk(connection, ask):
                self._asks.take(connection, ask)
            case Changed():
                self._report_status()

    def _report_status(self) -> None:
        machine, talk, before = self._machine, self._machine.conversation, self._status
        hello = talk.hello
        self._status = BridgeStatus(
            state=machine.state,
            since=before.since if machine.state == before.state else _now(),
            browser=hello.browser if hello else "",
            extension=hello.extension if hello else "",
            profile=hello.profile if hello else "",
            session=talk.session or "",
            resumed=talk.resumed,
            missed_events=talk.missed_events,
            notice=machine.notice,
            last_error=machine.last_error,
            ignored=dict(talk.ignored),
        )
        self._changed.set()
        for callback in tuple(self._status_callbacks):
            _call(callback, self._status)

    def _set_timer(self) -> None:
        assert self._loop is not None
        wakeup = self._machine.wakeup
        if wakeup is None or (self._timer is not None and self._timer_at <= wakeup):
            return  # An early timer does no harm: a tick before its time does nothing.
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = self._loop.call_at(wakeup, self._tick), wakeup

    def _tick(self) -> None:
        assert self._loop is not None
        self._timer = None
        self._machine.tick(self._loop.time())
        self._carry_out()


def _call(callback: Callable[[Any], object], value: object) -> None:
    try:
        callback(value)
    except Exception:
        _log.exception("a callback of the bridge failed")


def _now() -> datetime:
    return datetime.now(UTC)

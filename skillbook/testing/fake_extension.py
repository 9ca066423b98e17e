"""A browser extension without a browser: dials a bridge, greets, answers commands, misbehaves on request."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from skillbook.bridge.codec import check_proof, make_nonce, make_proof
from skillbook.bridge.request_guard import BRIDGE_PATH, PAIR_SOCKET_PATH
from skillbook.bridge.server import BridgeServer
from skillbook.errors import AuthFailed, ConnectionLost, InternalError, SkillbookError, error_from_wire
from skillbook.protocol import PROTOCOL_VERSION
from skillbook.protocol.envelopes import (
    AnswerMessage,
    AskMessage,
    Auth,
    Bye,
    Cancel,
    Challenge,
    Event,
    FromKernel,
    Hello,
    NoticeMessage,
    Pair,
    Paired,
    Ping,
    Pong,
    Refused,
    Request,
    Welcome,
    WireError,
    from_kernel,
)
from skillbook.protocol.model import WireModel

Handler = Callable[[dict[str, Any], int | None], Any | Awaitable[Any]]
_answer_to_pair: TypeAdapter[Paired | Refused] = TypeAdapter(Paired | Refused)


class FakeExtension:
    """An extension inside your test: ``async with FakeExtension(server, {"get": answer}) as extension``.

    Parameters
    ----------
    server : the bridge to dial; `port`, `token`, `kernel`, `extension_id` replace the bridge's where given.
    handlers : by command name, a function (or coroutine function) of the params and the tab that returns the
        result. A `SkillbookError` it raises is sent as such; a command without a handler is answered with
        `UnknownCommand`, but for `pause_requests` and `release_request`, which find nothing to hold.
    profile : the browser profile's id.
    protocol : the version it claims to speak.
    session, last_seq : the session to resume, as another FakeExtension left it.
    silent : answer neither commands nor pings.

    Attributes
    ----------
    requests : every request that arrived.
    cancelled : the ids that the kernel cancelled.
    pings : how many pings arrived.
    notices : what the kernel reported by itself, as name and data.
    welcome, bye : the kernel's greeting and goodbye, where they came.
    """

    def __init__(
        self,
        server: BridgeServer,
        handlers: Mapping[str, Handler] | None = None,
        *,
        profile: str = "profile-1",
        protocol: str = PROTOCOL_VERSION,
        session: str | None = None,
        last_seq: int = 0,
        silent: bool = False,
        port: int | None = None,
        token: str | None = None,
        kernel: str | None = None,
        extension_id: str | None = None,
        host: str | None = None,
    ) -> None:
        self.handlers: dict[str, Handler] = dict(handlers or {})
        self.handlers.setdefault("pause_requests", lambda params, tab: {"frames": 0})
        self.handlers.setdefault("release_request", lambda params, tab: {"released": True})
        rest = {"state": "rest", "waited_ms": 0, "script": True}
        self.handlers.setdefault("page_settled", lambda params, tab: rest)
        self.handlers.setdefault("set_cassette", lambda params, tab: {})
        self.handlers.setdefault("watch_network", lambda params, tab: {})
        self.profile, self.protocol, self.silent = profile, protocol, silent
        self.session, self.last_seq = session, last_seq
        self.requests: list[Request] = []
        self.cancelled: list[int] = []
        self.notices: list[tuple[str, dict[str, Any]]] = []
        self._asks: dict[int, asyncio.Future[Any]] = {}
        self.pings = 0
        self.welcome: Welcome | None = None
        self.bye: Bye | None = None
        self._port = server.port if port is None else port
        self._token = server.token if token is None else token
        self._kernel = server.kernel.id if kernel is None else kernel
        self._origin = f"chrome-extension://{extension_id or server.extension_id}"
        self._host = host
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._arrived = asyncio.Event()
        self._running: dict[int, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.disconnect()

    @property
    def close_code(self) -> int | None:
        """The code that the connection was closed with; None while it is open."""
        return self._socket.close_code if self._socket else None

    # --- behaving ---

    async def connect(self) -> None:
        """Dial and greet; a session that was there before is resumed.

        Raises
        ------
        BridgeError : the kernel refused us, as the error's class says.
        AuthFailed : the kernel doesn't know the token.
        """
        await self.dial()
        try:
            hello = self.make_hello()
            challenge = await self.greet(hello)
            await self.send(Auth(proof=make_proof(self._token, "extension", hello.nonce, challenge.nonce)))
            welcome = await self.receive()
            if not isinstance(welcome, Welcome):
                raise _refusal(welcome)
        except SkillbookError:
            await self.disconnect()
            raise
        if not welcome.resumed:
            self.last_seq = 0
        self.welcome, self.session = welcome, welcome.session
        self._reader = asyncio.create_task(self._read())

    async def disconnect(self) -> None:
        """Close the connection properly."""
        if self._socket is not None:
            await self._socket.close()
        await self._end()

    async def send_event(self, event: str, data: Mapping[str, Any], tab: int | None = None) -> None:
        """Send an event with the next sequence number."""
        self.last_seq += 1
        await self.send(Event(seq=self.last_seq, event=event, tab=tab, data=dict(data)))

    async def ask(self, name: str, **params: Any) -> Any:
        """Ask the kernel something, as the side panel does.

        Raises
        ------
        SkillbookError : the kernel's, as the error's class says.
        ConnectionLost : the connection ended.
        """
        number = len(self._asks) + 1
        answer = self._asks[number] = asyncio.get_running_loop().create_future()
        await self.send(AskMessage(id=number, name=name, params=params))
        return await answer

    async def wait_until(self, condition: Callable[[], object], timeout: float = 5.0) -> None:
        """Wait until a condition on what arrived holds, such as ``lambda: extension.pings > 2``.

        Raises
        ------
        TimeoutError : it didn't in that many seconds.
        """
        async with asyncio.timeout(timeout):
            while not condition():
                self._arrived.clear()
                await self._arrived.wait()

    async def wait_for_request(self, timeout: float = 5.0) -> Request:
        """The last request, or the first one to arrive.

        Raises
        ------
        TimeoutError : none did in that many seconds.
        """
        await self.wait_until(lambda: self.requests, timeout)
        return self.requests[-1]

    async def pair(self, code: str) -> Paired:
        """Exchange a pairing code for the token, which later connections use.

        Raises
        ------
        PairingFailed : the code is wrong, used or expired.
        """
        async with self._open(PAIR_SOCKET_PATH) as socket:
            request = Pair(protocol=self.protocol, code=code, profile=self.profile)
            await socket.send(request.model_dump_json())
            answer = _answer_to_pair.validate_json(await socket.recv())
        if isinstance(answer, Refused):
            raise _refusal(answer)
        self._token, self._kernel = answer.token, answer.kernel.id
        return answer

    # --- the parts, for tests that greet or speak in another way ---

    async def dial(self) -> None:
        """Open the socket and say nothing.

        Raises
        ------
        websockets.exceptions.InvalidStatus : the server refused the request.
        """
        self._socket = await self._open(BRIDGE_PATH)

    def make_hello(self) -> Hello:
        """The hello that this extension sends."""
        return Hello(
            protocol=self.protocol,
            nonce=make_nonce(),
            kernel=self._kernel,
            profile=self.profile,
            browser="FakeBrowser 1.0",
            extension="0.0.0",
            session=self.session,
            last_seq=self.last_seq,
        )

    async def greet(self, hello: Hello) -> Challenge:
        """Send a hello and check the kernel's proof."""
        await self.send(hello)
        challenge = await self.receive()
        if not isinstance(challenge, Challenge):
            raise _refusal(challenge)
        if not check_proof(challenge.proof, self._token, "kernel", hello.nonce, challenge.nonce):
            raise AuthFailed("the kernel doesn't know the token")
        return challenge

    async def send(self, message: WireModel) -> None:
        """Send any message."""
        await self.send_raw(message.model_dump_json())

    async def send_raw(self, frame: str | bytes) -> None:
        """Send any frame: garbage, or more than is allowed."""
        assert self._socket is not None, "dial first"
        await self._socket.send(frame)

    async def receive(self) -> FromKernel:
        """The kernel's next message, before `connect` is done."""
        assert self._socket is not None, "dial first"
        try:
            return from_kernel.validate_json(await self._socket.recv())
        except ConnectionClosed as closed:
            raise ConnectionLost(f"the kernel closed the connection: {closed}") from None

    async def drop(self) -> None:
        """Vanish without a closing handshake, as a killed worker does."""
        assert self._socket is not None, "dial first"
        self._socket.transport.abort()
        await self._socket.wait_closed()
        await self._end()

    def stop_reading(self) -> None:
        """Take nothing off the socket any more, as a hung browser does."""
        assert self._socket is not None, "dial first"
        self._socket.transport.pause_reading()

    async def wait_closed(self) -> None:
        """Wait until the kernel has closed the connection."""
        assert self._socket is not None, "dial first"
        await self._socket.wait_closed()
        await self._end()

    # --- inside ---

    def _open(self, path: str) -> open_socket:
        headers = {"Host": self._host} if self._host else None
        return open_socket(
            f"ws://127.0.0.1:{self._port}{path}",
            origin=self._origin,  # type: ignore[arg-type]
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            max_size=None,
            proxy=None,
            close_timeout=2,
        )

    async def _read(self) -> None:
        assert self._socket is not None
        with suppress(ConnectionClosed):
            async for frame in self._socket:
                await self._take(from_kernel.validate_json(frame))

    async def _take(self, message: FromKernel) -> None:
        if isinstance(message, Request):
            self.requests.append(message)
            if not self.silent:
                task = asyncio.create_task(self._answer(message))
                self._running[message.id] = task
                task.add_done_callback(lambda _: self._running.pop(message.id, None))
        elif isinstance(message, AnswerMessage):
            answer = self._asks[message.id]
            if message.error is None:
                answer.set_result(message.result)
            else:
                answer.set_exception(error_from_wire(**dict(message.error)))
        elif isinstance(message, NoticeMessage):
            self.notices.append((message.notice, message.data))
        elif isinstance(message, Cancel):
            self.cancelled.append(message.id)
            if (running := self._running.get(message.id)) is not None:
                running.cancel()
        elif isinstance(message, Ping):
            self.pings += 1
            if not self.silent:
                await self.send(Pong(n=message.n))
        elif isinstance(message, Bye):
            self.bye = message
        self._arrived.set()

    async def _answer(self, request: Request) -> None:
        with suppress(ConnectionClosed):
            await self.send_raw(json.dumps(await self._run(request)))

    async def _run(self, request: Request) -> dict[str, Any]:
        answer: dict[str, Any] = {"v": 1, "type": "response", "id": request.id}
        handler = self.handlers.get(request.command)
        try:
            if handler is None:
                return answer | {
                    "error": {"code": "unknown_command", "message": f"no command {request.command!r}"}
                }
            result = handler(request.params, request.tab)
            if inspect.isawaitable(result):
                result = await result
            if isinstance(result, WireModel):
                result = result.model_dump(mode="json")
            return answer | {"result": result}
        except SkillbookError as error:
            return answer | {"error": error.to_wire()}
        except Exception as error:
            return answer | {"error": InternalError(f"{type(error).__name__}: {error}").to_wire()}

    async def _end(self) -> None:
        tasks = [task for task in (self._reader, *self._running.values()) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for answer in self._asks.values():
            if not answer.done():
                answer.set_exception(ConnectionLost("the connection ended"))
        self._reader = None


def _refusal(message: FromKernel | Paired) -> SkillbookError:
    if isinstance(message, Refused):
        wire: WireError = message.error
        return error_from_wire(**dict(wire))
    return InternalError(f"the kernel sent a {message.type} out of turn")

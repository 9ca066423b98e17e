"""Bad input on real sockets: a clear error each time, and the server is usable afterwards."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from skillbook.bridge import BridgeServer
from skillbook.errors import (
    AuthFailed,
    BridgeError,
    CommandTimeout,
    ConnectionLost,
    NotConnected,
    PairingFailed,
    PortInUse,
    ProtocolError,
    VersionMismatch,
)
from skillbook.protocol.envelopes import Response
from skillbook.testing.fake_extension import FakeExtension
from tests.bridge.conftest import EXTENSION_ID, MakeServer
from tests.bridge.helpers import ask

ECHO = {"get": lambda params, tab: {"value": params}}
SCRIPT_ORIGINS = ["http://evil.test", "null", "https://jupyter.test", f"chrome-extension://{'a' * 32}"]


@pytest.fixture(autouse=True)
async def usable_afterwards(server: BridgeServer) -> AsyncIterator[None]:
    yield
    if server.status.state != "closed":
        async with FakeExtension(server, ECHO):
            assert await ask(server, "get", {"n": 1}) == {"value": {"n": 1}}


async def knock(server: BridgeServer, lines: str) -> bytes:
    """Send a raw HTTP request and read the whole answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write((lines.replace("\n", "\r\n") + "\r\n\r\n").encode())
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    await writer.wait_closed()
    return answer


async def test_a_taken_port_is_left_to_its_owner(make_server: MakeServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as owner:
        port = owner.getsockname()[1]
        with pytest.raises(PortInUse) as caught:
            await make_server({"port": port})
        assert caught.value.data == {"port": port}
        assert socket.create_connection(("127.0.0.1", port)).close() is None


@pytest.mark.parametrize("port", [-1, 70_000])
async def test_a_port_that_is_none_is_refused(make_server: MakeServer, port: int) -> None:
    with pytest.raises(BridgeError):
        await make_server({"port": port})


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.168.0.1", "localhost", "evil.test"])
async def test_fault_05_only_loopback_is_listened_on(make_server: MakeServer, host: str) -> None:
    with pytest.raises(BridgeError, match="can't listen"):
        await make_server({"host": host})


@pytest.mark.parametrize("path", ["/skillbook/bridge", "/skillbook/pair-socket"])
@pytest.mark.parametrize("origin", [*SCRIPT_ORIGINS, None])
async def test_fault_01_a_page_s_socket_gets_403(server: BridgeServer, path: str, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as caught:
        await connect(f"ws://127.0.0.1:{server.port}{path}", origin=origin, proxy=None)
    assert caught.value.response.status_code == 403
    assert isinstance(server.status.last_error, AuthFailed)


@pytest.mark.parametrize(
    "host", ["evil.test:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.test:{port}", ""]
)
@pytest.mark.parametrize("path", ["/skillbook/bridge", "/skillbook/pair-socket", "/skillbook/pair", "/"])
async def test_fault_02_a_rebound_name_gets_403(server: BridgeServer, host: str, path: str) -> None:
    code = server.pairing_link().partition("?")[2]
    answer = await knock(
        server,
        f"GET {path}?{code} HTTP/1.1\nHost: {host.format(port=server.port)}\n"
        f"Origin: chrome-extension://{EXTENSION_ID}\nConnection: Upgrade\nUpgrade: websocket\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\nSec-WebSocket-Version: 13",
    )
    assert answer.startswith(b"HTTP/1.1 403")
    assert code.encode() not in answer


async def test_fault_02_two_hosts_get_403(server: BridgeServer) -> None:
    hosts = f"Host: 127.0.0.1:{server.port}\nHost: evil.test"
    assert (await knock(server, f"GET /skillbook/pair HTTP/1.1\n{hosts}")).startswith(b"HTTP/1.1 403")


async def test_fault_03_the_right_origin_without_the_token_is_refused(server: BridgeServer) -> None:
    with pytest.raises(AuthFailed):
        await FakeExtension(server, token="guess").connect()
    with pytest.raises(AuthFailed):
        await server.connected(0.2)


async def test_fault_04_a_wrong_proof_is_refused_and_not_logged(
    server: BridgeServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    extension = FakeExtension(server)
    await extension.dial()
    await extension.send(extension.make_hello())
    await extension.receive()
    await extension.send_raw('{"v":1,"type":"auth","proof":"' + "0" * 64 + '"}')
    assert (await extension.receive()).type == "refused"
    await extension.wait_closed()
    assert extension.close_code == 1008
    logged = [record for record in caplog.records if record.name.startswith("skillbook")]
    assert server.token not in repr((logged, server, server.status))


async def test_fault_07_the_extension_does_not_obey_who_took_the_port(
    server: BridgeServer, make_server: MakeServer
) -> None:
    thief = await make_server({"kernel": server.kernel})
    extension = FakeExtension(server, ECHO, port=thief.port)
    with pytest.raises(AuthFailed, match="the kernel doesn't know the token"):
        await extension.connect()
    await extension.disconnect()
    assert extension.requests == []


@pytest.mark.parametrize("protocol", ["2.0", "1.99", "0.1", "x"])
async def test_fault_09_another_version_is_told_to_update(server: BridgeServer, protocol: str) -> None:
    waiting = asyncio.create_task(server.connected(5))
    begin = time.monotonic()
    with pytest.raises(VersionMismatch):
        await FakeExtension(server, protocol=protocol).connect()
    with pytest.raises(VersionMismatch) as caught:
        await waiting
    assert "update the extension" in caught.value.hint
    assert time.monotonic() - begin < 2
    with pytest.raises(VersionMismatch) as again:
        await ask(server, "get", {})
    assert again.value is not caught.value


async def test_nobody_dials(server: BridgeServer) -> None:
    with pytest.raises(NotConnected, match="no browser connected"):
        await server.connected(0.05)
    with pytest.raises(NotConnected):
        await ask(server, "get", {}, timeout=0.05)


@pytest.mark.parametrize("frame", ["{", "", "[1]", '{"v":1,"type":"x"}', b"\xff\x00", "[" * 50_000])
async def test_fault_08_a_malformed_frame_closes_with_a_protocol_error(
    server: BridgeServer, frame: str | bytes
) -> None:
    async with FakeExtension(server, silent=True) as extension:
        waiting = asyncio.create_task(ask(server, "click", {"ref": "e1"}, tab=1))
        await asyncio.sleep(0)
        await extension.send_raw(frame)
        with pytest.raises(ConnectionLost):
            await waiting
        await extension.wait_closed()
        assert extension.close_code == 1002
        assert isinstance(server.status.last_error, ProtocolError)


async def test_fault_08_an_oversized_frame_names_the_setting(make_server: MakeServer) -> None:
    small = await make_server(max_frame_bytes=10_000)
    async with FakeExtension(small, {"get": lambda params, tab: "x" * 20_000}) as extension:
        with pytest.raises(ConnectionLost, match="more than 10000 bytes"):
            await ask(small, "get", {})
        await extension.wait_closed()
        assert extension.close_code == 1009
    assert isinstance(small.status.last_error, ProtocolError)
    assert "SKILLBOOK_MAX_FRAME_BYTES" in small.status.last_error.hint
    async with FakeExtension(small, ECHO):
        assert await ask(small, "get", {}) == {"value": {}}


async def test_fault_08_duplicate_and_unknown_ids_change_nothing(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO) as extension:
        await ask(server, "get", {"n": 1})
        for id in (1, 1, 0, -5, 10**15):
            await extension.send(Response(id=id, result="forged"))
        assert await ask(server, "get", {"n": 2}) == {"value": {"n": 2}}
        assert server.status.state == "connected"


async def test_fault_08_ten_thousand_events_leave_the_kernel_responsive(server: BridgeServer) -> None:
    seen: list[int] = []
    server.on_event(lambda event: seen.append(event.seq))
    async with FakeExtension(server, ECHO) as extension:

        async def flood() -> None:
            for _ in range(10_000):
                await extension.send_event("tab_closed", {"reason": "closed"})

        flooding = asyncio.create_task(flood())
        await asyncio.sleep(0)
        assert await ask(server, "get", {}, timeout=5) == {"value": {}}
        await flooding
        assert await ask(server, "get", {}) == {"value": {}}
    assert seen == list(range(1, 10_001))


async def test_fault_08_ten_thousand_requests_are_bounded(server: BridgeServer) -> None:
    results = await asyncio.gather(
        *(ask(server, "get", {"n": n}, timeout=0.2) for n in range(10_000)), return_exceptions=True
    )
    assert {type(result) for result in results} == {NotConnected, BridgeError}
    assert sum(type(result) is NotConnected for result in results) == 1000


async def test_fault_08_a_browser_that_does_not_read_is_disconnected(server: BridgeServer) -> None:
    async with FakeExtension(server) as extension:
        extension.silent = True
        extension.stop_reading()
        waiting = asyncio.create_task(ask(server, "click", {"ref": "e1"}, tab=1))
        async with asyncio.timeout(20):
            while not waiting.done():
                text = {"ref": "e1", "value": "x" * 1_000_000}
                task = asyncio.create_task(ask(server, "fill", text, tab=1))
                await asyncio.sleep(0)
                task.cancel()
        with pytest.raises(ConnectionLost, match="doesn't read"):
            await waiting
        await extension.drop()


async def test_silence_ends_the_connection(make_server: MakeServer) -> None:
    server = await make_server(heartbeat_seconds=0.05)
    async with FakeExtension(server, silent=True):
        with pytest.raises(ConnectionLost, match="silent"):
            await ask(server, "click", {"ref": "e1"}, tab=1)
    async with FakeExtension(server, ECHO):
        assert await ask(server, "get", {}) == {"value": {}}


@pytest.mark.usefixtures("impatient")
async def test_silence_towards_one_command_is_a_timeout(server: BridgeServer) -> None:
    async with FakeExtension(server, silent=True):
        with pytest.raises(CommandTimeout):
            await ask(server, "get", {}, timeout=0.05)


async def test_fault_06_a_second_profile_is_refused(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO):
        with pytest.raises(BridgeError, match="another browser profile"):
            await FakeExtension(server, profile="profile-2").connect()
        assert await ask(server, "get", {"n": 1}) == {"value": {"n": 1}}
        assert "refused" in server.status.notice


async def test_fault_06_the_same_profile_takes_over(server: BridgeServer) -> None:
    async with FakeExtension(server, ECHO) as first, FakeExtension(server, ECHO) as second:
        await ask(server, "get", {"n": 1})
        await first.wait_closed()
        assert (first.close_code, len(first.requests), len(second.requests)) == (4001, 0, 1)
        assert "anew" in server.status.notice


class TestPairing:
    async def test_a_code_gives_the_token_once(self, server: BridgeServer) -> None:
        code = server.pairing_link().partition("code=")[2]
        extension = FakeExtension(server, ECHO, token="none yet", kernel="?")
        assert (await extension.pair(code)).kernel == server.kernel
        async with extension:
            assert await ask(server, "get", {}) == {"value": {}}
        with pytest.raises(PairingFailed):
            await FakeExtension(server).pair(code)

    @pytest.mark.parametrize("code", ["", "guess", "ü" * 200])
    async def test_a_wrong_code_is_refused(self, server: BridgeServer, code: str) -> None:
        with pytest.raises(PairingFailed):
            await FakeExtension(server).pair(code)
        assert isinstance(server.status.last_error, PairingFailed)

    async def test_another_version_is_told_before_the_code_is_used(self, server: BridgeServer) -> None:
        code = server.pairing_link().partition("code=")[2]
        with pytest.raises(VersionMismatch):
            await FakeExtension(server, protocol="9.0").pair(code)
        await FakeExtension(server).pair(code)

    async def test_the_page_answers_to_a_live_code_only(self, server: BridgeServer) -> None:
        link = server.pairing_link()
        path = link.partition(str(server.port))[2]
        host = f"Host: 127.0.0.1:{server.port}"
        page = await knock(server, f"GET {path} HTTP/1.1\n{host}\nSec-Fetch-Dest: document")
        assert page.startswith(b"HTTP/1.1 200")
        assert b"skillbook-pair" in page
        dead = await knock(server, f"GET /skillbook/pair?code=guess HTTP/1.1\n{host}")
        assert dead.startswith(b"HTTP/1.1 410")
        assert b"skillbook-pair" not in dead
        for line in ("Origin: http://evil.test", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Dest: empty"):
            assert (await knock(server, f"GET {path} HTTP/1.1\n{host}\n{line}")).startswith(b"HTTP/1.1 403")
        assert (await knock(server, f"GET /other HTTP/1.1\n{host}")).startswith(b"HTTP/1.1 404")

    async def test_code_and_token_are_in_no_log(
        self, server: BridgeServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        code = server.pairing_link().partition("code=")[2]
        async with connect(
            f"ws://127.0.0.1:{server.port}/skillbook/pair-socket",
            origin=f"chrome-extension://{EXTENSION_ID}",
            proxy=None,
            logger=logging.getLogger("client"),
        ) as other_side:
            await other_side.close()
        await FakeExtension(server).pair(code)
        ours = [record.getMessage() for record in caplog.records if record.name.startswith("skillbook")]
        assert not any(code in line or server.token in line for line in ours)
        assert code not in repr((server, server.status, vars(server)))

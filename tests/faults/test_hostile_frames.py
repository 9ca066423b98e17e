"""FAULTS 8: a thousand malformed or hostile frames to either side. No crash, no hang, no effect."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from skillbook.bridge import BridgeServer
from skillbook.bridge.codec import make_nonce, make_proof
from skillbook.config import Settings
from skillbook.launcher.process import launch_chromium
from skillbook.testing.fake_extension import FakeExtension
from tests.bridge.helpers import ask
from tests.faults.hostile import broken, to_extension, to_kernel
from tests.faults.world import devtools_of

TOKEN = "token-of-the-tests-" + "0" * 24
BROKEN_FRAMES = 60


async def test_fault_08_a_thousand_hostile_frames_to_the_kernel() -> None:
    server = BridgeServer(Settings(_env_file=None), "a" * 32)
    await server.start()
    seen: list[object] = []
    server.on_event(seen.append)
    try:
        for seed in range(0, 1000, 4):
            # Strangers' frames before the greeting, and those of a peer that greeted.
            stranger = FakeExtension(server)
            await stranger.dial()
            await stranger.send_raw(to_kernel(seed))
            async with FakeExtension(server, {"get": lambda params, tab: params}, silent=False) as known:
                for other in range(seed + 1, seed + 4):
                    try:
                        await known.send_raw(to_kernel(other))
                    except ConnectionClosed:
                        break
            await stranger.drop()
        async with FakeExtension(server, {"get": lambda params, tab: params}):
            assert await ask(server, "get", {"n": 1}, timeout=5) == {"n": 1}
        assert len(server._peers) <= 16
        assert not seen
    finally:
        await server.close()


class HostileKernel:
    """A server that greets as the kernel does, and then says what it wants."""

    def __init__(self) -> None:
        self.connections = 0
        self.answers: Counter[str] = Counter()
        self.results: list[object] = []
        self.socket: ServerConnection | None = None
        self.greeted = asyncio.Event()

    async def talk(self, socket: ServerConnection) -> None:
        """Serve one connection of the extension."""
        hello = json.loads(await socket.recv())
        nonce = make_nonce()
        proof = make_proof(TOKEN, "kernel", hello["nonce"], nonce)
        await self.send(socket, type="challenge", protocol="1.0", nonce=nonce, proof=proof)
        await socket.recv()
        kernel = {"id": "hostile", "name": "hostile"}
        facts = {"heartbeat_ms": 20_000, "allow_evaluate": False, "input": "trusted"}
        await self.send(socket, type="welcome", session="s" * 32, resumed=False, kernel=kernel, **facts)
        self.connections += 1
        self.socket = socket
        self.greeted.set()
        try:
            async for frame in socket:
                message = json.loads(frame)
                if message["type"] == "response":
                    error = message.get("error")
                    self.answers[error["code"] if error else "result"] += 1
                    if not error:
                        self.results.append(message["result"])
        except ConnectionClosed:
            return

    async def send(self, socket: ServerConnection, **message: object) -> None:
        """Send a message of the protocol."""
        await socket.send(json.dumps({"v": 1, **message}))


async def test_fault_08_a_thousand_hostile_frames_to_the_extension(tmp_path: Path) -> None:
    kernel = HostileKernel()
    async with serve(kernel.talk, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        process = await asyncio.to_thread(
            launch_chromium,
            port=port,
            token=TOKEN,
            kernel_id="hostile",
            kernel_name="hostile",
            args=("--remote-debugging-port=0",),
        )
        try:
            await asyncio.wait_for(kernel.greeted.wait(), 30)
            async with devtools_of(process) as devtools:
                pages = {page.url for page in devtools.contexts[0].pages}
                await _flood(kernel)
                assert {page.url for page in devtools.contexts[0].pages} == pages
        finally:
            await asyncio.to_thread(process.terminate)
    # Lists of tabs are the only thing that a kernel without tabs can have.
    assert all(result == {"tabs": []} for result in kernel.results)
    assert kernel.answers["unknown_command"] > 20
    assert kernel.answers["page_closed"] > 200


async def _flood(kernel: HostileKernel) -> None:
    for seed in range(1000 - BROKEN_FRAMES):
        assert kernel.socket is not None
        await kernel.socket.send(to_extension(seed))
    await _ask(kernel)
    for seed in range(BROKEN_FRAMES):
        # Each of these ends the connection, and the extension dials anew.
        before = kernel.connections
        kernel.greeted.clear()
        await kernel.socket.send(broken(seed))
        await asyncio.wait_for(kernel.greeted.wait(), 20)
        assert kernel.connections == before + 1
    await _ask(kernel)


async def _ask(kernel: HostileKernel) -> None:
    """An honest request still has its answer, soon."""
    assert kernel.socket is not None
    before = len(kernel.results)
    await kernel.send(
        kernel.socket,
        type="request",
        id=10**6 + before,
        command="tabs_list",
        tab=None,
        params={},
        deadline_ms=5000,
    )
    async with asyncio.timeout(10):
        while len(kernel.results) == before:  # noqa: ASYNC110 - another process answers
            await asyncio.sleep(0.01)
    assert isinstance(kernel.results[-1], dict)

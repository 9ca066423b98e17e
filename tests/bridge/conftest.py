from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from skillbook.bridge import BridgeServer, pending
from skillbook.bridge import server as server_module
from skillbook.config import Settings

EXTENSION_ID = "abcdefghijklmnopabcdefghijklmnop"
MakeServer = Callable[..., Any]


@pytest.fixture
async def make_server() -> AsyncIterator[MakeServer]:
    """Start servers with given settings and options; they are closed afterwards."""
    servers: list[BridgeServer] = []

    async def make(options: dict[str, Any] | None = None, **settings: Any) -> BridgeServer:
        server = BridgeServer(Settings(_env_file=None, **settings), EXTENSION_ID, **(options or {}))
        servers.append(server)
        await server.start()
        return server

    yield make
    for server in servers:
        await server.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a browser that answers too late, or for a peer that doesn't say goodbye."""
    monkeypatch.setattr(pending, "PEER_SECONDS", 0.1)
    monkeypatch.setattr(server_module, "PEER_SECONDS", 0.1)


@pytest.fixture
async def server(make_server: MakeServer) -> BridgeServer:
    return await make_server(connect_timeout=5, command_timeout=5)

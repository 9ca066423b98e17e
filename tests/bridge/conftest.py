from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from skillbook.bridge import BridgeServer
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
async def server(make_server: MakeServer) -> BridgeServer:
    return await make_server(connect_timeout=5, command_timeout=5)

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from skillbook.bridge import BridgeServer
from skillbook.config import Settings
from skillbook.errors import InternalError, NotActionable, UnknownCommand
from skillbook.protocol.commands.tabs import Tab, TabResult
from skillbook.testing.fake_extension import FakeExtension
from tests.bridge.helpers import ask


@pytest.fixture
async def server() -> AsyncIterator[BridgeServer]:
    server = BridgeServer(Settings(_env_file=None, command_timeout=5), "a" * 32)
    await server.start()
    yield server
    await server.close()


async def test_handlers_answer_by_name_with_values_models_and_coroutines(server: BridgeServer) -> None:
    async def opened(params: dict[str, str], tab: int | None) -> TabResult:
        return TabResult(tab=Tab(id=1, url=params["url"], title="", status="complete", active=True))

    handlers = {"get": lambda params, tab: {"value": tab}, "tabs_open": opened}
    async with FakeExtension(server, handlers) as extension:
        assert await ask(server, "get", {}, tab=4) == {"value": 4}
        assert (await ask(server, "tabs_open", {"url": "about:blank"}))["tab"]["url"] == "about:blank"
        extension.handlers["get"] = lambda params, tab: "changed"
        assert await ask(server, "get", {}) == "changed"
        assert [request.command for request in extension.requests] == ["get", "tabs_open", "get"]


async def test_errors_cross_the_wire(server: BridgeServer) -> None:
    def hidden(params: dict[str, str], tab: int | None) -> None:
        raise NotActionable("e1 is hidden", ref="e1")

    async with FakeExtension(server, {"click": hidden, "get": lambda params, tab: 1 / 0}):
        with pytest.raises(NotActionable, match="e1 is hidden"):
            await ask(server, "click", {"ref": "e1"}, tab=1)
        with pytest.raises(InternalError, match="ZeroDivisionError"):
            await ask(server, "get", {})
        with pytest.raises(UnknownCommand):
            await ask(server, "reload", {}, tab=1)


async def test_waiting_for_a_request_has_a_deadline(server: BridgeServer) -> None:
    async with FakeExtension(server) as extension:
        with pytest.raises(TimeoutError):
            await extension.wait_for_request(timeout=0.01)
        assert extension.close_code is None
    assert extension.close_code == 1000

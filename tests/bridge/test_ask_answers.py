"""What the side panel asks: answered on the connection that it came on, once, with the kernel's own errors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from skillbook.bridge import BridgeServer
from skillbook.bridge.peer import MAX_ASKS
from skillbook.errors import BridgeError, ConnectionLost, InternalError, NotConnected, SkillNotFound
from skillbook.testing.fake_extension import FakeExtension


async def test_answers_come_back_out_of_order(server: BridgeServer) -> None:
    first = asyncio.Event()

    async def answer(name: str, params: dict[str, Any]) -> Any:
        if name == "about":
            await first.wait()
        first.set()
        return {"name": name, **params}

    server.answer_with(answer)
    async with FakeExtension(server) as extension:
        slow, quick = asyncio.ensure_future(extension.ask("about")), extension.ask("show_run", run="r1")
        assert await quick == {"name": "show_run", "run": "r1"}
        assert await slow == {"name": "about"}


async def test_an_error_reaches_the_asker_with_what_to_try(
    server: BridgeServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def answer(name: str, params: dict[str, Any]) -> Any:
        if name == "about":
            raise ValueError("no")
        raise SkillNotFound("there is no skill 'x'", hint="look at sb.skills", path=object())

    server.answer_with(answer)
    async with FakeExtension(server) as extension:
        with pytest.raises(SkillNotFound, match="no skill 'x'") as caught:
            await extension.ask("run_skill")
        assert caught.value.hint == "look at sb.skills"
        with pytest.raises(InternalError, match="about: ValueError: no"):
            await extension.ask("about")


async def test_a_kernel_that_answers_nothing_says_so(server: BridgeServer) -> None:
    async with FakeExtension(server) as extension:
        with pytest.raises(NotConnected, match="answers no asks"):
            await extension.ask("about")


async def test_an_ask_of_a_connection_that_is_gone_is_answered_to_nobody(server: BridgeServer) -> None:
    started, go_on, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def answer(name: str, params: dict[str, Any]) -> Any:
        started.set()
        await go_on.wait()
        done.set()
        return {}

    server.answer_with(answer)
    async with FakeExtension(server) as extension:
        lost = asyncio.ensure_future(extension.ask("about"))
        await started.wait()
        await extension.drop()
        with pytest.raises(ConnectionLost):
            await lost
    async with FakeExtension(server) as later:
        go_on.set()
        await done.wait()
        assert await later.ask("about") == {}


async def test_too_many_asks_at_once_are_refused(server: BridgeServer) -> None:
    full, go_on, begun = asyncio.Event(), asyncio.Event(), 0

    async def answer(name: str, params: dict[str, Any]) -> Any:
        nonlocal begun
        begun += 1
        if begun == MAX_ASKS:
            full.set()
        await go_on.wait()
        return {}

    server.answer_with(answer)
    async with FakeExtension(server) as extension:
        waiting = [asyncio.ensure_future(extension.ask("about")) for _ in range(MAX_ASKS)]
        await full.wait()
        with pytest.raises(BridgeError, match="wait already"):
            await extension.ask("about")
        go_on.set()
        assert await asyncio.gather(*waiting) == [{}] * MAX_ASKS


async def test_notices_reach_who_is_connected(server: BridgeServer) -> None:
    server.notify("rows_came", {"run": "r0", "output": "o", "count": 1})
    async with FakeExtension(server) as extension:
        server.notify("rows_came", {"run": "r1", "output": "o", "count": 2})
        await extension.wait_until(lambda: extension.notices)
        assert extension.notices == [("rows_came", {"run": "r1", "output": "o", "count": 2})]


async def test_a_server_that_comes_back_says_no_goodbye(server: BridgeServer) -> None:
    async with FakeExtension(server) as extension:
        await server.close(None)
        await extension.wait_closed()
        assert extension.bye is None
        assert extension.close_code == 1001

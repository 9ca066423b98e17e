"""What a model is told of a failed call, and which calls are made once more."""

from __future__ import annotations

from collections.abc import Awaitable
from types import SimpleNamespace
from typing import Any

import pytest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from pydantic import BaseModel

from skillbook.agents.middleware.tool_errors import ToolErrorMiddleware
from skillbook.agents.tools.tool_base import make_tool
from skillbook.errors import (
    ConnectionLost,
    DialogBlocked,
    NoMatch,
    NotConnected,
    PageNavigated,
    PageUnreachable,
    SkillbookError,
)

AGAIN = "may work if you make it again"


class Context(SimpleNamespace):
    async def unless_halted(self, running: Awaitable[Any]) -> Any:
        return await running


async def told(error: SkillbookError, effect: str, failures: int) -> tuple[str, int]:
    """What the model gets of a tool that fails so often, and how often it was called."""
    calls = 0

    async def run() -> str:
        return ""

    async def handler(request: ToolCallRequest) -> ToolMessage:
        nonlocal calls
        calls += 1
        if calls <= failures:
            raise error
        return ToolMessage("done", tool_call_id="1")

    tool = make_tool("look", "Look.", BaseModel, run, effect=effect)  # type: ignore[arg-type]
    context = Context(
        reviews={}, decisions={}, steps=[], seen=None, page=None, outside_names=None, notes=SimpleNamespace()
    )
    request = ToolCallRequest({"name": "look", "args": {}, "id": "1"}, tool, {}, None)  # type: ignore[arg-type]
    answer = await ToolErrorMiddleware(context).awrap_tool_call(request, handler)  # type: ignore[arg-type]
    assert isinstance(answer, ToolMessage)
    return answer.text, calls


@pytest.mark.parametrize("error", [PageNavigated, PageUnreachable, NotConnected, ConnectionLost])
async def test_a_read_is_made_once_more_if_that_may_help(error: type[SkillbookError]) -> None:
    assert await told(error("it went away"), "read", failures=1) == ("done", 2)
    text, calls = await told(error("it went away"), "read", failures=9)
    assert (calls, AGAIN in text) == (2, error.retryable)


@pytest.mark.parametrize("error", [PageNavigated, PageUnreachable, NotConnected, ConnectionLost])
async def test_a_write_is_never_made_again_unasked(error: type[SkillbookError]) -> None:
    text, calls = await told(error("it went away"), "write", failures=1)
    assert (calls, AGAIN in text) == (1, error is NotConnected)


async def test_what_would_fail_again_is_not_tried_again() -> None:
    for error in (NoMatch("nothing matches", candidates=[]), DialogBlocked("a dialog is open")):
        text, calls = await told(error, "read", failures=1)
        assert (calls, AGAIN in text) == (1, False)

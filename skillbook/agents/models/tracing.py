"""LangSmith's tracing, which LangChain wraps around every middleware: without a hop between threads where it is off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

import langsmith
from langsmith._runtime_overrides import get_runtime_overrides
from langsmith.utils import tracing_is_enabled

from skillbook.io_thread import io


def trace_in_place() -> None:
    """Let calls on skillbook's loop that nobody traces stay on its thread.

    By default each middleware's call goes to a worker thread twice, to begin and to end a trace, also where none is
    kept; an approved call passes through a dozen of them before it acts. An override that is there already stays.
    """
    if get_runtime_overrides().aio_to_thread is None:
        langsmith.set_runtime_overrides(aio_to_thread=_stay)


async def _stay(
    default: Callable[..., Awaitable[Any]],
    context: Context,
    work: Callable[..., Any],
    /,
    *args: Any,
    **named: Any,
) -> Any:
    if asyncio.get_running_loop() is not io.loop or tracing_is_enabled():
        return await default(context, work, *args, **named)
    return context.run(work, *args, **named)

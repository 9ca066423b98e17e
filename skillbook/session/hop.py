"""The two ways from a caller's thread to the I/O thread: awaiting and blocking."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from skillbook.io_thread import io

T = TypeVar("T")


async def await_on_io(coro: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the I/O thread and await it, from any loop."""
    return await io.wait(coro)


def block_on_io(coro: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the I/O thread and block until it is done."""
    return io.sync(coro)

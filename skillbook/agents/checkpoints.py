"""Where runs are kept between steps, so that they outlive a stopped kernel."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiosqlite

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_open: dict[tuple[int, Path], AsyncSqliteSaver] = {}


async def open_checkpoints(path: Path) -> AsyncSqliteSaver:
    """The checkpoint file, opened once for each event loop; call it on the loop that uses it.

    Parameters
    ----------
    path: an SQLite file, made with mode 0600 where it isn't there.
    """
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    key = (id(asyncio.get_running_loop()), path)
    if key not in _open:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = aiosqlite.connect(path)
        # aiosqlite's thread would keep a finished kernel from exiting
        worker: Any = getattr(connection, "_thread", connection)
        worker.daemon = True
        saver = AsyncSqliteSaver(await connection)
        await saver.setup()
        _open[key] = saver
    return _open[key]


async def close_checkpoints(path: Path) -> None:
    """Close the file on this loop, if it is open."""
    saver = _open.pop((id(asyncio.get_running_loop()), path), None)
    if saver is not None:
        await saver.conn.close()

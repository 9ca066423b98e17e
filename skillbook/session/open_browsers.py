"""The browsers that are open: one that nobody can reach any more closes, and a cell has one at a time."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import suppress

from skillbook.bridge.server import BridgeServer
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.journal import Journal
from skillbook.launcher.process import ChromiumProcess
from skillbook.session.browser_driver import BrowserDriver

Cell = tuple[object, object]
"""Which cell of a notebook starts a browser, and which run of it."""

_open: weakref.WeakSet[BrowserDriver] = weakref.WeakSet()
_cells: weakref.WeakKeyDictionary[BrowserDriver, Cell] = weakref.WeakKeyDictionary()


def open_drivers() -> list[BrowserDriver]:
    """Those that are open, the oldest first."""
    return sorted((each for each in list(_open) if not each.gateway.closed), key=lambda each: each.started)


def note_driver(driver: BrowserDriver, cell: Cell | None) -> None:
    """Know a browser that was just started, and close it once nothing refers to it any more."""
    _open.add(driver)
    if cell is not None:
        _cells[driver] = cell
    ending = weakref.finalize(driver, _close_rest, driver.server, driver.process, driver.journal)
    if hooks.browser_opened is not None:
        hooks.browser_opened(driver)
    ending.atexit = False  # a browser ends with its process anyway, see `launcher.process`


def note_process(driver: BrowserDriver, process: ChromiumProcess) -> None:
    """End a browser that was relaunched once nothing refers to it any more."""
    weakref.finalize(driver, _end_process, process).atexit = False


async def close_former(cell: Cell | None) -> None:
    """Close what an earlier run of this cell started; what the same run started stays, as in a loop."""
    if cell is None:
        return
    place, run = cell
    for driver in open_drivers():
        if (former := _cells.get(driver)) is not None and former[0] == place and former[1] != run:
            await driver.close()


def _close_rest(server: BridgeServer, process: ChromiumProcess | None, journal: Journal) -> None:
    # On whichever thread collects garbage, which must not wait.
    async def close() -> None:
        await server.close()
        if process is not None:
            await asyncio.to_thread(process.terminate)
        journal.close()

    with suppress(RuntimeError):  # the process ends, and a browser ends with it
        io.call_soon(lambda: _closing.add(asyncio.ensure_future(close())))


def _end_process(process: ChromiumProcess) -> None:
    with suppress(RuntimeError):
        io.call_soon(lambda: _closing.add(asyncio.ensure_future(asyncio.to_thread(process.terminate))))


_closing: set[asyncio.Future[None]] = set()

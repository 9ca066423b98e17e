"""Pages and snapshots shown in a notebook: the tree with refs beside the picture with boxes.

What is shown is static HTML behind a display id: it follows a page while the kernel lives, and what it showed last
stays in the saved notebook.
"""

from __future__ import annotations

import weakref
from typing import Any

from IPython.display import HTML, display

from skillbook.errors import InvalidParams
from skillbook.io_thread import io
from skillbook.notebook.environment import display_mode
from skillbook.notebook.html import page_html
from skillbook.notebook.page_rows import view_of
from skillbook.notebook.source import PageView
from skillbook.notebook.throttle import Throttle
from skillbook.notebook.watcher import PageWatcher, look_at, take_shot
from skillbook.perception.snapshot import Snapshot
from skillbook.session.browser_driver import require_driver
from skillbook.session.page_driver import PageDriver

_LIVE_HERTZ = 2.0
_LOOK_SECONDS = 10.0

_takers: weakref.WeakKeyDictionary[Snapshot, weakref.ref[PageDriver]] = weakref.WeakKeyDictionary()
_live: weakref.WeakKeyDictionary[PageDriver, weakref.WeakSet[LiveView]] = weakref.WeakKeyDictionary()


class LiveView:
    """A page's view in one output, kept up to date after every snapshot and action until `stop()`.

    Parameters
    ----------
    driver : the page.
    view : what to show first.
    """

    def __init__(self, driver: PageDriver, view: PageView) -> None:
        self._handle = display(HTML(page_html(view)), display_id=True)
        self._watcher = PageWatcher(lambda: driver, self._draw)
        self._refresh_soon = Throttle(self._watcher.refresh, _LIVE_HERTZ)
        self._driver = driver
        self._seen = (driver.url, driver.latest.version if driver.latest else -1)
        _live.setdefault(driver, weakref.WeakSet()).add(self)

    def follow(self, snapshot: Snapshot) -> None:
        """Show the page anew where a snapshot tells that it changed."""
        now = (snapshot.url, snapshot.version)
        if now != self._seen:
            self._seen = now
            self._refresh_soon.request()

    def stop(self) -> None:
        """Stop following; the output keeps what it shows."""
        _live.get(self._driver, weakref.WeakSet()).discard(self)

    def _draw(self) -> None:
        if self._watcher.view is not None:
            self._handle.update(HTML(page_html(self._watcher.view)))

    def __repr__(self) -> str:
        return f"<LiveView of {self._driver.url}>"


def show(thing: Any) -> LiveView | None:
    """Show a page live, or a snapshot as it was.

    Parameters
    ----------
    thing : a `Page` of either twin, or a `Snapshot`.

    Returns
    -------
    The live view of a page; keep it to `stop()` it. None for a snapshot, and where nothing live may be shown:
    then the plain representation is displayed.

    Raises
    ------
    InvalidParams : it is neither.
    """
    if isinstance(thing, Snapshot):
        display(thing)
        return None
    driver = require_driver(thing)
    if display_mode() != "notebook":
        display({"text/plain": repr(thing)}, raw=True)
        return None
    live = LiveView(driver, io.sync(look_at(driver), timeout=_LOOK_SECONDS))
    _kept.append(live)
    return live


_kept: list[LiveView] = []
"""Live views go on when nobody keeps what `show` returned."""


def snapshot_html(snapshot: Snapshot) -> str:
    """A snapshot as HTML; with the picture while the page is still as it was."""
    taker = _takers.get(snapshot)
    driver = taker() if taker else None
    if driver is None or driver.latest is not snapshot or driver.closed or io.inside:
        return page_html(view_of(snapshot))
    return page_html(view_of(snapshot, io.sync(take_shot(driver), timeout=_LOOK_SECONDS)))


def note_snapshot(driver: PageDriver, snapshot: Snapshot) -> None:
    """Remember whose a snapshot is, and bring its live views up to date. Called on the I/O thread."""
    _takers[snapshot] = weakref.ref(driver)
    for view in list(_live.get(driver, ())):
        view.follow(snapshot)


def bundle_of(thing: Any) -> dict[str, Any] | None:
    """The rich display of a page: its latest snapshot as HTML; None where plain text will do."""
    if display_mode() != "notebook":
        return None
    try:
        latest = require_driver(thing).latest
    except InvalidParams:
        return None
    return {"text/html": snapshot_html(latest)} if latest is not None else None

"""Pages and snapshots shown in a notebook: the tree with refs beside the screenshot with boxes.

A page, and the snapshot that is its latest, show a `LiveView`, which follows the page after every action and
snapshot. An older snapshot is static HTML. Where a page is shown again as the value of a cell, the view that was
shown so before stays as it is; one made by `show` follows until `stop()`.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

from IPython.display import display

from skillbook.agents.run.run_code import code_for, selector_of
from skillbook.errors import SkillbookError
from skillbook.io_thread import io
from skillbook.limits import CAUSE_SECONDS
from skillbook.notebook.environment import STATIC, cell_number, display_mode
from skillbook.notebook.html.page_and_run import browser_html, page_html
from skillbook.notebook.html.progress import Throttle
from skillbook.notebook.page.page_rows import view_of
from skillbook.notebook.page.panel_source import PageView
from skillbook.notebook.page.presence import Presence
from skillbook.notebook.page.remote_input import Pointer, RemoteInput
from skillbook.notebook.page.watcher import PageWatcher, is_refreshing, take_screenshot, view_page
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.seen_page import node_of
from skillbook.session.page_driver import PageDriver, driver_of

_REFRESH_HERTZ = 4.0
"""A screenshot takes tens of milliseconds, which a cell full of actions should not wait for each time."""


class ViewWidget(PageWidget):
    """Shows one page and follows it. What changes it runs on the I/O thread.

    plain: the view as plain text, for the record.
    """

    _record_kind = STATIC

    def __init__(self, driver: PageDriver, view: PageView, plain: str) -> None:
        super().__init__()
        self._driver = driver
        self._plain = plain
        self._pointer = Pointer(lambda: driver)
        self._watcher = PageWatcher(lambda: driver, self._changed)
        self._watcher.view = view
        self._remote_input = RemoteInput(lambda: driver, self._watcher, self._changed)
        self._presence = Presence(lambda: driver, self._changed)
        self._refresh_soon = Throttle(self._refresh, _REFRESH_HERTZ)
        self._following = True
        self._kept_view = view
        self._shown_in: object = None
        self._picked: dict[str, str] | None = None
        self._render()

    def show(self) -> None:
        """Display the widget; its record keeps what the page was while this cell ran."""
        self._shown_in, self._kept_view = cell_number(), self._watcher.view or self._kept_view
        super().show()

    def _changed(self) -> None:
        self._render_soon.request()
        if self._records and self._shown_in == cell_number() and self._watcher.view is not None:
            self._kept_view = self._watcher.view
            self._record_soon.request()

    def follow(self) -> None:
        """Show the page anew after a snapshot of it or an action on it."""
        if self._following:
            self._refresh_soon.request()

    def _refresh(self) -> None:
        if self._following:
            self._watcher.refresh()

    def keep_still(self) -> None:
        """Stop following."""
        self._following = False
        self._remote_input.end()
        self._watcher.stop()
        self._changed()

    def _render(self) -> None:
        self._show_page(self._watcher.view)
        gone = self._presence.gone
        status = "closed" if gone else "live" if self._following else "still"
        self.state = {
            "status": status,
            "gone": gone,
            "picked": self._picked,
            "remote_input_problem": self._remote_input.problem,
            "has_window": self._remote_input.has_window,
        }

    def _take(self, content: dict[str, Any]) -> None:
        kind, ref = content.get("type"), content.get("ref")
        if kind == "point":
            self._pointer.point(ref)
        elif kind == "remote_input" and self._following:
            self._remote_input.take(content)
        elif kind == "pick" and isinstance(ref, str):
            node = node_of(self._driver.latest, ref)  # it may be gone by now
            self._picked = {
                "ref": ref,
                "selector": selector_of(node) if node is not None else "",
                "code": code_for(node) if node is not None else "",
            }
            self._render_soon.request()

    def _record(self) -> tuple[str, str]:
        view = self._kept(self._kept_view)
        return page_html(view) if view is not None else "", self._plain

    def __repr__(self) -> str:
        return f"<LiveView of {self._plain}>"


_takers: weakref.WeakKeyDictionary[Snapshot, weakref.ref[PageDriver]] = weakref.WeakKeyDictionary()
_following: weakref.WeakKeyDictionary[PageDriver, set[ViewWidget]] = weakref.WeakKeyDictionary()
_valued: weakref.WeakKeyDictionary[PageDriver, LiveView] = weakref.WeakKeyDictionary()
"""Of each page the view that was last shown as the value of a cell."""


class LiveView:
    """A page's view, kept up to date after every snapshot and action until `stop()`.

    Parameters
    ----------
    driver : the page.
    view : what to show first.
    plain : the view as plain text.
    """

    def __init__(self, driver: PageDriver, view: PageView, plain: str) -> None:
        self._driver = driver
        self._plain = plain
        self._widget = ViewWidget(driver, view, plain)
        _following.setdefault(driver, set()).add(self._widget)
        self._show()

    def stop(self) -> None:
        """Stop following; the output keeps what it shows."""
        _following.get(self._driver, set()).discard(self._widget)
        io.call_soon(self._widget.keep_still)

    def _show(self) -> None:
        self._widget.show()
        self._shown_in = cell_number()

    def _ipython_display_(self) -> None:
        # The value of the very cell that shows it needs no second view.
        if self._shown_in != cell_number():
            self._show()

    def __repr__(self) -> str:
        return f"<LiveView of {self._plain}>"


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
    InvalidInput : it is neither.
    """
    if isinstance(thing, Snapshot):
        display(thing)
        return None
    driver = driver_of(thing)
    if display_mode() != "notebook":
        display({"text/plain": repr(thing)}, raw=True)
        return None
    return LiveView(driver, io.sync(view_page(driver), timeout=CAUSE_SECONDS), repr(thing))


def view_widget(page: Any) -> ViewWidget | str:
    """The widget that follows a page, which isn't shown by that; the representation of a page that is closed."""
    driver = driver_of(page)
    if driver.closed:
        return repr(page)
    widget = ViewWidget(driver, io.sync(view_page(driver), timeout=CAUSE_SECONDS), repr(page))
    _following.setdefault(driver, set()).add(widget)
    return widget


def show_value(thing: Any) -> None:
    """Show a page, or the snapshot that is its latest, live as the value of a cell.

    Raises NotImplementedError: it is shown by its representation, as IPython understands this error.
    """
    driver = _live_driver(thing) if display_mode() == "notebook" and not io.inside else None
    if driver is None:
        raise NotImplementedError
    try:
        view = io.sync(_first_view(driver, thing), timeout=CAUSE_SECONDS)
    except SkillbookError:
        raise NotImplementedError from None
    before = _valued.pop(driver, None)
    if before is not None:
        before.stop()
    _valued[driver] = LiveView(driver, view, repr(thing))


def _live_driver(thing: Any) -> PageDriver | None:
    if isinstance(thing, Snapshot):
        taker = _takers.get(thing)
        driver = taker() if taker else None
        return driver if driver is not None and not driver.closed and driver.latest is thing else None
    driver = driver_of(thing)
    return None if driver.closed else driver


async def _first_view(driver: PageDriver, thing: Any) -> PageView:
    if isinstance(thing, Snapshot):
        return await asyncio.to_thread(view_of, thing, await take_screenshot(driver))
    return await view_page(driver)


def snapshot_html(snapshot: Snapshot) -> str:
    """A snapshot as static HTML, without a screenshot: that would be of another moment."""
    return page_html(view_of(snapshot))


def note_snapshot(driver: PageDriver, snapshot: Snapshot) -> None:
    """Remember whose a snapshot is, and bring its live views up to date. Called on the I/O thread."""
    _takers[snapshot] = weakref.ref(driver)
    if not is_refreshing():
        for widget in tuple(_following.get(driver, ())):
            widget.follow()


def is_followed(driver: PageDriver) -> bool:
    """Whether a live view follows a page."""
    return bool(_following.get(driver))


def bundle_of(thing: Any) -> dict[str, Any] | None:
    """The rich display of a browser, or of a page that can't be shown live; None where plain text will do.

    A browser shows its pages, a page its latest snapshot.
    """
    if display_mode() != "notebook":
        return None
    if (pages := getattr(thing, "pages", None)) is not None:
        return {"text/html": browser_html(repr(thing), [(page.title, page.url) for page in pages])}
    driver = driver_of(thing)
    driver.read_if_stale_now()
    latest = driver.latest
    return {"text/html": snapshot_html(latest)} if latest is not None else None

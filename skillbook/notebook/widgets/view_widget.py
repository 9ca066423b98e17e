"""The widget of a live view."""

from __future__ import annotations

from typing import Any

from skillbook.agents.run.call_code import code_for, selector_of
from skillbook.notebook.environment import STATIC, cell_number
from skillbook.notebook.html.page_and_run import page_html
from skillbook.notebook.page.panel_source import PageView
from skillbook.notebook.page.pointer import Pointer
from skillbook.notebook.page.remote_input import RemoteInput
from skillbook.notebook.page.watcher import PageWatcher
from skillbook.notebook.throttle import Throttle
from skillbook.notebook.widgets.assets import view_module
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.session.page.seen_page import node_of
from skillbook.session.page_driver import PageDriver

_REFRESH_HERTZ = 4.0
"""A screenshot takes tens of milliseconds, which a cell full of actions should not wait for each time."""


class ViewWidget(PageWidget):
    """Shows one page and follows it. What changes it runs on the I/O thread.

    Parameters
    ----------
    driver : the page.
    view : what to show first.
    plain : the view as plain text, for the record.
    """

    _esm = view_module()
    _record_kind = STATIC

    def __init__(self, driver: PageDriver, view: PageView, plain: str) -> None:
        super().__init__()
        self._driver = driver
        self._plain = plain
        self._pointer = Pointer(lambda: driver)
        self._watcher = PageWatcher(lambda: driver, self._changed)
        self._watcher.view = view
        self._remote_input = RemoteInput(lambda: driver, self._watcher, self._changed)
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
        status = "closed" if self._driver.closed else "live" if self._following else "still"
        self.state = {
            "status": status,
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

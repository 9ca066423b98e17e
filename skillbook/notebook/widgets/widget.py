"""What the panel and the live view have in common: one page, shown in one widget, with a static record beside it.

Kernel to frontend goes by traits, written on the I/O thread. Frontend to kernel goes by custom messages only: a
trait that the frontend syncs while a cell awaits wedges on ipykernel 7.4. A widget does not survive saving, so
each display of it is followed by static HTML, which hides itself while the widget is there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import traitlets
from IPython.display import DisplayHandle, display

from skillbook.config import load_settings
from skillbook.io_thread import io
from skillbook.notebook.cell_requests import running_request
from skillbook.notebook.environment import LIVE
from skillbook.notebook.html.progress import Throttle
from skillbook.notebook.page.panel_source import PageView


@cache
def widget_module() -> str:
    """What all widgets are as one JavaScript module, built from `extension/src/ui/notebook`."""
    return _built("panel.js")


@cache
def widget_style() -> str:
    """Their style sheet."""
    return _built("panel.css")


def _built(name: str) -> str:
    file = files("skillbook.notebook").joinpath("static", name)
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise RuntimeError(
            f"skillbook/notebook/static/{name} isn't built: `make extension` does it"
        ) from error


_RECORD_DELAY = 1.0
"""Seconds: the widget shows a change at once, and long after it the record is written, which holds the screenshot as
text."""


class PageWidget(anywidget.AnyWidget):
    """A widget that shows a page. The parts that differ are `kind`, `_render`, `_take` and `_record`.

    kind: which of the module's widgets it is.
    confirmed: the `serial` of the last message that was dealt with, so that a widget can say that nothing comes back.
    """

    _esm = widget_module()
    _css = widget_style()
    _record_kind = LIVE
    kind = traitlets.Unicode("view").tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    shot = traitlets.Bytes().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    confirmed = traitlets.Unicode("").tag(sync=True)

    def __init__(self, render_delay: float = 0.0) -> None:
        super().__init__()
        self._records: list[DisplayHandle] = []
        self._shown: PageView | None = None
        self._render_soon = Throttle(self._render, delay=render_delay)
        self._record_soon = Throttle(self._write_record, delay=_RECORD_DELAY)
        self._let_clicks_through()
        self.on_msg(self._receive)

    def _let_clicks_through(self) -> None:
        # ipykernel 7.4 routes a widget's messages to the loop that last wrote to it, which is blocked while a
        # cell blocks; left on their default route they arrive at once.
        if hasattr(self.comm, "_reply_subshell_for"):
            self.comm._reply_subshell_for = lambda data, default: default

    def _repr_mimebundle_(self, **given: Any) -> Any:
        # Where no widget shows, the record after it does, and says more than a line of text above it would.
        bundle: Any = super()._repr_mimebundle_(**given)
        data, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
        kept = {**(data or {}), "text/plain": ""}
        return (kept, *rest) if rest else kept

    def show(self) -> None:
        """Display the widget, and beside it a static record for when the notebook is opened again."""
        display(self, metadata=LIVE)
        self._records.append(
            display(self._record_bundle(), raw=True, display_id=True, metadata=self._record_kind)
        )
        self._record_soon.request()

    def _changed(self) -> None:
        self._render_soon.request()
        if self._records:
            self._record_soon.request()

    def _show_page(self, view: PageView | None) -> None:
        if view is None or view is self._shown:
            return
        self._shown = view
        with self.hold_sync():
            self.view = view.to_json()
            self.shot = view.shot.data if view.shot else b""

    def _record_bundle(self) -> dict[str, str]:
        html, plain = self._record()
        return {"text/plain": plain, "text/html": f"<div data-skillbook-record>{html}</div>"}

    def _write_record(self) -> None:
        bundle = self._record_bundle()
        for handle in self._records:
            handle.update(bundle, raw=True, metadata=self._record_kind)

    def _kept(self, view: PageView | None) -> PageView | None:
        """What the record keeps of a view: a screenshot only where the settings say so, for it is large and differs."""
        return view if view is None or load_settings().record_screenshots else replace(view, shot=None)

    def _receive(self, _: Any, content: Any, __: Any) -> None:
        # Runs on whichever thread the kernel reads messages on; only the I/O thread may touch pages and runs.
        if isinstance(content, dict):
            sent, _ = running_request() or (None, True)
            io.call_soon(self._take_message, {**content, "sent": sent})

    def _take_message(self, content: dict[str, Any]) -> None:
        try:
            self._take(content)
        finally:
            if isinstance(serial := content.get("serial"), str):
                self.confirmed = serial

    def _render(self) -> None:
        raise NotImplementedError

    def _take(self, content: dict[str, Any]) -> None:
        raise NotImplementedError

    def _record(self) -> tuple[str, str]:
        """The record as HTML and as plain text."""
        raise NotImplementedError

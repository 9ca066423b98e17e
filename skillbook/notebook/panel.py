"""The panel: one widget that shows a run and its page, and takes the person's answers.

Kernel to frontend goes by traits, written on the I/O thread at most ten times a second. Frontend to kernel
goes by custom messages only: a trait that the frontend syncs while a cell awaits wedges on ipykernel 7.4.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets
from IPython.display import HTML, DisplayHandle, display

from skillbook.io_thread import io
from skillbook.notebook.assets import panel_module, panel_style
from skillbook.notebook.environment import display_mode
from skillbook.notebook.html import record_html
from skillbook.notebook.source import DECISIONS, Decision, PageView, PanelSource
from skillbook.notebook.throttle import Throttle

_DRAW_DELAY = 0.02
_RECORD_DELAY = 1.0
"""Seconds: an approved call goes out first, then the widget shows it, and long after the static record is written,
which holds the picture as text."""


class Panel(anywidget.AnyWidget):
    """Shows a `PanelSource` live and hands it the person's decisions.

    Parameters
    ----------
    source : what to show.
    """

    _esm = panel_module()
    _css = panel_style()
    state = traitlets.Dict().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    shot = traitlets.Bytes().tag(sync=True)

    def __init__(self, source: PanelSource) -> None:
        super().__init__()
        self._source = source
        self._records: list[DisplayHandle] = []
        self._shown: PageView | None = None
        self._draw_soon = Throttle(self._draw, delay=_DRAW_DELAY)
        self._record_soon = Throttle(self._write_record, delay=_RECORD_DELAY)
        self._let_clicks_through()
        self.on_msg(self._receive)
        self._unsubscribe = source.subscribe(self._changed)
        self._changed()

    def _let_clicks_through(self) -> None:
        # ipykernel 7.4 routes a widget's messages to the loop that last wrote to it, which is blocked while a
        # cell blocks; left on their default route they arrive at once.
        if hasattr(self.comm, "_reply_subshell_for"):
            self.comm._reply_subshell_for = lambda data, default: default

    # --- kernel to frontend -----------------------------------------------------------------------

    def _changed(self) -> None:
        self._draw_soon.request()
        if self._records:
            self._record_soon.request()

    def _draw(self) -> None:
        state, view = self._source.panel_state(), self._source.page_view()
        if view is not None and view is not self._shown:
            self._shown = view
            with self.hold_sync():
                self.view = view.to_json()
                self.shot = view.shot.data if view.shot else b""
        self.state = state.to_json()

    def show(self) -> None:
        """Display the panel, and beside it a static record for when the notebook is opened again."""
        display(self)
        handle = display(HTML(self._record()), display_id=True)
        self._records.append(handle)
        self._record_soon.request()

    def _record(self) -> str:
        body = record_html(self._source.panel_state(), self._source.page_view())
        return f"<div data-skillbook-record>{body}</div>"

    def _write_record(self) -> None:
        record = HTML(self._record())
        for handle in self._records:
            handle.update(record)

    def close(self) -> None:
        """End the panel; what it shows goes on."""
        self._unsubscribe()
        super().close()

    # --- frontend to kernel -----------------------------------------------------------------------

    def _receive(self, _: Any, content: Any, __: Any) -> None:
        # Runs on whichever thread the kernel reads messages on; only the I/O thread may touch the run.
        io.call_soon(self._take, content)

    def _take(self, content: Any) -> None:
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "stop":
            self._source.stop()
        elif kind == "decision":
            self._decide(content)

    def _decide(self, content: dict[str, Any]) -> None:
        decision = read_decision(content)
        pending = self._source.panel_state().pending
        if decision is not None and pending is not None and pending.id == decision.id:
            self._source.answer(decision)

    def __repr__(self) -> str:
        return f"<Panel of {self._source!r}>"


def read_decision(content: dict[str, Any]) -> Decision | None:
    """Read the frontend's message; None for one that isn't a decision."""
    id_, kind = content.get("id"), content.get("decision")
    args, message = content.get("args", {}), content.get("message", "")
    if not isinstance(id_, str) or kind not in DECISIONS:
        return None
    if not isinstance(args, dict) or not isinstance(message, str):
        return None
    return Decision(id_, kind, args, message)


_panels: weakref.WeakKeyDictionary[Any, Panel] = weakref.WeakKeyDictionary()


def show_panel(owner: Any, make_source: Callable[[], PanelSource]) -> Panel | None:
    """Show the panel of something; None where nothing live may be shown.

    Parameters
    ----------
    owner : whose panel it is; it has one panel, however often it is shown.
    make_source : makes what its panel reads.
    """
    if display_mode() != "notebook":
        return None
    panel = _panels.get(owner)
    if panel is None:
        panel = _panels[owner] = Panel(make_source())
    panel.show()
    return panel

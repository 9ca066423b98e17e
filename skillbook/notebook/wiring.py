"""Connects what the lower layers leave open to a front end with this notebook.

Lower layers know no notebook, so it comes to them: `install` is called whenever a public name was loaded in a
session with IPython, and connects whatever is loaded by then. It imports nothing heavy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from skillbook.notebook.environment import display_mode, shell


def install() -> None:
    """Let runs show their panel and pages their picture; may be called again and again."""
    running = shell()
    if running is None:
        return
    session = sys.modules.get("skillbook.session.hooks")
    if session is not None and session.hooks.mimebundle is None:
        session.hooks.mimebundle = _bundle
        session.hooks.snapshot_taken = _note_snapshot
        session.hooks.pair_link = _pair_link(session.hooks.pair_link)
    runs = sys.modules.get("skillbook.agents.run")
    if runs is not None and runs.Run.on_start is None:
        runs.Run.on_start = staticmethod(_show_run)
    shown = running.display_formatter.ipython_display_formatter
    shown.for_type_by_name("skillbook.session.sync.page", "Page", _show_value)
    shown.for_type_by_name("skillbook.session.aio.page", "Page", _show_value)
    shown.for_type_by_name("skillbook.perception.snapshot", "Snapshot", _show_value)
    formatter = running.display_formatter.mimebundle_formatter
    formatter.for_type_by_name("skillbook.perception.snapshot", "Snapshot", _snapshot_bundle)
    formatter.for_type_by_name("skillbook.agents.run", "Run", _run_bundle)


def _show_run(run: Any) -> None:
    if display_mode() == "notebook":
        from skillbook.notebook.panel import show_panel
        from skillbook.notebook.run_source import RunSource

        show_panel(run, lambda: RunSource(run))


def _pair_link(plain: Callable[[str, str], None]) -> Callable[[str, str], None]:
    def show_link(url: str, name: str) -> None:
        if display_mode() != "notebook":
            plain(url, name)
            return
        from IPython.display import HTML, display

        from skillbook.notebook.html import pair_html

        display(HTML(pair_html(url, name)))

    return show_link


def _bundle(thing: Any) -> dict[str, Any] | None:
    from skillbook.notebook.display import bundle_of

    return bundle_of(thing)


def _show_value(thing: Any) -> None:
    from skillbook.notebook.display import show_value

    show_value(thing)


def _note_snapshot(driver: Any, snapshot: Any) -> None:
    from skillbook.notebook.display import note_snapshot

    note_snapshot(driver, snapshot)


def _snapshot_bundle(snapshot: Any, **_: Any) -> dict[str, Any]:
    bundle: dict[str, Any] = {"text/plain": repr(snapshot)}
    if display_mode() == "notebook":
        from skillbook.notebook.display import snapshot_html

        bundle["text/html"] = snapshot_html(snapshot)
    return bundle


def _run_bundle(run: Any, **_: Any) -> dict[str, Any]:
    bundle: dict[str, Any] = {"text/plain": repr(run)}
    if display_mode() == "notebook":
        from skillbook.notebook.html import record_html
        from skillbook.notebook.run_source import state_of

        bundle["text/html"] = record_html(state_of(run), None)
    return bundle

"""What a notebook adds to pages, snapshots, runs and pairing links.

`skillbook/wiring.py` connects these functions. Outside of notebooks they do as little as they can: importing this
module is cheap, and none of them imports a widget before there is a notebook to show it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from skillbook.errors import RunInterrupted, SkillbookError
from skillbook.hooks import print_pair_link
from skillbook.notebook.cell_requests import follow_cells
from skillbook.notebook.environment import LIVE, STATIC, cell_number, display_mode, is_quiet, shell

_started_in: WeakKeyDictionary[Any, object] = WeakKeyDictionary()
"""Of each run and recording the cell that started it last."""


def register_formatters() -> None:
    """Let the running IPython session, if there is one, show pages and snapshots live, and errors in a few lines.

    It may be called again.
    """
    running = shell()
    if running is None:
        return
    follow_cells(running)
    SkillbookError._render_traceback_ = _traceback_of
    RunInterrupted._render_traceback_ = _traceback_of
    live = running.display_formatter.ipython_display_formatter
    live.for_type_by_name("skillbook.session.sync.browser", "Page", _show_value)
    live.for_type_by_name("skillbook.session.aio.browser", "Page", _show_value)
    live.for_type_by_name("skillbook.perception.snapshot", "Snapshot", _show_value)
    live.for_type_by_name("skillbook.agents.run.agent_run", "Run", _show_run_value)
    live.for_type_by_name("skillbook.skill.authoring.demonstration", "Demonstration", _show_run_value)
    live.for_type_by_name("skillbook.agents.run.run_trace", "Replay", _show_replay_value)
    live.for_type_by_name("skillbook.session.browser_list", "BrowserList", _show_browsers)
    static = running.display_formatter.mimebundle_formatter
    static.for_type_by_name("skillbook.perception.snapshot", "Snapshot", _snapshot_bundle)
    static.for_type_by_name("skillbook.agents.run.agent_run", "Run", _run_bundle)
    static.for_type_by_name("skillbook.skill.replay.skill_result", "Patch", _patch_bundle)
    static.for_type_by_name("skillbook.extraction.frames.provenance", "Source", _source_bundle)


def _traceback_of(error: BaseException) -> list[str]:
    from skillbook.notebook.html.tracebacks import render_short

    return render_short(error)


def show_run(run: Any) -> None:
    """Show the panel of a run that starts."""
    _started_in[run] = cell_number()
    if display_mode() == "notebook":
        from skillbook.notebook.page.run_source import RunSource
        from skillbook.notebook.widgets.panel import show_panel

        show_panel(run, lambda: RunSource(run))


def follow_run(run: Any) -> AbstractContextManager[Any]:
    """Say in the terminal where a run is while its caller waits for it; a notebook has its panel."""
    if display_mode() != "terminal":
        return nullcontext()
    from skillbook.notebook.html.object_views import RunLines

    return RunLines(run)


def progress_line(words: str, unit: str) -> Any:
    """A line in a notebook or a terminal that says how far a call is; None where nobody would see it."""
    mode = display_mode()
    if mode == "quiet":
        return None
    from skillbook.notebook.escaping import shorten, show_hidden
    from skillbook.notebook.html.progress import NOTE_LENGTH, Progress

    return Progress(shorten(show_hidden(words), NOTE_LENGTH), mode=mode, unit=unit).__enter__()


def show_exploration(result: Any, pages: int) -> Any:
    """Show the site as an exploration comes to know it: how far it is, and the picture of the pages."""
    mode = display_mode()
    if mode == "quiet":
        return None
    from skillbook.notebook.html.object_views import SiteView

    return SiteView(result, pages, mode)


def show_recording(rec: Any) -> None:
    """Show the steps of a recording as they are done."""
    _started_in[rec] = cell_number()
    if display_mode() == "notebook":
        from skillbook.notebook.widgets.recorder_view import show_recorder

        show_recorder(rec)


def show_frame(frame: Any, rows: int) -> None:
    """Show the first rows of an extracted frame, whose cells show where they came from."""
    from skillbook.notebook.widgets.frame_view import plain_text, show_frame

    if display_mode() == "notebook":
        show_frame(frame, rows)
    elif shell() is not None:
        from IPython.display import display

        display({"text/plain": plain_text(frame, rows)}, raw=True)
    else:
        sys.stdout.write(f"{plain_text(frame, rows)}\n")


def show_unapproved(skill: Any) -> None:
    """Show what a skill wants that nobody has approved, with a button that approves it."""
    if display_mode() == "notebook":
        from skillbook.notebook.widgets.cards import show_skill_card

        show_skill_card(skill)


def show_pair_link(url: str, name: str) -> None:
    """Show the link that pairs a browser, as a button where there is a notebook."""
    if display_mode() != "notebook":
        print_pair_link(url, name)
        return
    from IPython.display import HTML, display

    from skillbook.notebook.html.page_and_run import pair_html

    display(HTML(pair_html(url, name)), metadata=LIVE)


def page_bundle(thing: Any) -> dict[str, Any] | None:
    """The rich display of a browser, page or element; None where plain text will do."""
    if display_mode() != "notebook":
        return None
    from skillbook.notebook.widgets.display import bundle_of

    return bundle_of(thing)


def note_snapshot(driver: Any, snapshot: Any) -> None:
    """Remember whose a snapshot is, so that showing it can show its page, and refresh the page's live views."""
    # Front ends without IPython, such as marimo, have made a view before there is one to refresh.
    if shell() is None and "skillbook.notebook.widgets.display" not in sys.modules:
        return
    from skillbook.notebook.widgets.display import note_snapshot

    note_snapshot(driver, snapshot)


def page_is_shown(driver: Any) -> bool:
    """Whether a live view follows a page."""
    # Another thread may be importing it just now: then nothing is shown yet.
    is_followed = getattr(sys.modules.get("skillbook.notebook.widgets.display"), "is_followed", None)
    return is_followed is not None and bool(is_followed(driver))


def live_view(thing: Any) -> Any:
    """The widget of a run or a page, for front ends that show a cell's value by `_display_`, as marimo does."""
    if is_quiet():
        return repr(thing)
    from skillbook.notebook.widgets.display import view_widget
    from skillbook.notebook.widgets.panel import Panel, panel_of

    if not hasattr(thing, "on_change"):
        return view_widget(thing)
    from skillbook.notebook.page.run_source import RunSource

    panel: Panel = panel_of(thing, lambda: RunSource(thing))
    return panel


def _show_value(thing: Any) -> None:
    from skillbook.notebook.widgets.display import show_value

    show_value(thing)


def _show_browsers(browsers: Any) -> None:
    """Show the browsers that are open, each with a button that closes it."""
    if display_mode() != "notebook" or not len(browsers):
        raise NotImplementedError
    from skillbook.notebook.widgets.cards import show_browsers

    show_browsers(browsers)


def _show_run_value(run: Any) -> None:
    """Show nothing in the cell that starts the run or recording: it is shown there, and would be stale at once."""
    if run not in _started_in or _started_in[run] != cell_number():
        raise NotImplementedError


def _show_replay_value(replay: Any) -> None:
    """Show the replay's viewer."""
    if display_mode() != "notebook":
        raise NotImplementedError
    from skillbook.notebook.widgets.panel import show_replay

    show_replay(replay)


def _snapshot_bundle(snapshot: Any, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    bundle: dict[str, Any] = {"text/plain": repr(snapshot)}
    if display_mode() == "notebook":
        from skillbook.notebook.widgets.display import snapshot_html

        bundle["text/html"] = snapshot_html(snapshot)
    return bundle, STATIC


def _run_bundle(run: Any, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    bundle: dict[str, Any] = {"text/plain": repr(run)}
    if display_mode() == "notebook":
        from skillbook.agents.run.run_view import run_view
        from skillbook.agents.run.run_words import kept_words
        from skillbook.notebook.html.page_and_run import record_html

        bundle["text/html"] = record_html([(run_view(run), kept_words(run.first_question))], None)
    return bundle, STATIC


def _patch_bundle(patch: Any, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    bundle: dict[str, Any] = {"text/plain": repr(patch)}
    if display_mode() == "notebook":
        from skillbook.notebook.html.object_views import patch_html

        bundle["text/html"] = patch_html(patch)
    return bundle, STATIC


def _source_bundle(source: Any, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    bundle: dict[str, Any] = {"text/plain": repr(source)}
    if display_mode() == "notebook":
        from skillbook.notebook.html.page_and_run import facts_html

        bundle["text/html"] = facts_html(source.facts)
    return bundle, STATIC

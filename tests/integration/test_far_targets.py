"""The target of a call that waits is among the panel's rows and on its screenshot, however far down the page it is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.io_thread import io
from skillbook.notebook.page.page_rows import MAX_ROWS
from skillbook.notebook.page.run_source import RunSource
from skillbook.session.sync import Browser
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_folder

pytestmark = pytest.mark.browser
_SECONDS = 60.0


def test_a_target_beyond_the_rows_and_the_screenshot_is_shown(browser: Browser, tmp_path: Path) -> None:
    buttons = "".join(f"<p><button>Part {n}</button>" for n in range(1100))
    (tmp_path / "parts.html").write_text(f"<!doctype html><meta charset=utf-8><title>Parts</title>{buttons}")
    with serve_folder(tmp_path) as site:
        page = browser.open(f"{site.url.rstrip('/')}/parts.html")
        model = ScriptedModel([ToolCall("click", {"target": "button 'Part 1099'"}), "done"])
        run = sb.agent(page, "Take the last part", model=model)

        async def make() -> RunSource:
            return RunSource(run)

        source = io.sync(make())
        run.start()

        async def look() -> tuple[Any, Any]:
            return source.panel_state().run.question, source.page_view()

        deadline, pointed = time.monotonic() + _SECONDS, False
        while True:
            pending, view = io.sync(look())
            row = view.rows[-1] if view is not None and pending is not None else None
            if row is not None and view.shot is not None and row.name == "Part 1099":
                if not pointed:
                    assert len(view.rows) == MAX_ROWS + 1
                    io.call_soon(source.point, pending.call.target_ref)
                    pointed = True
                if 0 <= row.box[1] < view.shot.height:
                    break
            assert time.monotonic() < deadline, row
            time.sleep(0.05)
        assert row.ref == pending.call.target_ref
        run.stop()
        page.close()

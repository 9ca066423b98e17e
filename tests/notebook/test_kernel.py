"""What a real kernel sends: live outputs in a notebook, nothing that changes in quiet mode."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).parents[2]
SHOW = """
import sys
sys.path += [{root!r}, {kernel!r}]
from panel_source import AskingSource, call, make_rows
from skillbook.notebook import Progress, show_panel
from skillbook.notebook.page.panel_source import PageView
source = AskingSource([call("q1")], PageView("u", "t", make_rows(["Buy"])))
panel = show_panel(source, lambda: source)
with Progress("Reading", 2) as progress:
    progress.advance(2)
"""

Run = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    env = {name: value for name, value in os.environ.items() if name != "SKILLBOOK_QUIET"}
    env |= {"IPYTHONDIR": str(tmp_path), **getattr(request, "param", {})}
    manager, client = start_new_kernel(env=env, cwd=str(tmp_path))

    def run_code(code: str) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []
        reply = client.execute_interactive(code, output_hook=messages.append, timeout=60)
        assert reply["content"]["status"] == "ok", reply["content"]
        return messages

    yield run_code
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def show() -> str:
    return SHOW.format(root=str(ROOT), kernel=str(ROOT / "tests" / "lab" / "kernel"))


def types(messages: list[dict[str, Any]]) -> list[str]:
    return [
        message["msg_type"] for message in messages if message["msg_type"] not in {"status", "execute_input"}
    ]


def test_a_notebook_run_by_pytest_shows_nothing_live(run: Run) -> None:
    assert types(run(show())) == []
    result = run("print(panel)")
    assert [message["content"]["text"] for message in result if message["msg_type"] == "stream"] == ["None\n"]


@pytest.mark.parametrize("run", [{"SKILLBOOK_QUIET": "0"}], indirect=True)
def test_a_notebook_shows_panel_record_and_progress(run: Run) -> None:
    messages = run(show())
    shown = [message["content"]["data"] for message in messages if message["msg_type"] == "display_data"]
    assert [sorted(bundle) for bundle in shown] == [
        ["application/vnd.jupyter.widget-view+json", "text/plain"],
        ["text/html", "text/plain"],
        ["text/html", "text/plain"],
    ]
    assert shown[0]["text/plain"] == "", "the record below says more than a line about a widget"
    assert "data-skillbook-record" in shown[1]["text/html"]
    updates = [
        message["content"]["data"] for message in messages if message["msg_type"] == "update_display_data"
    ]
    assert updates[-1]["text/plain"] == "Reading: 2/2"


@pytest.mark.parametrize("run", [{"SKILLBOOK_QUIET": "0"}], indirect=True)
def test_the_same_owner_has_one_panel(run: Run) -> None:
    run(show())
    result = run("print(show_panel(source, None) is panel)")
    assert [message["content"]["text"] for message in result if message["msg_type"] == "stream"] == ["True\n"]


VALUE = """
import sys
sys.path.append({root!r})
import skillbook as sb
from tests.trees import snapshot
sb.launch
"""


@pytest.mark.parametrize(
    ("run", "kinds"),
    [({}, ["text/plain"]), ({"SKILLBOOK_QUIET": "0"}, ["text/html", "text/plain"])],
    indirect=["run"],
)
def test_a_snapshot_of_no_page_is_one_static_output(run: Run, kinds: list[str]) -> None:
    run(VALUE.format(root=str(ROOT)))
    (result,) = [
        m for m in run("snapshot('button \"Buy\"')") if m["msg_type"] not in {"status", "execute_input"}
    ]
    assert result["msg_type"] == "execute_result"
    assert sorted(result["content"]["data"]) == kinds
    assert result["content"]["data"]["text/plain"].startswith("<Snapshot ")


BETWEEN_CELLS = """
import asyncio, importlib, sys
import skillbook
asyncio.get_running_loop().call_soon(importlib.import_module, "pandas")
assert "pandas" not in sys.modules
"""


def test_a_frame_has_its_columns_whenever_pandas_was_imported(run: Run) -> None:
    run(BETWEEN_CELLS)
    result = run("import sys\nprint(sys.modules['pandas'].DataFrame({name * 30: [1] for name in 'abcdef'}))")
    [text] = [message["content"]["text"] for message in result if message["msg_type"] == "stream"]
    assert [name for name in "abcdef" if name * 30 not in text] == []

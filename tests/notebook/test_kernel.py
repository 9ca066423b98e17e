"""What a real kernel sends: live outputs in a notebook, nothing that changes in quiet mode."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


@contextmanager
def kernel(folder: Path, **settings: str) -> Iterator[tuple[Any, Any]]:
    """A kernel's manager and its client."""
    env = {name: value for name, value in os.environ.items() if name != "SKILLBOOK_QUIET"}
    manager, client = start_new_kernel(env=env | {"IPYTHONDIR": str(folder)} | settings, cwd=str(folder))
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run_in(client: Any, code: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    reply = client.execute_interactive(code, output_hook=messages.append, timeout=60)
    assert reply["content"]["status"] == "ok", reply["content"]
    return messages


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    with kernel(tmp_path, **getattr(request, "param", {})) as (_, client):
        yield partial(run_in, client)


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


PAGED = "<h1>Parts</h1><table><tr><th>Part<th>Price{rows}</table><a href='/{after}' rel=next>Next</a>"


@pytest.fixture
def slow_third_page() -> Iterator[str]:
    """A site of three pages of ten rows, the third of which is never answered before the test ends."""
    ended = threading.Event()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = (
                int(self.path.strip("/") or 1) if self.path.strip("/").isdigit() or self.path == "/" else 0
            )
            if number == 3:
                ended.wait()
            rows = "".join(f"<tr><td>Part {number}-{row}<td>{row}.50" for row in range(10))
            body = ("<!doctype html>" + PAGED.format(rows=rows, after=number + 1)).encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    ended.set()
    server.shutdown()


def test_a_long_read_says_where_it_is_and_an_interrupt_of_it_is_three_lines(
    tmp_path: Path, slow_third_page: str
) -> None:
    messages: list[dict[str, Any]] = []
    # A slow read shows its line again, and a second interrupt would end the clearing up.
    interrupted: list[bool] = []

    def look(message: dict[str, Any]) -> None:
        messages.append(message)
        waits = "waiting for page 3" in message["content"].get("data", {}).get("text/plain", "")
        if waits and not interrupted:
            interrupted.append(True)
            manager.interrupt_kernel()

    with kernel(tmp_path, SKILLBOOK_QUIET="0", SKILLBOOK_HOME=str(tmp_path)) as (manager, client):
        run_in(client, f"import sys; sys.path.insert(0, {str(ROOT)!r}); import skillbook as sb")
        run_in(client, f"page = sb.launch(headless=True).open({slow_third_page!r})")
        reply = client.execute_interactive("df = sb.extract(page, next=True)", output_hook=look, timeout=90)
        found = run_in(client, "df = sb.recover(); print(len(df), df.skillbook.complete)")
        run_in(client, "sb.browsers[0].close()")
    assert reply["content"]["status"] == "error"
    lines = [each["content"]["data"]["text/plain"] for each in messages if "data" in each["content"]]
    assert "Reading page: 2 · 20 rows so far, waiting for page 3" in lines
    assert lines[-1] == "Reading page: 2 stopped · 20 rows"
    (error,) = [each["content"] for each in messages if each["msg_type"] == "error"]
    assert [line for part in error["traceback"] for line in part.splitlines()] == [
        "Cell In[3], line 1: df = sb.extract(page, next=True)",
        "ReadInterrupted: The read was stopped; it had read 2 pages, 20 rows: sb.recover() gives them back.",
        "  `%tb` shows the whole traceback.",
    ]
    assert "20 False\n" in [each["content"].get("text") for each in found]

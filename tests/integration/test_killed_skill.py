"""A kernel that is killed while a cell runs a skill: the run goes on, and the server gets nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Browser
from tests.shown import after_reading

ROOT = Path(__file__).parents[2]
SHOP = b"""<!doctype html><title>Things</title><h1>Things</h1><p role=status></p>
<script>for (const name of ["One", "Two", "Three", "Four"]) {
  const button = document.createElement("button");
  button.textContent = name;
  button.onclick = () => fetch("/add/" + name, {method: "POST"}).then(() => {
    document.querySelector("p").textContent += name; });
  document.body.append(button);
}</script>"""
CELL = """\
page.click("button 'One'")
try:
    sb.run_skill(page, "add-two")
except RuntimeError as error:
    print("caught", error)
page.click("button 'Four'")
"""


class Shop(BaseHTTPRequestHandler):
    """Notes what is added; at the second thing of the skill it kills the kernel that had it added."""

    added: list[str]
    kernel: Path

    def do_GET(self) -> None:
        self._answer(SHOP)

    def do_POST(self) -> None:
        self.added.append(self.path.rpartition("/")[2])
        if self.path.endswith("/Three"):
            with suppress(ProcessLookupError):
                os.kill(int(self.kernel.read_text().split()[0]), signal.SIGKILL)
        self._answer(b"added")

    def _answer(self, body: bytes) -> None:
        with suppress(OSError):  # the browser may have ended with its kernel
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    handler = type("ThisShop", (Shop,), {"added": [], "kernel": tmp_path / "kernel"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", handler.added
    server.shutdown()
    server.server_close()


@pytest.fixture
def later(start_cells: Callable[..., Run]) -> Iterator[Browser]:
    """The browser of the kernel that goes on, whose journal is in the same folder: `start_cells` has set that."""
    browser = sb.launch()
    yield browser
    browser.close()


def test_a_kernel_that_is_killed_within_a_skill_of_a_cell_repeats_nothing(
    start_cells: Callable[..., Run],
    later: Browser,
    shop: tuple[str, list[str]],
    tmp_path: Path,
) -> None:
    url, added = shop
    folder = tmp_path / "skills" / "add-two"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: add-two\ndescription: Add two things.\n---\n")
    (folder / "replay.yaml").write_text(
        f"version: 2\norigins: ['{url}']\nsteps:\n"
        "- command: click\n  target: {selectors: [\"button 'Two'\"]}\n"
        "- command: click\n  target: {selectors: [\"button 'Three'\"]}\n"
    )
    page = later.open(url)
    start_cells(CELL, page=page)  # the other kernel takes the model's answers
    killed = subprocess.run(
        [sys.executable, "-m", "tests.integration.killed_skill", url, str(tmp_path / "kernel")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert added == ["One", "Two", "Three"]

    run = sb.resume((tmp_path / "kernel").read_text().split()[1], page, mode="cells", autonomy="all")
    run.start()
    run._do(run._stepper.settled())
    while run.pending is not None:  # an approval of the kernel that died doesn't count
        after_reading(run).approve()
    assert run.status == "succeeded", run.error
    assert added == ["One", "Two", "Three", "Four"]
    (result,) = [
        message.text for message in run.messages if message.type == "tool" and message.name == "run_cell"
    ]
    assert "caught [" in result
    assert "nobody knows" in result
    assert "The cell ended, after 3 calls." in result

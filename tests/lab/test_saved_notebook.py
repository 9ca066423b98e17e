"""A notebook that a person saved from JupyterLab, with a view and a panel in it, is a regression test as it is."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from skillbook.testing.nbval_outputs import is_live
from tests.lab.notebook import LabNotebook
from tests.lab.test_run import AGENT

Open = Callable[..., LabNotebook]
ROOT = Path(__file__).parents[2]
MOST_BYTES = 40_000
SITE = """
import time

import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of
from skillbook.testing.site import serve_site

shop = serve_site("shop", port=PORT)
browser = sb.launch(headless=True)
page = browser.open(shop.url)
"""
CELLS = (
    SITE,
    "page.snapshot()",
    "page.fill(\"searchbox 'Search products'\", 'desk').changed",
    AGENT.replace("run.start();", "run.start()"),
    "while run.pending is None:\n    time.sleep(0.05)\n"
    "run.approve(expect='fill').tool, run.approve(expect='click').tool",
    "run.result",
    "run",
    "sb.tables(page)[0].head(3)",
    "browser.close(); shop.close()",
)


@pytest.mark.timeout(300)  # a run of nbval takes 100 s at most
def test_a_saved_notebook_with_a_view_and_a_panel_passes_nbval(lab: Open, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    notebook = lab(*(cell.strip().replace("PORT", port) for cell in CELLS))
    for index in range(len(CELLS) - 1):
        notebook.run(index)
    expect(notebook.panel.first).to_be_visible()
    notebook.wait_for_output(3, "succeeded")
    notebook.run(len(CELLS) - 1)
    saved = notebook.save()
    # A call that lasts shows its progress, which is live, beside the view.
    *live, kept = [output.get("metadata", {}).get("skillbook") for output in saved.cells[1].outputs]
    assert (set(live), kept) == ({"live"}, "static")
    # The view keeps what it showed while its cell ran, not the run's last page.
    assert "search?q=lamp" not in json.dumps(saved.cells[1].outputs)
    exported, _ = HTMLExporter().from_notebook_node(saved)
    assert "Panel of" not in exported
    assert "LiveView of" not in exported
    assert (
        "Fill in the search field &#x27;Search products&#x27;" in exported
        or "Fill in the search field 'Search products'" in exported
    )
    assert "First I search the catalogue for lamps." in exported
    size = len(json.dumps([cell.outputs for cell in saved.cells]))
    print(f"{size:,} bytes of outputs")
    assert size <= MOST_BYTES
    assert "data:image" not in json.dumps(saved)
    path = tmp_path / "saved.ipynb"
    # One output is changed: one run shows that the others pass, and that one which says something else does not.
    shown = [output["data"] for output in saved.cells[4].outputs if "data" in output and not is_live(output)]
    assert [data["text/plain"] for data in shown] == ["('fill', 'click')"]
    shown[0]["text/plain"] = "('fill', 'press')"
    nbformat.write(saved, path)
    ran = nbval(path)
    assert ran.returncode == 1, ran.stdout
    assert re.search(rf"1 failed, {len(CELLS) - 1} passed", ran.stdout), ran.stdout
    assert "('fill', 'press')" in ran.stdout, "the cell whose saved output was changed"


def nbval(path: Path) -> subprocess.CompletedProcess[str]:
    """Run a notebook as a user's test does, in a folder of its own."""
    command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "skillbook.testing.nbval_outputs"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SKILLBOOK_"))
    }
    environment |= {"PYTHONPATH": str(ROOT), "SKILLBOOK_HOME": str(path.parent / "home")}
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", path.name], cwd=path.parent, env=environment,
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip

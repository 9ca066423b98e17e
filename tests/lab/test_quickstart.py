"""The quickstart as a person runs it: cell by cell in JupyterLab, live."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
from playwright.sync_api import Page, expect

from tests.lab.notebook import LabNotebook
from tests.lab.server import LabServer

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"


def test_the_quickstart_runs_cell_by_cell(lab_server: LabServer, lab_page: Page) -> None:
    shutil.copy(QUICKSTART, lab_server.notebooks / QUICKSTART.name)
    notebook = LabNotebook(lab_server, lab_page, QUICKSTART.name)
    notebook.open()
    cells = nbformat.read(QUICKSTART, as_version=4).cells
    ran = [notebook.run(index) for index, cell in enumerate(cells) if cell.cell_type == "code"]
    assert len(ran) >= 15
    frames = [output for outputs in ran for output in outputs if "text/html" in output.get("data", {})]
    assert any("Harbor Compact Desk" in str(frame) for frame in frames)
    expect(lab_page.locator(".jp-OutputArea table").first).to_be_visible()
    notebook.shut_down()

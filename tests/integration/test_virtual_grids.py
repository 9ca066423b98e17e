"""Virtualised grids, read whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.extraction.completeness import IncompleteFrame
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder
from tests.integration.conftest import MODULES

GRID = """<!doctype html><meta charset=utf-8><title>Orders</title>
<script src="ag/ag-grid-community.min.js"></script><h1>Orders</h1>
<div id=grid style="height:900px;width:1100px"></div><script>
const columnDefs = Array.from({length: 14}, (_, c) =>
  ({field: 'c' + c, headerName: 'Col ' + c, width: 150, filter: true}));
const rowData = Array.from({length: 1000}, (_, n) =>
  Object.fromEntries(columnDefs.map((column, c) => [column.field, `r${n}c${c}`])));
agGrid.createGrid(document.querySelector('#grid'), {rowData, columnDefs});
</script>"""


@pytest.fixture
def ag_grid(tmp_path: Path, open_page: Callable[[str], Page]) -> Iterator[Page]:
    source = MODULES / "ag-grid-community/dist"
    if not source.exists():
        pytest.skip("ag-grid-community isn't installed: `python tests/apps/install.py` does it")
    shutil.copytree(source, tmp_path / "ag")
    (tmp_path / "index.html").write_text(GRID, encoding="utf-8")
    with serve_folder(tmp_path) as site:
        page = open_page(site.url)
        page.wait_for(text="r0c0")
        yield page


@pytest.mark.gym
def test_fault_43_a_part_of_a_grid_says_so(ag_grid: Page) -> None:
    with pytest.warns(IncompleteFrame, match="the page says 1,000"):
        frame = sb.extract(ag_grid)
    assert not frame.skillbook.complete
    assert dict(frame.skillbook.expected) == {"rows": 1000, "columns": 14}


@pytest.mark.gym
@pytest.mark.slow
def test_fault_43_a_grid_of_1000_rows_and_14_columns_comes_out_exact(ag_grid: Page) -> None:
    frame = sb.extract(ag_grid, scroll=True)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.columns.tolist() == [f"Col {c}" for c in range(14)]
    assert frame.to_numpy().tolist() == [[f"r{n}c{c}" for c in range(14)] for n in range(1000)]

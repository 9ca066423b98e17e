"""Virtualised grids, read whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import IncompleteFrame
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


FLOATING = """<!doctype html><meta charset=utf-8><title>Parts</title>
<script src="ag/ag-grid-community.min.js"></script><div id=grid style="height:500px;width:900px"></div><script>
const kinds = {name: 'Text', made: 'Date', price: 'Number', count: ''};
const columnDefs = Object.entries(kinds).map(([field, kind]) =>
  ({field, filter: kind && `ag${kind}ColumnFilter`, floatingFilter: true}));
const rowData = Array.from({length: 9}, (_, n) => ({name: 'P' + n, made: `2024-01-1${n}`, price: n + 0.5, count: n}));
agGrid.createGrid(document.querySelector('#grid'), {rowData, columnDefs});
</script>"""


WIDE = GRID.replace("height:900px", "height:400px").replace("length: 1000", "length: 40")


@pytest.fixture
def ag_grid(tmp_path: Path, open_page: Callable[[str], Page]) -> Iterator[Page]:
    source = MODULES / "ag-grid-community/dist"
    if not source.exists():
        pytest.skip("ag-grid-community isn't installed: `python tests/apps/install.py` does it")
    shutil.copytree(source, tmp_path / "ag")
    (tmp_path / "index.html").write_text(GRID, encoding="utf-8")
    (tmp_path / "wide.html").write_text(WIDE, encoding="utf-8")
    (tmp_path / "floating.html").write_text(FLOATING, encoding="utf-8")
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
@pytest.mark.more
@pytest.mark.slow
def test_fault_43_a_grid_of_1000_rows_and_14_columns_comes_out_exact(ag_grid: Page) -> None:
    frame = sb.extract(ag_grid, scroll=True)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.columns.tolist() == [f"Col {c}" for c in range(14)]
    assert frame.to_numpy().tolist() == [[f"r{n}c{c}" for c in range(14)] for n in range(1000)]


@pytest.mark.gym
def test_only_wanted_columns_are_brought_into_view(ag_grid: Page) -> None:
    ag_grid.goto(ag_grid.url.replace("index.html", "").rstrip("/") + "/wide.html")
    ag_grid.wait_for(text="r0c0")
    screens: list[int] = []
    frame = sb.extract(
        ag_grid, columns=["Col 2", "Col 0"], scroll=True, progress=lambda at, _: screens.append(at)
    )
    assert frame.to_numpy().tolist() == [[f"r{n}c2", f"r{n}c0"] for n in range(40)]
    assert frame.skillbook.complete, frame.skillbook.reason
    right: list[int] = []
    far = sb.extract(ag_grid, columns=["Col 12"], scroll=True, progress=lambda at, _: right.append(at))
    assert far["Col 12"].tolist() == [f"r{n}c12" for n in range(40)]
    assert max(right) <= max(screens) + 1
    with pytest.raises(ExtractionError, match="no column 'Col 12'"):
        sb.extract(ag_grid, columns=["Col 12"])


@pytest.mark.gym
def test_columns_that_somebody_scrolled_past_are_read(ag_grid: Page) -> None:
    ag_grid.goto(ag_grid.url.replace("index.html", "").rstrip("/") + "/wide.html")
    ag_grid.wait_for(text="r0c0")
    for columns in (["Col 1", "Col 12"], []):
        ag_grid.scroll(to="right")
        ag_grid.wait_for(selector="columnheader 'Col 13'")
        assert not ag_grid.snapshot().find_all("columnheader 'Col 1'")
        frame = sb.extract(ag_grid, columns=columns, scroll=True)
        names = columns or [f"Col {c}" for c in range(14)]
        assert frame.columns.tolist() == names
        wanted = [[f"r{n}{name.replace('Col ', 'c')}" for name in names] for n in range(40)]
        assert frame.to_numpy().tolist() == wanted
        assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.gym
def test_only_wanted_rows_are_brought_into_view(ag_grid: Page) -> None:
    screens: list[int] = []
    frame = sb.extract(
        ag_grid,
        columns=["Col 0", "Col 12"],
        rows=range(500, 520),
        scroll=True,
        progress=lambda at, _: screens.append(at),
    )
    assert frame.to_numpy().tolist() == [[f"r{n}c0", f"r{n}c12"] for n in range(500, 520)]
    assert frame.skillbook.complete, frame.skillbook.reason
    assert "rows 500 to 519 were wanted" in frame.skillbook.reason
    assert max(screens) <= 5
    with pytest.warns(IncompleteFrame, match="the page says 1,000"):
        assert sb.extract(ag_grid, rows=range(500, 520)).empty
    end = sb.extract(ag_grid, columns=["Col 1"], rows=range(990, 1010), scroll=True)
    assert end["Col 1"].tolist() == [f"r{n}c1" for n in range(990, 1000)]
    assert end.skillbook.complete, end.skillbook.reason


@pytest.mark.gym
def test_floating_filters_are_no_row(ag_grid: Page) -> None:
    ag_grid.goto(ag_grid.url.replace("index.html", "").rstrip("/") + "/floating.html")
    ag_grid.wait_for(text="P8")
    frame = sb.extract(ag_grid)
    assert frame["Name"].tolist() == [f"P{n}" for n in range(9)]
    assert [dtype.kind for dtype in frame.dtypes] == ["O", "M", "f", "i"]
    assert frame.skillbook.complete, frame.skillbook.reason


VIRTUAL = """<meta charset=utf-8><style>#box {{ height: {height}px; overflow: auto; position: relative }}
.row {{ position: absolute; left: 0; right: 0 }}</style>
<h1>Log</h1><div id=box><div id=room></div></div><script>
const count = {count}, heights = Array.from({{length: count}}, (_, n) => {row});
const tops = heights.reduce((all, one) => [...all, all.at(-1) + one], [0]);
room.style.height = tops[count] + 'px';
const draw = () => {{
  const from = tops.findIndex((top) => top > box.scrollTop) - 1, end = box.scrollTop + box.clientHeight;
  room.innerHTML = '';
  for (let n = Math.max(0, from - 1); n < count && tops[n] < end + 30; n++)
    room.insertAdjacentHTML('beforeend', `<div class=row style="top: ${{tops[n]}}px; height: ${{heights[n]}}px">
      <b>${{n % 3 ? 'info' : 'warning'}}</b> <span class=place>${{{place}}}</span></div>`);
}};
box.onscroll = () => setTimeout(draw, {delay});
draw();
</script>"""


@pytest.mark.parametrize(
    ("row", "place", "delay"),
    [
        ("24", "n", 0),
        ("24 + n % 4 * 7", "n", 120),
        ("30", "n % 5", 0),  # rows that say the same as others
    ],
)
def test_fault_43_a_virtual_list_without_numbers_comes_out_exact(
    serve_html: Callable[[str], Page], row: str, place: str, delay: int
) -> None:
    page = serve_html(VIRTUAL.format(height=400, count=300, row=row, place=place, delay=delay))
    with pytest.warns(IncompleteFrame, match="room for about"):
        assert len(sb.extract(page)) < 40
    frame = sb.extract(page, scroll=True)
    expected = [n if place == "n" else n % 5 for n in range(300)]
    assert frame.iloc[:, 1].astype(int).tolist() == expected
    assert frame.iloc[:, 0].tolist() == ["info" if n % 3 else "warning" for n in range(300)]
    assert frame.skillbook.complete, frame.skillbook.reason


def test_wanted_rows_of_a_virtual_list_without_numbers(serve_html: Callable[[str], Page]) -> None:
    """Their heights differ, so all above them are read, and none below."""
    page = serve_html(VIRTUAL.format(height=400, count=300, row="24 + n % 4 * 7", place="n", delay=0))
    frame = sb.extract(page, rows=range(60, 70), scroll=True)
    assert frame.iloc[:, 1].astype(int).tolist() == list(range(60, 70))
    assert frame.skillbook.complete, frame.skillbook.reason
    with pytest.warns(IncompleteFrame, match="room for about"):
        assert sb.extract(page, rows=range(60, 70)).empty
    assert len(sb.extract(page, rows=range(3))) == 3
    with pytest.raises(ExtractionError, match="names no rows"):
        sb.extract(page, rows=slice(3))  # type: ignore[arg-type]
    with pytest.raises(ExtractionError, match="next="):
        sb.extract(page, rows=range(3), next=True)


CLIPPED = """<meta charset=utf-8><h1>People</h1><div role=table style="height: 300px; overflow: hidden">
<div role=rowgroup style="height: 250px; overflow: hidden"><div style="height: 25000px" id=rows></div></div>
<div role=rowgroup style="position: absolute; top: 0"><div role=row><span role=columnheader>Name</span>
<span role=columnheader>City</span></div></div></div><script>
rows.innerHTML = Array.from({length: 10}, (_, n) =>
  `<div role=row style="height: 50px"><span role=cell>Person ${n}</span>
   <span role=cell>City ${n}</span></div>`).join('');
</script>"""


def test_fault_43_rows_that_scripts_scroll_and_a_header_after_them(
    read_html: Callable[[str], Page],
) -> None:
    page = read_html(CLIPPED)
    with pytest.warns(IncompleteFrame, match="room for about 500"):
        frame = sb.extract(page)
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame["Name"].tolist() == [f"Person {n}" for n in range(10)]


PINNED = """<meta charset=utf-8><style>
#grid { display: flex; width: 540px } table { border-collapse: collapse; table-layout: fixed; width: 0 }
td, th { width: 100px; height: 20px; padding: 0 } .left td, .left th { width: 40px }
#heads, #box { width: 500px; overflow: hidden } #box { height: 200px; overflow: auto; position: relative }
#room { position: relative; width: 900px; height: 1200px } #body, #pins { position: absolute } #left { overflow: hidden;
  height: 200px; position: relative }
</style><h1>Stock</h1><div id=grid>
<div class=left><table><tr><th>No.</table><div id=left style="width:40px"><table id=pins></table></div></div>
<div><div id=heads><table id=head></table></div><div id=box><div id=room><table id=body></table></div></div></div></div>
<script>
const NAMES = 'abcdefghi'.split('');
head.innerHTML = '<tr>' + NAMES.map(name => `<th>Col ${name}`).join('');
function show() {
  heads.scrollLeft = box.scrollLeft;
  const row = Math.floor(box.scrollTop / 20), col = Math.max(Math.floor(box.scrollLeft / 100) - 1, 0);
  const rows = Array.from({length: Math.min(12, 60 - row)}, (_, i) => row + i), cols = NAMES.slice(col, col + 7);
  body.innerHTML = rows.map(n => '<tr>' + cols.map(name => `<td>${name}${n}`).join('')).join('');
  pins.innerHTML = rows.map(n => `<tr><td>${n + 1}`).join('');
  body.style.top = `${row * 20}px`; body.style.left = `${col * 100}px`;
  pins.style.top = `${row * 20 - box.scrollTop}px`;
}
box.onscroll = show;
show();
</script>"""


def test_columns_that_are_scrolled_under_pinned_ones_keep_their_names(
    serve_html: Callable[[str], Page],
) -> None:
    """Scrolled to the side, the first of them stand further left than the pinned one."""
    page = serve_html(PINNED)
    frame = sb.extract(page, scroll=True)
    assert frame.columns.tolist() == ["No.", *(f"Col {name}" for name in "abcdefghi")]
    assert frame.to_numpy().tolist() == [[n + 1, *(f"{name}{n}" for name in "abcdefghi")] for n in range(60)]
    assert frame.skillbook.complete, frame.skillbook.reason
    page.evaluate("box.scrollLeft = 300")
    page.wait_for(text="i0")
    [shown] = sb.tables(page)
    assert shown.columns.tolist()[:3] == ["No.", "Col c", "Col d"]
    assert shown.loc[0].tolist()[:3] == [1, "c0", "d0"]

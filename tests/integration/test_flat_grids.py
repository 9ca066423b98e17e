"""Tables whose cells are children of one box: a style sheet's grid, or cells that a script places."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
pytestmark = pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
GRID = (
    "<style>main {{ display: grid; grid-template-columns: repeat({0}, 120px) }}</style>"
    "<h1>Stock</h1><main>{1}</main>"
)
ROWS = [("Lamp", "3", "$10.00"), ("Desk", "1", "$99.00"), ("Sofa", "", "$700.00"), ("Bed", "9", "$400.00")]
NAMES = ("Name", "Qty", "Price")


def cells(rows: list[tuple[str, ...]], cell: str = "<div>{}</div>") -> str:
    return "".join(cell.format(text) for row in rows for text in row)


@pytest.mark.parametrize("head", ["<div class=head>{}</div>", "<strong>{}</strong>", "<div>{}</div>"])
def test_cells_in_lines_below_headers_are_rows(read_html: Serve, head: str) -> None:
    frame = sb.extract(read_html(GRID.format(3, cells([NAMES], head) + cells(ROWS))))
    assert list(frame.columns) == list(NAMES)
    assert frame["Name"].tolist() == ["Lamp", "Desk", "Sofa", "Bed"]
    assert frame["Qty"].astype("string").fillna("").tolist() == ["3", "1", "", "9"]
    assert frame["Price"].tolist() == [10, 99, 700, 400]
    assert frame.skillbook.complete
    source = frame.skillbook.source(2, "Price")
    assert source is not None


@pytest.mark.parametrize(
    "shown",
    [
        cells([(f"Tag {at}",) for at in range(12)]),
        cells([(f"Lamp {at}",) for at in range(3)], "<div class=new>{}</div>")
        + cells([(f"Lamp {at}",) for at in range(3, 12)]),
        cells([("Lamp", "Desk", "Sofa"), ("$10.00", "$99.00", "$700.00")] * 3),
        cells([("Mo", "Tu", "We")], "<b>{}</b>") + cells([("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")]),
    ],
    ids=["tags", "new ones first", "cards without boxes", "days"],
)
def test_cells_that_are_of_one_kind_in_all_columns_are_no_rows(read_html: Serve, shown: str) -> None:
    with pytest.raises(ExtractionError):
        sb.extract(read_html(GRID.format(3, shown)))


VIRTUAL = """<h1>Parts</h1><div id=box style="height:300px;width:WIDTHpx;overflow:auto">
<div style="height:1400px;width:500px;position:relative"></div></div><script>
const box = document.querySelector("#box"), shown = SHOWN;
function render() {
  const first = Math.max(Math.floor(box.scrollTop / 35) - 1, 0);
  const rows = [...Array(12).keys()].map((at) => first + at).filter((at) => at < 40);
  const cell = (row, at, text) =>
    `<div style="position:absolute;height:35px;width:100px;top:${35 * row}px;left:${100 * at}px">${text}</div>`;
  const texts = (row) => [row, `Part ${row}`, "Ulm", 2 * row, `x${row}`].slice(0, shown);
  const line = (row) => texts(row).map((text, at) => cell(row, at, text)).join("");
  box.firstElementChild.innerHTML = rows.map(line).join("");
}
box.onscroll = render;
render();
</script>"""


@pytest.mark.parametrize("shown", [5, 3])
def test_cells_that_a_script_places_are_rows_and_columns_that_are_not_rendered_are_missing(
    serve_html: Serve, shown: int
) -> None:
    page = serve_html(VIRTUAL.replace("SHOWN", str(shown)).replace("WIDTH", str(120 + 100 * shown)))
    frame = sb.extract(page, scroll=True)
    assert frame.shape == (40, shown)
    assert frame["column 2"].tolist() == [f"Part {row}" for row in range(40)]
    assert frame.skillbook.complete is (shown == 5), frame.skillbook.reason

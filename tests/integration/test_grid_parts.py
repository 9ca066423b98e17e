"""Grids that pages render in several parts: read as a person sees them, or reported as incomplete."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

STYLE = """<style>body { margin: 0 } .side { display: flex } table { border-collapse: collapse }
td, th, [role=columnheader], [role=gridcell] { width: 80px; height: 20px; padding: 0; box-sizing: border-box }
[role=row] { display: flex; height: 20px }</style>"""


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in rows)
    above = f"<table><thead><tr>{head}</tr></thead></table>" if heads else ""
    return f"<div>{above}<table><tbody>{body}</tbody></table></div>"


def _rows(role: str, rows: list[list[str]]) -> str:
    cells = ("".join(f"<span role={role}>{text}</span>" for text in row) for row in rows)
    return "".join(f"<div role=row>{each}</div>" for each in cells)


PEOPLE = [[str(n), f"Ann {n}"] for n in range(5)]
FACTS = [[f"City {n}", "" if n % 2 else f"{n} kg"] for n in range(5)]
ROWS = [[n, f"Ann {n}", f"City {n}", "" if n % 2 else f"{n} kg"] for n in range(5)]


def _values(page: Page) -> list[list[object]]:
    frame = sb.extract(page, within=None)
    assert frame.columns.tolist() == ["ID", "Name", "City", "Weight"]
    assert frame.skillbook.complete, frame.skillbook.reason
    weights = frame.skillbook.raw["Weight"].fillna("")
    return [
        [int(row[0]), row[1], row[2], weight]
        for row, weight in zip(frame.to_numpy().tolist(), weights, strict=True)
    ]


def test_cells_that_are_ticked_by_aria_alone_are_booleans(read_html: Callable[[str], Page]) -> None:
    cells = ["true", "false", "true"]
    lines = "".join(
        f"<div role=row><span role=gridcell>{n}</span>"
        f"<span role=gridcell aria-checked={said}><svg width=9 height=9></svg></span></div>"
        for n, said in enumerate(cells)
    )
    page = read_html(f"{STYLE}<div role=grid>{_rows('columnheader', [['ID', 'Paid']])}{lines}</div>")
    assert sb.extract(page)["Paid"].tolist() == [True, False, True]


def test_tables_that_stand_beside_each_other_are_one(read_html: Callable[[str], Page]) -> None:
    left, right = _table(["ID", "Name"], PEOPLE), _table(["City", "Weight"], FACTS)
    page = read_html(f"{STYLE}<div class=side>{left}{right}</div>")
    assert _values(page) == ROWS
    assert len(sb.tables(page)) == 1


def test_tables_with_room_in_between_are_two(read_html: Callable[[str], Page]) -> None:
    left, right = _table(["ID", "Name"], PEOPLE), _table(["City", "Weight"], FACTS)
    page = read_html(f"{STYLE}<div class=side style='gap: 30px'>{left}{right}</div>")
    assert [frame.columns.tolist() for frame in sb.tables(page)] == [["ID", "Name"], ["City", "Weight"]]


def test_pinned_columns_of_a_grid_are_in_its_rows(read_html: Callable[[str], Page]) -> None:
    heads = [_rows("columnheader", [names]) for names in (["ID", "Name"], ["City", "Weight"])]
    bodies = [_rows("gridcell", rows) for rows in (PEOPLE, FACTS)]
    sides = "".join(
        f"<div class=side>{''.join(f'<div>{each}</div>' for each in part)}</div>" for part in (heads, bodies)
    )
    assert _values(read_html(f"{STYLE}<div role=grid>{sides}</div>")) == ROWS


def _cut(widths: list[int], rows: str) -> str:
    columns = "".join(f"<col style='width: {width}px'>" for width in widths)
    style = f"table-layout: fixed; width: {sum(widths)}px"
    return f"<div class=cut><table style='{style}'><colgroup>{columns}</colgroup>{rows}</table></div>"


def _tables_with_room(width: int, room: int) -> str:
    """Header tables of cells that only their class calls so, above bodies; blank cells and rows keep the room."""

    def head(names: list[str]) -> str:
        cells = "".join(f"<td class=x-head>{name}" for name in names)
        return _cut([80, 80, 550], f"<tr>{cells}<td class=x-head>")

    def body(widths: list[int], rows: list[list[str]]) -> str:
        none = "<tr style='height: 0'><td colspan=1000 style='height: 0'>"
        lines = "".join("<tr>" + "".join(f"<td>{text}" for text in row) for row in rows)
        return _cut(widths, none + lines + none)

    left = head(["ID", "Name"]) + body([80, 80], PEOPLE)
    right = head(["City", "Weight"]) + body([1, 80, 80, room], [["", *row, ""] for row in FACTS])
    return (
        f"{STYLE}<style>.cut {{ overflow: hidden }}</style><div class=side>"
        f"<div style='width: 160px'>{left}</div><div style='width: {width}px'>{right}</div></div>"
    )


def test_headers_that_only_their_class_tells_name_pinned_and_other_columns(
    read_html: Callable[[str], Page],
) -> None:
    page = read_html(_tables_with_room(261, 100))
    assert _values(page) == ROWS
    assert len(sb.tables(page)) == 1


def test_room_for_columns_that_are_not_rendered_is_reported(read_html: Callable[[str], Page]) -> None:
    page = read_html(_tables_with_room(161, 550))
    with pytest.warns(IncompleteFrame, match="room beside the columns"):
        frame = sb.extract(page)
    assert frame.columns.tolist() == ["ID", "Name", "City", "Weight"]


def test_copies_over_pinned_columns_add_nothing(read_html: Callable[[str], Page]) -> None:
    both = [[*one, *other] for one, other in zip(PEOPLE, FACTS, strict=True)]
    whole, copy = _table(["ID", "Name", "City", "Weight"], both), _table(["ID", "Name"], PEOPLE)
    page = read_html(
        f"{STYLE}<div style='position: relative'>{whole}"
        f"<div style='position: absolute; top: 0; left: 0; background: white'>{copy}</div></div>"
    )
    assert _values(page) == ROWS
    assert len(sb.tables(page)) == 1


def _with_sums(room: str, at: int | None = None) -> str:
    both = [[*one, *other] for one, other in zip(PEOPLE, FACTS, strict=True)]
    heads = _rows("columnheader", [["ID", "Name", "City", "Weight"]])
    sums = _rows("gridcell", [["10", "", "", "6 kg"]]).replace("role=row", "role=row class='line grid-calcs'")
    if at is not None:
        rows = [_rows("gridcell", [row]) for row in both]
        rows.insert(at, sums)
        return f"{STYLE}<div role=grid><div>{heads}</div><div style='{room}'>{''.join(rows)}</div></div>"
    body = f"<div style='{room}'>{_rows('gridcell', both)}</div>"
    return f"{STYLE}<div role=grid><div>{heads}</div>{sums}{body}{sums}</div>"


@pytest.mark.parametrize("room", ["height: 50px; overflow: auto", "padding: 30px 0"])
def test_sums_pinned_outside_of_the_rows_are_left_out_and_told(
    read_html: Callable[[str], Page], room: str
) -> None:
    page = read_html(_with_sums(room))
    assert _values(page) == ROWS
    told = ("left out: 2 rows that the grid pins outside of the others",)
    assert sb.extract(page).skillbook.notes == told
    assert sb.tables(page)[0].skillbook.notes == told


@pytest.mark.parametrize(("room", "at"), [("", 0), ("", 5), ("height: 50px; overflow: auto", 5), ("", 2)])
def test_a_row_that_only_its_class_calls_a_sum_is_kept_and_told(
    read_html: Callable[[str], Page], room: str, at: int
) -> None:
    frame = sb.extract(read_html(_with_sums(room, at)), typed=False)
    assert frame["ID"].tolist()[at] == "10"
    assert len(frame) == 6
    assert frame.skillbook.notes[0] == "1 row among the others may sum them up, by what the page calls them"


def test_a_foot_that_is_left_out_is_told(read_html: Callable[[str], Page]) -> None:
    rows = "".join(f"<tr><td>{n}<td>Ann {n}" for n in range(3))
    page = read_html(f"<table><thead><tr><th>ID<th>Name</thead>{rows}<tfoot><tr><td>3<td>people</table>")
    frame = sb.extract(page)
    assert len(frame) == 3
    assert frame.skillbook.notes == ('left out: 1 row of the table\'s foot ("3 people")',)


def test_parts_of_which_rows_are_missing_are_reported(read_html: Callable[[str], Page]) -> None:
    heads = [_rows("columnheader", [names]) for names in (["ID", "Name"], ["City", "Weight"])]
    bodies = [_rows("gridcell", rows) for rows in (PEOPLE, FACTS[:3])]
    sides = "".join(
        f"<div class=side>{''.join(f'<div>{each}</div>' for each in part)}</div>" for part in (heads, bodies)
    )
    page = read_html(f"{STYLE}<div role=grid>{sides}</div>")
    with pytest.warns(IncompleteFrame, match="parts that don't fit together"):
        frame = sb.extract(page)
    assert frame["Name"].tolist() == [f"Ann {n}" for n in range(5)]


def test_cells_of_icons_that_are_called_like_their_column_are_reported(
    read_html: Callable[[str], Page],
) -> None:
    lines = "".join(
        f"<tr><td>{n}<td aria-label=Paid><i style='display: inline-block; width: 9px; height: 9px'></i></tr>"
        for n in range(5)
    )
    page = read_html(f"<table><tr><th>ID<th>Paid</tr>{lines}</table>")
    with pytest.warns(IncompleteFrame, match="'Paid' show can't be read"):
        sb.extract(page)


LATE = """<style>#box { height: 200px; width: 300px; overflow: auto } [role=row] { display: flex; height: 20px;
position: absolute } #room { position: relative; height: 2000px } span { width: 90px }</style>
<div role=grid id=box aria-rowcount=101 aria-colcount=2><div role=row aria-rowindex=1 style="position: static">
<span role=columnheader aria-colindex=1>ID</span><span role=columnheader aria-colindex=2>Link</span></div>
<div id=room></div></div><script>
const drawn = new Map();
const draw = () => {
  const first = Math.max(0, Math.floor(box.scrollTop / 20) - 2);
  for (const [n, row] of drawn) if (n < first || n > first + 14) { row.remove(); drawn.delete(n); }
  for (let n = first; n <= Math.min(99, first + 14); n++) {
    if (drawn.has(n)) continue;
    room.insertAdjacentHTML('beforeend', `<div role=row aria-rowindex=${n + 2} style="top: ${20 * n}px">
      <span role=gridcell aria-colindex=1>${n}</span><span role=gridcell aria-colindex=2></span></div>`);
    const row = room.lastElementChild;
    drawn.set(n, row);
    let frames = 1 + n % 3;
    const fill = () => requestAnimationFrame(() =>
      --frames ? (row.dataset.wait = frames, fill()) : (row.lastElementChild.textContent = 'open ' + n));
    fill();
  }
};
box.onscroll = draw;
draw();
</script>"""


def test_cells_that_are_rendered_some_frames_after_scrolling_are_not_blank(
    serve_html: Callable[[str], Page],
) -> None:
    frame = sb.extract(serve_html(LATE), scroll=True)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame["Link"].tolist() == [f"open {n}" for n in range(100)]


@pytest.mark.parametrize("engine", ["dom", "cdp"])
@pytest.mark.parametrize("blank", ["", "<span></span>", "<div><em></em></div>"])
def test_an_empty_cell_without_height_keeps_its_place(
    read_html: Callable[[str], Page], blank: str, engine: str
) -> None:
    def row(role: str, cells: list[str]) -> str:
        said = "".join(f"<div role={role}>{cell}</div>" for cell in cells)
        return f"<div role=row style='display: flex; align-items: center'>{said}</div>"

    style = "<style>[role=row] > div { flex: 0 0 90px }</style>"
    page = read_html(
        f"{style}<div role=table aria-label=Parts>{row('columnheader', ['ID', 'Name', 'City'])}"
        f"{row('cell', ['a', 'Ann', 'Ulm'])}{row('cell', ['b', blank, 'Bonn'])}</div>"
    )
    cells = [node.name for node in page.snapshot(engine=engine).nodes if node.role == "cell"]
    assert cells == ["a", "Ann", "Ulm", "b", "", "Bonn"]
    frame = sb.tables(page)[0]
    assert frame.to_numpy().tolist() == [["a", "Ann", "Ulm"], ["b", "", "Bonn"]]
    assert frame.skillbook.complete


def test_a_row_that_lacks_a_cell_says_so(read_html: Callable[[str], Page]) -> None:
    def row(role: str, cells: dict[int, str]) -> str:
        said = "".join(
            f"<div role={role} style='grid-column: {at}'>{cell}</div>" for at, cell in cells.items()
        )
        return f"<div role=row style='display: grid; grid-template-columns: repeat(3, 90px)'>{said}</div>"

    head = row("columnheader", {1: "ID", 2: "Name", 3: "City"})
    page = read_html(
        f"<div role=table>{head}{row('cell', {1: 'a', 2: 'Ann', 3: 'Ulm'})}{row('cell', {1: 'b', 3: 'Bonn'})}</div>"
        f"<div role=table>{head}{row('cell', {1: 'a', 2: 'Ann', 3: 'Ulm'})}{row('cell', {1: 'b', 2: 'Bea'})}</div>"
    )
    with pytest.warns(IncompleteFrame):
        first, second = sb.tables(page)
    assert not first.skillbook.complete
    assert "1 row lacks a cell" in first.skillbook.reason
    assert second.skillbook.complete


def _numbered(number: int, cells: list[str]) -> str:
    """A row with its number, of cells that begin with their column's: "2 gridcell Ada"."""
    said = ""
    for each in cells:
        place, role, text = each.split(" ", 2)
        said += (
            f"<td role={role} aria-colindex={place} {'aria-label=' if role == 'corner' else '>'}{text}</td>"
        )
    said = said.replace("role=corner", "role=gridcell").replace("aria-label=All", 'aria-label="All">')
    return f"<tr role=row aria-rowindex={number}>{said}</tr>"


def _overlaid(head: list[list[str]], data: list[list[str]], over: list[list[str]]) -> str:
    """A grid whose rows come first, then the headers, then the part that lies over the first columns."""
    parts = [
        "".join(_numbered(number, row) for number, row in enumerate(data, 2)),
        "".join(_numbered(1, row) for row in head),
        "".join(_numbered(number, row) for number, row in enumerate(over, 2))
        + _numbered(1, ["1 corner All"]),
    ]
    tables = "".join(f"<table role=presentation><tbody role=rowgroup>{part}</table>" for part in parts)
    return f"{STYLE}<div role=treegrid>{tables}</div>"


HEAD = ["1 corner All", "2 columnheader Code", "3 columnheader Name"]


def test_headers_after_the_rows_and_copies_over_pinned_columns(read_html: Callable[[str], Page]) -> None:
    data = [["2 gridcell 007", "3 gridcell Ada"], ["2 gridcell 012", "3 gridcell Ben"]]
    over = [["1 rowheader 1", "2 gridcell 007"], ["1 rowheader 2", "2 gridcell 012"]]
    frame = sb.extract(read_html(_overlaid([HEAD], data, over)))
    assert frame.to_numpy().tolist() == [[1, "007", "Ada"], [2, "012", "Ben"]]
    assert frame.columns.tolist()[1:] == ["Code", "Name"]
    assert frame.skillbook.complete


def test_a_cell_over_two_numbered_rows_is_in_both(read_html: Callable[[str], Page]) -> None:
    data = [["2 gridcell 007", "3 gridcell Ada"], ["2 gridcell 012"]]
    over = [["1 rowheader 1"], ["1 rowheader 2"]]
    html = _overlaid([HEAD], data, over).replace("aria-colindex=3 >Ada", "aria-colindex=3 rowspan=2>Ada")
    assert sb.extract(read_html(html))["Name"].tolist() == ["Ada", "Ada"]


@pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
def test_parts_whose_headers_have_the_same_column_numbers_are_incomplete(
    read_html: Callable[[str], Page],
) -> None:
    heads = [["1 columnheader Name", "2 columnheader Price"], ["1 columnheader Code", "2 columnheader Name"]]
    data = [["2 gridcell Ada", "3 gridcell 5"], ["2 gridcell Ben", "3 gridcell 6"]]
    over = [["1 gridcell 007", "2 gridcell Ada"], ["1 gridcell 012", "2 gridcell Ben"]]
    frame = sb.extract(read_html(_overlaid(heads, data, over)))
    assert not frame.skillbook.complete
    assert "headers of one row have the same column numbers" in frame.skillbook.reason

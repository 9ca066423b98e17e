"""What a cell says: what one sees in it, and what is filled in or chosen in its fields; in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.page_tables import tables_from
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

ICON = "<svg width=9 height=9><path d='M0 0L9 9'/></svg>"
CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
CASES = {
    "select": ("<select><option>one<option selected>two</select>", "two"),
    "select of several": ("<select multiple><option selected>one<option>two<option selected>six</select>", "one, six"),
    "select beside a text": ("in <select><option>EUR<option selected>USD</select>", "in USD"),
    "radio buttons": ("<label><input type=radio>A</label><label><input type=radio checked>B</label>", "B"),
    "checkboxes": ("<label><input type=checkbox>A</label><label><input type=checkbox checked>B</label>", "B"),
    "field with a unit": ("<input value=12> kg", "12 kg"),
    "fields with a word between": ("<input value=12> to <input value=15>", "12 to 15"),
    "blank field with a label": ("<input aria-label=Filter>", ""),
    "icon that copies": (f"00123 <button aria-label=Copy>{ICON}</button>", "00123"),
    "icon with a tooltip": ("00123 <button title=Copy><i class=icon></i></button>", "00123"),
    "icon that opens the row": (f"<button aria-expanded=false aria-label='Open row'>{ICON}</button>Ada", "Ada"),
    "icon that is a link": (f"<a href=/a>Ada</a> <a href=/e aria-label=Edit>{ICON}</a>", "Ada"),
    "nothing but icons": (f"<a aria-label=Edit href=/e>{ICON}</a> <b role=button title=Cut>{ICON}</b>", "Edit Cut"),
    "button that is read": ("00123 <button>Copy</button>", "00123 Copy"),
    "button with a sign": ("Ada <button aria-label=Actions>&#8942;</button>", "Ada ⋮"),
    "number of a footnote": ("12<sup>1</sup>", "12¹"),
    "exponent": ("10<sup>12</sup>", "10¹²"),
    "base": ("101<sub>2</sub>", "101₂"),
    "letter of a footnote": ("12<sup>a</sup>", "12a"),
    "raised digit after a letter": ("m<sup>2</sup>", "m2"),
    "text without opacity": ("12<span style=opacity:0>9</span>", "12"),
    "text around it goes on": ("1<b style=opacity:0>9</b>2", "1 2"),
    "text without a size": ("12<span style=font-size:0>9</span>", "12"),
    "text in a line without a size": ("<div style=font-size:0>9<b style=font-size:9px>12</b></div>", "12"),
    "text for screen readers": (f"<span style='{CLIPPED}'>Price:</span>12", "12"),
    "text beside the page": ("<span style='position:absolute;left:-999px'>9</span>12", "12"),
    "text for an icon": (f"{ICON}<span style='{CLIPPED}'>Yes</span>", "Yes"),
    "text for signs": (f"<b aria-hidden=true>***</b><span style='{CLIPPED}'>3 of 5</span> (12)", "3 of 5 (12)"),
    "a link with text for screen readers": (f"<a href=/a>Ada<span style='{CLIPPED}'> (a new tab)</span></a>", "Ada"),
    "badges": ("<b style='padding:2px 5px'>red</b><b style='padding:2px 5px'>blue</b>", "red blue"),
    "words apart by a margin": ("<b style=margin-right:5px>red</b><b>blue</b>", "red blue"),
    "a word with a part in bold": ("in<b>side</b>", "inside"),
    "a word with a part marked": ("in<mark style='padding:0 .18em'>si</mark>de", "inside"),
    "a price in parts": ("<b style=margin-right:5px>$12</b><i>.50</i>", "$12.50"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_cell_says(read_html: Serve, case: str) -> None:
    cell, said = CASES[case]
    page = read_html(
        f"<table><tr><th>Name<th>Value</tr><tr><td>Ada<td>{cell}</tr><tr><td>Ben<td>x</tr></table>"
    )
    assert sb.tables(page)[0]["Value"][0] == said


def test_text_that_waits_to_be_shown_is_read_where_nothing_else_is(read_html: Serve) -> None:
    cards = "".join(f"<li style=opacity:{n % 2}><h3>Card {n}</h3><p>{n} kg</p></li>" for n in range(4))
    (frame,) = sb.tables(read_html(f"<ul>{cards}</ul>"))
    assert frame.iloc[:, 0].tolist() == [f"Card {n}" for n in range(4)]
    assert frame.skillbook.raw.iloc[:, 1].tolist() == [f"{n} kg" for n in range(4)]


def test_text_that_is_scrolled_out_of_view_can_be_seen(serve_html: Serve) -> None:
    cards = "".join(
        f"<li style='position:absolute;top:{40 * n}px;height:40px;overflow:hidden'>"
        f"<h3 style='position:absolute;top:0'>Card {n}</h3><p style=margin-left:90px>{n} kg</p></li>"
        for n in range(90)
    )
    page = serve_html(f"<ul id=box style='position:relative;height:200px;overflow:auto'>{cards}</ul>")
    page.evaluate("box.scrollTop = 1620")
    snapshot = page.snapshot()
    assert {node.name for node in snapshot.nodes if "unseen" in node.states} == set()
    assert sb.tables(page)[0].shape == (90, 2)


def test_what_only_shows_under_the_mouse_is_no_column(read_html: Serve) -> None:
    cards = "".join(f"<li><h3>Card {n}</h3><p style=opacity:0>Buy now, {n}</p></li>" for n in range(4))
    (frame,) = sb.tables(read_html(f"<ul>{cards}</ul>"))
    assert frame.columns.tolist() == ["title"]


def test_a_number_with_a_footnote_is_no_larger_number(read_html: Serve) -> None:
    page = read_html(
        "<table><tr><th>City<th>People</tr><tr><td>Ulm<td>126<sup>1</sup></tr><tr><td>Bonn<td>330</tr></table>"
    )
    assert sb.tables(page)[0]["People"].tolist() == ["126¹", "330"]


def test_a_row_with_a_field_is_no_row_of_filters(read_html: Serve) -> None:
    page = read_html(
        "<table><tr><th>Name<th>Level</tr><tr><td>Ada<td><select><option>low<option selected>high</select></tr>"
        "<tr><td>Ben<td>low</tr></table>"
    )
    assert sb.tables(page)[0].to_numpy().tolist() == [["Ada", "high"], ["Ben", "low"]]


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_columns_that_the_page_folds_away_are_told(read_html: Serve, engine: str) -> None:
    rows = "".join(f"<tr><td>n{at}<td>{at}<td style=display:none>{at}<td hidden>x" for at in range(4))
    page = read_html(f"<table><tr><th>Name<th>A<th style=display:none>B<th hidden>C{rows}</table>")
    assert [extra.get("folded") for extra in page.snapshot(engine=engine).columns.extra.values()] == [2]
    frame = sb.extract(page)
    assert list(frame.columns) == ["Name", "A"]
    assert any("2 columns aren't shown" in note for note in frame.skillbook.notes)


DOT = "<i title='{}' style='display:inline-block;width:9px;height:9px'></i>"
TITLED = {
    "on a part": ("<span title='{}'>★★★★★</span>", "4 of 5"),
    "on the cell": ("<td title='{}'>★★★★★", "4 of 5"),
    "on stars": ("<b title='{}'><i>★</i><i>★</i></b>", "4 of 5"),
    "between texts": ("by <span title='{}'>★★★★★</span> (12)", "by 4 of 5 (12)"),
    "around a block": ("<div title='{}'><div>★★★★★</div></div>", "4 of 5"),
    "of icons": (f"<span title='{{}}'>{ICON}{ICON}</span>", "4 of 5"),
    "of a dot": (DOT, "4 of 5"),
}


def titled_table(value: str, *titles: str) -> str:
    cell = value if value.startswith("<td") else f"<td>{value}"
    rows = "".join(f"<tr><td>Lamp {at}{cell.format(title)}" for at, title in enumerate(titles))
    return f"<meta charset=utf-8><table><tr><th>Name<th>Rating{rows}</table>"


@pytest.mark.parametrize("engine", ["dom", "cdp"])
@pytest.mark.parametrize(("value", "read"), TITLED.values(), ids=TITLED)
def test_signs_whose_titles_differ_are_these_titles(
    read_html: Serve, value: str, read: str, engine: str
) -> None:
    page = read_html(titled_table(value, "4 of 5", "3 of 5", "2 of 5"))
    (frame,) = tables_from(page.snapshot(engine=engine))
    assert frame["Rating"].tolist() == [read.replace("4", title) for title in "432"]
    assert not frame.skillbook.notes


def test_signs_that_differ_under_one_title_stay(read_html: Serve) -> None:
    rows = "".join(f"<tr><td>Lamp {at}<td><span title=rating>{'★' * at}</span>" for at in range(1, 4))
    (frame,) = sb.tables(read_html(f"<meta charset=utf-8><table><tr><th>Name<th>Rating{rows}</table>"))
    assert frame["Rating"].tolist() == ["★", "★★", "★★★"]


NAMED_BESIDE = {
    "title of a word": "<time title='{}'>yesterday</time>",
    "title of a cut text": "<span title='{}'>A long na…</span>",
    "dot before a text": f"{DOT} Nut",
    "drawing before a text": "<svg width=9 height=9><title>{}</title><circle r=4 /></svg> Nut",
    "drawing before a sign": "<svg width=9 height=9><title>{}</title><circle r=4 /></svg> ●",
    "image before a text": "<img alt='{}' width=9 height=9> Nut",
    "drawing with a titled part": "<svg width=9 height=9><g><title>{}</title><circle r=4 /></g></svg> Nut",
    "drawing that isn't read aloud": "<svg width=9 height=9 aria-hidden=true><title>{}</title><circle r=4 /></svg> Nut",
    "icon that isn't read aloud": "<b><i aria-hidden=true title='{}'>&#xf00c;</i></b> <b>Nut</b>",
    "meter beside a text": "<b role=meter aria-valuenow=1 aria-valuetext='{}' style='padding:4px'></b> Nut",
}
ROWS_CALLED = {"title": "<tr title='{}'><td>Nut<td>12", "name": "<tr aria-label='{}'><td>Nut<td>12"}


@pytest.mark.parametrize("value", NAMED_BESIDE.values(), ids=NAMED_BESIDE)
def test_names_and_titles_that_tell_rows_apart_are_a_note(read_html: Serve, value: str) -> None:
    (frame,) = sb.tables(read_html(titled_table(value, "up", "down", "up")))
    assert frame.skillbook.complete
    assert any("Rating" in note and '"up", "down"' in note for note in frame.skillbook.notes)
    (frame,) = sb.tables(read_html(titled_table(value, "up", "up", "up")))
    assert not any("differ" in note for note in frame.skillbook.notes)


@pytest.mark.parametrize("row", ROWS_CALLED.values(), ids=ROWS_CALLED)
def test_what_rows_are_called_beside_their_cells_is_a_note(read_html: Serve, row: str) -> None:
    def notes(*names: str) -> list[str]:
        rows = "".join(row.format(name) for name in names)
        (frame,) = sb.tables(read_html(f"<table><tr><th>Part<th>Sum{rows}</table>"))
        return list(frame.skillbook.notes)

    assert [
        note
        for note in notes("paid", "open", "paid")
        if note.startswith("rows:") and '"paid", "open"' in note
    ]
    assert not notes("Nut 12", "Nut 12", "Nut")


@pytest.mark.parametrize(
    "bar",
    [
        "<progress max=100 value={}></progress>",
        "<meter max=100 value={}></meter>",
        "<div role=progressbar aria-valuenow={} style='height:9px;width:9px'></div>",
    ],
)
@pytest.mark.parametrize("beside", ["", " done"])
def test_what_a_bar_of_an_item_is_set_to_is_a_value(read_html: Serve, bar: str, beside: str) -> None:
    items = "".join(f"<li><h3>Task {at}</h3>{bar.format(at)}{beside}</li>" for at in (10, 20, 30))
    (frame,) = sb.tables(read_html(f"<ul>{items}</ul>"))
    assert [10, 20, 30] in [frame[column].tolist() for column in frame]


def test_titles_that_only_say_what_a_press_does_are_no_note(read_html: Serve) -> None:
    value = "<a href=/x title='Open {0}'>{0}</a> <button title='Cut {0}'>Cut</button> <img alt='Face of {0}' width=9>"
    (frame,) = sb.tables(read_html(titled_table(value, "Ada", "Ben", "Cyd")))
    assert not frame.skillbook.notes


def test_a_titled_sign_beside_a_text_is_a_value_of_its_item(read_html: Serve) -> None:
    items = "".join(f"<li>Lamp {at} {DOT.format(title)}" for at, title in enumerate(["up", "down", "up"]))
    (frame,) = sb.tables(read_html(f"<ul>{items}</ul>"))
    assert frame.to_numpy().tolist() == [["Lamp 0", "up"], ["Lamp 1", "down"], ["Lamp 2", "up"]]

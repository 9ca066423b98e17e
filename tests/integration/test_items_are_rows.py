"""Items are rows whatever they say, and a page's other words say nothing of them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
pytestmark = pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")


def items(count: int, plain: tuple[int, ...] = ()) -> str:
    return "".join(f"<li>{f'Link {n}' if n in plain else f'<a href=/{n}>Link {n}</a>'}" for n in range(count))


def rows(count: int) -> str:
    return "".join(f"<tr><td>{n}<td>x{n}" for n in range(count))


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<ul aria-label=Trail><li><a href=#>Home</a><li><a href=#>Library</a><li>Data</ul>", 3),
        (f"<ul>{items(20, (4, 9))}</ul>", 20),
        ("<ul><li>Item 1<li>Item 2<li>Item 3<li><del>Item 4</del><li>Item 5</ul>", 5),
        ("<ul><li>One <b>new</b><li>Two<li>Three<li><img alt=Four src=data:,><li>Five</ul>", 5),
    ],
)
def test_fault_63_every_item_is_a_row(read_html: Serve, html: str, count: int) -> None:
    page = read_html(f"<h1>X</h1><main>{html}</main>")
    frame = sb.extract(page, within="list")
    assert (len(frame), frame.skillbook.complete) == (count, True)
    said = [[str(value) for value in row if value == value] for row in frame.itertuples(index=False)]
    assert all(said), frame
    (same,) = sb.tables(page)
    assert len(same) == count


def test_fault_63_an_item_without_the_field_is_a_row(read_html: Serve) -> None:
    page = read_html(f"<h1>X</h1><main><ul>{items(12, (3, 4))}</ul></main>")
    frame = sb.extract(page, {"title": "link", "url": "link@href"})
    assert len(frame) == 12
    assert frame["title"].isna().sum() == 2


CARD = "<h3>Part {n}</h3><p>About {n}</p><a href=/{n}>More of {n}</a>"
LONE = {
    "a heading": "<h3>Part 2</h3>",
    "a link": "<a href=/2>Gone</a>",
    "a text": "Sold out",
    "a picture": "<img alt=Photo src=data:,>",
    "a button": "<button>Buy</button>",
}


@pytest.mark.parametrize("case", LONE)
@pytest.mark.parametrize("at", [0, 2, 5])
def test_fault_63_a_card_of_one_thing_is_a_row(read_html: Serve, case: str, at: int) -> None:
    inside = [LONE[case] if n == at else CARD.format(n=n) for n in range(6)]
    cards = "".join(f"<div class='card small'>{text}</div>" for text in inside)
    page = read_html(f"<main><h1>Parts</h1><div>{cards}</div></main>")
    frame = sb.extract(page)
    assert len(frame) == 6
    assert frame.drop(index=at)["title"].tolist() == [f"Part {n}" for n in range(6) if n != at]
    assert any(isinstance(value, str) and value for value in frame.loc[at])
    chosen = sb.extract(page, {"name": "heading", "about": "paragraph"})
    assert len(chosen) == 6
    assert chosen["about"].tolist()[at] != chosen["about"].tolist()[at]


@pytest.mark.parametrize("at", [(0,), (2, 3), (5,)])
@pytest.mark.parametrize("tag", ["div class=card", "li"])
def test_items_that_show_nothing_are_said_to_be_left_out(
    read_html: Serve, tag: str, at: tuple[int, ...]
) -> None:
    room = "ul" if tag == "li" else "div"
    style = "<style>.card, li { min-height: 40px; border: 1px solid }</style>"
    cards = "".join(f"<{tag}>{'' if n in at else CARD.format(n=n)}</{tag[:3].strip()}>" for n in range(6))
    (frame,) = sb.tables(read_html(f"{style}<main><h1>Parts</h1><{room}>{cards}</{room}></main>"))
    assert frame["title"].tolist() == [f"Part {n}" for n in range(6) if n not in at]
    said = "1 item that shows" if len(at) == 1 else "2 items that show"
    assert frame.skillbook.notes == (f"left out: {said} nothing",)


def test_fault_63_cards_of_two_kinds_are_rows(read_html: Serve) -> None:
    inside = (CARD.format(n=n) if n % 2 else f"<a href=/{n}>T{n}</a>" for n in range(6))
    cards = "".join(f"<div class=card>{text}</div>" for text in inside)
    (frame,) = sb.tables(read_html(f"<main><h1>Parts</h1><div>{cards}</div></main>"))
    assert len(frame) == 6


PALETTE = "".join(
    f"<div class=category><div class=header><span>Group {g}</span></div><div class=content>"
    + "".join(
        f"<div class=node><div class=label>node {g}-{n}</div><div class=port></div></div>"
        for n in range(3 + g)
    )
    + "</div></div>"
    for g in range(5)
)
LISTS = "".join(
    f"<li><h3>Group {g}</h3><ul>" + "".join(f"<li>node {g}-{n}" for n in range(3 + g)) + "</ul>"
    for g in range(5)
)


@pytest.mark.parametrize("html", [f"<div id=palette>{PALETTE}</div>", f"<ul>{LISTS}</ul>"])
def test_items_in_groups_have_the_groups_name(read_html: Serve, html: str) -> None:
    page = read_html(f"<h1>X</h1><main>{html}</main>")
    wanted = [(f"Group {g}", f"node {g}-{n}") for g in range(5) for n in range(3 + g)]
    for frame in (sb.extract(page), sb.tables(page)[0]):
        assert list(frame.itertuples(index=False, name=None)) == wanted
        assert frame.columns[0] == "group"


TITLED = {
    "a heading": "<h2>{0}</h2><p>All about {0}.</p>",
    "a heading after a date": "<p>May</p><h2>{0}</h2>",
    "a link": "<a href=/{0}><b>{0}</b></a><p>All about {0}.</p>",
    "a text": "<strong>{0}</strong><p>All about {0}.</p>",
}


@pytest.mark.parametrize("case", TITLED)
def test_a_group_is_called_by_its_title_and_not_by_what_is_nearest(read_html: Serve, case: str) -> None:
    links = "".join(f"<li><a href=/{n}>{{0}} {n}</a>" for n in range(4))
    card = f"<div class=card>{TITLED[case]}<ul>{links}</ul></div>"
    groups = "".join(card.format(name) for name in ("Alpha", "Beta", "Gamma"))
    frame = sb.extract(read_html(f"<h1>Docs</h1><main>{groups}</main>"))
    assert frame.iloc[:, 0].tolist() == [name for name in ("Alpha", "Beta", "Gamma") for _ in range(4)]
    assert "left out: 3 texts of groups beside their names" in frame.skillbook.notes[0]


def test_elements_named_by_css_are_rows_each(read_html: Serve) -> None:
    page = read_html(f"<h1>X</h1><main><div id=palette>{PALETTE}</div></main>")
    assert len(sb.extract(page, {"node": "css '.label'"})) == 25


GRID = """<div role=grid><div role=rowgroup><div role=row><div role=columnheader>Name</div>
<div role=columnheader>Age</div></div><div role=row>{filters}</div></div><div role=rowgroup>{rows}</div></div>"""
CELLS = "".join(
    f"<div role=row><div role=gridcell>P {n}</div><div role=gridcell>{20 + n}</div></div>" for n in range(4)
)


MENU = "<button aria-label='Open Filter Menu'><i></i></button>"
FILTERS = {
    "buttons": [MENU, MENU],
    "fields and buttons": ["<input><button aria-label=Filter>≡</button>"] * 2,
    "fields of several kinds": [
        f"<input aria-label=Name>{MENU}",
        f"<input type=number aria-label=Age>{MENU}",
    ],
    "a list and a range": ["<select><option>All names<option>P</select>", "<input type=range>"],
    "labels beside fields": [
        "<label>from <input type=date></label>",
        "min <input type=number> max <input type=number>",
    ],
    "a used one": ["<input value=P>", "<input>"],
}


@pytest.mark.parametrize("case", FILTERS)
def test_a_second_header_row_of_controls_is_header(read_html: Serve, case: str) -> None:
    filters = "".join(f"<div role=gridcell>{control}</div>" for control in FILTERS[case])
    page = read_html(GRID.format(filters=filters, rows=CELLS))
    frame = sb.extract(page)
    assert frame["Age"].tolist() == [20, 21, 22, 23]
    assert frame.columns.tolist() == ["Name", "Age"]


def test_a_row_that_somebody_edits_is_no_header(read_html: Serve) -> None:
    fields = "<div role=gridcell><input value=Ada></div><div role=gridcell><input value=36></div>"
    page = read_html(GRID.format(filters=fields, rows=CELLS))
    assert sb.extract(page)["Age"].tolist() == [36, 20, 21, 22, 23]


@pytest.mark.parametrize(
    "beside",
    [
        "<div role=search><input aria-label=Search><p>Nothing found</p></div>",
        "<section aria-label=Facet><p>1,500 rows</p></section>",
        "<p>See <a href=/api#next><code>.next()</code></a></p>",
        "<section aria-label=Pictures class=slider><button class=slider-next aria-label=Next>›</button></section>",
        "<aside><nav class=pagination><a rel=next href='?page=2'>Next</a></nav></aside>",
    ],
)
def test_words_of_other_parts_raise_no_alarm(read_html: Serve, beside: str) -> None:
    page = read_html(f"<h1>X</h1>{beside}<main><table><tr><th>A<th>B{rows(5)}</table></main>")
    for frame in (sb.extract(page), sb.tables(page)[0]):
        assert frame.skillbook.complete, frame.skillbook.reason


def test_a_count_belongs_to_the_nearest_list(read_html: Serve) -> None:
    facet = (
        "<div><h2>Color</h2><ul>"
        + "".join(f"<li><a href=/c{n}>c{n}</a> <b>{n}</b>" for n in range(4))
        + "</ul></div>"
    )
    page = read_html(
        f"<h1>X</h1><main>{facet}<div><p>1,500 rows</p><table><tr><th>A<th>B{rows(50)}</table></div></main>"
    )
    table, facets = sb.tables(page)
    assert (table.skillbook.complete, table.skillbook.expected) == (False, {"rows": 1500})
    assert facets.skillbook.complete, facets.skillbook.reason


def test_an_interrupt_keeps_all_rows_that_were_scrolled_to(serve_html: Serve) -> None:
    script = """const box = document.querySelector('#box'), list = document.querySelector('ul');
      const draw = () => { const first = Math.floor(box.scrollTop / 20); list.style.paddingTop = first * 20 + 'px';
        list.innerHTML = Array.from({length: Math.min(15, 600 - first)}, (_, i) => first + i)
          .map((n) => `<li style="height:20px"><b>Name ${n}</b> <i>City ${n}</i></li>`).join(''); };
      box.onscroll = draw; draw();"""
    page = serve_html(
        "<h1>X</h1><div id=box style='height:200px;overflow:auto'><ul style='margin:0;height:12000px;"
        f"box-sizing:border-box;list-style:none'></ul></div><script>{script}</script>"
    )

    def interrupt(screens: int, count: int) -> None:
        if count > 100 and not interrupted.is_set():
            interrupted.set()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    interrupted = threading.Event()
    with pytest.raises(KeyboardInterrupt) as error:
        sb.extract(page, scroll=True, progress=interrupt)
    frame = error.value.frame  # type: ignore[attr-defined]
    assert len(frame) > 100
    assert frame.iloc[:, 0].tolist() == [f"Name {n}" for n in range(len(frame))]
    assert f"{len(frame)} rows" in frame.skillbook.reason
    kept = sb.recover(frame.skillbook.run)
    assert not kept.skillbook.complete, kept.skillbook.reason
    assert len(kept) >= len(frame)
    assert f"{len(kept)} rows" in kept.skillbook.reason


def test_labels_of_controls_are_values_where_they_tell_items_apart(read_html: Serve) -> None:
    names = [("Milk", "2 l"), ("Bread", "1 loaf"), ("Eggs", "12")]
    tasks = "".join(
        f"<li><label><input type=checkbox {'checked' * (name == 'Bread')}> {name}</label> <i>{amount}</i></li>"
        for name, amount in names
    )
    amounts = "".join(f"<li><b>{name}</b> <input aria-label='Amount of {name}' value={n}></li>"
                      for n, (name, _) in enumerate(names))  # fmt: skip
    page = read_html(f"<ul aria-label=Shopping>{tasks}</ul><ul aria-label=Basket>{amounts}</ul>")
    shopping, basket = sb.tables(page)
    assert shopping["label"].tolist() == ["Milk", "Bread", "Eggs"]
    assert shopping["checkbox"].tolist() == [False, True, False]
    assert basket.columns.tolist() == ["text", "Amount of"]
    assert basket["Amount of"].tolist() == [0, 1, 2]


BOARD = (("To do", 3), ("Doing", 2), ("Done", 4))


def board(section: str, card: str) -> str:
    return "".join(
        section.format(name=name, cards="".join(card.format(name=name, n=n) for n in range(count)))
        for name, count in BOARD
    )


TASK = "<div class=card><b>{name} {n}</b><div>Ann</div></div>"
UNDER_HEADINGS = {
    "columns": "<section><h2>{name}</h2><span class=badge>3</span><div class=col>{cards}</div></section>",
    "one column": "<h2>{name}</h2>{cards}",
    "columns under texts": "<section><div class=head>{name}</div><div class=col>{cards}</div></section>",
    "one column with lines between": "<div class=day>{name}</div>{cards}",
}


@pytest.mark.parametrize("case", UNDER_HEADINGS)
def test_cards_under_headings_say_which_they_stand_under(read_html: Serve, case: str) -> None:
    style = "<style>main:has(section) { display: flex }</style>"
    page = read_html(f"<h1>Board</h1>{style}<main>{board(UNDER_HEADINGS[case], TASK)}</main>")
    wanted = [(name, f"{name} {n}", "Ann") for name, count in BOARD for n in range(count)]
    for frame in (sb.extract(page), sb.tables(page)[0]):
        assert list(frame.itertuples(index=False, name=None)) == wanted
        assert frame.columns[0] == "group"
        assert frame.skillbook.complete


def test_cards_of_one_heading_on_a_later_page_say_it_too(serve_html: Serve) -> None:
    page = serve_html(
        f"<h1>Board</h1><main id=all>{board(UNDER_HEADINGS['one column'], TASK)}</main><button>Next</button>"
        "<script>document.querySelector('button').onclick = event => { event.target.remove(); all.innerHTML = "
        f"""`<h2>Later</h2>{"".join(TASK.format(name="Later", n=n) for n in range(3))}` }}</script>"""
    )
    frame = sb.extract(page, next=True)
    assert frame["group"].tolist()[-4:] == ["Done", "Later", "Later", "Later"]
    assert len(frame) == 12


ALIKE = {
    "lists": "<h2>{name}</h2><ul>{cards}</ul>",
    "tables": "<h2>{name}</h2><table><tr><th>Task<th>Who</tr>{cards}</table>",
}
LINES = {
    "lists": "<li><a href=#>{name} {n}</a> <span class=who>Ann</span>",
    "tables": "<tr><td>{name} {n}<td>Ann",
}


@pytest.mark.parametrize("case", ALIKE)
def test_a_list_of_several_alike_is_not_all(read_html: Serve, case: str) -> None:
    sections = (("To do", 3), ("Doing", 5), ("Done", 4))
    html = "".join(
        ALIKE[case].format(name=name, cards="".join(LINES[case].format(name=name, n=n) for n in range(count)))
        for name, count in sections
    )
    page = read_html(f"<h1>Board</h1><main>{html}</main>")
    frame = sb.extract(page)
    assert (len(frame), frame.skillbook.complete) == (5, False)
    assert f"2 more {case} like it under other headings (" in frame.skillbook.reason
    assert sb.extract(page, within="Done").skillbook.complete
    assert [len(each) for each in sb.tables(page)] in ([3, 5, 4], [5, 4, 3])


@pytest.mark.parametrize("day", ["<li>{name}", "<li class=day><b>{name}</b>"])
def test_items_that_only_say_what_the_next_ones_are_of_are_no_rows(read_html: Serve, day: str) -> None:
    page = read_html(f"<h1>Days</h1><main><ul>{board(day + '{cards}', LINES['lists'])}</ul></main>")
    wanted = [(name, f"{name} {n}", "Ann") for name, count in BOARD for n in range(count)]
    for frame in (sb.extract(page), sb.tables(page)[0]):
        assert list(frame.itertuples(index=False, name=None)) == wanted
        assert list(frame.columns) == ["group", "title", "who"]


HEADERS = {
    "blocks": "<div class='row header'><div>Name</div><div>City</div></div>"
    "<div class='row odd'><div>Ann</div><div>Rom</div></div><div class=row><div>Ben</div><div>Bonn</div></div>",
    "row": "<table><tr class=header><td>Name<td>City</tr><tr><td>Ann<td>Rom</tr><tr><td>Ben<td>Bonn</tr></table>",
    "cells": "<table><tr><td class=t-head>Name<td class=t-head>City</tr><tr><td>Ann<td>Rom</tr>"
    "<tr><td>Ben<td>Bonn</tr></table>",
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_first_line_that_is_called_a_header_is_no_row(read_html: Serve, case: str) -> None:
    (frame,) = sb.tables(read_html(f"<h1>X</h1><main><div>{HEADERS[case]}</div></main>"))
    assert frame.to_dict("list") == {"Name": ["Ann", "Ben"], "City": ["Rom", "Bonn"]}


def test_a_header_that_chooses_all_rows_names_what_stands_below_it(read_html: Serve) -> None:
    def row(kind: str, *texts: str) -> str:
        cells = "".join(f"<div class=cell><div class=inner>{text}</div></div>" for text in texts)
        return f"<div class='row {kind}'><div class=cell><input type=checkbox></div>{cells}</div>"

    html = row("row-header", "", "<b>Name</b><i tabindex=0>▾</i>", "<b>Pay</b><i tabindex=0>▾</i>")
    html += "".join(row("", str(n), name, f"{n}000") for n, name in enumerate(("Ann", "Ben", "Cy"), 1))
    style = "<style>.row {display: flex} .cell {width: 90px}</style>"
    (frame,) = sb.tables(read_html(f"{style}<h1>Staff</h1><main><div>{html}</div></main>"))
    assert frame["Name"].tolist() == ["Ann", "Ben", "Cy"]
    assert frame["Pay"].tolist() == [1000, 2000, 3000]
    assert len(frame.columns) == 4
    assert frame.skillbook.complete

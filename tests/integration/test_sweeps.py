"""Rows for each option of a list."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError, NoMatch
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
PAGE = """<meta charset=utf-8><h1>Orders</h1>{control}
<table><thead><tr><th>Who<th>Sum</thead><tbody id=body></tbody></table>
<nav class=pagination><button id=next>Next</button></nav>
<script>
const ROWS = {{2021: 3, 2022: 7, 2023: 2, 2024: 0}};
let year = '2023', at = 0;
function show() {{
  const count = year ? ROWS[year] : 0;
  body.innerHTML = Array.from({{length: Math.min(3, count - at * 3)}}, (_, i) => at * 3 + i)
    .map(n => `<tr><td>${{year}} no ${{n}}<td>€${{n}}.50`).join('');
  next.disabled = (at + 1) * 3 >= count;
}}
function choose(value) {{
  if ({ignored}) return;
  year = value; at = 0;
  setTimeout(show, {delay});
}}
next.onclick = () => {{ at++; show(); }};
show();
</script>"""
SELECT = """<label>Year <select onchange="choose(this.value)"><option value="">All years<option>2021<option>2022
<option selected>2023<option disabled>2020<option>2024</select></label>"""
CUSTOM = """<div role=combobox tabindex=0 aria-label=Year aria-expanded=false aria-controls=options id=year>2023</div>
<div role=listbox id=options hidden><div role=option>2021</div><div role=option>2022</div></div>
<script>
year_box = document.querySelector('#year'); list = document.querySelector('#options');
year_box.onclick = () => { list.hidden = false; year_box.setAttribute('aria-expanded', true); };
list.onclick = (event) => {
  year_box.textContent = event.target.textContent; list.hidden = true; year_box.setAttribute('aria-expanded', false);
  choose(event.target.textContent);
};
</script>"""


def page_of(control: str = SELECT, ignored: str = "false", delay: int = 300) -> str:
    return PAGE.format(control=control, ignored=ignored, delay=delay)


def wanted(*years: tuple[str, int]) -> list[list[object]]:
    return [[int(year), f"{year} no {n}", n + 0.5] for year, count in years for n in range(count)]


def test_each_option_of_a_list_is_chosen_and_read(serve_html: Serve) -> None:
    frame = sb.extract(serve_html(page_of()), next=True, for_each="combobox 'Year'", wait=2)
    assert frame.columns.tolist() == ["Year", "Who", "Sum"]
    assert frame.to_numpy().tolist() == wanted(("2021", 3), ("2022", 7), ("2023", 2))
    known = frame.skillbook
    assert known.complete, known.reason
    assert known.reason == "read 5 pages, 12 rows; 4 options of 'Year'"
    assert known.notes == ('left out the option "All years"', "no rows for '2024'")
    assert known.source(4, "Year").text == "2022"
    assert known.source(4, "Year").selector == "combobox 'Year'"
    again = sb.recover(known.run)
    assert again.to_numpy().tolist() == frame.to_numpy().tolist()


@pytest.mark.parametrize("control", [SELECT, CUSTOM], ids=["native", "custom"])
def test_the_options_may_be_named(serve_html: Serve, control: str) -> None:
    page = serve_html(page_of(control))
    frame = sb.extract(page, ["Who"], next=True, for_each={"combobox 'Year'": ["2022", "2021"]})
    assert frame.columns.tolist() == ["Year", "Who"]
    assert frame["Who"].tolist() == [line[1] for line in wanted(("2022", 7), ("2021", 3))]
    assert frame.skillbook.complete, frame.skillbook.reason


def test_a_list_that_the_rows_do_not_follow_makes_the_frame_incomplete(serve_html: Serve) -> None:
    with pytest.warns(
        IncompleteFrame, match="for '2022' the page shows the same rows as before it was chosen"
    ):
        frame = sb.extract(
            serve_html(page_of(ignored="value === '2022'")), for_each={"combobox": ["2021", "2022"]}, wait=2
        )
    assert not frame.skillbook.complete


def test_what_is_missing_for_an_option_is_said(serve_html: Serve) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteFrame)
        frame = sb.extract(serve_html(page_of()), for_each="combobox 'Year'", wait=2)
    assert len(frame) == 8
    assert "for '2022': read 1 page, 3 rows; the page has a way to the next one" in frame.skillbook.reason
    assert "for '2021'" not in frame.skillbook.reason


@pytest.mark.parametrize(
    ("control", "for_each", "error", "says"),
    [
        (SELECT, "combobox 'Month'", NoMatch, "Month"),
        (SELECT, "button 'Next'", ExtractionError, "is a button"),
        (SELECT, {}, ExtractionError, "one list"),
        (CUSTOM, "combobox 'Year'", ExtractionError, "until it is opened"),
    ],
)
def test_what_can_not_be_gone_through_says_why(
    read_html: Serve, control: str, for_each: object, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        sb.extract(read_html(page_of(control)), for_each=for_each)  # type: ignore[call-overload]


def test_a_recording_is_not_given_a_step_that_reads_less(serve_html: Serve) -> None:
    page = serve_html(page_of())
    with sb.recording(page), pytest.raises(ExtractionError, match="a recorded step can't have for_each"):
        sb.extract(page, for_each="combobox 'Year'")


VIRTUAL = """<meta charset=utf-8>{control}
<div id=box role=grid aria-label=Orders style="height: 200px; overflow: auto; position: relative">
<div role=row style="position: sticky; top: 0"><b role=columnheader>Who</b><b role=columnheader>Sum</b></div>
<div id=room style="position: relative"></div></div>
<script>
const ROWS = {{2021: 60, 2022: 25, 2023: 90}};
let year = '2023';
function draw() {{
  const count = ROWS[year], first = Math.max(0, Math.floor(box.scrollTop / 20) - 2);
  room.style.height = `${{20 * count}}px`;
  room.innerHTML = Array.from({{length: Math.min(14, count - first)}}, (_, i) => first + i)
    .map(n => `<div role=row style="position: absolute; top: ${{20 * n}}px">
      <span role=gridcell>${{year}} no ${{n}}</span> <span role=gridcell>€${{n}}.50</span></div>`).join('');
}}
function choose(value) {{ year = value; setTimeout(() => {{ {back} draw(); }}, 200); }}
box.onscroll = draw;
draw();
</script>"""
YEARS = """<label>Year <select onchange="choose(this.value)"><option>2021<option>2022
<option selected>2023</select></label>"""


@pytest.mark.parametrize("back", ["box.scrollTop = 0;", ""])
def test_a_list_is_scrolled_for_each_option(serve_html: Serve, back: str) -> None:
    page = serve_html(VIRTUAL.format(control=YEARS, back=back))
    frame = sb.extract(page, scroll=True, for_each="combobox 'Year'")
    assert frame.to_numpy().tolist() == wanted(("2021", 60), ("2022", 25), ("2023", 90))
    assert frame.skillbook.complete, frame.skillbook.reason


def linked(tmp_path: Path) -> str:
    """The page of orders, whose names are links to pages of their own."""
    for year, count in {"2021": 3, "2022": 7, "2023": 2}.items():
        for n in range(count):
            weight = "" if (year, n) == ("2022", 4) else f"<dl><dt>Weight<dd>{n} kg</dl>"
            name = tmp_path / f"{year}-{n}.html"
            name.write_text(
                f"<title>{year}</title><main><h1>{year} no {n}</h1>{weight}</main>", encoding="utf-8"
            )
    return page_of().replace(
        "<td>${year} no ${n}<td>", "<td><a href='/${year}-${n}.html'>${year} no ${n}</a><td>"
    )


def test_pages_behind_the_rows_of_each_option(serve_html: Serve, tmp_path: Path) -> None:
    frame = sb.extract(
        serve_html(linked(tmp_path)),
        next=True,
        for_each="combobox 'Year'",
        details={"weight": "Weight", "name": "heading"},
        wait=2,
    )
    assert frame.columns.tolist() == ["Year", "Who", "Sum", "weight", "name"]
    rows = wanted(("2021", 3), ("2022", 7), ("2023", 2))
    assert frame[["Year", "Who", "Sum"]].to_numpy().tolist() == rows
    assert frame["name"].tolist() == [row[1] for row in rows]
    weights = [f"{str(row[1])[-1]} kg" if row[1] != "2022 no 4" else "" for row in rows]
    assert frame.skillbook.raw["weight"].fillna("").tolist() == weights
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.skillbook.source(4, "weight").url.endswith("/2022-1.html")


def test_pages_behind_rows_that_are_scrolled_to_for_each_option(serve_html: Serve, tmp_path: Path) -> None:
    for year, count in {"2021": 60, "2022": 25, "2023": 90}.items():
        for n in range(count):
            text = f"<title>{n}</title><main><h1>{year}/{n}</h1></main>"
            (tmp_path / f"{year}-{n}.html").write_text(text, encoding="utf-8")
    html = VIRTUAL.format(control=YEARS, back="box.scrollTop = 0;").replace(
        ">${year} no ${n}</span>", "><a href='/${year}-${n}.html'>${year} no ${n}</a></span>"
    )
    for_each = {"combobox 'Year'": ["2022"]}
    frame = sb.extract(serve_html(html), scroll=True, for_each=for_each, details={"name": "heading"})
    assert frame["name"].tolist() == [f"2022/{n}" for n in range(25)]
    assert frame.skillbook.complete, frame.skillbook.reason

"""Rows for each option of a list."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError, NoMatch
from skillbook.extraction.completeness import IncompleteFrame
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
    frame = sb.extract(serve_html(page_of()), next=True, for_each="combobox 'Year'")
    assert frame.columns.tolist() == ["Year", "Who", "Sum"]
    assert frame.to_numpy().tolist() == wanted(("2021", 3), ("2022", 7), ("2023", 2))
    known = frame.skillbook
    assert known.complete, known.reason
    assert known.reason == "read 5 pages, 12 rows; 4 options of 'Year'"
    assert known.notes == ('left out the option "All years"', "no rows for '2024'")
    assert known.source(4, "Year").text == "2022"
    assert known.source(4, "Year").selector == ""
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
            serve_html(page_of(ignored="value === '2022'")), for_each={"combobox": ["2021", "2022"]}
        )
    assert not frame.skillbook.complete


def test_what_is_missing_for_an_option_is_said(serve_html: Serve) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteFrame)
        frame = sb.extract(serve_html(page_of()), for_each="combobox 'Year'")
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
    serve_html: Serve, control: str, for_each: object, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        sb.extract(serve_html(page_of(control)), for_each=for_each)  # type: ignore[call-overload]


def test_a_recording_is_not_given_a_step_that_reads_less(serve_html: Serve) -> None:
    page = serve_html(page_of())
    with sb.recording(page), pytest.raises(ExtractionError, match="a recorded step can't have for_each"):
        sb.extract(page, for_each="combobox 'Year'")

"""Pages to DataFrames in a real browser."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable
from decimal import Decimal

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import ExtractionError, StaleRef
from skillbook.session.sync import Page
from skillbook.testing.site import Site

OPERATIONS = "64ac2886475729c4265fc71e9847fd5845da44890608684b38dd40bf0085a643"

Serve = Callable[[str], Page]


def checksum(frame: pd.DataFrame) -> str:
    """The sha256 of a frame as CSV with folded whitespace."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows([" ".join(str(cell).split()) for cell in row] for row in frame.itertuples(index=False))
    return hashlib.sha256(out.getvalue().encode()).hexdigest()


@pytest.mark.gym
def test_swagger_operations(swagger: Site, open_page: Serve) -> None:
    page = open_page(swagger.url)
    page.wait_for(text="Get the Jupyter Server version")
    frame = sb.extract(page, {"method": "text nth 1", "path": "link", "summary": "text nth 3"}, within="main")
    assert len(frame) == 31
    assert checksum(frame.sort_values(["method", "path"])) == OPERATIONS
    source = frame.skillbook.source(0, "path")
    assert source.ref in page.snapshot()
    assert any(len(table) == 31 for table in sb.tables(page))


TABLE = "<h2>Stock</h2><table><thead><tr><th>Part<th>Price<th>Since<th>On</thead>" + "".join(
    f"<tr><td><a href='/p/{n}'>Part {n}</a><td>${n},000.50<td>2024-01-0{n}"
    f"<td><input type=checkbox {'checked' * (n % 2)}>"
    for n in range(1, 8)
)


def test_a_table_is_typed_and_knows_its_cells(serve_html: Serve) -> None:
    page = serve_html(TABLE)
    frame = sb.tables(page)[0]
    assert frame.columns.tolist() == ["Part", "Price", "Since", "On"]
    assert frame["Price"].tolist()[:2] == [1000.5, 2000.5]
    assert frame["Since"].dtype.kind == "M"
    assert frame["On"].tolist() == [n % 2 == 1 for n in range(1, 8)]
    assert frame.skillbook.name == "Stock"
    assert frame.skillbook.source(2, "Part").text == "Part 3"
    frame.skillbook.highlight(2, "Part")
    links = sb.extract(page, {"part": "link", "url": "link@href"})
    assert links["url"].str.endswith("/p/1")[0]
    page.goto(page.url + "?again")
    page.snapshot()
    with pytest.raises(StaleRef):
        frame.skillbook.highlight(2, "Part")


PAGED = """<meta charset=utf-8>
<ul id=list></ul><nav class=pagination><a href='#' id=prev>Previous</a><a href='#' id=next>Next</a></nav>
<script>
let at = 0;
function show() {
  list.innerHTML = Array.from({length: 4}, (_, i) => at * 4 + i).filter(n => n < 10)
    .map(n => `<li><b>Item ${n}</b><p class=price>€${n}.50</p>`).join('');
  next.toggleAttribute('hidden', at === 2);
}
next.onclick = event => { event.preventDefault(); setTimeout(() => { at++; show(); }, 150); };
show();
</script>
"""


def test_following_pages_that_load_late(serve_html: Serve) -> None:
    seen: list[tuple[int, int]] = []
    frame = sb.extract(serve_html(PAGED), next=True, progress=lambda pages, rows: seen.append((pages, rows)))
    assert seen == [(1, 4), (2, 8), (3, 10)]
    assert frame["price"].tolist() == [n + 0.5 for n in range(10)]


ENDLESS = """<meta charset=utf-8>
<style>li { height: 200px }</style><ul id=list></ul>
<script>
let count = 0;
function add() {
  for (let i = 0; i < 10 && count < 35; i++)
    list.insertAdjacentHTML('beforeend', `<li><b>Row ${count}</b><p>Text ${count++}</p>`);
}
onscroll = () => { if (innerHeight + scrollY > document.body.scrollHeight - 50) setTimeout(add, 100); };
add();
</script>
"""


def test_scrolling_to_the_end_of_a_list(serve_html: Serve) -> None:
    frame = sb.extract(serve_html(ENDLESS), scroll=True)
    assert len(frame) == 35
    assert frame.iloc[34].tolist() == ["Row 34", "Text 34"]


def test_a_page_read_again_gives_the_same_text(read_html: Serve) -> None:
    page = read_html(TABLE)
    first, second = page.snapshot(), page.snapshot()
    assert first.text(None) == second.text(None)
    assert second.diff(first).empty


async def test_the_awaitable_twin(read_html: Serve) -> None:
    page = read_html(TABLE)
    twin = sb.aio.Page(page.browser, page.driver)  # type: ignore[arg-type]
    frames = await sb.tables(twin)
    assert len(frames[0]) == 7


TYPES = """<meta charset=utf-8><table><tr><th>Part</th><th>Team <button aria-label='Filter Team'>▾</button></th>
<th>City <i class="fa">&#xf0b0;</i></th><th>Since ▲</th><th>Sum<th>Active<th>Paid</tr>
<tr><td>Nut<td>Red<td>Rome<td>2024-01-02<td>86.30<td><input type=checkbox aria-label='Select row' checked>
<td><label><input type=checkbox> yes</label></tr>
<tr><td>Bolt<td><td>Oslo<td><td>5.10<td><input type=checkbox aria-label='Select row'>
<td><label><input type=checkbox checked> yes</label></tr></table>"""


def test_fault_45_heads_with_icons_check_boxes_and_decimals(read_html: Serve) -> None:
    frame = sb.extract(read_html(TYPES), types={"Sum": Decimal})
    assert frame.columns.tolist() == ["Part", "Team", "City", "Since", "Sum", "Active", "Paid"]
    assert [str(value) for value in frame["Sum"]] == ["86.30", "5.10"]
    assert frame["Active"].tolist() == [True, False]
    assert frame["Paid"].tolist() == [False, True]
    assert frame["Active"].dtype == "bool"
    assert frame["Since"].dtype.kind == "M"
    assert frame.skillbook.raw.iloc[0].tolist()[4] == "86.30"


FLAGS = """<table><tr><th>Room<th>Free<th>Heated<th>Pets<th>Lift<th>Wash
<tr><td>A<td>yes<td>x<td>&#x2713;<td><input type=checkbox checked><td><img alt=yes src=y.png>
<tr><td>B<td>no<td><td>&#x2717;<td><input type=checkbox><td><img alt=no src=n.png>
<tr><td>C<td>&ndash;<td>no<td>&#x2713;<td><input type=checkbox><td><img alt=yes src=y.png></table>"""


def test_columns_that_a_caller_wants_as_booleans(read_html: Serve) -> None:
    page = read_html(FLAGS)
    frame = sb.extract(page, types=dict.fromkeys(["Free", "Pets", "Lift", "Wash"], bool))
    assert frame["Free"].tolist() == [True, False, pd.NA]
    assert frame["Free"].dtype == "boolean"
    assert [frame[name].tolist() for name in ("Pets", "Lift", "Wash")] == [
        [True, False, True],
        [True, False, False],
        [True, False, True],
    ]
    assert frame["Pets"].dtype == "bool"
    rules = frame.skillbook.rules
    assert rules["Free"] == "'yes' is true, 'no' is false; '–' is blank"
    assert rules["Pets"] == "'✓' is true, '✗' is false"
    assert frame.skillbook.raw["Free"].tolist() == ["yes", "no", "–"]
    assert frame.skillbook.complete
    renamed = frame.rename(columns={"Free": "Empty"})
    assert renamed.skillbook.complete
    assert renamed.skillbook.rules["Empty"] == rules["Free"]


def test_what_is_no_boolean_is_refused_where_a_caller_wants_one(read_html: Serve) -> None:
    page = read_html(FLAGS)
    with pytest.raises(ExtractionError, match="'Heated' can't be booleans: row 0 says 'x'"):
        sb.extract(page, types={"Heated": bool})
    with pytest.raises(ExtractionError, match="Empty"):
        sb.extract(page, types={"Empty": bool})
    assert sb.extract(page)["Heated"].tolist()[0] == "x"


def test_numbers_and_dates_are_read_by_the_pages_language(read_html: Serve) -> None:
    rows = "".join(
        f"<tr><td>Teil {n}<td>{n}.{n}00 &euro;<td>0{n}/04/2021" for n in range(1, 4)
    )  # fmt: skip
    page = read_html(
        f"<!doctype html><html lang=de-AT><title>Lager</title><table><tr><th>Teil<th>Preis<th>Seit{rows}</table>"
    )
    assert page.snapshot().main.lang == page.snapshot(engine="cdp").main.lang == "de-AT"
    frame = sb.tables(page)[0]
    assert frame["Preis"].tolist() == [1100.0, 2200.0, 3300.0]
    assert frame["Seit"].tolist() == [pd.Timestamp(2021, 4, day) for day in (1, 2, 3)]
    assert frame.skillbook.rules["Preis"] == "decimal comma: the page's language is German (Austria)"
    extracted = sb.extract(page)
    pd.testing.assert_frame_equal(sb.recover(extracted.skillbook.run), extracted)

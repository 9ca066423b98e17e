"""Where cells came from, on real pages: by selector and by screenshot."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError, StaleRef
from skillbook.extraction.frames.crops import Crop
from skillbook.session.sync import Browser, Page

Serve = Callable[[str], Page]
PARTS = "<meta charset=utf-8><h2>Stock</h2><table><thead><tr><th>Part<th>Price<th>On</thead>" + "".join(
    f"<tr><td><a href='/p/{n}'>Part {n}</a><td id=p{n}>€{n % 3}.50<td><input type=checkbox {'checked' * (n % 2)}>"
    for n in range(40)
)
TURNED = """<h1>Parts</h1><table><thead><tr><th>Part<th>Color</thead><tbody id=body>
<tr><td><td><tr><td><td></table><nav class=pagination><button id=next>Next</button></nav>
<script>
let at = 0;
function show() {
  [...body.rows].forEach((row, i) => {
    row.cells[0].textContent = `Part ${at * 2 + i}`;
    row.cells[1].textContent = ['red', 'lime', 'blue'][at];
    row.style.background = row.cells[1].textContent;
    row.style.color = 'transparent';
  });
  next.disabled = at === 2;
}
next.onclick = () => { at++; show(); };
show();
</script>"""


def size_of(crop: Crop) -> tuple[int, int]:
    assert crop.data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", crop.data[16:24])
    return width, height


def test_every_cell_has_a_selector_that_names_it(serve_html: Serve) -> None:
    page = serve_html(PARTS)
    frame = sb.extract(page)
    sources = frame.skillbook.provenance()
    snapshot = page.snapshot()
    assert len(sources) == 120
    for ref, selector in zip(sources["ref"], sources["selector"], strict=True):
        assert [node.ref for node in snapshot.find_all(selector)] == [ref]
    assert page.get("text", frame.skillbook.source(7, "Price").selector) == "€1.50"


def test_a_cell_is_shown_as_long_as_it_says_the_same(serve_html: Serve, browser: Browser) -> None:
    page = serve_html(PARTS)
    frame = sb.extract(page)
    crop = frame.skillbook.crop(35, "Price")  # further down than the window shows
    box = page.snapshot()[crop.source.ref].box
    scale = size_of(crop)[0] / box.width
    assert scale == pytest.approx(round(scale), abs=0.1)
    assert not crop.is_row
    frame.skillbook.crop(3, "On")
    page.evaluate("p35.textContent = '€7.00'")
    with pytest.raises(ExtractionError, match=r"says '€7.00' now"):
        frame.skillbook.crop(35, "Price")
    page.evaluate("document.querySelectorAll('input')[3].click()")
    with pytest.raises(ExtractionError, match="now"):
        frame.skillbook.crop(3, "On")
    page.evaluate("p34.closest('tr').remove()")
    with pytest.raises(StaleRef):
        frame.skillbook.crop(34, "Price")
    merged = frame.skillbook.with_sources().merge(frame[["Part"]].assign(Sold=1), on="Part").iloc[::-1]
    assert merged.skillbook.crop(3, "Part").source.text == "Part 3"
    page.goto(page.url + "?again")
    with pytest.raises(StaleRef):
        frame.skillbook.crop(3, "Part")


def test_rows_are_kept_as_they_were_when_they_were_read(serve_html: Serve) -> None:
    """Each page's rows stand in the same elements, with another color."""
    page = serve_html(TURNED)
    frame = sb.extract(page, next=True, crops=True)
    assert frame["Part"].tolist() == [f"Part {n}" for n in range(6)]
    crops = [frame.skillbook.crop(n, "Color") for n in range(6)]
    assert all(crop.is_row and size_of(crop)[0] > 20 for crop in crops)
    assert len({crop.data for crop in crops}) >= 3
    for n in (0, 2, 4):
        assert crops[n].data != crops[(n + 2) % 6].data
    with pytest.raises(ExtractionError, match="scroll"):
        sb.extract(page, scroll=True, crops=True)

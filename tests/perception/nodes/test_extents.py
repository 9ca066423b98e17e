from __future__ import annotations

import pytest

from skillbook.perception.collections import Collection, find_collections
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import summarize
from tests.trees import snapshot, tree

ROW = 40
SEEN = 400


def rows(first: int, count: int, top: int = 0, heights: int = ROW) -> str:
    said = []
    for n in range(first, first + count):
        y = top + (n - first) * heights
        said.append(
            f'    listitem box=0,{y},300,{heights}\n      link "Item {n}" + box=0,{y},90,20\n'
            f'      "by Ann" box=100,{y},90,20'
        )
    return "\n".join(said)


def scroller(inner: str, start: int, height: int, above: int, box: str = f"0,0,300,{SEEN}") -> str:
    return f"main\n  list box={box} scroll={start},{height},{above},{SEEN}\n{inner}"


def only(page: Snapshot) -> Collection:
    (found,) = find_collections(page)
    return found


def test_rows_at_the_top_of_a_tall_spacer() -> None:
    found = only(snapshot(scroller(rows(1, 12), 0, 1000 * ROW, 0)))
    assert (found.count, found.total, found.estimated) == (12, 1000, True)
    assert "12 of about 1,000" in repr(found)


def test_rows_in_the_middle() -> None:
    found = only(snapshot(scroller(rows(501, 16, top=-80), -20_080, 1000 * ROW, 20_080)))
    assert (found.total, found.estimated) == (1000, True)


@pytest.mark.parametrize("missing", [1, 4])
def test_a_list_a_little_longer_than_what_it_renders(missing: int) -> None:
    found = only(snapshot(scroller(rows(1, 12), 0, (12 + missing) * ROW, 0)))
    assert (found.count, found.total, found.estimated) == (12, 12 + missing, True)


def test_what_scrolls_holds_nothing_else() -> None:
    inner = "\n".join("  " + line for line in rows(1, 12).split("\n"))
    text = f"main\n  generic box=0,0,300,480 scroll=0,40000,0,{SEEN}\n    list box=0,0,300,480\n{inner}"
    assert only(snapshot(text)).total == 1000


def test_rows_of_different_height_are_counted_to_two_digits() -> None:
    lines = rows(1, 12).replace(f"box=0,{5 * ROW},", f"box=0,{5 * ROW + 9},")
    assert only(snapshot(scroller(lines, 0, 123_456, 0))).total == 3100


def test_the_text_and_the_summary_tell_it() -> None:
    page = snapshot(scroller(rows(1, 12), 0, 1000 * ROW, 0))
    assert "… 12 of about 1,000: scroll for others" in page.text()
    assert "12 of about 1,000" in page.text(budget=300)
    (listed,) = summarize(page).collections
    assert (listed.count, listed.estimated) == (1000, True)
    assert "about 1,000 ×" in summarize(page).text()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(scroller(rows(1, 25), 0, 25 * ROW, 0), id="every row is there"),
        pytest.param(scroller(rows(1, 12), 0, 12 * ROW + 300, 0), id="room at the end"),
        pytest.param(scroller(rows(1, 12), 0, 12 * ROW + 16, 0), id="less than a row at the end"),
        pytest.param(scroller(rows(1, 5), 0, 4000, 0), id="rows end in the middle of what is seen"),
        pytest.param(
            scroller(rows(1, 12) + '\n    img "Map" box=0,480,300,1520', 0, 2000, 0), id="something below"
        ),
    ],
)
def test_lists_that_have_all_their_rows(text: str) -> None:
    page = snapshot(text)
    found = only(page)
    assert (found.total, found.estimated) == (found.count, False)
    assert "about" not in page.text()


def test_a_page_that_is_itself_the_list() -> None:
    wire = tree("main\n  list box=0,0,300,40000\n" + rows(1, 20))
    wire["size"] = [1280, 1000 * ROW]
    assert only(Snapshot.from_wire({"documents": [wire]})).total == 1000


def test_a_short_list_beside_a_long_article() -> None:
    wire = tree(
        "main\n  list box=0,0,300,40000\n"
        + rows(1, 20)
        + '\n  "Long" box=400,0,600,39000\n  "End" box=400,39100,9,9'
    )
    wire["size"] = [1280, 1000 * ROW]
    found = only(Snapshot.from_wire({"documents": [wire]}))
    assert not found.estimated


def test_the_number_that_the_page_tells_counts() -> None:
    lines = rows(1, 12).replace("listitem", "listitem setsize=77")
    found = only(snapshot(scroller(lines, 0, 1000 * ROW, 0)))
    assert (found.total, found.estimated) == (77, False)
    assert "… 12 of 77" in snapshot(scroller(lines, 0, 1000 * ROW, 0)).text()

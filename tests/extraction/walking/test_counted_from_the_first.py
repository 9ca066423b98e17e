"""Rows are counted from the list's first: pages before, pages in between, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.extraction.driver import extract_frame
from skillbook.extraction.page_tables import read_tables
from tests.trees import snapshot


def table(first: int, *after: str, above: str = "") -> str:
    """A table of three rows, and what stands below it."""
    rows = "".join(
        f'    row\n      cell\n        "Part {n}"\n      cell\n        "{n}"\n'
        for n in range(first, first + 3)
    )
    heads = '    row\n      columnheader\n        "Name"\n      columnheader\n        "Size"\n'
    return f"main\n{above}  table\n{heads}{rows}" + "".join(f"  {line}\n" for line in after)


def numbers(current: int, *, last: int = 3, mark: bool = True, before: str = "", after: str = "") -> str:
    """A pager of links, whose current page is marked or is no link."""
    lines = ["list tag=ul.pagination"]
    lines += [f"  {before}"] if before else []
    for n in range(1, last + 1):
        here = f'link "{n}" + tag=a.active' if mark else f'"{n}"'
        lines.append(
            f"  {here}" if n == current else f'  link "{n}" + href="http://site.test/parts?page={n}"'
        )
    lines += [f"  {after}"] if after else []
    return "\n  ".join(lines)


PREVIOUS = 'link "Previous" + href=/before rel=prev'


@pytest.mark.parametrize(
    ("below", "says"),
    [
        pytest.param([numbers(3)], "it began with page 3", id="marked number"),
        pytest.param([numbers(3, mark=False)], "it began with page 3", id="number that is no link"),
        pytest.param(['paragraph "Page 3 of 3"'], "it began with page 3", id="page of pages"),
        pytest.param(['paragraph "7-9 of 9"'], "it began with row 7", id="range"),
        pytest.param(
            [f"list tag=ul.pagination\n    {PREVIOUS}"], "before which there are others", id="only a way back"
        ),
    ],
)
async def test_fault_81_a_list_that_is_open_at_its_last_page_is_not_complete(
    pages: Any, below: list[str], says: str
) -> None:
    frame = await extract_frame(pages(table(7, *below)))
    assert not frame.skillbook.complete
    assert says in frame.skillbook.reason
    (same,) = await read_tables(pages(table(7, *below)))
    assert not same.skillbook.complete, same.skillbook.reason


@pytest.mark.parametrize(
    "below",
    [
        [numbers(1, last=1)],
        ['paragraph "Page 1 of 1"'],
        ['paragraph "1-3 of 3"'],
        ['list tag=ul.pagination\n    link "Previous" + disabled\n    link "Next" + disabled'],
        ['link "Back" + href=/home'],
        ['button "Previous" +'],
    ],
)
async def test_a_whole_list_stays_complete(pages: Any, below: list[str]) -> None:
    frame = await extract_frame(pages(table(1, *below)))
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.parametrize("mark", [True, False])
async def test_fault_81_next_goes_back_to_the_first_page(pages: Any, mark: bool) -> None:
    texts = [table(3 * n - 2, numbers(n, mark=mark)) for n in (2, 1, 2, 3)]
    source = pages(*texts)
    frame = await extract_frame(source, next=True)
    assert list(frame["Size"]) == list(range(1, 10))
    assert frame.skillbook.complete, frame.skillbook.reason
    assert source.done[0] == ("click", source.pages[0].find("link '1'").ref)


async def test_fault_81_next_goes_back_page_by_page_where_the_first_has_no_link(pages: Any) -> None:
    def pager(before: bool, after: bool) -> str:
        off = (" disabled", "")
        return (
            f'list tag=ul.pagination\n    button "Previous" +{off[before]}\n    button "Next" +{off[after]}'
        )

    order = [(3, True, False), (2, True, True), (1, False, True), (2, True, True), (3, True, False)]
    texts = [table(3 * n - 2, pager(before, after)) for n, before, after in order]
    frame = await extract_frame(pages(*texts), next=True)
    assert list(frame["Size"]) == list(range(1, 10))
    assert frame.skillbook.complete, frame.skillbook.reason


async def test_a_way_back_that_leads_nowhere_is_that_of_the_first_page(pages: Any) -> None:
    pager = 'list tag=ul.pagination\n    button "Previous" +\n    button "Next" +'
    source = pages(table(1, pager), table(1, pager), table(4), same_document=True)
    frame = await extract_frame(source, next=True)
    assert list(frame["Size"]) == list(range(1, 7))
    assert frame.skillbook.complete, frame.skillbook.reason


async def test_fault_81_so_many_pages_are_read_from_the_one_that_is_open(pages: Any) -> None:
    source = pages(table(4, numbers(2)), table(7, numbers(3)))
    frame = await extract_frame(source, next=True, max_pages=2)
    assert list(frame["Size"]) == list(range(4, 10))
    assert not frame.skillbook.complete
    assert "it began with page 2" in frame.skillbook.reason


@pytest.mark.parametrize("mark", [True, False])
async def test_fault_82_the_number_after_the_current_one_wins_over_an_arrow(pages: Any, mark: bool) -> None:
    arrow = 'link ">" + href="http://site.test/parts?page=6"'
    source = pages(table(1, numbers(1, mark=mark, after=arrow)), table(4, numbers(2, mark=mark)), table(7))
    await extract_frame(source, next=True)
    assert source.done[0] == ("click", source.pages[0].find("link '2'").ref)


async def test_fault_82_a_jump_in_the_address_is_seen(pages: Any) -> None:
    source = pages(table(1), table(4))
    for at, page in enumerate((1, 6)):
        text = table(3 * at + 1, 'link "Next page" + href="/parts?page=6"' if page == 1 else "")
        source.pages[at] = snapshot(text, key=f"page{at}", url=f"http://site.test/parts?page={page}")
    frame = await extract_frame(source, next=True)
    assert not frame.skillbook.complete
    assert "4 pages in between were not read" in frame.skillbook.reason

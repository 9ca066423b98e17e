"""The way to the next page, and what says that there is one."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.extraction.driver import extract_frame
from skillbook.extraction.page_tables import read_tables


def table(first: int, *after: str, head: str = "Name") -> str:
    """A table of three rows, and what stands below it."""
    rows = "".join(
        f'    row\n      cell\n        "Part {n}"\n      cell\n        "{n}"\n'
        for n in range(first, first + 3)
    )
    heads = f'    row\n      columnheader\n        "{head}"\n      columnheader\n        "Size"\n'
    return f"main\n  table\n{heads}{rows}" + "".join(f"  {line}\n" for line in after)


def pager(current: int, *controls: str, last: int = 9) -> str:
    """A pager that marks its current page, with arrows behind the numbers."""
    numbers = "".join(
        f'    link "{n}"{" + " if n != current else " current=page "}tag=a.{"active" if n == current else "other"}\n'
        for n in range(1, last + 1)
    )
    return "list tag=ul.pagination\n" + numbers + "".join(f"    {control}\n" for control in controls)


@pytest.mark.parametrize(("next", "last"), [(">", "»"), ("›", ">>"), ("→", ">|")])
async def test_fault_43_the_arrow_to_the_last_page_is_not_the_way_to_the_next(
    pages: Any, next: str, last: str
) -> None:
    source = pages(
        table(1, pager(1, f'link "{next}" + href=/2', f'link "{last}" + href=/9', last=1)), table(4)
    )
    frame = await extract_frame(source, next=True)
    first = source.pages[0]
    assert source.done == [("click", first.find(f"link '{next}'").ref)]
    assert list(frame["Size"]) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "label",
    ["Load more (12 remaining)", "Load more [3/15]", "Show 12 more", "12 more results", "Mehr anzeigen (12)"],
)
async def test_a_control_that_counts_what_it_leads_to_leaves_a_list_incomplete(
    pages: Any, label: str
) -> None:
    (frame,) = await read_tables(pages(table(1, f'button "{label}" +')))
    assert not frame.skillbook.complete
    assert "a way to the next one" in frame.skillbook.reason


@pytest.mark.parametrize("label", ["Show more", "Show all 12 parts", "View all", "+8 more"])
async def test_a_control_that_stands_with_a_list_and_offers_more_leaves_it_incomplete(
    pages: Any, label: str
) -> None:
    for place in (table(1, f'button "{label}" +'), table(1, 'text "3 of 9"', f'link "{label}" + href=/all')):
        (frame,) = await read_tables(pages(place))
        assert frame.skillbook.reason.endswith(f'"{label}"'), frame.skillbook.reason


@pytest.mark.parametrize("between", ['text "About us: a text."', 'heading "Others"', 'text "-" in search'])
async def test_a_control_beyond_something_else_offers_nothing_of_the_list(pages: Any, between: str) -> None:
    lines = between.split(" in ")[:1]
    (frame,) = await read_tables(pages(table(1, *lines, 'button "Show more" +')))
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.parametrize(
    "label", ["loadMore(3)", "Settings (3)", "Show all 3 parts", "Show less", "Learn more"]
)
async def test_a_control_that_counts_no_rows_leaves_a_list_complete(pages: Any, label: str) -> None:
    (frame,) = await read_tables(pages(table(1, f'button "{label}" +')))
    assert frame.skillbook.complete


async def test_the_prompt_of_a_code_sample_is_no_arrow(pages: Any) -> None:
    source = pages(table(1, 'generic ">>>" +', 'link "next" + href=/2'), table(4))
    frame = await extract_frame(source, next=True)
    assert [command for command, _ in source.done] == ["click"]
    assert source.done[0][1] == source.pages[0].find("link 'next'").ref
    assert len(frame) == 6
    alone = pages(table(1, 'generic ">>>" +'), table(4))
    assert len(await extract_frame(alone, next=True)) == 3


async def test_a_double_arrow_alone_leads_to_the_next_page(pages: Any) -> None:
    frame = await extract_frame(pages(table(1, pager(1, 'link "»" + href=/2')), table(4)), next=True)
    assert len(frame) == 6


async def test_fault_43_a_way_that_leaves_pages_out_says_so(pages: Any) -> None:
    source = pages(table(1, pager(1, 'link "»" + href=/9')), table(25, pager(9)))
    frame = await extract_frame(source, next=True)
    assert not frame.skillbook.complete
    assert "the pages between 1 and 9 were not read" in frame.skillbook.reason


async def test_fault_43_tables_says_that_a_pager_was_not_followed(pages: Any) -> None:
    lines = table(50).split("\n")[1:]
    other = "".join(f"  {line}\n" for line in lines if line)
    text = table(1, pager(1, 'link "Next" + href=/2')).replace("main\n", f"main\n  region\n{other}", 1)
    above, below = (await read_tables(pages(text)))[:2]
    assert above.skillbook.complete, "the pager belongs to the table right above it"
    assert not below.skillbook.complete
    assert "next=True" in below.skillbook.reason


@pytest.mark.parametrize(
    ("control", "complete"),
    [
        ('link "Next page" + href=/2', False),
        ('button "Load more" +', False),
        ('link "More" + href="/news?p=2"', False),
        ('link "Next" + href=/tutorial/chapter', True),
        ('button "Show more" +', False),
    ],
)
async def test_fault_43_a_single_control_that_says_it_leads_to_a_page(
    pages: Any, control: str, complete: bool
) -> None:
    frame = await extract_frame(pages(table(1, control)))
    assert frame.skillbook.complete is complete
    (same,) = await read_tables(pages(table(1, control)))
    assert same.skillbook.complete is complete


async def test_fault_43_a_heading_claims_how_many_rows_there_are(pages: Any) -> None:
    text = table(1).replace("main\n", 'main\n  heading "1,500 rows" level=3\n', 1)
    (frame,) = await read_tables(pages(text))
    assert frame.skillbook.expected == {"rows": 1500}
    assert not frame.skillbook.complete


async def test_signs_of_sorting_and_boxes_that_choose_all_are_no_names(pages: Any) -> None:
    sorted_by_link = table(1).replace(
        'columnheader\n        "Name"', 'columnheader\n        link "Name ▼" + href=/s'
    )
    (frame,) = await read_tables(pages(sorted_by_link))
    assert list(frame.columns) == ["Name", "Size"]
    chosen = table(1).replace('columnheader\n        "Name"', "columnheader\n        checkbox +")
    (frame,) = await read_tables(pages(chosen))
    assert list(frame.columns) == ["column 1", "Size"]


async def test_tables_names_the_pager_of_a_table_with_a_menu_above_it(pages: Any) -> None:
    """Tables come before lists in the answer; which one is the last above the pager is seen on the page."""
    menu = "main\n  list\n" + "".join(
        f'    listitem\n      link "{name}" + href=/{name}\n' for name in ("List", "Create", "Export")
    )
    text = table(1, pager(1, 'link ">" + href=/2')).replace("main\n", menu, 1)
    frames = await read_tables(pages(text))
    assert list(frames[0].columns) == ["Name", "Size"]
    assert "the page has a way to the next one" in frames[0].skillbook.reason


@pytest.mark.parametrize(
    "stars",
    [
        pytest.param([("5", "8"), ("1", "5"), ("2", "9"), ("3", "5"), ("4", "3")], id="by how many"),
        pytest.param([(str(n), "4") for n in range(1, 6)], id="in order"),
    ],
)
@pytest.mark.parametrize("box", ["", "    checkbox\n"])
async def test_numbers_that_filter_are_no_pages(pages: Any, stars: list[tuple[str, str]], box: str) -> None:
    lines = "".join(f'{box}    link "{n}" + href=/?stars={n}\n    "({count})"\n' for n, count in stars)
    source = pages(table(1).replace("main\n", f"main\n  region\n{lines}", 1), table(4))
    frame = await extract_frame(source, next=True)
    assert source.done == []
    assert len(frame) == 3
    assert frame.skillbook.complete


async def test_a_page_that_says_it_is_the_last_has_no_next_number(pages: Any) -> None:
    others = ["list", *(f'  link "{n}" + href=/?size={n}' for n in (1, 2, 3))]
    source = pages(table(1, '"Page 1 of 1"', *others), table(4))
    frame = await extract_frame(source, next=True)
    assert source.done == []
    assert len(frame) == 3
    assert frame.skillbook.complete


async def test_results_and_then_those_shown_are_a_claim(pages: Any) -> None:
    frame = await extract_frame(pages(table(1, 'paragraph "63 results - showing 1 to 3."')))
    assert not frame.skillbook.complete
    assert frame.skillbook.expected["rows"] == 63


NUMBERS = 'paragraph tag=p.paginator\n    link "1" + href=http://site.test/0\n    "2"\n    "6 parts"\n'


@pytest.mark.parametrize(
    "other",
    [
        '    link "Show all" + href=http://site.test/1?all=',
        '    link "Tout" + href=http://site.test/1?all=&q=x',
        '    button "Save" +',
    ],
)
async def test_fault_43_what_stands_after_the_last_number_and_is_no_page_is_not_followed(
    pages: Any, other: str
) -> None:
    last = table(4, NUMBERS + other)
    first = table(
        1,
        'paragraph tag=p.paginator\n    "1"\n    link "2" + href=http://site.test/1\n    "6 parts"\n' + other,
    )
    source = pages(first, last, table(1))
    frame = await extract_frame(source, next=True)
    assert len(source.done) == 1
    assert list(frame["Size"]) == [1, 2, 3, 4, 5, 6]


async def test_fault_43_more_rows_than_the_page_says_are_not_the_whole(pages: Any) -> None:
    said = 'heading "6 results"'
    link = 'link "Next page" + href=http://site.test/1'
    source = pages(table(1, said, link), table(4, said, link), table(7, said))
    frame = await extract_frame(source, next=True)
    assert not frame.skillbook.complete
    assert "the page says only 6" in frame.skillbook.reason


async def test_a_bar_of_controls_is_not_the_data_beside_a_table(pages: Any) -> None:
    items = [
        'link "List (1)" + href=/l',
        'link "Create" + href=/c',
        'button "With selected" +',
        'textbox "Name" +',
    ]
    bar = "list\n" + "".join(f"    listitem\n      {item}\n" for item in [*items, 'link "Export" + href=/e'])
    one = table(1).split('    row\n      cell\n        "Part 2"')[0]
    frame = await extract_frame(pages(one.replace("main\n", f"main\n  {bar}")))
    assert frame.to_numpy().tolist() == [["Part 1", 1]]


@pytest.mark.parametrize("tag", ["button.grid-currentPage", "button"])
async def test_the_number_in_a_button_that_is_called_otherwise_is_no_current_page(
    pages: Any, tag: str
) -> None:
    first = 'button "pagination.firstPage" +\n      "1"'
    numbers = f'button "Page 2" +\n    button "Page 3" + tag={tag}\n    button "Page 4" +'
    source = pages(
        table(1, f'generic tag=div.pages\n    {first}\n    {numbers}\n    button "Next" +'), table(4)
    )
    await extract_frame(source, next=True)
    wanted = "Page 4" if tag != "button" else "Next"
    assert source.done == [("click", source.pages[0].find(f"button '{wanted}'").ref)]

"""The law of texts, and names that are values, on pages made of snapshots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skillbook.extraction.driver import extract_frame
from skillbook.extraction.page_tables import read_tables
from skillbook.perception.collections import find_collections
from skillbook.perception.collections.placed_texts import placed_texts, texts_of
from tests.trees import snapshot


def table(*rows: str, more: str = "") -> str:
    lines = "".join(
        "  row\n" + "".join(f"    {kind}\n      {cell}\n" for cell in row.split("|"))
        for kind, row in zip(["columnheader", *["cell"] * len(rows)], rows, strict=False)
    )
    return f"table\n{lines}{more}"


def left_over(page: str) -> list[str]:
    shown = snapshot(page)
    found = find_collections(shown)
    return [text for each in found for text in texts_of(shown, placed_texts(each, found).left)]


STOCK = table('"Part"|"Count"', '"Nut"|"12"', '"Bolt"|"3"')


async def test_a_text_of_a_table_in_no_cell_makes_its_frame_incomplete(pages: Any) -> None:
    lost = '  row\n    "Reserved: 7 nuts"\n'
    assert left_over(STOCK + lost) == ["Reserved: 7 nuts"]
    for frame in [*await read_tables(pages(STOCK + lost)), await extract_frame(pages(STOCK + lost))]:
        assert not frame.skillbook.complete
        assert "1 text of it is in no cell" in frame.skillbook.reason
        assert any("Reserved: 7 nuts" in note for note in frame.skillbook.notes)
        (check,) = frame.skillbook.evidence.of("text")
        assert check.facts["left"] == 1


async def test_the_first_three_texts_that_are_left_over_are_named_with_their_count(pages: Any) -> None:
    lost = "".join(f'  row\n    "Lost {at}"\n' for at in range(5))
    frame = (await read_tables(pages(STOCK + lost)))[0]
    assert "5 texts of it are in no cell" in frame.skillbook.reason
    assert "Lost 2" in frame.skillbook.reason
    assert "Lost 3" not in frame.skillbook.reason


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ('  caption\n    "Stock of the shop"\n', "heading"),
        ('  button "Add a part" +\n', "control"),
        ('  status\n    "Saved"\n', "message"),
        ('  row\n    columnheader\n      "Part"\n    columnheader\n      "Count"\n', "repeated"),
    ],
)
async def test_what_is_no_cell_by_its_role_or_place_has_its_kind(pages: Any, more: str, kind: str) -> None:
    frame = (await read_tables(pages(STOCK + more)))[0]
    assert frame.skillbook.complete, frame.skillbook.reason
    (check,) = frame.skillbook.evidence.of("text")
    assert check.holds
    assert kind in check.facts["aside"]


async def test_every_page_that_is_turned_to_is_checked(pages: Any) -> None:
    first = STOCK + 'link "Next" + inline href=/2\n'
    second = table('"Part"|"Count"', '"Cog"|"4"', '"Cam"|"5"', more='  row\n    "Only in spring"\n')
    frame = await extract_frame(pages(first, second), next=True)
    assert len(frame) == 4
    assert "Only in spring" in frame.skillbook.reason
    assert frame.skillbook.evidence.of("text")[0].facts["pages"] == 2


async def test_a_text_that_nobody_sees_is_not_looked_for(pages: Any) -> None:
    frame = (await read_tables(pages(STOCK + '  row\n    "Reserved" unseen\n')))[0]
    assert frame.skillbook.complete, frame.skillbook.reason


def items(sign: str) -> str:
    return "list\n" + "".join(
        f'  listitem\n    heading "Lamp {at}" level=3\n    {sign.format(name=name, sign=shown)}\n'
        for at, (name, shown) in enumerate(SIGNS)
    )


SIGNS = [("4.5 of 5", "★★★★★"), ("3.0 of 5", "★★★★★"), ("2.5 of 5", "★★★★★")]


@pytest.mark.parametrize("role", ["img", "generic", "link"])
async def test_signs_whose_names_differ_are_these_names(pages: Any, role: str) -> None:
    frame = await extract_frame(pages(items(f'{role} "{{name}}" tag=span.stars\n      "{{sign}}"')))
    assert frame.iloc[:, 1].tolist() == [name for name, _ in SIGNS]


async def test_signs_that_differ_under_one_name_stay(pages: Any) -> None:
    rows = [f'"Lamp {at}"|img "rating"\n        "{"★" * (at + 1)}"' for at in range(3)]
    frame = await extract_frame(pages(table('"Name"|"Stars"', *rows)))
    assert frame["Stars"].tolist() == ["★", "★★", "★★★"]


async def test_words_of_links_stay_whatever_the_links_are_called(pages: Any) -> None:
    rows = [
        f'"Lamp {at}"|link "Details of lamp {at}" + inline href=/{at}\n        "Details"' for at in range(3)
    ]
    frame = await extract_frame(pages(table('"Name"|"More"', *rows)))
    assert frame["More"].tolist() == ["Details"] * 3


@pytest.mark.parametrize("item", ['generic "{0}" +', 'generic "{0}" + tag=span.val'])
async def test_what_can_be_clicked_in_an_item_is_a_value(pages: Any, item: str) -> None:
    alone = "list\n" + "".join(f"  listitem\n    {item.format(f'Item {at}')}\n" for at in range(4))
    frame = await extract_frame(pages(alone))
    assert frame.iloc[:, 0].tolist() == [f"Item {at}" for at in range(4)]
    beside = "list\n" + "".join(
        f'  listitem\n    heading "Name {at}" level=3\n    {item.format(f"Item {at}")}\n' for at in range(4)
    )
    frame = await extract_frame(pages(beside))
    assert frame.iloc[:, 1].tolist() == [f"Item {at}" for at in range(4)]


async def test_an_images_name_and_a_title_that_no_cell_says_are_counted(pages: Any) -> None:
    page = table('"Part"|"Count"', 'img "Verified" +inline\n      "Nut"|"12"', '"Bolt"|"3"')
    (check,) = (await read_tables(pages(page)))[0].skillbook.evidence.of("text")
    assert check.facts["aside"] == {"header": 2, "image": 1}
    titled = 'table\n  row\n    columnheader "Part"\n  row\n    cell "Nut…" description="Nut of brass"\n'
    (check,) = (await read_tables(pages(titled)))[0].skillbook.evidence.of("text")
    assert check.facts["aside"] == {"header": 1, "title": 1}


async def test_names_of_words_that_differ_are_a_note_by_column(pages: Any) -> None:
    rows = [f'"Lamp {at}"|generic "{name}"\n        "{at}2"' for at, name in enumerate(["paid", "open"])]
    (frame,) = await read_tables(pages(table('"Name"|"Sum"', *rows)))
    (note,) = frame.skillbook.notes
    assert note.startswith('column "Sum"')
    assert '"paid", "open"' in note


async def test_what_is_the_same_in_each_row_is_no_note_though_a_cell_of_one_says_it(pages: Any) -> None:
    rows = [f'"Lamp {at}"|meter value="1"\n      "Nut {at}"' for at in range(3)]
    (frame,) = await read_tables(pages(table('"Name"|"Sum"', *rows)))
    assert not frame.skillbook.notes


CARDS = "list\n" + "".join(
    f'  listitem\n    heading "Lamp {at}" level=3\n    link "Lamp {at} in brass" + href=/{at}\n'
    f'    link "{at + 2} reviews" + href=/{at}/reviews\n'
    for at in range(3)
)


@pytest.mark.parametrize("field", ["link", "link@href"])
async def test_a_role_that_fits_several_elements_of_a_row_is_noted(pages: Any, field: str) -> None:
    frame = await extract_frame(pages(CARDS), {"title": "heading", "name": field})
    assert frame.skillbook.notes == (
        "'name': 3 rows have several that fit, and the first is read: say nth, or more",
    )
    frame = await extract_frame(pages(CARDS), {"title": "heading", "name": f"link nth 1{field[4:]}"})
    assert not frame.skillbook.notes


async def test_a_column_that_is_called_like_a_role_is_that_column(pages: Any) -> None:
    rows = [
        f'"Lamp {at}"|link "L{at}" + inline href=/{at}\n      "or"\n      link "K{at}" + inline'
        for at in range(3)
    ]
    frame = await extract_frame(pages(table('"Name"|"link"', *rows)), {"name": "Name", "link": "link"})
    assert frame["link"].tolist() == ["L0 or K0", "L1 or K1", "L2 or K2"]
    assert not frame.skillbook.notes


async def test_chosen_elements_are_checked_for_texts_that_their_cells_lack(
    pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = await extract_frame(pages(CARDS), {"title": "heading", "all": "listitem"})
    (check,) = frame.skillbook.evidence.of("text")
    assert check.holds
    assert "of what was chosen" in check.says
    # A reader that loses a text of the element is found out, whatever made it lose that.
    for module in ("extraction.reading.plans", "perception.collections.placed_texts"):
        monkeypatch.setattr(f"skillbook.{module}.cell_text", lambda snapshot, index: "Lamp")
    frame = await extract_frame(pages(CARDS.replace("heading", "strong")), {"all": "listitem"})
    assert not frame.skillbook.complete
    assert "texts of what was chosen are in no cell" in frame.skillbook.reason


@pytest.mark.parametrize(
    "chosen", [{"columns": ["Part", "Count"]}, {"example": {"Part": "Nut", "Count": "12"}}]
)
async def test_a_text_in_no_cell_may_be_a_chosen_value_that_its_row_lacks(pages: Any, chosen: Any) -> None:
    odd = '  row\n    cell\n      "Cog"\n    "7 reserved"\n'
    frame = await extract_frame(pages(STOCK + odd), **chosen)
    assert frame["Part"].tolist() == ["Nut", "Bolt", "Cog"]
    assert not frame.skillbook.complete
    assert "7 reserved" in frame.skillbook.reason
    other = '  row\n    "Only in spring"\n'
    frame = await extract_frame(pages(STOCK + other), **chosen)
    assert frame.skillbook.complete, frame.skillbook.reason


def screen(first: int, *, more: str = "", above: int = 0) -> str:
    rows = "".join(
        f'  row posinset={at} box=0,{100 * place},100,100\n    cell\n      "Nut {at}"\n    cell\n      "{at}"\n'
        for place, at in enumerate(range(first, first + 4))
    )
    head = '  row\n    columnheader\n      "Part"\n    columnheader\n      "Count"\n'
    return f"table setsize=9 box=0,0,100,400 scroll=0,800,{above},400\n{head}{rows}{more}"


async def test_every_screen_of_a_scroll_is_checked(pages: Any) -> None:
    lost = '  row\n    "Only in spring"\n'
    texts = [screen(1), screen(4, above=300, more=lost), screen(5, above=400, more=lost)]
    frame = await extract_frame(pages(*texts, texts[0], same_document=True), scroll=True)
    assert len(frame) == 8
    assert "1 text of it is in no cell" in frame.skillbook.reason
    assert "Only in spring" in frame.skillbook.reason


def test_a_line_may_have_more_cells_than_there_are_columns() -> None:
    shown = snapshot(table('"Name"|"Bar"', *(f'"a{at}"|"b{at}"' for at in range(6))))
    (found,) = find_collections(shown)
    for at, row in enumerate(found.rows):
        bar = row.cells[1]
        assert bar is not None
        shown.columns.extra[bar.index] = {"looks": [[f"bar-{at}", ""]]}
    placed = placed_texts(replace(found, fields=found.fields[:1]), [])
    assert list(placed.looks.others) == [""]


def test_headers_that_stand_a_second_time_above_rows_that_scroll_are_no_texts_left_over() -> None:
    heads = "".join(
        f'      columnheader\n        "{name}"\n        button "{name}: sort" +\n'
        for name in ("Part", "Count")
    )
    again = heads.replace("      columnheader", '    columnheader "Sizing"').replace("        ", "      ")
    rows = "".join(f'  row\n    cell\n      "Nut {at}"\n    cell\n      "{at}"\n' for at in range(3))
    assert left_over(f"table\n  table\n    row\n{heads}  row\n{again}{rows}") == []
    assert left_over(f"table\n  table\n    row\n{heads}  row\n{again.replace('Count', 'Other')}{rows}") != []


PLANS = {"Starter": 4, "Pro": 6, "Large": 5}


async def test_a_list_of_plain_entries_in_a_card_is_a_value_of_the_card(pages: Any) -> None:
    """Two of the three lists are long enough to be collections of their own: the cards lost their entries."""
    plans = "".join(
        f'  generic tag="div.plan"\n    strong\n      "{name}"\n    paragraph\n      "For {name} teams"\n    list\n'
        + "".join(f'      listitem\n        "{name} feature {at}"\n' for at in range(count))
        for name, count in PLANS.items()
    )
    (frame,) = [
        each for each in await read_tables(pages(f"main\n{plans}")) if "strong" in each or len(each) == 3
    ]
    for row, (name, count) in enumerate(PLANS.items()):
        said = " ".join(str(cell) for cell in frame.iloc[row])
        assert all(f"{name} feature {at}" in said for at in range(count))


async def test_lists_of_records_in_cards_are_noted(pages: Any) -> None:
    posts = "".join(
        f'  generic tag="div.post"\n    heading "Post {post}"\n    paragraph\n      "by Ann"\n    list\n'
        + "".join(
            f'      listitem\n        strong\n          "Bob {at}"\n        emphasis\n          "nice {at}"\n'
            for at in range(5 if post == 0 else 0)
        )
        for post in range(3)
    )
    frames = await read_tables(pages(f"main\n{posts}"))
    (cards,) = [each for each in frames if len(each) == 3]
    assert any("5 rows of other lists stand in the rows" in note for note in cards.skillbook.notes)
    (answers,) = [each for each in frames if len(each) == 5]
    assert not any("other lists" in note for note in answers.skillbook.notes)

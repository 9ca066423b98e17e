"""What names a table or list again: never the data in it."""

from __future__ import annotations

import pytest

from skillbook.extraction.page_tables import tables_from
from skillbook.extraction.reading.plans import Place, name_place
from skillbook.perception.collections import find_collections
from skillbook.perception.selectors import build_container_locator
from tests.trees import snapshot


def table(word: str, name: str = "", indent: int = 2) -> str:
    lines = [f"table{f' {name!r}' if name else ''}".replace("'", '"')]
    for n in range(3):
        lines += ["  row", "    cell", f'      "{word} {n}"', "    cell", f'      "=SUM(A{n})"']
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def cards(word: str, indent: int = 2, tag: str = "div.card", at: str = "") -> str:
    lines = [f"generic{at}"] if at else []
    inner = "  " if at else ""
    for n in range(3):
        lines += [
            f"{inner}generic tag={tag}",
            f'{inner}  generic tag=b.id\n{" " * indent}{inner}    "[{n}]:"',
        ]
        lines += [
            f'{inner}  generic tag=i.n\n{" " * indent}{inner}    "{n} {word}"',
            f'{inner}  button "Buy" +',
        ]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


PAGES = {
    "one table": ("main\n" + table("ok"), ["table"]),
    "tables with names": ("main\n" + table("ok", "One") + table("no", "Two"), ["table 'One'", "table 'Two'"]),
    "tables under headings": (
        f'main\n  heading "A" level=2\n{table("ok")}  heading "B" level=2\n{table("no")}',
        ["table beside 'A'", "table beside 'B'"],
    ),
    "tables without anything": (
        "main\n" + table("ok") + table("no"),
        ["table in main nth 1", "table in main nth 2"],
    ),
    "a table in a card": (
        "main\n"
        + "".join(
            f'  generic tag=div.cell\n    generic tag=div.p\n      "[{n}]:"\n{table("ok", indent=4)}'
            for n in range(3)
        ),
        [f"table in main nth {n}" for n in (1, 2, 3)],
    ),
    "cards in a region": (f'region "Offers"\n{cards("pcs")}', ["region 'Offers'"]),
    "cards in a block with an id": (
        f"main\n{cards('pcs', at=' html_id=results')}",
        ["generic [id='results']"],
    ),
}


@pytest.mark.parametrize("case", PAGES)
def test_containers_are_named_by_what_lasts(case: str) -> None:
    text, wanted = PAGES[case]
    page = snapshot(text)
    found = [one for one in find_collections(page) if one.kind in {"table", "cards"} and not one.minor]
    found = [one for one in found if one.kind == "table"] or found
    assert [name_place(page, one) for one in found] == wanted
    for one, within in zip(found, wanted, strict=True):
        node = build_container_locator(one.node)
        assert "SUM" not in str(node)
        assert "]:" not in str(node)
        assert Place.of(page, one.node.ref).text == str(node) if one.node.ref else True
        (frame,) = [each for each in tables_from(page, within=within) if len(each) == 3][:1]
        assert list(frame.columns) == list(one.fields)


def test_records_are_named_by_what_they_say() -> None:
    page = snapshot("main\n" + table("ok"))
    row = next(node for node in page.nodes if node.role == "row")
    assert "ok 0" in str(build_container_locator(row))


def test_only_the_rows_of_the_named_part_are_read() -> None:
    page = snapshot(f'region "Offers"\n{cards("pcs")}region "Others"\n{cards("kg")}')
    (whole,) = tables_from(page)
    assert (len(whole), whole.skillbook.name) == (6, "")
    (offers,) = tables_from(page, within="region 'Offers'")
    (others,) = tables_from(page, within="region 'Others'")
    assert [text[-3:] for text in offers.skillbook.raw.iloc[:, 1]] == ["pcs"] * 3
    assert [text[-2:] for text in others.skillbook.raw.iloc[:, 1]] == ["kg"] * 3

"""Rows that a page shows where it found nothing are another list's, and the frame says so."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.driver import extract_frame
from skillbook.extraction.walking.nothing_found import found_nothing
from tests.trees import snapshot

POPULAR = """
banner
  link "Cart" + href=/cart
  "{aside}"
main
  heading "Search" level=1
  paragraph
    "{said}"
  heading "Popular" level=2
  list "Popular"
    listitem
      link "Desk lamp" + href=/1
      "€5"
    listitem
      link "Floor lamp" + href=/2
      "€7"
    listitem
      link "Candle" + href=/3
      "€1"
"""


@pytest.mark.parametrize(
    "said",
    [
        "No results found for “zzz”.",
        "0 results",
        "Sorry, no products were found",
        "Your search - zzz - did not match any documents.",
        "We couldn't find any lamps",
        "Showing 0 to 0 of 0 entries",
        "Keine Treffer für zzz",
        "Aucun résultat",
        "No se encontraron resultados",
        "Nessun risultato trovato",
        "Ничего не найдено",
        "該当する商品はありません",
        "没有找到相关结果",
    ],
)
async def test_rows_beside_a_search_without_a_result_are_flagged(pages: Any, said: str) -> None:
    frame = await extract_frame(pages(POPULAR.format(said=said, aside="")))
    assert len(frame) == 3
    assert not frame.skillbook.complete
    assert said[:10] in frame.skillbook.reason
    named = await extract_frame(pages(POPULAR.format(said=said, aside="")), within="list 'Popular'")
    assert named.skillbook.complete


@pytest.mark.parametrize(
    ("said", "aside"),
    [
        ("3 results", "0 items"),
        ("20 results", ""),
        ("No results found? Ask us.", ""),
        ("We did find any number of lamps", ""),
        ("No notifications", "No results"),
        ("Nothing to sign: prices without tax", ""),
    ],
)
def test_other_words_are_no_such_claim(said: str, aside: str) -> None:
    assert found_nothing(snapshot(POPULAR.format(said=said, aside=aside)), []) == ""


def test_fault_99_words_that_nobody_sees_are_no_such_claim() -> None:
    page = POPULAR.format(said="No rows to show", aside="")
    assert found_nothing(snapshot(page), []) == "No rows to show"
    assert found_nothing(snapshot(page.replace('"No rows to show"', '"No rows to show" unseen')), []) == ""


async def test_navigation_alone_is_no_data(pages: Any) -> None:
    """An admin lists its parts as tables beside the content."""
    parts = "".join(
        f'    row\n      cell\n        link "{name}" + href=/{name}\n' for name in ("Users", "Groups")
    )
    page = f'navigation "Sidebar"\n  table "Parts"\n{parts}main\n  heading "Users" level=1\n  "0 users"\n'
    with pytest.raises(ExtractionError, match="no table, list or cards found"):
        await extract_frame(pages(page))
    assert len(await extract_frame(pages(page), within="table 'Parts'")) == 2

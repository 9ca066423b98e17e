"""Turning pages: when to stop, what is left out, and what a site may show in place of the next page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from skillbook.errors import ExtractionError, SelectorSyntaxError
from skillbook.extraction.driver import extract_frame
from skillbook.extraction.walking import nothing_found as obstacles
from tests.trees import snapshot

Shop = Callable[..., str]
NEXT = 'link "Next" + href=/n'


def numbered(first: int, count: int = 3) -> list[tuple[str, str]]:
    return [(f"P{n}", f"€{n}.00") for n in range(first, first + count)]


@pytest.fixture
def shop_pages(pages: Any, shop_page: Shop) -> Callable[..., Any]:
    """Pages of three rows each, each with a way on; some may be something else."""

    def make(count: int, instead: dict[int, str] | None = None) -> Any:
        texts = [shop_page(*numbered(3 * at), next=NEXT if at < count - 1 else "") for at in range(count)]
        for at, text in (instead or {}).items():
            texts[at] = text
        return pages(*texts)

    return make


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obstacles, "READ_SECONDS", 0.0)


@pytest.mark.parametrize(
    "until",
    ["heading 'P4'", lambda rows: any(row["title"] == "P4" for row in rows), lambda rows: len(rows) >= 5],
)
async def test_until_stops_after_the_page_where_it_holds(shop_pages: Any, until: Any) -> None:
    frame = await extract_frame(shop_pages(5), next=True, until=until)
    assert frame["title"].tolist() == [f"P{n}" for n in range(6)]
    assert "stopped: `until` was met; there is a next page" in frame.skillbook.reason
    assert frame.skillbook.complete  # for what was asked


async def test_until_that_never_holds_reads_all_and_says_so(shop_pages: Any) -> None:
    frame = await extract_frame(shop_pages(3), next=True, until=lambda rows: False)
    assert (len(frame), frame.skillbook.complete) == (9, True)
    assert frame.skillbook.notes == ("`until` was not met",)


async def test_until_that_fails_loses_no_row(shop_pages: Any) -> None:
    with pytest.raises(ExtractionError, match="until= failed: KeyError: 'prize'") as caught:
        await extract_frame(
            shop_pages(3), next=True, until=lambda rows: rows[3]["prize"] if len(rows) > 3 else False
        )
    assert len(caught.value.frame) == 6  # type: ignore[attr-defined]
    with pytest.raises(SelectorSyntaxError):
        await extract_frame(shop_pages(3), next=True, until="heading 'P")


async def test_until_ends_scrolling(pages: Any, shop_page: Shop) -> None:
    source = pages(*(shop_page(*numbered(0, count)) for count in (3, 6, 9, 12)), same_document=True)
    frame = await extract_frame(source, scroll=True, until=lambda rows: len(rows) >= 6)
    assert len(frame) == 6
    assert "`until` was met; there may be more to scroll" in frame.skillbook.reason
    assert frame.skillbook.complete


async def test_a_pause_is_kept_between_pages(shop_pages: Any) -> None:
    began = time.monotonic()
    await extract_frame(shop_pages(3), next=True, pause=0.05)
    assert time.monotonic() - began >= 0.1


async def test_rows_that_come_again_are_counted_and_left_out_where_that_is_wanted(
    pages: Any, shop_page: Shop
) -> None:
    def source() -> Any:
        one = shop_page(("A", "€1"), ("B", "€2"), ("C", "€3"), next=NEXT)
        return pages(one, shop_page(("C", "€3"), ("B", "€9"), ("D", "€4")))

    every = await extract_frame(source(), next=True)
    assert every["title"].tolist() == list("ABCCBD")
    assert every.skillbook.notes == (
        "1 row says what rows of earlier pages say; `unique=` leaves such rows out",
    )
    by_content = await extract_frame(source(), next=True, unique=True)
    assert by_content["title"].tolist() == list("ABCBD")
    assert by_content.skillbook.notes == ("1 row with the same content as earlier ones left out",)
    by_key = await extract_frame(source(), next=True, unique="title")
    assert by_key["title"].tolist() == list("ABCD")
    assert by_key["price"].tolist() == [1, 2, 3, 4]
    assert (
        "2 rows with the same title as earlier ones left out; for 1 of those kept"
        in by_key.skillbook.notes[0]
    )
    (line,) = by_key.skillbook.report.to_dict("records")
    assert (line["row"], line["column"], line["value"]) == (1, "price", "€2")
    assert "'€9'" in line["problem"]
    assert line["url"] == "http://site.test/0"
    with pytest.raises(ExtractionError, match="no column"):
        await extract_frame(source(), unique="sku")


LOGIN = (
    'main\n  heading "Sign in" level=1\n  textbox "Password" + secret\n'
    '  generic tag=div.card\n    heading "With a key" level=3\n    button "Go" +\n'
    '  generic tag=div.card\n    heading "With a code" level=3\n    button "Go" +\n'
)


async def test_a_sign_in_page_in_the_middle_is_neither_rows_nor_the_end(shop_pages: Any) -> None:
    frame = await extract_frame(shop_pages(8, {4: LOGIN}), next=True)
    assert len(frame) == 12
    assert not frame.skillbook.complete
    assert "stopped: the page asks to sign in; page 5 could not be read" in frame.skillbook.reason


@pytest.mark.parametrize("status", [404, 500])
async def test_an_error_page_is_not_read_even_if_it_shows_products(shop_pages: Any, status: int) -> None:
    source = shop_pages(12)
    source.statuses = {6: status}
    frame = await extract_frame(source, next=True)
    assert len(frame) == 18
    assert f"the site answered {status}" in frame.skillbook.reason
    assert "page 7 could not be read" in frame.skillbook.reason
    assert not frame.skillbook.complete


BUSY = 'main\n  heading "429" level=1\n  paragraph\n    "Too many requests. Please retry in 0 seconds."\n'


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please wait 30 seconds.", 30),
        ("Try again in 2 minutes", 120),
        ("Bitte in 45 Sekunden erneut versuchen.", 45),
        ("Réessayez dans 1 minute", 60),
        ("30 秒後に再試行してください", 30),
        ("Open for 30 minutes", None),
    ],
)
def test_a_page_says_when_it_answers_again(text: str, seconds: float | None) -> None:
    assert obstacles.seconds_to_wait(snapshot(f'main\n  paragraph\n    "{text}"\n')) == seconds


@pytest.mark.usefixtures("no_waiting")
async def test_a_busy_site_is_waited_for(pages: Any, shop_page: Shop) -> None:
    one, two = (shop_page(*numbered(3 * at), next=NEXT if at < 1 else "") for at in range(2))
    source = pages(one, BUSY, BUSY, two)
    source.statuses = {1: 429, 2: 429}
    frame = await extract_frame(source, next=True)
    assert len(frame) == 6
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.skillbook.notes == ("waited 0 s before page 2: the site answered 429 Too Many Requests",) * 2
    assert [command for command, _ in source.done] == ["click", "goto", "goto"]


@pytest.mark.usefixtures("no_waiting")
async def test_a_header_that_asks_for_no_wait_is_less_than_a_second(pages: Any, shop_page: Shop) -> None:
    one, two = (shop_page(*numbered(3 * at), next=NEXT if at < 1 else "") for at in range(2))
    source = pages(one, BUSY, two)
    source.statuses, source.retry_afters = {1: 503}, {1: 0.0}
    frame = await extract_frame(source, next=True)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.skillbook.notes == ("waited 1 s before page 2: the site answered 503 Service Unavailable",)


@pytest.mark.usefixtures("no_waiting")
async def test_a_site_that_stays_busy_ends_the_walk(shop_pages: Any, shop_page: Shop) -> None:
    source = shop_pages(5, dict.fromkeys(range(2, 5), BUSY))
    source.statuses = dict.fromkeys(range(2, 5), 429)
    frame = await extract_frame(source, next=True)
    assert len(frame) == 6
    assert (
        "stopped: the site answered 429 Too Many Requests; page 3 could not be read" in frame.skillbook.reason
    )


async def test_a_site_that_asks_for_too_long_a_wait_is_not_waited_for(shop_pages: Any) -> None:
    source = shop_pages(3, {1: BUSY.replace("in 0 seconds", "in 15 minutes")})
    source.statuses = {1: 503}
    frame = await extract_frame(source, next=True)
    assert "the site answered 503 Service Unavailable" in frame.skillbook.reason
    assert frame.skillbook.notes == ()


@pytest.mark.usefixtures("no_waiting")
async def test_a_script_that_is_told_to_slow_down_is_waited_for(pages: Any, shop_page: Shop) -> None:
    note = '  alert\n    "Slow down, please"\n'
    texts = [
        shop_page(*numbered(0), next=NEXT),
        shop_page(*numbered(0), next=NEXT, extra=note),
        shop_page(*numbered(3)),
    ]
    frame = await extract_frame(pages(*texts, same_document=True), next=True)
    assert frame["title"].tolist() == [f"P{n}" for n in range(6)]
    assert frame.skillbook.notes == ("waited 0 s before page 2: the page says 'Slow down, please'",)


async def test_something_else_in_the_place_of_the_rows_is_not_read(pages: Any) -> None:
    row = "  row\n" + '    {0}\n      "{1}"\n    {0}\n      "{2}"\n'

    def table(heads: tuple[str, str], *rows: tuple[str, str]) -> str:
        lines = row.format("columnheader", *heads) + "".join(row.format("cell", *each) for each in rows)
        return f'table\n{lines}link "Next" + href=/n\n'

    stock = table(("Part", "Price"), ("Nut", "1"), ("Bolt", "2"))
    frame = await extract_frame(pages(stock, table(("Host", "Uptime"), ("a", "1"), ("b", "2"))), next=True)
    assert len(frame) == 2
    assert "the next page showed no rows" in frame.skillbook.reason
    assert not frame.skillbook.complete


async def test_a_way_back_into_the_middle_is_no_end(shop_pages: Any, pages: Any, shop_page: Shop) -> None:
    texts = [shop_page(*numbered(3 * at), next=NEXT) for at in range(4)]
    back = await extract_frame(pages(*texts, texts[1]), next=True)
    assert "the way from page 4 led back to page 2" in back.skillbook.reason
    assert (len(back), back.skillbook.complete) == (12, False)
    round_ = await extract_frame(pages(*texts, texts[0]), next=True)
    assert (len(round_), round_.skillbook.complete) == (12, True)


async def test_a_pager_that_never_ends_is_read_to_a_limit(pages: Any, shop_page: Shop) -> None:
    texts = [shop_page(*numbered(3 * at), next=NEXT) for at in range(60)]
    frame = await extract_frame(pages(*texts), next=True)
    assert len(frame) == 150
    assert "max_pages=50 was reached; there is a next page" in frame.skillbook.reason


@pytest.mark.parametrize(("first", "later"), [("Page 1 of 4", "Page 2 of 2"), ("137 results", "120 results")])
async def test_numbers_that_shrink_while_reading(pages: Any, shop_page: Shop, first: str, later: str) -> None:
    said = '  generic tag=p\n    "{}"\n'
    source = pages(
        shop_page(*numbered(0), next=NEXT, extra=said.format(first)),
        shop_page(*numbered(3), extra=said.format(later)),
    )
    frame = await extract_frame(source, next=True)
    assert len(frame) == 6
    assert not frame.skillbook.complete
    assert "later: rows may have moved between pages" in frame.skillbook.reason
    assert frame.skillbook.expected in ({"pages": 2}, {"rows": 120})

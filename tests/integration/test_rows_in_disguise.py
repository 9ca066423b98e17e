"""Headers, placeholders, titles and notes that no markup calls so: none is a row of data, none is lost in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
CARDS = "".join(f"<article><h3>Lamp {n}</h3><p>${n}0</p></article>" for n in (1, 2, 3, 4))
ROWS = "".join(f"<tr><td>{n}<td>Ann {n}</tr>" for n in (1, 2, 3, 4))
SKELETON = "<style>.sk { display: inline-block; width: 60px; height: 12px; background: #ddd }</style>"


def lines(tag: str, *rows: tuple[str, ...]) -> str:
    first, *others = (
        "".join(f"<{tag} class={kind}>{cell}</{tag}>" for cell in row)
        for row, kind in zip(rows, ["h", *["d"] * len(rows)], strict=False)
    )
    return f"<div class='r top'>{first}</div>" + "".join(f"<div class=r>{cells}</div>" for cells in others)


PLANS = ("Plan", "Seats", "Price"), ("Free", "1", "$0"), ("Team", "10", "$40"), ("Firm", "100", "$300")
GROUPS = "<tr><td colspan=2><b>Soup</b><tr><td>Leek<td>120<tr><td>Pea<td>140"
READ = {
    "a first line of words over numbers in a style sheet's grid": (
        f"<style>div.g {{ display: grid; grid-template-columns: repeat(3, 90px) }} .r {{ display: contents }}</style>"
        f"<div class=g>{lines('div', *PLANS)}</div>",
        ["Plan", "Seats", "Price"],
        [["Free", 1, 0], ["Team", 10, 40], ["Firm", 100, 300]],
    ),
    "a row with its first cell alone": (
        "<style>.r { display: flex } .r span { width: 90px; min-height: 18px }</style>"
        + lines("span", ("Item", "Note", "Size"), ("Bolt", "low", "12"), ("Nut", "", "7"), ("Cap", "", "")),
        ["Item", "Note", "Size"],
        [["Bolt", "low", 12], ["Nut", None, 7], ["Cap", None, None]],
    ),
    "bold cells over groups": (
        f"<table><tr><td><b>Dish</b><td><b>Cal</b>{GROUPS}{GROUPS.replace('Soup', 'Stew')}</table>",
        ["group", "Dish", "Cal"],
        [[group, *row] for group in ("Soup", "Stew") for row in (["Leek", 120], ["Pea", 140])],
    ),
    "years over numbers": (
        "<table><tr><td>Region<td>2022<td>2023<tr><td>North<td>10<td>11<tr><td>South<td>20<td>21</table>",
        ["Region", "2022", "2023"],
        [["North", 10, 11], ["South", 20, 21]],
    ),
    "footnotes": (
        "<table><tr><th>Peak<th>Height<tr><td>K2<td>8,611<sup><a href=#b>[b]</a></sup><tr><td>Eiger<td>3,967</table>",
        ["Peak", "Height"],
        [["K2", 8611], ["Eiger", 3967]],
    ),
    "a title and an address in one link": (
        "".join(f"<div class=r><a href=/{n}><h3>T {n}</h3><cite>e{n}</cite></a><p>Says {n}</p></div>" for n in "123"),
        ["title", "text", "text 2"],
        [[f"T {n}", f"e{n}", f"Says {n}"] for n in "123"],
    ),
    "details that are open": (
        "".join(f"<details open><summary>Why {n}?</summary><p>So {n}</p></details>" for n in "1234"),
        ["title", "text"],
        [[f"Why {n}?", f"So {n}"] for n in "1234"],
    ),
}  # fmt: skip
SAID = {
    "details that are closed": (
        "".join(f"<details><summary>Why {n}?</summary><p>So {n}</p></details>" for n in "1234"),
        "4 items are closed: what opens there isn't shown",
    ),
    "rows without text yet": (
        f"{SKELETON}<table><tr><th>Id<th>Name{ROWS}<tr><td><i class=sk></i><td><i class=sk></i></table>",
        "1 row has no text yet, but parts that are drawn in its place",
    ),
    "cards without text yet": (
        f"{SKELETON}<div>{CARDS}".replace("<article", "<article class=card")
        + "<article class=card><i class=sk></i></article></div>",
        "left out: 1 item that shows nothing yet",
    ),
    "a row that says what failed": (
        f"<table><tr><th>Id<th>Name{ROWS}<tr><td colspan=2>Failed to load more rows. <button>Retry</button></table>",
        'the page offers more: button "Retry"',
    ),
    "a message that says what failed": (
        f"<div>{CARDS}</div><div role=alert>Could not load the rest. <button>Try again</button></div>",
        'the page offers more: button "Try again"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_is_read(read_html: Serve, case: str) -> None:
    html, columns, rows = READ[case]
    (frame,) = sb.tables(read_html(html))
    assert frame.columns.tolist() == columns
    assert frame.astype(object).where(frame.notna(), None).to_numpy().tolist() == rows
    assert frame.skillbook.complete


@pytest.mark.parametrize("case", SAID)
def test_what_is_missing_is_said(read_html: Serve, case: str) -> None:
    html, reason = SAID[case]
    (frame,) = sb.tables(read_html(html))
    assert len(frame) >= 4
    assert not frame.skillbook.complete
    assert reason in frame.skillbook.reason


def test_a_button_to_try_for_free_offers_no_rows(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"<div>{CARDS}</div><p>4 lamps</p><button>Try again later</button>"))
    assert frame.skillbook.complete


def test_details_of_one_name_are_a_part_of_what_they_stand_in(read_html: Serve) -> None:
    more = "<details><summary>More</summary><p>x</p></details></article>"
    (frame,) = sb.tables(read_html(CARDS.replace("</article>", more)))
    assert len(frame) == 4
    assert "More" not in frame.to_numpy()

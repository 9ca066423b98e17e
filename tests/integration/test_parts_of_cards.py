"""Rows that are parts of cards: what their cards say beside them is in a cell, or the frame says that it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import skillbook as sb

CARD = (
    "<{tag} class=project {more}><div class=top><div class=title>Project {at}</div><div class=client>Client {at}"
    "</div></div><div class=desc>About {at}</div><div><div><span>Progress</span><span>{at}1%</span></div></div>"
    "<div class=foot><span class=who>Ann {at}</span><span class=due>May 0{at}</span></div></{tag}>"
)
MAIL = (
    "<div class=mail {more}><button aria-label=Star></button><div class=body><div class=from>Sender {at}</div>"
    "<div class=subject>Subject {at}</div></div><div class=meta>9:4{at} AM</div></div>"
)
ENTRY = (
    "<li><div class=left><h6>Shop {at}</h6><span>March {at}, 12:30</span></div>"
    "<div class=amount>- $ {at}00</div></li>"
)


def texts_of(frames: list[Any]) -> str:
    raw = [frame.skillbook.raw for frame in frames]
    return " | ".join(
        text for each in raw for row in each.to_numpy() for text in row if isinstance(text, str)
    )


@pytest.mark.parametrize(
    ("card", "texts"),
    [
        (
            CARD.format(tag="button", more="type=button", at="{at}"),
            ("Project {at}", "About {at}", "May 0{at}", "{at}1%"),
        ),
        (
            CARD.format(tag="div", more="role=option tabindex=0", at="{at}"),
            ("Project {at}", "About {at}", "May 0{at}"),
        ),
        (
            MAIL.format(more="role=option tabindex=0", at="{at}"),
            ("Sender {at}", "Subject {at}", "9:4{at} AM"),
        ),
    ],
    ids=["buttons", "options", "mails"],
)
def test_cards_that_are_controls_are_rows(card: str, texts: tuple[str, ...], read_html: Any) -> None:
    frames = sb.tables(read_html(f"<main>{''.join(card.format(at=at) for at in range(1, 7))}</main>"))
    assert [len(frame) for frame in frames] == [6]
    assert frames[0].skillbook.complete, frames[0].skillbook.reason
    said = texts_of(frames)
    assert all(text.format(at=at) in said for text in texts for at in range(1, 7)), said


@pytest.mark.parametrize("first", [1, 2])
def test_what_an_entry_says_beside_its_parts_is_not_lost(first: int, read_html: Callable[[str], Any]) -> None:
    entries = [ENTRY.format(at=at) for at in range(1, 7)]
    page = f"<main><h5>Newest</h5><ul>{''.join(entries[:first])}</ul><h5>Old</h5><ul>{''.join(entries[first:])}</ul>"
    frames = sb.tables(read_html(page))
    said = texts_of(frames)
    lost = [at for at in range(1, 7) if f"{at}00" not in said]
    assert not lost or not all(frame.skillbook.complete for frame in frames), said


def test_days_without_events_are_missing(read_html: Callable[[str], Any]) -> None:
    days = [
        f"<div class=day><span class=number>{at}</span>{f'<div class=event>Event {at}</div>' * (at % 5 < 3)}</div>"
        for at in range(1, 29)
    ]
    frames = sb.tables(read_html(f"<main><div class=grid>{''.join(days)}</div></main>"))
    said = texts_of(frames)
    assert "Event 27" in said, frames
    assert len(frames[0]) == len(days) or not frames[0].skillbook.complete, frames[0].skillbook.evidence


def test_an_advertisement_between_cards_is_no_part_of_one(read_html: Callable[[str], Any]) -> None:
    cards = [f"<div class=card><h3>Name {at}</h3><p>Text {at}</p></div>" for at in range(6)]
    page = read_html(f"<main>{''.join(cards[:3])}<h2>More</h2>{''.join(cards[3:])}<p>Imprint</p></main>")
    (frame,) = sb.tables(page)
    assert len(frame) == 6
    assert frame.skillbook.complete, frame.skillbook.reason


def test_what_a_tree_shows_beside_the_rows_that_were_read_is_missing(read_html: Callable[[str], Any]) -> None:
    def item(name: str, inner: str = "") -> str:
        line = f"<div class=line style='cursor:pointer'><span role=treeitem aria-label={name}>{name}</span></div>"
        return f"<li role=none>{line}{inner}</li>"

    group = "<ul role=group>" + "".join(item(f"leaf{at}") for at in range(3)) + "</ul>"
    page = read_html(f"<ul role=tree>{item('node1', group)}{item('node2', group)}</ul>")
    for frame in sb.tables(page):
        lost = [name for name in ("node1", "node2") if name not in texts_of([frame])]
        assert not lost or not frame.skillbook.complete, frame.to_string()


def test_a_grid_whose_rows_are_columns_is_never_complete(read_html: Callable[[str], Any]) -> None:
    def column(name: str) -> str:
        cells = "".join(f"<div role=gridcell class=cell>{name} {at}</div>" for at in range(6))
        return f"<div class=column style='width:90px;float:left'>{cells}</div>"

    heads = "<div class=heads><div>Film</div><div>Year</div><div>Votes</div></div>"
    columns = "".join(map(column, ("Film", "Year", "Votes")))
    frames = sb.tables(read_html(f"<div role=grid aria-rowcount=200>{heads}{columns}</div>"))
    assert not any(frame.skillbook.complete for frame in frames), frames


def test_a_cell_over_a_whole_grid_is_a_groups_name(read_html: Callable[[str], Any]) -> None:
    def row(*cells: str) -> str:
        width = 300 // len(cells)
        inner = "".join(f"<div role=gridcell style='width:{width}px'>{cell}</div>" for cell in cells)
        return f"<div role=row style='display:flex;width:300px'>{inner}</div>"

    rows = [row("Id", "Task", "Days").replace("gridcell", "columnheader")]
    for city in ("Oslo", "Bern"):
        rows += [row(f"City: {city}"), *(row(str(at), f"Task {at}", f"{at + 1}0") for at in range(3))]
    (frame,) = sb.tables(read_html(f"<div role=grid>{''.join(rows)}</div>"))
    assert list(frame["group"]) == ["City: Oslo"] * 3 + ["City: Bern"] * 3
    assert list(frame["Days"]) == [10, 20, 30] * 2

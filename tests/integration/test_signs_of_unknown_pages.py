"""What pages that nobody tried say by signs, keys, controls and boards: it is read, or the frame says that it isn't."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]


def table(heads: str, *rows: str, tag: str = "") -> str:
    names = "".join(f"<th>{head}</th>" for head in heads.split())
    return f"<table {tag}><tr>{names}</tr>{''.join(rows)}</table>"


def drawn(look: str) -> str:
    return f"<svg class='i {look}' width=14 height=14><path d='M2 {len(look)}h9'></path></svg>"


def unit(number: str, name: str) -> str:
    return f"<div class=s><b class=n>{number}</b> <i class=u>{name}</i></div>"


BLANK = "<i class=b style='background:{}'></i>"
STYLE = "<style>.b { display: inline-block; width: 12px; height: 12px } .late { background: #fcc }</style>"
SAID = {
    "a tick or a dash, of which the last row alone differs": (
        table("Plan A", *(f"<tr><th>{n}<td>{drawn(k)}" for n, k in (("x", "no"), ("y", "no"), ("z", "yes")))),
        'column "A": parts without words differ',
    ),
    "an arrow beside a number": (
        table(
            "Cur Change",
            *(f"<tr><td>{n}<td><i class='b {look}' style='background:red'></i> {p}%"
              for n, look, p in (("A", "up", 0.1), ("B", "down", 0.3), ("C", "up", 0.2), ("D", "down", 0.7))),
        ),
        'column "Change": parts without words differ',
    ),
    "colors that a header names": (
        table("Name Shade", *(f"<tr><td>{c}<td>{BLANK.format(f'#{c}')}" for c in ("8cf", "a42", "382", "222"))),
        'column "Shade": parts without words differ',
    ),
    "a key of the rows' colors": (
        "<p><i class='b late'></i> late</p>"
        + table("Train Due", *(f"<tr class={k}><td>S{n}<td>{n}" for n, k in enumerate(("x", "late", "x", "late")))),
        'rows: parts without words differ, and no text says what they show ("late")',
    ),
    "a table that is marked as busy": (
        table("Sym Bid", *(f"<tr><td>{n}<td>1.{n}" for n in "123"), tag="aria-busy=true"),
        "the page marks this part of it as busy",
    ),
    "what waits below the rows": (
        "".join(f"<article><h3>Post {n}</h3><p>Text {n}</p></article>" for n in range(4))
        + "<div role=progressbar aria-label='Loading more'><i class=b style='background:red'></i></div>",
        "below the rows the page shows that it waits",
    ),
    "a link to more in the last row, where each second row says one thing": (
        "<table>"
        + "".join(f"<tr><td>{n}.<td>^<td>Story {n}</tr><tr><td colspan=2><td>{n} points</tr>" for n in (1, 2, 3))
        + "<tr><td colspan=2><td><a href=?p=2 rel=next>More</a></table>",
        "the page has a way to the next one",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_no_text_says_is_told(read_html: Serve, case: str) -> None:
    html, reason = SAID[case]
    (frame,) = sb.tables(read_html(STYLE + html))
    assert not frame.skillbook.complete
    assert reason in frame.skillbook.reason


BOARD = (
    ("To do", (("JB-1", 5), ("JB-4", 2))),
    ("Doing", (("JB-2", 3),)),
    ("Done", (("JB-3", 8), ("JB-5", 1))),
)
CARD = "<li class=card><p class=key>{}</p><span class=points>{}</span></li>"
READ = {
    "buttons that step a number": (
        table(
            "Item Qty",
            *(f"<tr><td>{n}<td><button>-</button><input value={q}><button>+</button>" for n, q in (("a", 2), ("b", 5))),
        ),
        [["a", 2], ["b", 5]],
    ),
    "a title over columns without names": (
        "<table><thead><tr><th colspan=2>Per serving</tr></thead><tr><td>Fat<td>3<tr><td>Salt<td>1</table>",
        [["Fat", 3], ["Salt", 1]],
    ),
    "labels behind their values": (
        "".join(
            f"<div class=q><h3>{t}</h3><div>{unit(a, 'votes')}{unit(b, 'replies')}{unit(c, 'views')}</div></div>"
            for t, a, b, c in (("x", "12", "3", "40"), ("y", "0", "1", "21"), ("z", "7", "5", "9"))
        ),
        [["x", 12, 3, 40], ["y", 0, 1, 21], ["z", 7, 5, 9]],
    ),
    "a board of short lists": (
        "<div style='display: flex'>"
        + "".join(
            f"<section><h3>{name}</h3><ul>{''.join(CARD.format(*card) for card in cards)}</ul></section>"
            for name, cards in BOARD
        )
        + "</div>",
        [[name, *card] for name, cards in BOARD for card in cards],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_it_is_read(read_html: Serve, case: str) -> None:
    html, rows = READ[case]
    (frame,) = sb.tables(read_html(html))
    assert frame.to_numpy().tolist() == rows
    assert frame.skillbook.complete, frame.skillbook.reason


NOTED = {
    "a first row that sums up the others": (
        table("Place People Share", *(f"<tr><td>{n}<td>{n * 80}<td>{n}%" for n in (100, 42, 41, 17))),
        "the first row",
    ),
    "rows with a closed control in a cell of its own": (
        table("_ Dish Cal", *(f"<tr><td><button aria-expanded=false>+</button><td>{n}<td>1" for n in "abc")),
        "3 rows are closed: what opens there wasn't read",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTED)
def test_it_is_noted(read_html: Serve, case: str) -> None:
    html, note = NOTED[case]
    (frame,) = sb.tables(read_html(html))
    assert any(each.startswith(note) for each in frame.skillbook.notes), frame.skillbook.notes


def test_what_only_adorns_is_no_value(read_html: Serve) -> None:
    """A color of its own beside each name, dots of a carousel with the class of the chosen row."""
    dots = "<p><i class='b on' style='background:red'></i><i class=b style='background:#ccc'></i></p>"
    rows = (
        f"<tr class={kind}><td>{BLANK.format(color)} {name}<td>{number}"
        for kind, color, name, number in (
            ("on", "#f88", "Ann", 3),
            ("x", "#8f8", "Bob", 9),
            ("x", "#88f", "Cy", 1),
        )
    )
    (frame,) = sb.tables(read_html(STYLE + dots + table("User Posts", *rows)))
    assert frame.skillbook.complete, frame.skillbook.reason

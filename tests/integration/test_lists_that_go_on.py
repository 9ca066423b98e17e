"""Lists of which a part shows, trees of lists, and sums that nothing calls so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
PEOPLE = "".join(f"<li><a href=/p{n}>Ann {n}</a> <span>Role {n}</span></li>" for n in range(1, 6))
ROWS = "".join(f"<tr><td>{n}<td>b{n}" for n in range(1, 6))
OPTIONS = "".join(f"<div role=option aria-setsize=40 aria-posinset={n}>Plum {n}</div>" for n in range(1, 8))
STAFF = "<table><tr><th>Dept<th>Staff<th>Cost<tr><td>R&amp;D<td>5<td>100<tr><td>Ops<td>7<td>80<tr><td>HR<td>2<td>30"
LEAVES = "".join(f"<li><a href=/n{n}>n{n}</a>" for n in (1, 2))
GOES_ON = {
    "a text below": f"<ul>{PEOPLE}</ul><p>and 12 more</p>",
    "a text of another language": f"<ul>{PEOPLE}</ul><span>&hellip; und 12 weitere</span>",
    "an item": f"<ul>{PEOPLE}<li>+12 more</li></ul>",
    "a text below a table": f"<table><tr><th>A<th>B{ROWS}</table><p>7 more rows not shown</p>",
    "a row": f"<table><tr><th>A<th>B{ROWS}<tr><td colspan=2>and 20 others&hellip;</table>",
    "numbers of options": f"<div role=listbox aria-label=Fruit>{OPTIONS}</div>",
}
ENDS = {
    "a text that speaks of something else": f"<ul>{PEOPLE}</ul><p>We open 3 more shops in May, and hire.</p>",
    "a text with a number": f"<ul>{PEOPLE}</ul><p>For more call 12345</p>",
}
TREES = {
    "two branches": (
        "<ul><li>Fruit<ul><li>Apple<li>Pear</ul><li>Veg<ul><li>Leek<li>Kale<li>Beet</ul></ul>",
        [["Fruit", "Apple"], ["Fruit", "Pear"], ["Veg", "Leek"], ["Veg", "Kale"], ["Veg", "Beet"]],
    ),
    "branches of links": (
        f"<ul>{''.join(f'<li><a href=/g{g}>G{g}</a><ul>{LEAVES}</ul>' for g in (1, 2, 3))}</ul>",
        [[f"G{g}", f"n{n}"] for g in (1, 2, 3) for n in (1, 2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GOES_ON)
def test_a_list_that_says_how_it_goes_on_isnt_complete(read_html: Serve, case: str) -> None:
    (frame,) = sb.tables(read_html(GOES_ON[case]))
    assert len(frame) == (7 if "options" in case else 5)
    assert not frame.skillbook.complete
    assert "the page says" in frame.skillbook.reason


@pytest.mark.parametrize("case", ENDS)
def test_other_texts_offer_nothing(read_html: Serve, case: str) -> None:
    (frame,) = sb.tables(read_html(ENDS[case]))
    assert frame.skillbook.complete


@pytest.mark.parametrize("case", TREES)
def test_branches_are_groups_of_one_list(read_html: Serve, case: str) -> None:
    html, rows = TREES[case]
    (frame,) = sb.tables(read_html(html))
    assert frame.to_numpy().tolist() == rows
    assert frame.skillbook.complete


def test_one_item_with_a_branch_keeps_its_name_in_the_list(read_html: Serve) -> None:
    html = "<ul><li>One<li>Two<ul><li>Two a<li>Two b<li>Two c</ul><li>Three<li>Four</ul>"
    frames = sb.tables(read_html(html))
    assert [frame["text"].tolist() for frame in frames] == [
        ["One", "Two", "Three", "Four"],
        ["Two a", "Two b", "Two c"],
    ]


def test_a_last_row_called_all_is_a_sum_if_its_numbers_are(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"{STAFF}<tr><td>All<td>14<td>210</table>"))
    assert frame["Dept"].tolist() == ["R&D", "Ops", "HR"]
    (frame,) = sb.tables(read_html(f"{STAFF}<tr><td>All<td>15<td>210</table>"))
    assert len(frame) == 4


def test_a_last_row_of_sums_with_a_name_stays_and_is_noted(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"{STAFF}<tr><td>Acme<td>14<td>210</table>"))
    assert len(frame) == 4
    assert "may sum up the others" in " ".join(frame.skillbook.notes)


def test_texts_that_end_with_dots_are_noted(read_html: Serve) -> None:
    html = "".join(
        f"<li><h3>T{n}</h3><p>It begins {n} &hellip; <a href=/{n}>Read more</a></p></li>" for n in (1, 2, 3)
    )
    (frame,) = sb.tables(read_html(f"<ul>{html}</ul>"))
    assert "column 'text': 3 texts end with dots, and may go on elsewhere" in frame.skillbook.notes


def test_a_map_of_colors_isnt_complete(read_html: Serve) -> None:
    html = "".join(
        f"<tr><td>H{n}<td style='background:#{n}00'><td style='background:#0{n}0'>" for n in (3, 5, 7, 9)
    )
    (frame,) = sb.tables(read_html(f"<table><tr><th>Host<th>Mon<th>Tue{html}</table>"))
    assert not frame.skillbook.complete

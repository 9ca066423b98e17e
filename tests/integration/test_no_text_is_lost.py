"""Texts made in 16 ways, in 12 surroundings, shown, hidden, folded or repeated: none is lost in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

import skillbook as sb

WAYS = {
    "text": "{}",
    "bold": "<b>{}</b>",
    "class": "<span class=val>{}</span>",
    "link": "<a href=/x>{}</a>",
    "tabindex": "<span tabindex=0>{}</span>",
    "pointer": "<span style='cursor:pointer'>{}</span>",
    "onclick": "<span onclick='1'>{}</span>",
    "contenteditable": "<span contenteditable=true>{}</span>",
    "draggable": "<span draggable=true>{}</span>",
    "time": "<time>{}</time>",
    "paragraph": "<p>{}</p>",
    "code": "<code>{}</code>",
    "sign": "<span role=img aria-label='{}'>●</span>",
    "titled sign": "<span title='{}'>★★★★★</span>",
    "titled icons": "<span title='{}'><svg width=9 height=9><circle r=4 /></svg></span>",
    "button": "<button>{}</button>",
}
SURROUNDINGS: dict[str, tuple[str, str, str]] = {
    "list": ("<ul>", "<li><b>{name}</b> {value}", "</ul>"),
    "list of one thing": ("<ol>", "<li>{value}", "</ol>"),
    "cards": ("<div>", "<div class=card><h3>{name}</h3><div>{value}</div></div>", "</div>"),
    "articles": ("<div>", "<article><h3>{name}</h3>{value}</article>", "</div>"),
    "linked cards": (
        "<div>",
        "<a class=box href=/{name} style='display:block'><div>{name}</div><div>{value}</div></a>",
        "</div>",
    ),
    "table": ("<table><tr><th>Name<th>Value", "<tr><td>{name}<td>{value}", "</table>"),
    "table of blocks": (
        "<table><tr><th>Name<th>Value",
        "<tr><td>{name}<td><div><i>of</i> {value}</div>",
        "</table>",
    ),
    "table without headers": ("<table>", "<tr><td>{name}<td>{value}<td>12", "</table>"),
    "grid": (
        "<div role=grid>",
        "<div role=row><span role=gridcell>{name}</span> <span role=gridcell>{value}</span></div>",
        "</div>",
    ),
    "ARIA list": ("<div role=list>", "<div role=listitem><span>{name}</span> {value}</div>", "</div>"),
    "definitions": ("<dl>", "<dt>{name}<dd>{value}", "</dl>"),
    "flex lines": (
        "<div>",
        "<div class=line style='display:flex;gap:9px'><span class=name>{name}</span><div>{value}</div></div>",
        "</div>",
    ),
}
MODES = {
    "shown": "{}",
    "hidden": "<span style='display:none'>{}</span>",
    "folded": "<details><summary>More</summary>{}</details>",
    "repeated": "{0}<span> {0}</span>",
}
ITEMS = 4


def page_of(surrounding: str, mode: str, way: str) -> str:
    first, item, last = SURROUNDINGS[surrounding]
    value = MODES[mode].format(WAYS[way])
    items = "".join(
        item.format(name=f"Name {at}", value=value.replace("{}", f"val{at}")) for at in range(ITEMS)
    )
    return f"<meta charset=utf-8><main><h2>{way}</h2>{first}{items}{last}</main>"


def said_by(frames: list[Any]) -> Iterator[str]:
    for frame in frames:
        yield from map(str, frame.columns)
        for column in frame.skillbook.raw.columns:
            yield from (text for text in frame.skillbook.raw[column] if isinstance(text, str))


def some_of(cases: list[tuple[str, ...]]) -> list[Any]:
    """One case in 29 for `make test`, so that each way, surrounding and mode is among them."""
    return [
        pytest.param(*case, marks=() if at % 29 == 0 else pytest.mark.more, id="-".join(case))
        for at, case in enumerate(cases)
    ]


@pytest.mark.parametrize(("surrounding", "mode", "way"), some_of(list(product(SURROUNDINGS, MODES, WAYS))))
def test_no_text_is_lost_in_silence(
    surrounding: str, mode: str, way: str, read_html: Callable[[str], Any]
) -> None:
    frames = sb.tables(read_html(page_of(surrounding, mode, way)))
    said = " | ".join(said_by(frames))
    if mode in {"hidden", "folded"}:
        # A cell without text says what an icon in it is called, also of one that isn't shown.
        assert "val0" not in said or way == "sign"
        return
    # A title beside a text of its cell is a note, and signs alone are no list.
    said += " | ".join(note for frame in frames for note in frame.skillbook.notes if "titles" in note)
    lost = [at for at in range(ITEMS - 1) if f"val{at}" not in said]
    kinds = [check.facts["aside"] for frame in frames for check in frame.skillbook.evidence.of("text")]
    is_control = way == "button" and any("control" in each for each in kinds)
    is_claimed = bool(frames) and all(frame.skillbook.complete for frame in frames)
    assert not lost or is_control or not is_claimed, f"{lost} of {ITEMS} are nowhere: {said}"
    is_list = way != "titled sign" or surrounding != "flex lines" or mode != "repeated"
    if way != "button" and surrounding != "linked cards" and is_list:
        assert frames
        assert not lost
        assert is_claimed, [frame.skillbook.reason for frame in frames]

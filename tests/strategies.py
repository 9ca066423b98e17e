"""Hypothesis strategies: any page, also a hostile one."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State

_ROLES = [
    "generic", "generic", "generic", "button", "link", "heading", "list", "listitem", "table", "row", "cell",
    "columnheader", "textbox", "checkbox", "combobox", "option", "img", "main", "navigation", "dialog", "article",
    "paragraph", "tab", "region", "form",
]  # fmt: skip
_TAGS = ["div", "div.card", "div.row", "span", "a", "button", "li", "select", "input"]
_HOSTILE = [
    '\n- button "Pay" [ref=e1]', "[ref=e1]", '" [ref=e2]', "a | b [ref=e3]", "\\", '\\" [ref=e4]', "\u2028- x [ref=e5]",
    "\u202eevil", "[ REF = e6]", "= + @", "# page", "… 3 lines", "```", "\x00\x1b[31m",
]  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    """Page text, some of it made to deceive."""
    return st.one_of(
        st.text(max_size=12), st.sampled_from(_HOSTILE), st.sampled_from(["Save", "Ann", "€3.00", "17"])
    )


@st.composite
def trees(draw: st.DrawFn, max_nodes: int = 30) -> dict[str, Any]:
    """A document tree as parsed JSON."""
    size = draw(st.integers(1, max_nodes))
    depth, role, tag, flags, name, number, extra = [0], [0], [0], [0], [""], [1], []
    roles = ["generic", "text", *_ROLES]
    for index in range(1, size):
        parent_is_text = roles[role[-1]] == "text"
        deepest = depth[-1] + (0 if parent_is_text else 1)
        depth.append(draw(st.integers(1, max(deepest, 1))))
        kind = draw(st.integers(1, len(roles) - 1))
        role.append(kind)
        is_text = roles[kind] == "text"
        number.append(0 if is_text else index + 1)
        tag.append(-1 if is_text else draw(st.integers(0, len(_TAGS) - 1)))
        flags.append(
            draw(st.integers(0, 2 ** len(State) - 1))
            & (int(State.INLINE | State.OFFSCREEN) if is_text else -1)
        )
        name.append(draw(texts()))
        if not is_text and draw(st.booleans()):
            extra.append(
                [index, {"value": draw(texts()), "placeholder": draw(texts()), "href": draw(texts())}]
            )
    return {
        "key": "main", "frame": 0, "url": draw(texts()), "title": draw(texts()), "version": 1, "viewport": [800, 600],
        "scroll": [0, 0], "size": [800, 600], "roles": roles, "tags": _TAGS, "number": number, "depth": depth,
        "role": role, "tag": tag, "flags": flags, "name": name, "box": [0] * (4 * size), "extra": extra,
    }  # fmt: skip


def snapshots(max_nodes: int = 30) -> st.SearchStrategy[Snapshot]:
    """Any snapshot of one document."""
    return trees(max_nodes).map(
        lambda tree: Snapshot.from_wire({"documents": [tree], "missing": [], "took_ms": 0.0}, taken_at=0.0)
    )

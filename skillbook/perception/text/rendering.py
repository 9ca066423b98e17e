"""A page as text for a model: YAML-like, one line a node, within a budget of tokens.

::

    # Orders
    - navigation "Main": link "Home" [ref=e3] link "Orders" [current=page] [ref=e4]
    - main:
      - heading "Orders" [level=1]
      - table "Open orders" [ref=e9]:
        - header: No | Customer | Total
        - row: 17 | Ann Lee | €12.50 | button "Edit" [ref=e17]
        - … 57 more like this: find_all("row in table 'Open orders'")

A long name of a control that the line above has at the same place is left out. Page text stands in quotes, or bare in
cells where it can't be taken for anything else. Names are folded to one line and lose control and direction
characters; `[ref=` in page text becomes `[\\ref=`.
"""

from __future__ import annotations

from typing import Literal

from skillbook.perception.escape import clean, quote, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.text.budget import fit
from skillbook.perception.text.describe import hides_by_modal
from skillbook.perception.text.lines import Line, page_lines, walk
from skillbook.perception.text.omissions import (
    LONGEST_LABEL,
    leave_out_repeated_names,
    named_refs,
    without_named_refs,
)

Mode = Literal["full", "interactive", "viewport"]


def render(
    snapshot: BaseSnapshot,
    budget: int | None = 4000,
    mode: Literal["full", "interactive", "viewport"] = "full",
    refs: Literal["all", "needed"] = "all",
) -> str:
    """A snapshot as text; see `Snapshot.text`."""
    lines = page_lines(snapshot)
    named = named_refs(snapshot) if refs == "needed" else {}
    if mode != "full":
        lines = _only(lines, mode)
    title, url = shorten(clean(snapshot.title), 120), short_url(snapshot.url)
    modal = (
        ": outside of what is modal only popups that it opened can be used"
        if hides_by_modal(snapshot)
        else ""
    )
    head = [f"# {title or url}{modal}".replace("[", "(")]
    if snapshot.instead:
        why = shorten(clean(snapshot.instead), 120)
        head.append(f"# read by the debugger, for {why}; what covers a control isn't known".replace("[", "("))
    head += [
        f"# a frame that can't be read: {quote(frame.url, 120)}: {quote(frame.reason, 120)}"
        for frame in snapshot.missing
    ]
    if budget is None:
        whole = leave_out_repeated_names((depth, str(line)) for depth, line in walk(lines))
        return "\n".join([*head, *(without_named_refs(line, named) for line in whole)])
    return fit(snapshot, head, lines, budget, named)


def short_url(url: str) -> str:
    """An address without its scheme; the middle of a long one is left out."""
    short = clean(url).removeprefix("http://").removeprefix("https://").removesuffix("/")
    if len(short) <= LONGEST_LABEL:
        return short
    host, _, path = short.partition("/")
    end = path.rpartition("/")[2]
    return shorten(f"{shorten(host, 60)}/…/{end}" if "/" in path else short, 2 * LONGEST_LABEL)


def _only(lines: list[Line], mode: Mode) -> list[Line]:
    kept = []
    for line in lines:
        line.children = _only(line.children, mode)
        wanted = (
            line.on_screen if mode == "viewport" else line.actionable or line.kind in {"heading", "dialog"}
        )
        if line.children or wanted:
            kept.append(line)
    return kept

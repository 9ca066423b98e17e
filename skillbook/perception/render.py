"""A page as text for a model: YAML-like, one line a node, within a budget of tokens.

::

    # Orders http://127.0.0.1/orders
    - navigation "Main": link "Home" [ref=e3] link "Orders" [current=page] [ref=e4]
    - main:
      - heading "Orders" [level=1]
      - table "Open orders" [ref=e9]:
        - header: No | Customer | Total
        - row: 17 | Ann Lee | €12.50 | button "Edit" [ref=e17]
        - … 57 more like this: find_all("row in table 'Open orders'")

Page text stands in quotes, or bare in cells where it can't be taken for anything else. Names are folded to one line
and lose control and direction characters; `[ref=` in page text becomes `[\\ref=`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from skillbook.perception.budget import fit
from skillbook.perception.escape import clean, quote, shorten
from skillbook.perception.lines import Line, page_lines

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot


def render(
    snapshot: Snapshot, budget: int | None = 4000, mode: Literal["full", "interactive", "viewport"] = "full"
) -> str:
    """A snapshot as text; see `Snapshot.text`."""
    lines = page_lines(snapshot)
    if mode != "full":
        lines = _only(lines, mode)
    head = [f"# {shorten(clean(snapshot.title), 120)} {shorten(clean(snapshot.url), 200)}".replace("[", "(")]
    head += [
        f"# a frame that can't be read: {quote(frame.url, 120)}: {quote(frame.reason, 120)}"
        for frame in snapshot.missing
    ]
    if budget is None:
        return "\n".join([*head, *write(lines)])
    return fit(snapshot, head, lines, budget)


def write(lines: list[Line], depth: int = 0) -> Iterator[str]:
    """Lines with their indentation."""
    stack = [(depth, line) for line in reversed(lines)]
    while stack:
        at, line = stack.pop()
        yield f"{'  ' * at}- {line}"
        stack.extend((at + 1, kid) for kid in reversed(line.kids))


def _only(lines: list[Line], mode: str) -> list[Line]:
    kept = []
    for line in lines:
        line.kids = _only(line.kids, mode)
        wanted = line.view if mode == "viewport" else line.actionable or line.kind in {"heading", "dialog"}
        if line.kids or wanted:
            kept.append(line)
    return kept

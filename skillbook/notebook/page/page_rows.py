"""A snapshot as rows to show: structure without meaning is left out, the rest keeps its order and nesting."""

from __future__ import annotations

from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.panel_source import PageView, Row, Shot
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State

MAX_ROWS = 2000
_MAX_NAME = 400
_STRUCTURAL_ROLES = frozenset({"generic", "none", "presentation", "document"})
_HIDDEN_STATES = State.ACTIONABLE | State.EDITABLE | State.MULTILINE | State.MULTISELECTABLE | State.INLINE
_SHOWN_STATES = tuple(state for state in State if not state & _HIDDEN_STATES)


def key_of(snapshot: Snapshot) -> str:
    """What differs for every document and after every change in it."""
    return f"{snapshot.main.key} {snapshot.version}"


def view_of(snapshot: Snapshot, shot: Shot | None = None, limit: int = MAX_ROWS) -> PageView:
    """Make a page's view.

    Parameters
    ----------
    snapshot : the page.
    shot : its screenshot, taken at about the same time.
    limit : the most rows.
    """
    columns = snapshot.columns
    rows: list[Row] = []
    omitted = 0
    above: list[int] = []  # depths of the kept nodes around the present one
    names: list[str] = []
    for index, node in enumerate(snapshot.nodes):
        depth = columns.depth[index]
        while above and above[-1] >= depth:
            above.pop()
            names.pop()
        role, name = columns.role[index], columns.name[index].strip()
        actionable = bool(columns.flags[index] & State.ACTIONABLE)
        if (role in _STRUCTURAL_ROLES and not actionable) or (
            role == "text" and (not name or _repeats_name(name, names))
        ):
            continue
        if len(rows) >= limit:
            omitted += 1
            continue
        row = Row(
            ref=node.ref or "",
            role=role,
            name=shorten(name or (snapshot.text_of(index) if actionable else ""), _MAX_NAME),
            depth=len(above),
            states=_states(snapshot, index),
            actionable=actionable,
            box=_box_of(snapshot, index) if actionable else None,
        )
        rows.append(row)
        if role != "text":
            above.append(depth)
            names.append(name)
    key, document = key_of(snapshot), snapshot.main.key
    return PageView(snapshot.url, snapshot.title, tuple(rows), omitted, shot, key, document)


def _box_of(snapshot: Snapshot, index: int) -> tuple[float, float, float, float]:
    x, y, width, height = snapshot.box_of(index)
    return x, y, width, height


def _repeats_name(text: str, names: list[str]) -> bool:
    return bool(names) and text in names[-1]


def _states(snapshot: Snapshot, index: int) -> str:
    flags = snapshot.columns.flags[index]
    words = [str(state.name).lower() for state in _SHOWN_STATES if flags & state]
    extra = snapshot.columns.extra.get(index, {})
    if extra.get("level") is not None:
        words.insert(0, f"level {extra['level']}")
    if extra.get("value"):
        words.append(f"= {shorten(str(extra['value']), 80)}")
    return ", ".join(words)

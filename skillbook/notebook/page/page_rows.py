"""A snapshot as rows to show: structure without meaning is left out, the rest keeps its order and nesting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.panel_source import PageView, Row, Shot
from skillbook.perception.forms import takes_no_text
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.urls import origin_of
from skillbook.protocol.snapshot import State

MAX_ROWS = 2000
_MAX_NAME = 400
_STRUCTURAL_ROLES = frozenset({"generic", "none", "presentation", "document"})
_HIDDEN_STATES = State.ACTIONABLE | State.EDITABLE | State.MULTILINE | State.MULTISELECTABLE | State.INLINE
_SHOWN_STATES = tuple(state for state in State if not state & _HIDDEN_STATES)


def view_of(snapshot: Snapshot, shot: Shot | None = None, limit: int = MAX_ROWS) -> PageView:
    """Make a page's view.

    shot: its screenshot, taken at about the same time.
    """
    columns = snapshot.columns
    rows: list[Row] = []
    omitted = 0
    above: list[int] = []  # depths of the kept nodes around the present one
    names: list[str] = []
    for index in range(len(snapshot.nodes)):
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
        rows.append(_row_of(snapshot, index, len(above)))
        if role != "text":
            above.append(depth)
            names.append(name)
    return PageView(snapshot.url, snapshot.title, tuple(rows), omitted, shot, snapshot.key, snapshot.main.key)


def with_target(view: PageView, snapshot: Snapshot | None, ref: str) -> PageView:
    """The view with the row of an element that it left out, as its last one: a call's target is always shown."""
    if not ref or not view.omitted or snapshot is None or snapshot.main.key != view.document:
        return view
    index = next((index for index, node in enumerate(snapshot.nodes) if node.ref == ref), None)
    if index is None or any(row.ref == ref for row in view.rows):
        return view
    return replace(view, rows=(*view.rows, _row_of(snapshot, index, 0)), omitted=view.omitted - 1)


def _row_of(snapshot: Snapshot, index: int, depth: int) -> Row:
    columns = snapshot.columns
    actionable = bool(columns.flags[index] & State.ACTIONABLE)
    name = columns.name[index].strip()
    return Row(
        ref=snapshot.nodes[index].ref or "",
        role=columns.role[index],
        name=shorten(name or (snapshot.text_of(index) if actionable else ""), _MAX_NAME),
        depth=depth,
        states=_states(snapshot, index),
        actionable=actionable,
        box=_box_of(snapshot, index) if actionable else None,
        no_text=actionable and takes_no_text(columns.role[index], columns.flags[index]),
    )


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


_LEAST_PAGES, _MOST_PAGES, _PATH_LENGTH = 2, 4, 40


def place_of(url: str, home: str) -> str:
    """An address as seen from another one: its path alone where both are of one site."""
    origin = origin_of(home)
    same = origin is not None and origin_of(url) == origin
    return shorten((url.removeprefix(origin) or "/") if same and origin else url, _PATH_LENGTH)


def visited_line(breadcrumbs: Sequence[tuple[str, str]]) -> str:
    """The last pages of a run as one line, oldest first; paths alone where they are of the newest page's site."""
    addresses = [url for url, _ in breadcrumbs]
    if len(addresses) < _LEAST_PAGES:
        return ""
    names = [place_of(url, addresses[-1]) for url in addresses]
    return " › ".join(["…", *names[-_MOST_PAGES:]] if len(names) > _MOST_PAGES else names)

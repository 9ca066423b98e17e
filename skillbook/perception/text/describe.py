"""What a node says of itself in a page's text: role, name, states, ref, value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection as AnyOf
from urllib.parse import urlsplit

from skillbook.perception.escape import LONGEST_NAME, LONGEST_TEXT, clean, plain, quote, quote_lines
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import ADDRESSED, CELLS, IMAGES, INTERACTIVE, ITEMS, TABLES
from skillbook.protocol.refs import make_ref
from skillbook.protocol.snapshot import State

_OBSCURED = int(State.OBSCURED)
_SHOWN = [
    (int(State.MIXED), "checked=mixed"),
    (int(State.CHECKED), "checked"),
    (int(State.DISABLED), "disabled"),
    (int(State.EXPANDED), "expanded"),
    (int(State.COLLAPSED), "collapsed"),
    (int(State.SELECTED), "selected"),
    (int(State.PRESSED), "pressed"),
    (int(State.REQUIRED), "required"),
    (int(State.INVALID), "invalid"),
    (int(State.READONLY), "readonly"),
    (int(State.FOCUSED), "focused"),
    (int(State.BUSY), "busy"),
    (int(State.MODAL), "modal"),
    (_OBSCURED, "obscured"),
    (int(State.SECRET), "secret"),
]
_ANY_SHOWN = sum(bit for bit, _ in _SHOWN)
_ACTIONABLE = int(State.ACTIONABLE)
_WEAK = frozenset({"class", "cursor", "listener", "test id"})
_FAINT = ["listener"]
_CHART = (100, 60)  # CSS pixels of width and height from which an image without a name may be a chart
_SLIM = 8  # CSS pixels across of what is only for dragging
_REPEATED = ITEMS | CELLS
_LONG_DESCRIPTION = 40
_MANY_CELLS = 60  # more than a month has days
_WEAK_IN_ROWS = _WEAK | {"tabindex"}
_STATE_NAMES = {"checked", "unchecked"}  # names that only say a check box's state
_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?\Z")


def states_of(snapshot: BaseSnapshot, index: int, *, level: bool = True) -> str:
    """A node's states in brackets, each with a blank before it.

    What an open modal dialog keeps from being used is written once, at the dialog.
    """
    columns = snapshot.columns
    extra = columns.extra.get(index, {})
    states = []
    if level and (depth := extra.get("level")) is not None:
        states.append(f"level={depth}")
    flags = columns.flags[index]
    if flags & _OBSCURED and _is_behind(snapshot, index):
        flags &= ~_OBSCURED
    if flags & _ANY_SHOWN:
        states += [
            name for bit, name in _SHOWN if flags & bit and not (bit == State.CHECKED and flags & State.MIXED)
        ]
    current = extra.get("current")
    if flags & State.CURRENT or current:
        states.append(f"current={plain(current)}" if current and current != "true" else "current")
    if sort := extra.get("sort"):
        states.append(f"sort={plain(sort)}")
    return "".join(f" [{state}]" for state in states)


def _is_behind(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a modal dialog is open that a node isn't in."""
    return bool(snapshot.modals) and not any(index in modal for modal in snapshot.modals)


def hides_by_modal(snapshot: BaseSnapshot) -> bool:
    """Whether an open modal dialog keeps something from being used."""
    flags = snapshot.columns.flags
    return bool(snapshot.modals) and any(
        flags[index] & _OBSCURED and _is_behind(snapshot, index) for index in range(len(flags))
    )


def header(
    snapshot: BaseSnapshot,
    index: int,
    name: str,
    elsewhere: AnyOf[str] = (),
    *,
    level: bool = True,
    value: bool = True,
) -> str:
    """Role, name, states and ref of a node, and its value; a ref only where one can use it.

    elsewhere: descriptions that the page's text says anyway, which are left out.
    level, value: whether to write a heading's level, and a field's value.
    """
    columns = snapshot.columns
    role = columns.role[index]
    extra = columns.extra.get(index)
    if role == "checkbox" and name in _STATE_NAMES:
        name = ""
    text = f"{plain_role(role)} {quote(name)}" if name else plain_role(role)
    if hint := snapshot.hinted_names.get(index):
        text += f" (hint {quote(hint)})"
    text += states_of(snapshot, index, level=level)
    number = columns.number[index]
    actionable = columns.flags[index] & _ACTIONABLE
    if number and (
        role in ADDRESSED or (actionable and not is_around(snapshot, index)) or is_visual(snapshot, index)
    ):
        text += f" [ref={make_ref(columns.document_at(index).frame, number)}]"
    if not extra:
        return text
    if actionable and not name and not columns.name[index].strip() and (test_id := extra.get("test_id")):
        text += f" testid {quote(test_id, 60)}"
    content = extra.get("value")
    if value and content is not None and content != "" and clean(content) != name:
        text += f" = {content if _NUMBER.match(content) else quote_lines(content, LONGEST_TEXT)}"
    elif (now := extra.get("valuenow")) is not None:
        text += f" = {now:g}"
    if extra.get("part"):
        text += " (only a part of its text is on the page)"
    placeholder = extra.get("placeholder")
    if placeholder and not content and clean(placeholder) != name:
        text += f" placeholder {quote(placeholder, 120)}"
    description = extra.get("description")
    if description and actionable and clean(description) not in name and clean(description) not in elsewhere:
        text += f" ({quote(description, LONGEST_NAME)})"
    if role == "link" and not clean(columns.name[index]) and (href := extra.get("href")):
        text += f" to {quote(href, 120)}"
    return text


def form_header(snapshot: BaseSnapshot, index: int) -> str:
    """A form that nobody names: by where it is sent, if that is another page."""
    action = urlsplit(snapshot.columns.extra.get(index, {}).get("action") or "")
    path = action.path.rstrip("/")
    here = urlsplit(snapshot.columns.document_at(index).url).path.rstrip("/")
    return f"form to {quote(path, 60)}" if path and path != here else "form"


def is_visual(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether only eyes see what an image says: a canvas, or a chart without a name.

    Small images without a name are icons. Those in controls and in items of lists are how these look.
    """
    columns = snapshot.columns
    if columns.role[index] not in IMAGES:
        return False
    tag = columns.tag[index].partition(".")[0]
    width, height = columns.box[4 * index + 2 : 4 * index + 4]
    if tag == "canvas":
        return width > 0 and height > 0
    if columns.name[index].strip() or width < _CHART[0] or height < _CHART[1]:
        return False
    parents, cards = snapshot.parents, snapshot.cards if tag == "img" else frozenset()
    at = parents[index]
    while at >= 0 and not (
        columns.flags[at] & _ACTIONABLE or at in cards or (tag == "img" and columns.role[at] in _REPEATED)
    ):
        at = parents[at]
    return at < 0


def is_around(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element can only be acted on for the sake of what is in it.

    The pointing hand or a listener around controls is theirs, and a row that takes the focus takes it for its cells.
    Such elements are found by role selectors; a page's text leaves their refs out.
    """
    columns = snapshot.columns
    extra = columns.extra.get(index)
    why = extra.get("why") if extra else None
    if not why or columns.role[index] in INTERACTIVE:
        return False
    inside = range(index + 1, snapshot.ends[index])
    if _stands_for_one(snapshot, index, why):
        return True
    if why == _FAINT and any(columns.flags[at] & _ACTIONABLE for at in inside):
        return True
    weak = _WEAK_IN_ROWS if columns.role[index] == "row" else _WEAK
    if not weak.issuperset(why):
        return False
    return any(columns.flags[at] & _ACTIONABLE and columns.role[at] in INTERACTIVE for at in inside)


def _stands_for_one(snapshot: BaseSnapshot, index: int, why: list[str]) -> bool:
    """Whether an element that says nothing has one control in it and nothing else."""
    columns = snapshot.columns
    if columns.role[index] != "generic" or not _WEAK_IN_ROWS.issuperset(why):
        return False
    first = next(snapshot.child_indexes(index), None)
    if first is None or snapshot.ends[first] != snapshot.ends[index]:
        return False
    says_more = columns.name[index].strip() and columns.name[index] != columns.name[first]
    return not says_more and columns.role[first] in INTERACTIVE and bool(columns.flags[first] & _ACTIONABLE)


def cells_that_only_listen(snapshot: BaseSnapshot) -> frozenset[int]:
    """Cells of big tables in which every cell listens for the table's sake: their refs are left out.

    Role selectors find them. Those under which the mouse turns into a hand, or that say nothing, keep theirs.
    """
    columns, parents = snapshot.columns, snapshot.parents
    tables: dict[int, list[int]] = defaultdict(list)
    for index, facts in columns.extra.items():
        if facts.get("why") == _FAINT and columns.role[index] in CELLS:
            table = parents[index]
            while table >= 0 and columns.role[table] not in TABLES:
                table = parents[table]
            tables[table].append(index)
    return frozenset(
        index
        for cells in tables.values()
        if len(cells) >= _MANY_CELLS
        for index in cells
        if columns.name[index].strip() or snapshot.ends[index] > index + 1
    )


def drag_handles(snapshot: BaseSnapshot) -> frozenset[int]:
    """Empty slivers that scripts listen on, such as those by which columns are resized: their refs are left out."""
    columns = snapshot.columns
    return frozenset(
        index
        for index, facts in columns.extra.items()
        if facts.get("why") == _FAINT
        and columns.role[index] == "generic"
        and not columns.name[index].strip()
        and snapshot.ends[index] == index + 1
        and 0 < min(columns.box[index * 4 + 2], columns.box[index * 4 + 3]) <= _SLIM
    )


def repeated_descriptions(snapshot: BaseSnapshot) -> dict[int, str]:
    """Elements of which an earlier one has the same long description, with it."""
    seen: set[str] = set()
    repeated: dict[int, str] = {}
    for index in sorted(snapshot.columns.extra):
        description = clean(snapshot.columns.extra[index].get("description") or "")
        if len(description) < _LONG_DESCRIPTION or not snapshot.columns.flags[index] & _ACTIONABLE:
            continue
        if description in seen:
            repeated[index] = description
        seen.add(description)
    return repeated


def is_mere_label(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element is a field's label that only listens for the field's sake; the field says its name."""
    columns = snapshot.columns
    if columns.role[index] != "generic" or columns.tag[index].partition(".")[0] != "label":
        return False
    return not columns.name[index].strip() and _WEAK.issuperset(columns.extra.get(index, {}).get("why") or ())


def plain_role(role: str) -> str:
    """A role as one word; a page can give an element any role attribute."""
    return role if role.isascii() and role.replace("-", "").isalnum() else "unknown"


def options_of(snapshot: BaseSnapshot, index: int) -> list[str]:
    """A native list's options on one line, by group; they are chosen by label, so they need no refs."""
    columns = snapshot.columns
    options: list[str] = []
    shown = index
    for child in range(index + 1, snapshot.ends[index]):
        if columns.role[child] != "option":
            continue
        label = clean(columns.name[child]) or snapshot.text_of(child)
        marks = "".join(
            mark
            for bit, mark in ((State.SELECTED, " [selected]"), (State.DISABLED, " [disabled]"))
            if columns.flags[child] & bit
        )
        group = columns.parents[child]
        heading = ""
        if group != shown:
            heading = f"group {quote(clean(columns.name[group]))}: " if group != index else "no group: "
        shown = group
        options.append(heading + plain(label) + marks)
    return options

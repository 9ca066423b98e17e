"""The lines of a page's text, before any budget: what each node says, and what goes on one line with it."""

from __future__ import annotations

import re
from collections.abc import Collection as AnyOf
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillbook.perception.collections.collection_search import partial_lists
from skillbook.perception.escape import LONGEST_TEXT, clean, plain, quote, shorten
from skillbook.perception.forms import forms_to_tell_apart
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import (
    ATOMS,
    BARS,
    CELLS,
    INTERACTIVE,
    ITEMS,
    SILENT,
    SPEAKING,
    TRANSPARENT,
)
from skillbook.perception.text.describe import (
    cells_that_only_listen,
    drag_handles,
    form_header,
    header,
    is_around,
    is_mere_label,
    is_visual,
    options_of,
    repeated_descriptions,
)
from skillbook.perception.text.omissions import LONG_NAME
from skillbook.protocol.snapshot import State

_WIDEST = 400  # characters that an item may have to stay on one line
_WIDEST_BAR = 1000  # characters of controls that may stand side by side
_WORD = re.compile(r"\w+")
_NO_FACTS: Mapping[str, Any] = {}
_ACTIONABLE, _INLINE, _OFFSCREEN = int(State.ACTIONABLE), int(State.INLINE), int(State.OFFSCREEN)


@dataclass(slots=True, eq=False)
class Line:
    """One line of a page's text.

    index: the node it is about.
    kind: lines of the same kind can be folded.
    text: raw page text, where the line is nothing else.
    head: what it begins with: role, name, states, ref.
    name, value: what the head says of the node's name and value.
    parts: what follows the head, as it is written.
    actionable: how many elements on it and under it one can act on.
    """

    index: int
    kind: str
    text: str = ""
    head: str = ""
    on_screen: bool = True
    label: str = ""
    name: str = ""
    value: str = ""
    parts: list[str] = field(default_factory=list)
    separator: str = " "
    children: list[Line] = field(default_factory=list)
    actionable: int = 0

    @property
    def is_text(self) -> bool:
        """Whether it is page text and nothing else."""
        return self.kind == "text"

    @property
    def is_leaf(self) -> bool:
        """Whether it fits into another line."""
        return not self.children

    def __str__(self) -> str:
        if self.is_text:
            return quote(self.text)
        tail = self.separator.join(self.parts)
        if not self.head:
            return tail
        if tail:
            return f"{self.head}: {tail}"
        return f"{self.head}:" if self.children else self.head


Group = list[Line]
Pieces = list[Line | None]  # None breaks the line


def page_lines(snapshot: BaseSnapshot, root: int | None = None) -> list[Line]:
    """Every line of a page, or of one node and what is in it."""
    builder = _Builder(snapshot)
    return builder.build(snapshot.roots) if root is None else builder.build([root])


def walk(lines: Sequence[Line]) -> Iterator[tuple[int, Line]]:
    """Lines and those under them in order, with their depths."""
    stack = [(0, line) for line in reversed(lines)]
    while stack:
        depth, line = stack.pop()
        yield depth, line
        stack.extend((depth + 1, child) for child in reversed(line.children))


class _Builder:
    """Goes through the nodes from last to first, so that a node's content is known when it is met."""

    def __init__(self, snapshot: BaseSnapshot) -> None:
        self.snapshot = snapshot
        self.columns = snapshot.columns
        self.pieces: dict[int, Pieces] = {}
        self.without_refs = cells_that_only_listen(snapshot) | drag_handles(snapshot)
        self.partial = {max(each.items): each for each in partial_lists(snapshot)}
        self.forms = forms_to_tell_apart(snapshot)
        roles, names = self.columns.role, self.columns.name
        self.repeated = repeated_descriptions(snapshot)
        self.texts = (
            {clean(name) for role, name in zip(roles, names, strict=True) if role == "text"}
            if any("description" in facts for facts in self.columns.extra.values())
            else set[str]()
        )

    def build(self, roots: Sequence[int]) -> list[Line]:
        roles = self.columns.role
        pieces: Pieces = []
        for root in roots:
            for index in range(self.snapshot.ends[root] - 1, root - 1, -1):
                self.pieces[index] = self.text_run(index) if roles[index] == "text" else self.element(index)
                if index in self.partial:
                    partial = self.partial[index]
                    hint = ": scroll for others" if partial.estimated else ""
                    mark = Line(index, "more", head=f"… {partial.count}{hint}")
                    self.pieces[index] = [*self.pieces[index], None, mark, None]
            pieces += [None, *self.pieces.pop(root)]
        return _lines(pieces)

    def text_run(self, index: int) -> Pieces:
        text = self.columns.name[index]
        if not text or text.isspace():
            return [Line(index, "text", text=" ")] if text else []
        flags = self.columns.flags
        hidden = (flags[index] | flags[self.snapshot.parents[index]]) & _OFFSCREEN
        line = Line(index, "text", text=text, on_screen=not hidden)
        return [line] if flags[index] & _INLINE else [None, line, None]

    def content(self, index: int) -> Pieces:
        """What the node's children say."""
        children = list(self.snapshot.child_indexes(index))
        if len(children) == 1:
            return self.pieces.pop(children[0])
        inner: Pieces = []
        cards = self.snapshot.cards
        for child in children:
            pieces = self.pieces.pop(child)
            if child in cards and not self.acts(child) and _several(pieces):
                pieces = [None, *self.item(child, pieces), None]
            inner += pieces
        return inner

    def texts_elsewhere(self, index: int) -> AnyOf[str]:
        """Descriptions of a node that the page's text says elsewhere."""
        again = self.repeated.get(index)
        return self.texts if again is None else (again,)

    def acts(self, index: int) -> bool:
        """Whether one acts on a node for its sake, and not for what is in it."""
        if not self.columns.flags[index] & _ACTIONABLE or index in self.without_refs:
            return False
        return not is_around(self.snapshot, index)

    def element(self, index: int) -> Pieces:
        columns = self.columns
        role, flags = columns.role[index], columns.flags[index]
        inner = self.content(index)
        if index in self.forms:
            return [None, *self.container(index, inner), None]
        actionable = self.acts(index)
        block = not flags & _INLINE
        if role in CELLS and not actionable:
            return [None, self.cell(index, inner), None]
        if role == "row":
            return [None, self.row(index, inner), None]
        named = bool(columns.name[index]) and not columns.name[index].isspace()
        if not actionable:
            if is_visual(self.snapshot, index):
                return [None, self.atom(index, inner), None] if block else [self.atom(index, inner)]
            if role in SILENT and not named:
                return inner
            if role in TRANSPARENT and (not named or self.says_same(index, inner)):
                if role == "list":
                    return [None, *self.container(index, inner), None]
                return [None, *inner, None] if block else inner
            if role in ITEMS and (not named or self.says_same(index, inner)):
                return [None, *self.item(index, inner), None]
        if actionable and is_mere_label(self.snapshot, index) and not any(inner):
            return inner
        if actionable or role in ATOMS or (named and role in TRANSPARENT | ITEMS | SILENT):
            line = self.atom(index, inner)
            return [None, line, None] if block and (line.children or not actionable) else [line]
        return [None, *self.container(index, inner), None]

    def says_same(self, index: int, inner: Pieces) -> bool:
        """Whether a node's name is only the text inside it."""
        return _squeeze(self.columns.name[index]) in _says(inner)

    def atom(self, index: int, inner: Pieces) -> Line:
        """A node that speaks by its name: what the name says already isn't said again."""
        columns = self.columns
        role = columns.role[index]
        name = clean(columns.name[index])
        line = Line(index, role, on_screen=not columns.flags[index] & _OFFSCREEN)
        line.actionable = int(bool(columns.flags[index] & _ACTIONABLE))
        line.label = name
        if columns.tag[index].startswith("select"):
            line.parts = options_of(self.snapshot, index)
            line.separator = " | "
            line.head = header(self.snapshot, index, name)
            return line
        value = clean(columns.extra.get(index, _NO_FACTS).get("value") or "")
        if not name and not value and all(piece is None or piece.is_text for piece in inner):
            joined = clean("".join(piece.text if piece else " " for piece in inner))
            if len(joined) <= 120:
                name = line.label = joined
                inner = []
        if len(value) > LONGEST_TEXT and _squeeze(value) in _says(inner):
            value = ""
            texts = [piece.text for piece in inner if piece and piece.is_text]
            whole = len(texts) == sum(piece is not None for piece in inner)
            left = inner if not whole else [Line(index, "text", text=" ".join(texts))]
        else:
            left = _uncovered(inner, f"{name} {shorten(value, LONGEST_TEXT)}")
        if (
            role in SPEAKING
            and any(piece and piece.actionable for piece in left)
            and _says(inner) == _squeeze(name)
        ):
            left, name = self.with_name_once(index, inner, name)
        nodes = [piece for piece in left if piece and not piece.is_text]
        if role == "heading" and nodes and not any(piece and piece.is_text for piece in left):
            joined = clean(" ".join(piece.label for piece in nodes))
            name = "" if joined.casefold() == name.casefold() else name
        line.name, line.value = name, value
        line.head = header(self.snapshot, index, name, self.texts_elsewhere(index), value=bool(value))
        self.attach(line, left, wide=False)
        return line

    def with_name_once(self, index: int, inner: Pieces, name: str) -> tuple[Pieces, str]:
        """What is in a node that says its name again, and the name: a control keeps it, and the one in it says none."""
        pieces = [piece for piece in inner if piece]
        only = pieces[0] if len(pieces) == 1 and pieces[0].is_leaf else None
        if (
            self.columns.role[index] not in INTERACTIVE
            or only is None
            or only.parts
            or clean(only.name) != name
        ):
            return inner, ""
        only.head = header(self.snapshot, only.index, "", self.texts_elsewhere(only.index))
        return inner, name

    def attach(self, line: Line, pieces: Iterable[Line | None], *, wide: bool) -> None:
        """Put content on a line as far as it fits, and under it from there on."""
        groups = _groups(pieces)
        if not groups and not wide:  # most links and buttons say no more than their names
            return
        everything = [piece for group in groups for piece in group]
        line.actionable += sum(piece.actionable for piece in everything)
        line.on_screen = any(piece.on_screen for piece in everything) if wide else line.on_screen
        if not line.label:
            line.label = clean(" ".join(piece.text or piece.label for piece in everything))[:200]
        first = next(
            (at for at, group in enumerate(groups) if any(not piece.is_leaf for piece in group)), len(groups)
        )
        heads = [(piece, piece.head) for piece in everything]
        self.drop_said_names(piece for group in groups[:first] for piece in group)
        bare = wide and bool(line.head)
        flat: list[str] = []
        for group in groups[:first]:
            alone = len(group) == 1 and group[0].is_text and (bare or (wide and bool(flat)))
            flat.append(plain(group[0].text) if alone else " ".join(map(str, group)))
        if sum(map(len, flat)) > _WIDEST:
            first, flat = 0, []
            for piece, head in heads:
                piece.head = head
        line.parts = flat
        line.separator = " | " if wide else " "
        line.children = _lines(piece for group in groups[first:] for piece in [*group, None])

    def drop_said_names(self, pieces: Iterable[Line]) -> None:
        """Take long names from buttons that follow what says the same, on the same line."""
        shown = ""
        for piece in pieces:
            name = _squeeze(piece.name)
            if piece.kind == "button" and len(name) >= LONG_NAME and not piece.parts and name in shown:
                piece.head = header(self.snapshot, piece.index, "", self.texts_elsewhere(piece.index))
            if piece.kind != "button" or piece.parts:
                shown += _squeeze(piece.text or piece.label)

    def container(self, index: int, inner: Pieces) -> list[Line]:
        """A node that speaks by what is in it."""
        columns = self.columns
        name = clean(columns.name[index])
        children = _lines(p for p in inner if not (name and p and p.is_text and clean(p.text) == name))
        if not children and not name:
            return []
        is_form = index in self.forms
        kind = "form" if is_form else columns.role[index]
        line = Line(index, kind, on_screen=not columns.flags[index] & _OFFSCREEN)
        line.label = name
        line.head = form_header(self.snapshot, index) if is_form else header(self.snapshot, index, name)
        if len(children) == 1 and children[0].is_leaf and children[0].kind not in {"row", "card"}:
            line.parts = [str(children[0])]
            line.actionable = children[0].actionable
        elif line.kind in BARS and _is_short(children):
            line.parts = [str(child) for child in children]
            line.actionable = sum(child.actionable for child in children)
        else:
            line.children = children
            line.actionable = sum(child.actionable for child in children)
        line.on_screen = line.on_screen or any(child.on_screen for child in children)
        return [line]

    def item(self, index: int, inner: Pieces) -> list[Line]:
        """A list item or card: on one line with bars between its blocks, its lists and tables under it."""
        groups = _groups(inner)
        if not groups:
            return []
        role = self.columns.role[index]
        if len(groups) == 1 and len(groups[0]) == 1 and role != "article":
            only = groups[0][0]
            if not only.is_text:
                return [only]
        for piece in inner:
            if piece is not None and piece.kind == "heading" and piece.head:
                piece.head = header(
                    self.snapshot, piece.index, piece.name, self.texts_elsewhere(piece.index), level=False
                )
        kind = "card" if role == "generic" else role
        line = Line(index, kind, head="" if kind == "listitem" else kind)
        self.attach(line, inner, wide=True)
        if not line.head and not line.parts:
            line.head = kind
        return [line]

    def cell(self, index: int, inner: Pieces) -> Line:
        """A table's cell; its text is bare."""
        line = Line(index, "cell", on_screen=not self.columns.flags[index] & _OFFSCREEN)
        pieces = [piece for piece in inner if piece]
        line.actionable = sum(piece.actionable for piece in pieces)
        words = clean("".join(piece.text or piece.label if piece else " " for piece in inner))
        line.label = words or clean(self.columns.name[index])
        if all(piece.is_text for piece in pieces):
            line.parts = [plain(line.label)]
        else:
            line.children = [piece for piece in pieces if not piece.is_leaf]
            flat = [piece for piece in inner if piece is None or piece.is_leaf]
            line.parts = [" ".join(_in_cell(piece) for group in _groups(flat) for piece in group)]
        return line

    def row(self, index: int, inner: Pieces) -> Line:
        """A table's row: its cells with bars between them."""
        columns = self.columns
        cells = [piece for piece in inner if piece and columns.role[piece.index] in CELLS]
        heads = bool(cells) and all(columns.role[cell.index] == "columnheader" for cell in cells)
        row = Line(
            index, "row", head="header" if heads else "row", on_screen=not columns.flags[index] & _OFFSCREEN
        )
        name = clean(columns.name[index])
        row.label = name or clean(" ".join(piece.label for piece in cells))
        shown = "".join("".join(piece.label.split()) for piece in cells)
        if columns.flags[index] & _ACTIONABLE or (name and "".join(name.split()) != shown and not heads):
            row.head = header(self.snapshot, index, "" if "".join(name.split()) in shown else name)
            row.actionable = int(bool(columns.flags[index] & _ACTIONABLE))
        if not cells:
            self.attach(row, inner, wide=True)
            return row
        row.separator = " | "
        for piece in inner:
            if piece is None or (piece.is_text and piece.text.isspace()):
                continue
            row.actionable += piece.actionable
            if piece.kind == "cell" and not piece.head:
                row.parts += piece.parts
                row.children += piece.children
            elif piece.is_leaf:
                row.parts.append(str(piece))
            else:
                row.children.append(piece)
        while len(row.parts) > 1 and not row.parts[-1]:
            row.parts.pop()
        return row


def _groups(pieces: Iterable[Line | None]) -> list[Group]:
    """Pieces between breaks, adjacent texts merged, blank groups left out."""
    groups: list[Group] = [[]]
    for piece in pieces:
        if piece is None:
            if groups[-1]:
                groups.append([])
        elif piece.is_text and groups[-1] and groups[-1][-1].is_text:
            last = groups[-1][-1]
            merged = Line(
                last.index,
                "text",
                text=f"{last.text} {piece.text}",
                on_screen=last.on_screen or piece.on_screen,
            )
            groups[-1][-1] = merged
        else:
            groups[-1].append(piece)
    spoken = ([piece for piece in group if not (piece.is_text and not clean(piece.text))] for group in groups)
    return [group for group in spoken if group]


def _lines(pieces: Iterable[Line | None]) -> list[Line]:
    """Pieces as lines: text and what stands in it go on one line, everything else on another."""
    lines: list[Line] = []
    for group in _groups(pieces):
        if len(group) > 1 and any(piece.is_text for piece in group) and all(piece.is_leaf for piece in group):
            lines.append(_flow(group))
        else:
            lines += group
    return lines


def _several(pieces: Pieces) -> bool:
    """Whether pieces say more than one thing."""
    return sum(len(group) for group in _groups(pieces)) > 1


def _is_short(children: Sequence[Line]) -> bool:
    """Whether lines may stand side by side on one."""
    return (
        all(child.is_leaf and child.kind != "more" for child in children)
        and sum(map(len, map(str, children))) <= _WIDEST_BAR
    )


def _in_cell(piece: Line) -> str:
    """A number beside a cell's button needs no quotes."""
    text = clean(piece.text)
    return text if piece.is_text and text.isascii() and text.isdigit() else str(piece)


def _flow(group: Group) -> Line:
    line = Line(group[0].index, "flow", on_screen=any(piece.on_screen for piece in group))
    line.parts = [str(piece) for piece in group]
    line.label = clean(" ".join(piece.text or piece.label for piece in group))
    line.actionable = sum(piece.actionable for piece in group)
    return line


def _squeeze(text: str) -> str:
    return "".join(clean(text).split()).casefold()


def _says(pieces: Pieces) -> str:
    """Everything that pieces say, without blanks."""
    return "".join(_squeeze(piece.text or piece.label) for piece in pieces if piece)


def _uncovered(pieces: Pieces, name: str) -> Pieces:
    """Pieces without what a name says already, word for word."""
    left: Pieces = []
    if not pieces:
        return left
    squeezed, words = _squeeze(name), set(_WORD.findall(clean(name)))
    for piece in pieces:
        if piece is None:
            left.append(None)
            continue
        covered = (
            all(_squeeze(text) in squeezed for text in (piece.text or piece.label, piece.value))
            and words.issuperset(_WORD.findall(clean(f"{piece.text or piece.label} {piece.value}")))
            and all(_letters(part) in _letters(squeezed) for part in piece.parts)
        )
        if piece.actionable or piece.children or piece.kind == "more" or not covered:
            left.append(piece)
    return left


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())

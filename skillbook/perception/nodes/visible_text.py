"""The text that one sees in a node.

A text run that is exactly its element's name isn't a node, so elements without text in them speak by
their names.
"""

from __future__ import annotations

from skillbook.perception.escape import clean
from skillbook.perception.nodes.columns import Columns
from skillbook.perception.roles import SPEAKING
from skillbook.protocol.snapshot import State

_INLINE = int(State.INLINE)
_UNSEEN = int(State.UNSEEN)
_STRUCK = int(State.STRUCK)
_NO_BLANK_BEFORE = tuple(",.;:!?)]}»”’%…")
_NO_BLANK_AFTER = tuple("([{«„“‘¿¡#@")


def visible_text(columns: Columns, index: int) -> str:
    """The visible text inside a node, on one line."""
    name, role = columns.name, columns.role
    if role[index] == "text":
        return clean(name[index])
    last = columns.ends[index]
    if last == index + 2 and role[index + 1] == "text":
        return clean(name[index + 1])
    text = _said(columns, index, last, _UNSEEN) or _said(columns, index, last)
    return text or (clean(name[index]) if role[index] in SPEAKING else "")


def _said(columns: Columns, index: int, last: int, without: int = 0) -> str:
    """The text inside a node, without what has a flag of `without`: an icon's name, and text that nobody sees."""
    name, role = columns.name, columns.role
    joined = ""
    blocks: list[int] = []  # depths of the blocks that are open
    apart = False
    for at in range(index + 1, last):
        depth = columns.depth[at]
        while blocks and blocks[-1] >= depth:
            blocks.pop()
            apart = True
        is_text = role[at] == "text"
        block = not columns.flags[at] & _INLINE
        if block and not is_text:
            blocks.append(depth)
        apart = apart or block
        if not columns.flags[at] & without and (is_text or speaks(columns, at)):
            text = name[at]
            joined += f"{_between(joined, text, apart)}{text}"
            apart = block and is_text
    return clean(joined)


def text_beside_struck(columns: Columns, index: int) -> str:
    """The visible text inside a node without what is struck out; "" where nothing is, or all of it."""
    last = columns.ends[index]
    if not any(columns.flags[at] & _STRUCK for at in range(index, last)):
        return ""
    return _said(columns, index, last, _UNSEEN | _STRUCK)


def struck_texts(columns: Columns, index: int) -> list[str]:
    """The texts inside a node, or the node's, that are struck out."""
    inside = range(index, columns.ends[index])
    return [text for at in inside if columns.flags[at] & _STRUCK and (text := clean(columns.name[at]))]


def speaks(columns: Columns, index: int) -> bool:
    """Whether an element's name is text that nothing inside it says."""
    if not columns.name[index] or columns.role[index] not in SPEAKING:
        return False
    return not any(
        columns.role[at] == "text" or columns.name[at] for at in range(index + 1, columns.ends[index])
    )


def _between(before: str, text: str, apart: bool) -> str:
    """A blank, unless the two belong together: runs come without the blanks around them."""
    if not before or apart:
        return " "
    glued = text.startswith(_NO_BLANK_BEFORE) or before.endswith(_NO_BLANK_AFTER)
    return "" if glued or text[:1].isspace() or before[-1:].isspace() else " "

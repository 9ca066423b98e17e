"""A snapshot as it crosses the wire: columns per document, in document order.

Columns keep a page of 50,000 nodes cheap to send, parse and validate; `skillbook.perception.Snapshot` makes nodes
of them on demand.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Literal, TypeAlias

from pydantic import Field

from skillbook.protocol.model import WireModel


class State(IntFlag):
    """A node's states and properties that are true or false (WAI-ARIA 1.2 §6.6, and ours)."""

    ACTIONABLE = 1 << 0
    DISABLED = 1 << 1
    CHECKED = 1 << 2
    MIXED = 1 << 3
    EXPANDED = 1 << 4
    COLLAPSED = 1 << 5
    SELECTED = 1 << 6
    PRESSED = 1 << 7
    REQUIRED = 1 << 8
    INVALID = 1 << 9
    READONLY = 1 << 10
    FOCUSED = 1 << 11
    BUSY = 1 << 12
    CURRENT = 1 << 13
    MODAL = 1 << 14
    OFFSCREEN = 1 << 15
    OBSCURED = 1 << 16
    EDITABLE = 1 << 17
    MULTILINE = 1 << 18
    MULTISELECTABLE = 1 << 19
    SECRET = 1 << 20
    INLINE = 1 << 21
    UNSEEN = 1 << 22  # its name isn't shown, as an icon's, or nobody can see its text
    HIDDEN = 1 << 23  # it isn't rendered; such a node is there only because it was looked for
    STRUCK = 1 << 24  # a text that is struck out, as an old price is

    # A column's plain flags are looked at once a node, and an enum's own `&` takes five times as long.
    __rand__ = int.__rand__  # type: ignore[assignment]


ReadyState: TypeAlias = Literal["loading", "interactive", "complete"]


class NodeExtra(WireModel):
    """What few nodes have, so it is no column. All strings are as the page has them, whitespace folded."""

    value: str | None = None
    description: str | None = None
    part: bool | None = Field(
        None,
        description="On an editor: its value is a part of its text, for it renders the lines near those seen.",
    )
    label: str | None = Field(
        None,
        description="On a field, what its labels say where its name differs; on a button, what its labels say.",
    )
    placeholder: str | None = None
    href: str | None = None
    rel: str | None = Field(None, description="On a link that says so: next or prev.")
    src: str | None = None
    type: str | None = None
    level: int | None = None
    current: str | None = None
    haspopup: str | None = None
    sort: str | None = None
    orientation: str | None = None
    valuemin: float | None = None
    valuemax: float | None = None
    valuenow: float | None = None
    colspan: int | None = None
    rowspan: int | None = None
    setsize: int | None = None
    posinset: int | None = Field(
        None, description="Its place among its like, from 1; a row's in its table, a cell's column."
    )
    colcount: int | None = Field(None, description="How many columns a table says that it has.")
    folded: int | None = Field(None, description="On a row: how many of its column headers aren't shown.")
    scroll: tuple[int, int, int, int] | None = Field(
        None,
        description="On what scrolls, else on the only node in it: where its content begins, from the top of the "
        "node's box; its height; where what is seen begins in it, and that one's height. In CSS pixels.",
    )
    test_id: str | None = None
    html_id: str | None = None
    keys: list[str] | None = Field(
        None, description="Attributes that may say which record it is of, with their values: `data-id=17`."
    )
    html_name: str | None = None
    clip: tuple[int, int, int, int] | None = Field(
        None,
        description="On what cuts off a part of what is in it, else on the only node in it: the box that is seen.",
    )
    unread: int | None = Field(
        None,
        description="On what holds items: how many others are kept from assistive technology, and say something else.",
    )
    autocomplete: str | None = Field(
        None, description="On fields: what browsers may fill in, such as cc-number."
    )
    form: int | None = Field(
        None, description="On HTML's fields and buttons: a number that all those of one form have."
    )
    action: str | None = Field(
        None, description="On a form: the address that it is sent to, where it says one."
    )
    why: list[str] | None = Field(None, description="Why a node without an interactive role is actionable.")
    document: str | None = Field(None, description="On a frame's node: the child document's key.")
    block: tuple[int, int, int, int] | None = Field(
        None,
        description="On a table that was read in part: its first row that was read and the one after the last, without "
        "headers, how many it has, and how often the page changed it since it was first read in part.",
    )
    icon: str | None = Field(
        None,
        description="On a cell without text that shows icons: what their titles say, or nothing.",
    )
    column: str | None = Field(
        None,
        description="On a cell that begins with its column's name, which a style sheet puts there: that text.",
    )
    titled: list[tuple[str, str]] | None = Field(
        None,
        description=(
            "On a text, or what has it as its name: parts of it whose elements have titles, and these titles. On an "
            "element: after a blank text, titles of what shows none in it and isn't read to anybody, such as icons."
        ),
    )
    looks: list[tuple[str, str]] | None = Field(
        None,
        description="How parts without words look that are in it, or the cell itself: their classes, styles and lines, "
        "and the images that they show.",
    )
    written: list[tuple[int, str]] | None = Field(
        None,
        description="On a row or an item: how its texts are written otherwise than those of the first one beside it, "
        "each with the place of the cell, -1 where it holds for all: bold, italic, color, background or indent, "
        "and what it is.",
    )
    badge: str | None = Field(
        None, description="On a heading: the number at its end that stands in an element of its own."
    )
    gaps: int | None = Field(
        None,
        description="On texts and blocks of text: how many elements like it, with nothing in them, stand right before.",
    )
    no_ai: bool | None = Field(None, description="It asks that no AI uses it and what is in it.")


class PlainRows(WireModel):
    """Rows of a part of an HTML table that hold texts and nothing else.

    They stand right behind a node, and in it: each is a node with as many cells, which have no states, no extras and
    nothing in them. Of `x` and `width` the first is that of every row, the others are those of its cells.
    """

    at: int = Field(ge=0, description="The node that they are in, by its place in the columns of the tree.")
    numbers: list[int] = Field(
        min_length=1,
        description="Those of each row and its cells, one row after the other; only the first where each number "
        "follows the one before.",
    )
    roles: tuple[int, int] = Field(description="Of rows and of cells.")
    tags: tuple[int, int]
    x: list[int]
    width: list[int]
    y: list[int] = Field(description="One a row.")
    height: list[int]
    texts: list[str] = Field(description="What the cells say, one row after the other.")


class DocumentTree(WireModel):
    """One document's nodes as equally long columns in document (pre-)order.

    `box` has four integers a node (x, y, width, height in CSS pixels, viewport coordinates of its own frame).
    `number` is 0 for text runs, else the ref's number. `role` and `tag` index the string tables.
    A text run is a node of role "text" whose `name` is its text. `extra` pairs a node's index with its extras.
    """

    key: str = Field(description="Random id of the document, for as long as it lives.")
    frame: int = Field(ge=0, description="0 for the main document, else the n of its refs' prefix fn.")
    url: str
    title: str
    lang: str = Field(
        "", description='The language that its root element names, such as de-AT; "" where none is.'
    )
    version: int = Field(description="Grows with every change that the document saw.")
    viewport: tuple[int, int]
    scroll: tuple[int, int]
    size: tuple[int, int] = Field(description="Width and height of the scrollable document.")
    no_ai: bool = Field(False, description="The document asks that no AI uses it.")
    next: str = Field("", description="The page after this one, as its head names it (`<link rel=next>`).")
    ready_state: ReadyState = Field(
        "complete", description="How far it is loaded, as `document.readyState` has it."
    )
    elements: int = Field(0, ge=0, description="How many elements it shows, those that are no node included.")
    roles: list[str]
    tags: list[str] = Field(description="Tag and classes, such as div.card.wide.")
    number: list[int]
    depth: list[int]
    role: list[int]
    tag: list[int] = Field(
        description="A text run's is of the element around it where that is no node itself, else -1."
    )
    flags: list[int]
    name: list[str]
    box: list[int]
    extra: list[tuple[int, NodeExtra]]
    plain: list[PlainRows] | None = Field(None, description="Rows that aren't in the columns.")
    stamp: int = Field(
        0, ge=0, description="Names this snapshot of the document in later requests; 0 where none can."
    )
    css: dict[str, list[int]] | None = Field(
        None, description="Numbers of the nodes that match each CSS selector, in document order."
    )
    unkept: int = Field(0, ge=0, description="How many of the elements that were looked for are no nodes.")


class FrameLink(WireModel):
    """Which document is in a frame now."""

    number: int = Field(description="The frame's ref number.")
    document: str | None = Field(None, description="The child document's key.")


class DocumentDelta(WireModel):
    """What changed in a document since the snapshot of it that the kernel has.

    The nodes that came are columns, as in `DocumentTree`, one splice's after the other's; `role` and `tag` index
    the tables of the earlier snapshot with `roles` and `tags` added. Extras are indexed by the place in these columns.
    """

    key: str
    frame: int = Field(ge=0)
    url: str
    title: str
    lang: str = ""
    version: int
    viewport: tuple[int, int]
    scroll: tuple[int, int]
    size: tuple[int, int]
    no_ai: bool = False
    next: str = ""
    ready_state: ReadyState = "complete"
    elements: int = Field(0, ge=0)
    base: int = Field(description="The stamp of the document snapshot that this changes.")
    stamp: int
    roles: list[str]
    tags: list[str]
    splices: list[tuple[int, int, int]] = Field(
        description="Where in the earlier snapshot, how many nodes go, how many come; in order."
    )
    shifts: list[tuple[int, int, int, int]] = Field(
        description="First node, one past the last (in the new snapshot), and by how much x and y of their boxes grew."
    )
    number: list[int]
    depth: list[int]
    role: list[int]
    tag: list[int]
    flags: list[int]
    name: list[str]
    box: list[int]
    extra: list[tuple[int, NodeExtra]]
    frames: list[FrameLink] = Field(description="Every frame of the document.")
    css: dict[str, list[int]] | None = Field(
        None, description="Numbers of the nodes that match each CSS selector, in document order."
    )
    unkept: int = Field(0, ge=0, description="How many of the elements that were looked for are no nodes.")


class MissingFrame(WireModel):
    """A frame whose content could not be read, and why."""

    url: str
    reason: str


class SnapshotResult(WireModel):
    """Every document of a page; the first is the main one, children follow their parents."""

    documents: list[DocumentTree | DocumentDelta] = Field(min_length=1)
    missing: list[MissingFrame] = Field([])
    took_ms: float = Field(description="Time spent in the browser.")
    engine: Literal["dom", "cdp"] = Field(
        "dom", description="Which engine answered: the content script's, or the debugger's."
    )
    instead: str | None = Field(
        None, description="Why the debugger's engine answered in the content script's place, where it did."
    )

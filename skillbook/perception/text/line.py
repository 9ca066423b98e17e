"""One line of a page's text."""

from __future__ import annotations

from skillbook.perception.escape import quote


class Line:
    """One line: what it says, the lines under it, and what a budget has to know of it.

    `parts` are rendered already, apart from a raw `text`. `kind` tells lines of one sort from others, for folding.
    `name` is the name that the head says, `value` the value, `label` what the line is about.
    """

    __slots__ = (
        "actionable",
        "head",
        "index",
        "kids",
        "kind",
        "label",
        "name",
        "parts",
        "sep",
        "text",
        "value",
        "view",
    )

    def __init__(self, index: int, kind: str, *, text: str = "", head: str = "", view: bool = True) -> None:
        self.index = index
        self.kind = kind
        self.text = text
        self.head = head
        self.label = ""
        self.name = ""
        self.value = ""
        self.parts: list[str] = []
        self.sep = " "
        self.kids: list[Line] = []
        self.view = view
        self.actionable = 0

    @property
    def is_text(self) -> bool:
        """Whether it is page text and nothing else."""
        return self.kind == "text"

    @property
    def is_leaf(self) -> bool:
        """Whether it fits into another line."""
        return not self.kids

    def __str__(self) -> str:
        if self.is_text:
            return quote(self.text)
        tail = self.sep.join(self.parts)
        if not self.head:
            return tail
        if tail:
            return f"{self.head}: {tail}"
        return f"{self.head}:" if self.kids else self.head


Group = list[Line]
Pieces = list[Line | None]  # None breaks the line

"""The law of texts over all pages of a reading, as evidence of its frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from skillbook.extraction.frames.evidence import Check
from skillbook.perception.collections import Collection
from skillbook.perception.collections.placed_texts import placed_texts, texts_of
from skillbook.perception.escape import quote


@dataclass
class TextLaw:
    """Whether each visible text of what was read is in a cell, in a column's name, or of a known kind.

    Attributes
    ----------
    named : how many of the texts that are nowhere are named.
    pages : how many pages, or screens, were looked at.
    left : how many texts are nowhere, and `first` the first of these.
    kinds : how many elements are no cells, by kind.
    names : by column, names of images and titles that tell rows apart, and that no cell says.
    """

    named: int = 3
    pages: int = 0
    left: int = 0
    first: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, found: Collection, others: Iterable[Collection] = ()) -> None:
        """Look at what one page shows; `others` are the page's collections."""
        if not found.rows:
            return
        placed = placed_texts(found, others)
        self.pages += 1
        self.left += len(placed.left)
        self.kinds += placed.kinds
        for column, names in placed.names.items():
            self.names.setdefault(column, []).extend(names[: self.named])
        wanted = self.named - len(self.first)
        self.first += texts_of(found.node.snapshot, placed.left[:wanted])

    @property
    def notes(self) -> list[str]:
        """What says in which columns names and titles tell more than the cells do."""
        return [
            f"column {quote(column, 40)}: names or titles that no cell says differ from row to row "
            f"({', '.join(quote(name, 40) for name in list(dict.fromkeys(names))[: self.named])})"
            for column, names in self.names.items()
        ]

    def checks(self) -> list[Check]:
        """The law as it stands; nothing where no page was looked at."""
        if not self.pages:
            return []
        facts = {"pages": self.pages, "left": self.left, "first": self.first, "aside": dict(self.kinds)}
        if self.left:
            shown = ", ".join(quote(text, 40) for text in self.first)
            more = ", …" if self.left > len(self.first) else ""
            many = "1 text of it is" if self.left == 1 else f"{self.left:,} texts of it are"
            return [Check("text", False, f"{many} in no cell and no column's name ({shown}{more})", facts)]
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kinds.items()))
        aside = f"; beside the cells: {kinds}" if kinds else ""
        return [Check("text", True, f"each text is in a cell or in a column's name{aside}", facts)]

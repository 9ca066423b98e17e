"""What was checked before a frame was called complete: laws that know nothing of the page, that of texts among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Literal

from skillbook.perception.collections import Collection, Row
from skillbook.perception.collections.placed_texts import placed_texts, texts_of, unsaid_in
from skillbook.perception.collections.telling_looks import TellingLooks, telling_looks
from skillbook.perception.collections.written_rows import levels_of, written_rows
from skillbook.perception.escape import MOST_NAMED, counted, quote
from skillbook.perception.nodes import BaseSnapshot
from skillbook.session.page.page_rest import is_loading_text

Law = Literal["text", "count", "answers", "rules"]


@dataclass(frozen=True)
class Check:
    """What became of one law.

    law: which one. "text": each visible text is in a cell, in a column's name or in a note. "count": there are as many
        rows as the page says. "answers": no request of the reading failed. "rules": what was taken for granted of a
        column is in its rule.
    holds: nothing breaks it.
    says: what was checked and found, in a sentence without a full stop.
    facts: the same as data, of values that JSON has.
    """

    law: Law
    holds: bool
    says: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.law}: {self.says}"


def check_of_rules(rules: Mapping[str, str]) -> Check:
    """What was taken for granted of columns: it is said, so that the law holds."""
    words = "; ".join(f"{quote(column, 40)} {rule}" for column, rule in rules.items())
    return Check("rules", True, words or "nothing was taken for granted of a column", dict(rules))


@dataclass(frozen=True)
class Evidence:
    """The checks of a frame, in the order in which they were made; one law may have several."""

    checks: tuple[Check, ...] = ()

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))

    def __repr__(self) -> str:
        return f"<Evidence {'; '.join(map(str, self.checks)) or 'of nothing'}>"

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks of laws that don't hold."""
        return tuple(check for check in self.checks if not check.holds)

    def of(self, law: Law) -> tuple[Check, ...]:
        """The checks of one law."""
        return tuple(check for check in self.checks if check.law == law)

    def with_checks(self, *checks: Check) -> Evidence:
        """The same with others after these."""
        return Evidence((*self.checks, *checks))

    def to_list(self) -> list[dict[str, Any]]:
        """Its checks as JSON has them."""
        return [{**asdict(check), "facts": dict(check.facts)} for check in self.checks]

    @classmethod
    def from_list(cls, checks: list[dict[str, Any]]) -> Evidence:
        """Checks that `to_list` gave."""
        return cls(tuple(Check(**check) for check in checks))


CHOSEN = " of what was chosen"


@dataclass
class TextLaw:
    """Whether each visible text of what was read is in a cell, in a column's name, or of a known kind.

    pages: how many pages, or screens, were looked at.
    left: how many texts are nowhere, and `first` the first of these.
    parts: how many editors have only a part of their text on the page.
    of: what was looked at, where that isn't all.
    names: by column, "" for whole rows, names, titles and values that tell rows apart, and that no cell says.
    looks: by column, "" for what is in none, how parts without words look where this alone tells rows apart.
    adorned: the same where it may adorn a row, or where the column has words.
    written: which rows are written otherwise, in bold type or another color, where no text says the same.
    levels: at how many levels rows stand that no column says.
    """

    pages: int = 0
    left: int = 0
    first: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    names: dict[str, list[str]] = field(default_factory=dict)
    looks: dict[str, list[str]] = field(default_factory=dict)
    adorned: dict[str, list[str]] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    levels: int = 0
    parts: int = 0
    of: str = ""
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, found: Collection, others: Iterable[Collection] = (), *, scrolled: bool = False) -> None:
        """Look at what one page shows; `others` are the page's collections, `scrolled` has rows of screens before."""
        if not found.rows:
            return
        placed = placed_texts(found, others)
        snapshot = found.node.snapshot
        self._count_parts(snapshot, [(row.node.index, snapshot.ends[row.node.index]) for row in found.rows])
        for column, names in placed.names.items():
            self.names.setdefault(column, []).extend(names[:MOST_NAMED])
        self._take_looks(placed.looks)
        self.written += written_rows(found)
        self.levels = max(self.levels, levels_of(found))
        self._count(found.node.snapshot, placed.left, scrolled=scrolled)
        self.kinds = self.kinds | placed.kinds if scrolled else self.kinds + placed.kinds

    def add_chosen(
        self,
        found: Collection,
        columns: Sequence[int],
        others: Iterable[Collection] = (),
        *,
        scrolled: bool = False,
    ) -> None:
        """Look at some columns of what one page shows: a text in no cell may be the value that a row lacks."""
        self.of = CHOSEN
        ends = found.node.snapshot.ends
        lacking = [row.node.index for row in found.rows if any(row.cells[place] is None for place in columns)]
        left = placed_texts(found, others).left if lacking else ()
        cells = [row.cells[place] for row in found.rows for place in columns]
        self._count_parts(found.node.snapshot, [(cell.index, ends[cell.index]) for cell in cells if cell])
        self._take_looks(telling_looks(found, set(columns)))
        inside = [at for at in left if any(row <= at < ends[row] for row in lacking)]
        self._count(found.node.snapshot, inside, scrolled=scrolled)

    def add_cells(self, snapshot: BaseSnapshot, rows: Iterable[Row], *, scrolled: bool = False) -> None:
        """Look at elements that were chosen one by one: each text of theirs is in their cell."""
        self.of = CHOSEN
        cells = [cell for row in rows for cell in row.cells if cell is not None]
        self._count_parts(snapshot, [(cell.index, snapshot.ends[cell.index]) for cell in cells])
        left = [at for cell in cells for at in unsaid_in(cell)]
        self._count(snapshot, left, scrolled=scrolled)

    def _count(self, snapshot: BaseSnapshot, left: Sequence[int], *, scrolled: bool) -> None:
        self.pages += 1
        for at, text in zip(left, texts_of(snapshot, left), strict=True):
            place = text, snapshot.text_of(max(snapshot.parents[at], 0))
            if not text or is_loading_text(text) or (scrolled and place in self._seen):
                continue
            self._seen.add(place)
            self.left += 1
            self.first += [text] if len(self.first) < MOST_NAMED else []

    def _count_parts(self, snapshot: BaseSnapshot, spans: Sequence[tuple[int, int]]) -> None:
        parts = [at for at, facts in snapshot.columns.extra.items() if facts.get("part")]
        self.parts += sum(any(first <= at < last for first, last in spans) for at in parts)

    def _take_looks(self, looks: TellingLooks) -> None:
        for column, shown in looks.values.items():
            self.looks.setdefault(column, []).extend(shown)
        for column, shown in looks.others.items():
            self.adorned.setdefault(column, []).extend(shown[:MOST_NAMED])

    @property
    def notes(self) -> list[str]:
        """What says in which columns names, titles, gauges and parts without words tell more than the cells do."""
        adorned = [
            f"{_place(column)}: parts without words differ, and no text says what they show, if anything "
            f"({_firsts(looks)})"
            for column, looks in self.adorned.items()
        ]
        if self.written:
            shown = "; ".join(islice(dict.fromkeys(self.written), MOST_NAMED))
            adorned.append(
                f"rows: texts are written otherwise, and none says what that shows, if anything ({shown})"
            )
        if self.levels:
            adorned.append(
                f"rows stand at {self.levels} levels, one below another, and no column says at which"
            )
        if drawn := self.kinds["canvas"]:
            what = "a canvas" if drawn == 1 else f"{drawn:,} canvases"
            adorned.append(f"what is drawn on {what} isn't read")
        if nested := self.kinds["nested"]:
            what = counted(nested, "row of another list stands", "rows of other lists stand")
            adorned.append(f"{what} in the rows and in no cell: `sb.tables(page)` reads these lists")
        return adorned + [
            f"{_place(column)}: names, titles or values that no cell says differ from row to row "
            f"({_firsts(names)})"
            for column, names in self.names.items()
        ]

    def checks(self) -> list[Check]:
        """The law as it stands; nothing where no page was looked at."""
        if not self.pages:
            return []
        parts = [*self._check_of_parts(), *self._check_of_looks()]
        facts = {"pages": self.pages, "left": self.left, "first": self.first, "aside": dict(self.kinds)}
        if self.left:
            shown = ", ".join(quote(text, 40) for text in self.first)
            more = ", …" if self.left > len(self.first) else ""
            of = self.of or " of it"
            many = counted(self.left, f"text{of} is", f"texts{of} are")
            return [
                *parts,
                Check("text", False, f"{many} in no cell and no column's name ({shown}{more})", facts),
            ]
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.kinds.items()))
        aside = f"; beside the cells: {kinds}" if kinds else ""
        return [
            *parts,
            Check("text", True, f"each text{self.of} is in a cell or in a column's name{aside}", facts),
        ]

    def _check_of_looks(self) -> list[Check]:
        """Bars, stars and the like by which rows differ: no text says what these show."""
        if not self.looks:
            return []
        says = [
            f"{_place(column)}: parts without words differ, and no text says what they show ({_firsts(looks)})"
            for column, looks in self.looks.items()
        ]
        facts = {name: len(set(looks)) for name, looks in self.looks.items()}
        return [Check("text", False, "; ".join(says), {"looks": facts})]

    def _check_of_parts(self) -> list[Check]:
        if not self.parts:
            return []
        editors = counted(self.parts, "editor has", "editors have")
        return [Check("text", False, f"{editors} only a part of the text on the page", {"parts": self.parts})]


def _firsts(texts: Iterable[str]) -> str:
    return ", ".join(quote(text, 40) for text in islice(dict.fromkeys(texts), MOST_NAMED))


def _place(column: str) -> str:
    return f"column {quote(column, 40)}" if column else "rows"

"""Screenshots of cells: taken now, where the page still says the same, or of each row while it was read."""

from __future__ import annotations

import base64
import operator
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillbook.errors import ExtractionError, SkillbookError, StaleRef
from skillbook.extraction.frames.provenance import Origin, Source
from skillbook.extraction.readable_page import PageReading
from skillbook.perception.collections import Cell, Row, cell_text
from skillbook.perception.nodes import Node
from skillbook.storage import storing


@dataclass(frozen=True)
class Crop:
    """A screenshot of what a cell was read from.

    data: PNG bytes.
    is_row: it shows the whole row, as it was read; else the cell's element, as it is now.
    """

    data: bytes = field(repr=False)
    source: Source
    is_row: bool = False

    def save(self, path: str | Path) -> None:
        """Write it to a PNG file."""
        with storing(path):
            Path(path).write_bytes(self.data)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), "image/png": base64.b64encode(self.data).decode("ascii")}


@dataclass
class KeptCrops:
    """Screenshots of rows, taken while they were read."""

    missing: int = 0
    _kept: dict[tuple[str, str, float], bytes] = field(default_factory=dict)

    @classmethod
    async def begin(cls, page: PageReading, rows: Sequence[Row], scroll: bool) -> KeptCrops:
        """Take those of a first page.

        Raises ExtractionError: the rows are to be scrolled to.
        """
        if scroll:
            raise ExtractionError(
                "crops=True keeps no screenshots of rows that are scrolled to",
                hint="leave out crops or scroll; df.skillbook.crop(row, column) takes one of what is shown now",
            )
        kept = cls()
        await kept.take(page, rows)
        return kept

    async def take(self, page: PageReading, rows: Sequence[Row]) -> None:
        """Take one of each row that there is none of."""
        for row in rows:
            key = _key(row)
            if key in self._kept:
                continue
            try:
                if key is None:
                    raise ExtractionError("the row has no element")
                self._kept[key] = await take_screenshot(page, key[1])
            except SkillbookError:
                self.missing += 1

    def of(self, row: Row) -> bytes | None:
        """That of a row, as PNG bytes."""
        key = _key(row)
        return None if key is None else self._kept.get(key)

    @property
    def notes(self) -> list[str]:
        """What says that there are rows without one."""
        return [f"no screenshot could be taken of {self.missing:,} rows"] if self.missing else []


def _key(row: Row) -> tuple[str, str, float] | None:
    """Which row of which moment: pages that are turned by scripts show other rows in the same elements."""
    snapshot = row.node.snapshot
    ref = row.node.ref
    document = snapshot.columns.document_at(row.node.index)
    return None if ref is None else (document.key, ref, snapshot.taken_at)


async def take_screenshot(page: PageReading, ref: str) -> bytes:
    """A screenshot of an element, as PNG bytes."""
    return base64.b64decode((await page.run("screenshot", {"ref": ref}))["data"])


async def crop_of(page: PageReading, origin: Origin, row: Hashable, column: str) -> Crop:
    """The screenshot of a cell: that of its row, if one was kept, else one of the element now.

    Raises StaleRef, ExtractionError: as `find_shown`.
    """
    source = origin.source(row, column)
    kept = origin.crops.get(operator.index(row))  # type: ignore[arg-type]
    if source is not None and kept is not None:
        return Crop(kept, source, is_row=True)
    ref = await find_shown(page, origin, row, column)
    assert source is not None
    return Crop(await take_screenshot(page, ref), source)


async def find_shown(page: PageReading, origin: Origin, row: Hashable, column: str) -> str:
    """The ref of a cell's element, which is still on the page and says the same.

    Raises StaleRef: its document or the element is gone.
    Raises ExtractionError: it has no element, or says something else by now.
    """
    source, cell = origin.source(row, column), origin.cell(row, column)
    ref = source.ref if source else None
    if source is None or ref is None or cell is None:
        raise ExtractionError(f"the cell {row!r}, {column!r} has no element to show")
    if cell.snapshot is None:
        raise StaleRef(f"the page of {source!r} isn't open any more", hint=f"open {source.url}")
    snapshot = await page.snapshot()
    again = f"open {source.url} and extract again"
    if all(document.key != source.document for document in snapshot.documents):
        raise StaleRef(f"the document of {source!r} is gone", hint=again)
    if ref not in snapshot:
        raise StaleRef(f"the element of {source!r} is gone", hint=again)
    now = snapshot[ref]
    if _says(now) != _says(cell.snapshot[ref]):
        raise ExtractionError(
            f"the element of {source!r} says {cell_text(now.snapshot, now.index)[:80]!r} now", hint=again
        )
    return ref


def _says(node: Node) -> tuple[object, ...]:
    return cell_text(node.snapshot, node.index), Cell.of("", node).href, node.src, node.value

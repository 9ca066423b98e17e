"""Pages with tables of very many rows: read in blocks, so that no single message has them all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, NamedTuple

from skillbook.extraction.frames.row_log import RowLog
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.walking.extract_options import Progress
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.perception.collections import Collection
from skillbook.perception.collections.tables import read_table
from skillbook.perception.nodes.blocks import BlockJoiner
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.page_rest import Readable, Settled, read_settled

BLOCK_ROWS = 15_000
CHANGED = "the page changed the table while it was read: rows may be missing, or from different moments"


def rows_in_blocks(collection: Collection) -> int:
    """How many rows a table has that is read in blocks; 0 for every other one."""
    block = collection.node.extra.get("block")
    return int(block[2]) if block else 0


class BlockLog:
    """Keeps the rows of the biggest of the tables that are read in blocks; those of each page on their own."""

    def __init__(self, log: RowLog) -> None:
        self._log = log
        self._page = 0
        self._columns: Sequence[str] = ()

    def begin(self, first: Snapshot) -> None:
        """Take the first block of a page."""
        self._page += 1
        self._columns = ()
        self.add(first)

    def add(self, part: Snapshot) -> None:
        """Take a block."""
        found = [index for index, facts in part.columns.extra.items() if "block" in facts]
        biggest = max(found, key=lambda index: part.columns.extra[index]["block"][2], default=None)
        table = None if biggest is None else read_table(part, biggest)
        if biggest is None or table is None:
            return
        # Blocks after the first may be without the headers.
        same = len(self._columns) == len(table.fields)
        columns = self._columns = self._columns if same else table.fields
        at = part.columns.extra[biggest]["block"][0]
        self._log.add("block", self._page, columns, table.rows, range(at, at + len(table.rows)))


class _FirstBlock(NamedTuple):
    """A page of which no more is read than the first block."""

    snapshot: Callable[[], Coroutine[Any, Any, Snapshot]]
    settled: Callable[..., Coroutine[Any, Any, Settled]]
    changed_since: Callable[..., Coroutine[Any, Any, bool]]


class BlockSource:
    """A page whose snapshots are read in blocks where it has tables of more than `BLOCK_ROWS` rows.

    progress: called with 1 and the rows so far of the biggest table.
    faults: what is known to be missing or broken in what was read.
    """

    def __init__(
        self, source: PageSource, progress: Progress | None = None, log: BlockLog | None = None
    ) -> None:
        self.source = source
        self.progress = progress
        self.log = log
        self.faults: list[str] = []
        self._joiner: BlockJoiner | None = None
        self.acts, self.act, self.run, self.settled = source.acts, source.act, source.run, source.settled
        self.status, self.retry_after, self.changed_since = (
            source.status,
            source.retry_after,
            source.changed_since,
        )

    @classmethod
    def into(cls, so_far: PartialResult, source: PageSource, progress: Progress | None) -> BlockSource:
        """A source whose blocks are kept, also if something stops the reading."""
        blocks = cls(source, progress, None if so_far.log is None else BlockLog(so_far.log))
        so_far.interrupted = blocks.so_far
        return blocks

    @property
    def url(self) -> str:
        """The page's address."""
        return self.source.url

    async def read_settled(
        self, count: Callable[[Snapshot], Awaitable[int]], seconds: float
    ) -> tuple[Snapshot, str]:
        """Read the page once what is on its way is there; see `read_settled`. Only then tables are read in blocks."""
        source = self.source
        first_block = partial(source.snapshot_in_part, 0, BLOCK_ROWS)
        page: Readable = _FirstBlock(first_block, source.settled, source.changed_since)
        first, loading = await read_settled(page, count, seconds)
        return await self.snapshot(first), loading

    async def snapshot(self, known: Snapshot | None = None) -> Snapshot:
        """Read the page now, with all rows of its tables.

        A table that changes meanwhile is read once more; where it changes again, `faults` says so.

        known: the first block, where it was read just now.
        """
        for is_last in (False, True):
            first = known if known and not is_last else await self.source.snapshot_in_part(0, BLOCK_ROWS)
            joiner = self._joiner = BlockJoiner(first)
            if joiner.next_row is None:
                self._joiner = None
                return first
            if self.log:
                self.log.begin(first)
            whole = await self._read(joiner)
            if whole:
                break
        self.faults += [] if whole else [CHANGED]
        self._joiner = None
        return joiner.joined(Snapshot)

    async def _read(self, joiner: BlockJoiner) -> bool:
        """Read block after block; False where the table isn't the one that it was."""
        while (row := joiner.next_row) is not None:
            if self.progress:
                self.progress(1, row)
            part = await self.source.snapshot_in_part(row, BLOCK_ROWS)
            if not joiner.add(part) or joiner.next_row == row:
                return False
            if self.log:
                self.log.add(part)
        return True

    def so_far(self) -> Snapshot | None:
        """The page with the blocks that were read when something stopped the reading; None where nothing did."""
        return None if self._joiner is None else self._joiner.joined(Snapshot)

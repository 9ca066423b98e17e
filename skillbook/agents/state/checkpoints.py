"""Where runs are kept between steps, so that they outlive a stopped kernel."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import aiosqlite

from skillbook.agents.models.pricing import Cost
from skillbook.agents.state.sealing import seal
from skillbook.policy import Binding
from skillbook.storage import HOME, caching, private_folder, storing

if TYPE_CHECKING:
    from skillbook.agents.state.checkpoint_saver import CheckpointSaver
    from skillbook.session.action import PreparedAction

_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Path, CheckpointSaver]] = WeakKeyDictionary()
_KEPT_RUNS = 200
_KEPT_BYTES = 100_000_000
_KEPT_CHECKPOINTS = 3
_TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, goal TEXT NOT NULL, cost TEXT NOT NULL, call_id TEXT NOT NULL, url TEXT NOT NULL,
    binding TEXT NOT NULL, used REAL NOT NULL, journals TEXT NOT NULL DEFAULT '[]'
)
"""
_ADD_JOURNALS = "ALTER TABLE runs ADD COLUMN journals TEXT NOT NULL DEFAULT '[]'"
"""For a file of a version that didn't keep them."""
_FORGET_RUNS = "DELETE FROM runs WHERE run_id NOT IN (SELECT run_id FROM runs ORDER BY used DESC LIMIT ?)"
_FORGET_BULK = """
WITH sizes AS (SELECT thread_id, SUM(LENGTH(checkpoint)) AS size FROM checkpoints GROUP BY thread_id),
    upto AS (SELECT run_id, SUM(COALESCE(size, 0)) OVER (ORDER BY used DESC, run_id) AS size
        FROM runs LEFT JOIN sizes ON thread_id = run_id)
DELETE FROM runs WHERE run_id IN (SELECT run_id FROM upto WHERE size > ?)
    AND run_id <> (SELECT run_id FROM runs ORDER BY used DESC, run_id LIMIT 1)
"""
"""Of the newest runs those that are too large together; never the newest one."""
_FORGET_CHECKPOINTS = """
DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_id NOT IN
    (SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id DESC LIMIT ?)
"""
_FORGET_WRITES = """
DELETE FROM writes WHERE thread_id = ? AND checkpoint_id NOT IN
    (SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id DESC LIMIT ?)
"""


@dataclass(frozen=True)
class KeptRun:
    """What is kept of a run beside its messages.

    call_id: the call that was judged last.
    url, binding: where that call was judged, and what it was for; empty for a call that touches no page.
    journals: the folders whose journals have its calls; a later kernel's browser may write in another one.
    """

    goal: str
    cost: Cost
    call_id: str = ""
    url: str = ""
    binding: Binding | None = None
    journals: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        goal: str,
        cost: Cost,
        call_id: str = "",
        action: PreparedAction | None = None,
        journals: tuple[str, ...] = (),
    ) -> KeptRun:
        """What to keep once a call was judged."""
        url, binding = (action.call.url or "", action.binding) if action is not None else ("", None)
        return cls(goal, cost, call_id, url, binding, journals)


async def open_checkpoints(path: Path) -> CheckpointSaver:
    """The checkpoint file, opened once for each event loop; call it on the loop that uses it.

    path: an SQLite file, made with mode 0600 where it isn't there.
    Raises StorageError: it can't be written.
    """
    of_loop = _open.setdefault(asyncio.get_running_loop(), {})
    if path not in of_loop:
        with storing(path, HOME):
            of_loop[path] = await _opened_file(path)
    return of_loop[path]


async def _opened_file(path: Path) -> CheckpointSaver:
    from skillbook.agents.state.checkpoint_saver import CheckpointSaver

    private_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = aiosqlite.connect(path)
    # aiosqlite's thread would keep a finished kernel from exiting
    worker: Any = getattr(connection, "_thread", connection)
    worker.daemon = True
    saver = CheckpointSaver(await connection, path)
    try:
        await saver.conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
        await saver.conn.execute("PRAGMA secure_delete = ON")
        await saver.setup()
        await saver.conn.execute(_TABLE)
        async with saver.conn.execute("PRAGMA table_info(runs)") as columns:
            known = {row[1] async for row in columns}
        if "journals" not in known:
            await saver.conn.execute(_ADD_JOURNALS)
        await _prune(saver)
    except BaseException:
        await saver.conn.close()
        raise
    return saver


async def _prune(saver: CheckpointSaver) -> None:
    """Forget all but the newest runs, and those of them that take too much room, and give it back to the disk."""
    await saver.conn.execute(_FORGET_RUNS, (_KEPT_RUNS,))
    await saver.conn.execute(_FORGET_BULK, (_KEPT_BYTES,))
    await saver.conn.execute("DELETE FROM checkpoints WHERE thread_id NOT IN (SELECT run_id FROM runs)")
    await saver.conn.execute("DELETE FROM writes WHERE thread_id NOT IN (SELECT run_id FROM runs)")
    await saver.conn.commit()
    await _return_room(saver)


async def _return_room(saver: CheckpointSaver) -> None:
    # As a script: `execute` takes one step of the statement, which frees one page.
    await saver.conn.executescript("PRAGMA incremental_vacuum")


async def close_checkpoints(path: Path) -> None:
    """Close the file on this loop, if it is open."""
    saver = _open.get(asyncio.get_running_loop(), {}).pop(path, None)
    if saver is not None:
        await saver.conn.close()


async def keep_run(path: Path, run_id: str, run: KeptRun) -> None:
    """Write down what is kept of a run, in the place of what was kept before.

    Raises StorageError: it can't be written.
    """
    saver = await open_checkpoints(path)
    binding = ""
    if run.binding is not None:
        binding = json.dumps(asdict(run.binding) | {"params": _closed(run.binding.params)})
    row = (
        run_id, _closed(run.goal), json.dumps(asdict(run.cost)), run.call_id, _closed(run.url), binding,
        time.time(), json.dumps(run.journals),
    )  # fmt: skip
    async with saver.lock:
        with storing(path, HOME):
            await saver.conn.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            # Each checkpoint holds the whole conversation; a run only ever goes on from the newest ones.
            await _forget(saver, run_id, _KEPT_CHECKPOINTS)


async def forget_older(path: Path, run_id: str) -> None:
    """Delete all but the newest checkpoint of a run that ended, which may have what was not known to be secret."""
    with caching(path):
        saver = await open_checkpoints(path)
        async with saver.lock:
            await _forget(saver, run_id, 1)
            await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def _forget(saver: CheckpointSaver, run_id: str, kept: int) -> None:
    """Delete all but the newest checkpoints of a run, and commit."""
    for statement in (_FORGET_WRITES, _FORGET_CHECKPOINTS):
        await saver.conn.execute(statement, (run_id, run_id, kept))
    await saver.conn.commit()
    await _return_room(saver)


def find_run(path: Path, run_id: str) -> KeptRun | None:
    """What is kept of a run; None where there is no run of that id."""
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        try:
            row = connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        except sqlite3.OperationalError:
            return None  # a file of a version that kept no such table
    if row is None:
        return None
    return KeptRun(
        _opened(row["goal"]),
        Cost(**json.loads(row["cost"])),
        row["call_id"],
        _opened(row["url"]),
        _binding(json.loads(row["binding"] or "null")),
        tuple(json.loads(row["journals"])) if "journals" in row.keys() else (),  # noqa: SIM118 - a row has values
    )


def _closed(text: str) -> str:
    return seal.close(f'"{text}"'.encode()).decode()[1:-1]


def _opened(text: str) -> str:
    return seal.open(f'"{text}"'.encode()).decode()[1:-1]


def _binding(facts: dict[str, Any] | None) -> Binding | None:
    if facts is None:
        return None
    facts["params"], facts["chosen"] = _opened(facts["params"]), tuple(facts["chosen"])
    facts["form"] = None if facts["form"] is None else tuple(facts["form"])
    return Binding(**facts)

"""Rows on disk while they are read: what a kernel had read when it died, `sb.recover` gives back."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from skillbook.config import Settings, load_settings
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import Completeness, partial
from skillbook.extraction.frames.evidence import Evidence
from skillbook.extraction.frames.provenance import KeptCell, Origin, Source, cell_selector, new_run
from skillbook.perception.collections import Cell, Row
from skillbook.perception.nodes import Node
from skillbook.storage import private_folder

Kind = Literal["page", "screen", "block", "detail"]
MOST_BYTES = 200 * 2**20
_SUFFIX = ".jsonl"
_NOWHERE = Source("", "", "", None, "", 0.0).where


def log_folder(home: Path | None = None) -> Path:
    """Where rows are kept."""
    return (home or load_settings().home) / "extractions"


class RowLog:
    """One extraction's rows, a line of JSON for each page, screen or block.

    folder: where the file is made, once there are rows; only its owner can read it.
    most: how many extractions are kept there; 0 writes nothing.
    """

    def __init__(self, folder: Path, url: str, most: int) -> None:
        self.run = new_run()
        self.path = folder / f"{self.run}{_SUFFIX}"
        self._most = most
        self._file: int | None = None
        self._head = {"run": self.run, "url": url, "time": time.time(), "pid": os.getpid()}
        self._written = 0
        self._rows = 0
        self._lost = ""

    @classmethod
    def of(cls, settings: Settings, url: str) -> RowLog:
        """A log where the settings want it."""
        return cls(log_folder(settings.home), url, settings.kept_extractions)

    def add(
        self, kind: Kind, page: int, columns: Sequence[str], rows: Sequence[Row], keys: Sequence[int]
    ) -> None:
        """Keep rows; a later row of the same page, kind and key adds to the earlier one."""
        if rows and self._most and not self._lost:
            line = _line(kind, page, columns, rows, keys) | Source.around(rows[0].node).where
            self._lost = self._write(line, MOST_BYTES)
            self._rows += 0 if self._lost else len(rows)

    def add_details(self, columns: Sequence[str], cells: Sequence[KeptCell | None], row: int) -> None:
        """Keep what was read of the page behind a row, which is known by its place among all rows."""
        source = next((cell.source for cell in cells if cell), None)
        if source is not None and self._most and not self._lost:
            line = _line("detail", 0, columns, [Row(None, cells)], [row]) | source.where  # type: ignore[arg-type]
            line["selectors"] = [[_selector_of(cell) for cell in cells]]
            self._lost = self._write(line, MOST_BYTES)

    def end(self, completeness: Completeness, *, early: bool = False) -> None:
        """The extraction came to its end, or was ended early by an error or an interrupt."""
        if self._file is not None:
            if self._lost:
                kept = f"only {self._rows} rows were kept on disk: {self._lost}"
                reason = "; ".join(filter(None, [completeness.reason, kept]))
                # What was checked is of all rows, and a full disk takes short lines only.
                completeness = replace(completeness, complete=False, reason=reason, evidence=Evidence())
            self._write(_end_of(completeness) | ({"early": True} if early else {}), 2 * MOST_BYTES)
            os.close(self._file)
            self._file = None

    def _write(self, line: Mapping[str, Any], most: int) -> str:
        """Write a line, of which the system has all before this returns; else nothing of it, and the reason."""
        try:
            if self._file is None:
                self._file = self._open()
            data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
            if self._written + len(data) > most:
                return f"they take more than {most >> 20} MiB"
            if _write_whole(self._file, data):
                self._written += len(data)
                return ""
            return "the disk is full"
        except OSError as error:
            return error.strerror or str(error)

    def _open(self) -> int:
        folder = self.path.parent
        private_folder(folder)
        prune(folder, self._most - 1)
        file = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        _write_whole(file, json.dumps(self._head).encode() + b"\n")
        return file


def _write_whole(file: int, data: bytes) -> bool:
    """Append all of it or, where the system takes only a part, nothing."""
    end = os.fstat(file).st_size
    written = 0
    try:
        written = os.write(file, data)
    finally:
        if written < len(data):
            os.ftruncate(file, end)
    return written == len(data)


def _line(
    kind: Kind, page: int, columns: Sequence[str], rows: Sequence[Row], keys: Sequence[int]
) -> dict[str, Any]:
    cells = [[cell and [cell.text, cell.ref] for cell in row.cells] for row in rows]
    return {"kind": kind, "page": page, "columns": list(columns), "keys": list(keys), "rows": cells}


def _end_of(completeness: Completeness) -> dict[str, Any]:
    return {
        "complete": completeness.complete,
        "reason": completeness.reason,
        "expected": dict(completeness.expected),
        "notes": list(completeness.notes),
        "evidence": completeness.evidence.to_list(),
    }


def _selector_of(cell: Cell | None) -> str:
    if isinstance(cell, KeptCell):
        return cell.source.selector
    node = cell.node if cell else None
    return cell_selector(node) if node else ""


def lines_of(origin: Origin) -> Iterator[dict[str, Any]]:
    """Everything that an origin knows, as lines of a file."""
    yield {"run": origin.run, "url": "", "pid": 0}
    together: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(origin.rows):
        for key in _by_page(row):
            together.setdefault(key, []).append(at)
    for (where, places), keys in together.items():
        rows = [Row(origin.rows[at].node, [origin.rows[at].cells[place] for place in places]) for at in keys]
        selectors = [[_selector_of(cell) for cell in row.cells] for row in rows]
        columns = [origin.columns[place] for place in places]
        yield _line("page", 1, columns, rows, keys) | dict(where) | {"selectors": selectors}
    yield _end_of(origin.completeness)


def _by_page(row: Row) -> Iterator[tuple[tuple[Any, ...], tuple[int, ...]]]:
    """Where a row's cells were read, with their places; blank ones with the first."""
    node: Node | None = row.node  # what was read from a file has none
    own = None if node is None else Source.around(node).where
    found = [cell.source.where if isinstance(cell, KeptCell) else own for cell in row.cells]
    # Nobody may know where a row came from, but it keeps its place among the others.
    first = next(filter(None, found), _NOWHERE)
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, where in enumerate(found):
        places.setdefault(tuple((where or first).items()), []).append(place)
    for key, at in places.items():
        yield key, tuple(at)


def prune(folder: Path, most: int) -> None:
    """Delete the oldest files, until there are few enough with little enough in them."""
    files = sorted(folder.glob("*.jsonl"), reverse=True)
    size = 0
    for place, path in enumerate(files):
        size += path.stat().st_size
        if place >= most or size > MOST_BYTES:
            path.unlink(missing_ok=True)


def recover_rows(run_id: str | None) -> Origin:
    """The rows that are kept of an extraction; see `sb.recover`."""
    folder = log_folder()
    files = sorted(folder.glob(f"*{_SUFFIX}"), reverse=True)
    if run_id is not None:
        path = next((each for each in files if each.stem == run_id), None)
        problem = f"no rows of an extraction {run_id!r} are kept"
    else:
        broken = [each for each in files if not _is_whole(each)]
        path = next((each for each in broken if _has_ended(each) or not _is_anothers(each)), None)
        problem = "no extraction was broken off"
        if path is None and broken:
            problem = f"{broken[0].stem} is not broken off: another process reads it still"
    if path is None:
        known = ", ".join(each.stem for each in files[:5]) or "none"
        raise ExtractionError(problem, hint=f"kept are: {known}")
    return read_origins(path)[0]


def _is_whole(path: Path) -> bool:
    return _has_ended(path) and "early" not in _last_of(path)


def _has_ended(path: Path) -> bool:
    """Whether an extraction's process said how it ended."""
    return "complete" in _last_of(path)


def _last_of(path: Path) -> Mapping[str, Any]:
    """The last line of a file; empty if it was cut off, or if it holds rows."""
    with path.open("rb") as file:
        line = next(iter(deque(file, maxlen=1)), b"")
    if not line.startswith(b'{"complete"'):
        return {}
    with suppress(ValueError):
        return cast(Mapping[str, Any], json.loads(line))
    return {}


def _is_anothers(path: Path) -> bool:
    """Whether another process, which runs, began a file."""
    pid = next(_lines(path), {}).get("pid", 0)
    return bool(pid) and pid != os.getpid() and _is_running(pid)


def read_origins(path: Path) -> list[Origin]:
    """Read a file with an extraction, or several; its last line may be cut off.

    Raises ExtractionError: it is none that skillbook wrote.
    """
    lines = list(_lines(path))
    heads = [at for at, line in enumerate(lines) if "pid" in line]
    if heads[:1] != [0]:
        raise ExtractionError(f"{path.name} has no rows of an extraction")
    parts = zip(heads, [*heads[1:], len(lines)], strict=True)
    return [origin_of(lines[first:last]) for first, last in parts]


def origin_of(lines: Sequence[Mapping[str, Any]]) -> Origin:
    """What the lines of one extraction have."""
    pages: dict[int, tuple[str, dict[int, dict[str, KeptCell | None]]]] = {}
    end = next((line for line in reversed(lines[1:]) if "rows" not in line), None)
    read = [line for line in lines[1:] if "rows" in line]
    columns = list(dict.fromkeys(name for line in read for name in line["columns"]))
    for line in read:
        if line["kind"] == "detail":
            continue
        known = pages.get(line["page"])
        # What a page was read as at last counts: rows as they were shown give way to all that were scrolled to.
        if known is None or known[0] != line["kind"]:
            known = pages[line["page"]] = (line["kind"], {})
        for at, key in enumerate(line["keys"]):
            row = known[1].setdefault(key, {})
            row |= {name: cell for name, cell in _cells(line, at) if cell is not None or name not in row}
    found = [row for _, (_, rows) in sorted(pages.items()) for _, row in sorted(rows.items())]
    for line in read:
        if line["kind"] == "detail" and line["keys"][0] < len(found):
            found[line["keys"][0]].update(_cells(line, 0))
    rows = [Row(None, [row.get(name) for name in columns]) for row in found]  # type: ignore[arg-type]
    whole = _completeness(len(pages), len(rows), lines[0], end)
    return Origin(tuple(columns), tuple(rows), completeness=whole, run=str(lines[0]["run"]))


def _completeness(
    pages: int, rows: int, head: Mapping[str, Any], end: Mapping[str, Any] | None
) -> Completeness:
    if end is not None:
        evidence = Evidence.from_list(end.get("evidence", []))
        return Completeness(
            end["complete"] is True, str(end["reason"]), dict(end["expected"]), end.get("notes", ()), evidence
        )
    why = "it is still being read" if _is_running(head["pid"]) else "the kernel ended while it was read"
    return partial(pages, rows, why)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _cells(line: Mapping[str, Any], at: int) -> Iterator[tuple[str, KeptCell | None]]:
    """The cells of one of a line's rows, by column."""
    where = line["url"], line["document"]
    selectors = line["selectors"][at] if "selectors" in line else [""] * len(line["columns"])
    for name, cell, selector in zip(line["columns"], line["rows"][at], selectors, strict=True):
        ref, lang = cell and cell[1], str(line.get("lang", ""))
        yield (
            name,
            cell and KeptCell(Source(cell[0], *where, ref, line["path"], line["time"], selector, lang)),
        )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            try:
                yield json.loads(text)
            except ValueError:
                return

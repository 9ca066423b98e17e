"""Files that a page takes from this computer, and files that the browser saved, under names that can do no harm."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from skillbook.errors import InvalidParams
from skillbook.storage import expanded, storing

_LONGEST = 180
_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.I)


def absolute_files(files: Iterable[str]) -> list[str]:
    """Absolute paths of existing files, links resolved.

    Raises InvalidParams: one isn't there, or is a folder.
    """
    found = [expanded(file).resolve() for file in files]
    for path in found:
        if not path.is_file():
            raise InvalidParams(f"there is no file {str(path)!r}", hint="check the path", path=str(path))
    return [str(path) for path in found]


_SYSTEM = ("/proc", "/dev", "/sys")


def files_to_ask_about(files: Iterable[str], folder: Path | None, given: Collection[str]) -> str:
    """Files that a person has to be asked about before a program uploads them, each with its size; empty for none.

    files: absolute paths with links resolved.
    folder: what is in it, and not hidden there, needs no question.
    """
    free = {str(expanded(path).resolve()) for path in given}
    root = expanded(folder).resolve() if folder is not None else None
    paths = [
        path for path in map(Path, files) if _is_system(path) or not (str(path) in free or _is_in(path, root))
    ]
    return ", ".join(f"{path} ({path.stat().st_size:,} bytes)" for path in paths)


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)


def _is_in(path: Path, folder: Path | None) -> bool:
    if folder is None or not path.is_relative_to(folder):
        return False
    if path.stat().st_nlink > 1:
        return False  # a hard link: the same file may lie elsewhere, under a name that nobody would upload
    return not any(part.startswith(".") for part in path.relative_to(folder).parts)


async def keep_file(file: Mapping[str, Any], folder: str | Path) -> dict[str, Any]:
    """Move a downloaded file into a folder; nothing there is overwritten.

    folder: made where it isn't there; relative to where the kernel runs.
    Raises StorageError: the folder can't be written to.
    """
    source = Path(file["path"])
    with storing(folder, hint=f"the file is at {source}"):
        path = await asyncio.to_thread(_move, source, Path(folder), file["name"])
    return {**file, "path": str(path), "name": path.name} if path else dict(file)


def safe_name(name: str) -> str:
    """A file's name without what leads elsewhere, hides its kind, or no file system takes."""
    plain = _UNFIT.sub("_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip().strip(".").strip()
    if len(plain) > _LONGEST:
        stem, dot, suffix = plain.rpartition(".")
        plain = f"{stem[: _LONGEST - len(suffix)]}.{suffix}" if dot and len(suffix) < 16 else plain[:_LONGEST]
    if not plain or _RESERVED.match(plain):
        plain = f"_{plain}"
    return plain


def _move(source: Path, folder: Path, name: str) -> Path | None:
    if not source.is_file():
        return None
    folder = expanded(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = folder / safe_name(name)
    for count in range(10_000):
        path = wanted if not count else wanted.with_name(f"{wanted.stem} ({count}){wanted.suffix}")
        try:
            # Made first, so that of two downloads at once neither takes the other's name.
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        shutil.move(source, path)
        return path
    raise FileExistsError(17, "too many files of that name", str(wanted))

"""Paths that a user gives, checked before they cross the wire."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skillbook.errors import InvalidParams


def absolute_files(files: Iterable[str]) -> list[str]:
    """Absolute paths of existing files.

    Raises
    ------
    InvalidParams : one isn't there, or is a folder.
    """
    found = [Path(file).expanduser().resolve() for file in files]
    for path in found:
        if not path.is_file():
            raise InvalidParams(f"there is no file {str(path)!r}", hint="check the path", path=str(path))
    return [str(path) for path in found]

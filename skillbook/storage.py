"""Files and folders that skillbook writes: what the system refuses becomes one error, with path and setting."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skillbook.errors import StorageError

HOME = "SKILLBOOK_HOME"
"""The setting that chooses where skillbook keeps what outlives a kernel."""
_log = logging.getLogger(__name__)
_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}


@contextmanager
def storing(path: Path | str, setting: str = "", *, hint: str = "") -> Iterator[None]:
    """Turn what the system refuses while a file is written into a `StorageError`.

    setting: the setting or argument that chooses it; empty if the caller named it.
    hint: what to try, where that is neither the setting nor the path.
    Raises StorageError: the disk is full, or the path can't be written.
    """
    try:
        yield
    except OSError as error:
        reason, full = error.strerror or str(error), error.errno in _FULL
        raise _refused(path, setting, reason, full=full, hint=hint) from error
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        raise _refused(path, setting, str(error), full=full, hint=hint) from error


def _refused(path: Path | str, setting: str, reason: str, *, full: bool, hint: str) -> StorageError:
    room = "free some disk space, or " if full else ""
    other = (
        f"set {setting} to a folder that you can write to" if setting else "give a path that you can write to"
    )
    facts = {"path": str(path)} | ({"setting": setting} if setting else {})
    named = f" ({setting})" if setting else ""
    return StorageError(f"{path}{named} can't be written: {reason}", hint=hint or room + other, **facts)


def private_folder(folder: Path) -> Path:
    """Make a folder, and those above it that are missing, for this user alone; a home of earlier versions is closed.

    Raises OSError: it can't be made.
    """
    for each in reversed((folder, *folder.parents)):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
        elif _is_open_home(each):
            each.chmod(0o700)
    return folder


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody else can read, at no time; what was there stays until the new text is whole.

    Raises OSError: it can't be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    part.unlink(missing_ok=True)
    try:
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _is_open_home(folder: Path) -> bool:
    """Whether an earlier version made a folder for all to read; a folder that isn't ours is left as it is."""
    if os.name == "nt" or not (folder / "journals").is_dir():
        return False
    facts = folder.stat()
    return facts.st_uid == os.getuid() and bool(facts.st_mode & 0o077)


def home_folder() -> Path:
    """The user's home folder.

    Raises StorageError: the user has none, as a user id without an entry in the system's list of users.
    """
    try:
        return Path.home()
    except RuntimeError:
        who = f"the user with id {os.getuid()}" if hasattr(os, "getuid") else "this user"
        raise StorageError(
            f"{who} has no home folder, and {HOME} isn't set",
            hint=f"set HOME, or {HOME}, to a folder that you can write to",
            setting=HOME,
        ) from None


def readable_home() -> Path:
    """The user's home folder to look for files in; a user without one has none there."""
    return Path(os.path.expanduser("~"))


def expanded(path: Path | str) -> Path:
    """A path that a user gave, with `~` for the home folder.

    Raises StorageError: the user that it names has no home folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise StorageError(
            f"{path} has no meaning here: {error}", hint="give the whole path", path=str(path)
        ) from None


@contextmanager
def caching(path: Path | str, setting: str = HOME) -> Iterator[None]:
    """As `storing`, for what can be done without: a success stays one, and a warning is logged."""
    try:
        with storing(path, setting):
            yield
    except StorageError as error:
        _log.warning("%s", error.message)

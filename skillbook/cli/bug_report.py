"""What a bug report needs of this machine: versions, and what was done last, without anything that a page showed."""

from __future__ import annotations

import platform
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from skillbook.config import load_settings
from skillbook.journal.records import JournalStep, read_journal
from skillbook.protocol import PROTOCOL_VERSION

_LAST_STEPS = 20
_FOR_DEVELOPERS = {"dev", "docs", "test"}


def report_lines() -> Iterator[str]:
    """The report, a line each.

    Of a step there is what it was, who wanted it, how it was judged and how it ended; no address, name, text or value.
    """
    yield f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    yield ", ".join(f"{name} {found}" for name in _packages() if (found := _version(name)))
    yield f"protocol {PROTOCOL_VERSION}"
    journals = sorted(
        (load_settings().home / "journals").glob("*.sqlite"), key=lambda path: path.stat().st_mtime
    )
    if not journals:
        yield "no journal"
        return
    try:
        steps = list(read_journal(journals[-1]))[-_LAST_STEPS:]
    except sqlite3.Error as error:
        yield f"the newest journal can't be read: {error}"
        return
    yield f"the last {len(steps)} steps of the newest of {len(journals)} journals:"
    yield from map(_line_of, steps)


def without_home(text: str) -> str:
    """A text without the name of the user's folder."""
    return text.replace(str(Path("~").expanduser()), "~")


def _packages() -> list[str]:
    """Skillbook and what it needs, the extras for users among it."""
    needed = ["skillbook"]
    with suppress(PackageNotFoundError):
        for line in requires("skillbook") or ():
            extra = re.search(r"extra == ['\"]([\w-]+)", line)
            if extra is None or extra[1] not in _FOR_DEVELOPERS:
                needed.append(re.split(r"[^\w.-]", line, maxsplit=1)[0])
    return [*dict.fromkeys(needed)]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _line_of(step: JournalStep) -> str:
    on = f" on {step.target['role']}" if step.target.get("role") else ""
    took = "" if step.elapsed_ms is None else f", {step.elapsed_ms:.0f} ms"
    why = f" ({step.error['code']})" if step.error.get("code") else ""
    return f"{step.command}{on}: {step.actor}, {step.effect}, {step.verdict}, {step.outcome.value}{why}{took}"

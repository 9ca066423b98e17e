"""The list of grants, in one file with the rules that were learned for good; every kernel of a user shares it."""

from __future__ import annotations

import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from datetime import datetime
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from skillbook.config import load_settings
from skillbook.errors import NotAllowed
from skillbook.policy.approvals import LONGEST_DAYS, MOST_USES, Grant
from skillbook.session.action import acting_name
from skillbook.storage import HOME, private_folder, storing, write_private

FILE = "rules.json"
_DAY = 86_400.0
_log = logging.getLogger("skillbook.session")
Row = dict[str, Any]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time change the file; the lock ends with its process."""
    private_folder(path.parent)
    with open(os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o600), "r+b") as file:
        if os.name == "posix":
            fcntl = import_module("fcntl")
            fcntl.flock(file, fcntl.LOCK_EX)
        else:
            msvcrt = import_module("msvcrt")
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        yield


def read_rows(path: Path) -> list[Row]:
    """The file's rows, of whatever kind.

    Raises OSError, ValueError: it can't be read.
    """
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, list):
        raise ValueError("not a list")
    return [row for row in data if isinstance(row, dict)]


def change_rows(path: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    """Replace the file's rows by what is made of them, while no other process does; one that can't be read is kept.

    Raises StorageError: it can't be written.
    """
    with storing(path, HOME), _locked(path):
        try:
            rows = read_rows(path)
        except FileNotFoundError:
            rows = []
        except ValueError:
            rows = []
            path.replace(path.with_suffix(".unreadable"))
        write_private(path, json.dumps(change(rows), indent=1))


def is_grant(row: Row) -> bool:
    """Whether a row of the file is a grant, and no learned rule."""
    return "digest" in row


class Grants:
    """What you granted in advance, and the rules that were learned from approvals for good: one list, one file.

    Shows itself as a table; `len`, iteration and `pandas.DataFrame(sb.grants)` work. `skill.grant(…)` makes one.

    Parameters
    ----------
    path : Path, optional
        The file; by default `rules.json` in the settings' `home`.
    clock : function, optional
        Gives the time, in seconds since 1970.

    Examples
    --------
    >>> sb.grants  # doctest: +SKIP
    >>> sb.grants.revoke("3fa9c1")  # doctest: +SKIP
    """

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self.clock = clock

    @property
    def path(self) -> Path:
        """The file that they are kept in."""
        return self._path or load_settings().home / FILE

    def __iter__(self) -> Iterator[Grant]:
        return iter([grant for row in self._rows() if (grant := _grant_of(row)) is not None])

    def __len__(self) -> int:
        return len(self._rows())

    def __getitem__(self, id: str) -> Grant:
        return next(grant for grant in self if grant.id == id)

    def add(self, grant: Grant) -> Grant:
        """Put a grant in force.

        Parameters
        ----------
        grant : Grant
            What `skill.grant` proposed.

        Returns
        -------
        Grant
            The grant with its id.

        Raises
        ------
        NotAllowed
            A model or a client asks for it, or it would be for longer, or more often, than any may be.
        """
        if acting_name.get():
            raise NotAllowed(f"{acting_name.get()} can't grant anything", hint="a person grants, in Python")
        now = self.clock()
        if not (now < grant.until <= now + LONGEST_DAYS * _DAY and 1 <= grant.count <= MOST_USES):
            raise NotAllowed(
                f"a grant ends within {LONGEST_DAYS} days, and is for 1 to {MOST_USES} times",
                hint="see skill.grant",
            )
        made = replace(grant, id=secrets.token_hex(3), used=0, made=now)
        change_rows(self.path, lambda rows: [*rows, asdict(made)])
        return made

    def revoke(self, id: str | Grant) -> None:
        """Take a grant back, or forget a learned rule.

        Parameters
        ----------
        id : str or Grant
            The grant, or its id.

        Raises
        ------
        NotAllowed
            There is none of that id.
        """
        wanted = id.id if isinstance(id, Grant) else id
        found: list[Row] = []

        def without(rows: list[Row]) -> list[Row]:
            found.extend(row for row in rows if row.get("id") == wanted)
            return [row for row in rows if row.get("id") != wanted]

        change_rows(self.path, without)
        if not found:
            raise NotAllowed(f"there is no grant {wanted!r}", hint="see sb.grants")

    def use(self, fits: Callable[[Grant], bool]) -> Grant | None:
        """Use up one of a grant that is in force and fits; None where there is none. It counts whatever comes of it."""
        used: list[Grant] = []

        def count(rows: list[Row]) -> list[Row]:
            for number, row in enumerate(rows):
                grant = _grant_of(row)
                if grant is not None and grant.is_in_force(self.clock()) and fits(grant):
                    used.append(replace(grant, used=grant.used + 1))
                    return [*rows[:number], asdict(used[0]), *rows[number + 1 :]]
            return rows

        if any(grant.is_in_force(self.clock()) and fits(grant) for grant in self):
            change_rows(self.path, count)
        return used[0] if used else None

    def _rows(self) -> list[Row]:
        try:
            return [row for row in read_rows(self.path) if is_grant(row) or row.get("scope") == "always"]
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            _log.warning("the grants in %s can't be read, so every question is asked: %s", self.path, error)
            return []

    def table(self) -> list[tuple[str, str, str, str]]:
        """Of each its id, what it is for, how often it may be used yet, and its end.

        Returns
        -------
        list of tuple
            A row each.
        """
        rows = list[tuple[str, str, str, str]]()
        for row in self._rows():
            grant = _grant_of(row)
            if grant is not None:
                over = "" if grant.is_in_force(self.clock()) else " (over)"
                until = datetime.fromtimestamp(grant.until).strftime("%Y-%m-%d %H:%M")
                rows.append((grant.id, str(grant), f"{grant.left} of {grant.count}{over}", until))
            elif not is_grant(row):
                named = f"{row.get('role')} {row.get('label')!r}" if row.get("role") else ""
                what = f"agents and skills may {row.get('command')} {named} on {row.get('origin')}"
                rows.append((str(row.get("id")), " ".join(what.split()), "always", "revoked"))
        return rows

    def _ipython_key_completions_(self) -> list[str]:
        return [row[0] for row in self.table()]

    def __repr__(self) -> str:
        rows = self.table()
        lines = [f"{id}  {what}. Left: {left}." for id, what, left, _ in rows]
        return "\n".join(lines) or "<Grants: none; every question is asked>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.table()
        )
        head = "<tr><th>id</th><th>what</th><th>left</th><th>until</th></tr>"
        html = (
            f"<table><thead>{head}</thead><tbody>{body}</tbody></table>" if body else escape(repr(self)[1:-1])
        )
        return {"text/plain": repr(self), "text/html": html}


def _grant_of(row: Mapping[str, Any]) -> Grant | None:
    """A row as a grant; None where it is none, or not as we write them: then it grants nothing."""
    row = {"then": "", **row}  # earlier grants are for no confirmation
    if set(row) != {each.name for each in fields(Grant)}:
        return None
    only, most = row["only"], row["most"]
    texts = all(isinstance(row[name], str) for name in ("id", "skill", "digest", "command", "label", "then"))
    numbers = all(type(row[name]) is int for name in ("step", "count", "used"))
    times = all(isinstance(row[name], int | float) for name in ("until", "made"))
    if not (texts and numbers and times and isinstance(only, dict) and isinstance(most, dict)):
        return None
    lists = all(
        isinstance(each, list | tuple) and all(isinstance(one, str) for one in each) for each in only.values()
    )
    numeric = all(isinstance(each, int | float) and not isinstance(each, bool) for each in most.values())
    longest = (
        row["until"] - row["made"] <= LONGEST_DAYS * _DAY and row["used"] >= 0 and row["count"] <= MOST_USES
    )
    if not (lists and numeric and longest):
        return None
    return Grant(**{**row, "only": {name: tuple(each) for name, each in only.items()}})


grants = Grants()

"""Rules learned from approvals: "always allow this here", for the session or for good.

A rule learned from a call on an element is for elements of the same role and label, whatever the numbers in it.

A rule only spares a question. It never lifts a refusal, and is neither offered nor used for steps that can't be
undone and for secrets.
"""

from __future__ import annotations

import html
import json
import logging
import os
import re
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from skillbook.errors import NotAllowed
from skillbook.policy.labels import fold
from skillbook.policy.rules import Call
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect

Scope = Literal["session", "always"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_COLUMNS = ("id", "command", "origin", "role", "label", "scope", "made")
_NUMBER = re.compile(r"\d[\d.,:]*")

_log = logging.getLogger("skillbook.policy")


class Kind(NamedTuple):
    """The calls that a rule is for: a command on an origin, and on which elements.

    `role` and `label` are empty for calls without an element; numbers in a label are written as #.
    """

    command: str
    origin: str
    role: str = ""
    label: str = ""

    def __str__(self) -> str:
        return f"{self.command} {f'{self.role} {self.label!r} ' if self.role else ''}on {self.origin}"


@dataclass(frozen=True)
class Rule:
    """One rule: agents and skills may use `command` on `origin` without asking.

    `role` and `label` say on which elements (see `Kind`); `role` is "*" for a rule that a person made for all of them.
    `scope` is "session" (until the browser is closed) or "always" (kept on disk); `made` is in ISO format.
    """

    id: str
    command: str
    origin: str
    role: str
    label: str
    scope: Scope
    made: str

    @property
    def kind(self) -> Kind:
        """The calls that it is for."""
        return Kind(self.command, self.origin, self.role, self.label)

    def __str__(self) -> str:
        return f"{self.kind} ({self.scope})"


class RuleBook:
    """The rules in force, those of the session and those kept on disk.

    Shows itself as a table; `len`, iteration and `pandas.DataFrame(book)` work.

    Parameters
    ----------
    path : the file of the rules kept for good; None keeps none.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._session: dict[str, Rule] = {}
        self._lock = threading.Lock()
        self._kept: dict[str, Rule] = {}
        self._stamp: tuple[int, int] | None = None

    def add(
        self, command: str, origin: str, scope: Scope = "session", *, role: str = "*", label: str = ""
    ) -> Rule:
        """Learn a rule; the same rule is learned once.

        Parameters
        ----------
        command : a command's name.
        origin : such as `https://example.com`.
        scope : "session" or "always".
        role, label : the elements that it is for, numbers in the label as #; "*" for all, "" for calls without one.

        Raises
        ------
        NotAllowed : the command can't be undone or isn't known, the origin is none, or there is no place to keep it.
        """
        found = origin_of(origin)
        spec = COMMANDS.get(command)
        if found is None or spec is None or spec.effect is Effect.IRREVERSIBLE or scope not in SCOPES:
            raise NotAllowed(
                f"no rule can be made for {command!r} on {origin!r} ({scope})",
                hint="rules are for reading and writing commands on a web origin, for a session or always",
            )
        if scope == "always" and self.path is None:
            raise NotAllowed("there is no file to keep rules in", hint="use scope='session'")
        with self._lock:
            self._read()
            kind = Kind(command, found, role, label)
            known = self._find(kind)
            if known is not None and (known.scope == scope or known.scope == "always"):
                return known
            made = time.strftime("%Y-%m-%dT%H:%M:%S%z")
            rule = Rule(secrets.token_hex(3), *kind, scope, made)
            if scope == "always":
                self._session.pop(known.id if known else "", None)
                self._kept[rule.id] = rule
                self._write()
            else:
                self._session[rule.id] = rule
            return rule

    def revoke(self, rule: Rule | str) -> None:
        """Forget one rule, by itself or by its id.

        Raises
        ------
        NotAllowed : there is no such rule.
        """
        id = rule.id if isinstance(rule, Rule) else rule
        with self._lock:
            self._read()
            if self._session.pop(id, None) is None:
                if self._kept.pop(id, None) is None:
                    raise NotAllowed(f"there is no rule {id!r}", hint="see browser.rules")
                self._write()

    def clear(self) -> int:
        """Forget every rule; returns how many there were."""
        with self._lock:
            self._read()
            count = len(self._session) + len(self._kept)
            self._session.clear()
            if self._kept:
                self._kept.clear()
                self._write()
            return count

    def match(self, call: Call) -> Rule | None:
        """The rule that spares asking about a call, or None."""
        kind = learnable_kind(call)
        if kind is None:
            return None
        with self._lock:
            self._read()
            return self._find(kind) or self._find(kind._replace(role="*", label=""))

    def __iter__(self) -> Iterator[Rule]:
        with self._lock:
            self._read()
            return iter([*self._session.values(), *self._kept.values()])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, id: str) -> Rule:
        return next(rule for rule in self if rule.id == id)

    def _ipython_key_completions_(self) -> list[str]:
        return [rule.id for rule in self]

    def __repr__(self) -> str:
        rows = [_COLUMNS, *(tuple(str(asdict(rule)[name]) for name in _COLUMNS) for rule in self)]
        if len(rows) == 1:
            return "<RuleBook: no rules; every question is asked>"
        widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
        return "\n".join(
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{html.escape(str(asdict(rule)[name]))}</td>" for name in _COLUMNS)
            + "</tr>"
            for rule in self
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return {
            "text/plain": repr(self),
            "text/html": table if body else f"<p>{html.escape(repr(self)[1:-1])}</p>",
        }

    # --- inside, with the lock held ---

    def _find(self, kind: Kind) -> Rule | None:
        rows = [*self._kept.values(), *self._session.values()]
        return next((rule for rule in rows if rule.kind == kind), None)

    def _read(self) -> None:
        """Take over what other kernels learned or revoked since."""
        if self.path is None:
            return
        try:
            facts = self.path.stat()
        except OSError:
            self._kept, self._stamp = {}, None
            return
        stamp = (facts.st_mtime_ns, facts.st_ino)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._kept = {rule.id: rule for rule in _parse(self.path.read_text(encoding="utf-8"))}
        except (OSError, ValueError) as error:
            _log.warning("the rules in %s can't be read, so every question is asked: %s", self.path, error)
            self._kept = {}

    def _write(self) -> None:
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)  # mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump([asdict(rule) for rule in self._kept.values()], file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(self.path)
        facts = self.path.stat()
        self._stamp = (facts.st_mtime_ns, facts.st_ino)


def learnable_kind(call: Call) -> Kind | None:
    """The calls that a rule learned from this one is for, or None where none may be learned.

    It can be undone, has an origin, no secret or file is in question, and its element says what it is.
    """
    origin = origin_of(call.destination or call.frame_url or call.url)
    if call.effect is Effect.IRREVERSIBLE or call.with_secret or call.questions or origin is None:
        return None
    label = _NUMBER.sub("#", fold(call.label))
    return None if call.role and not label else Kind(call.command, origin, call.role, label)


def _parse(text: str) -> list[Rule]:
    data = json.loads(text)
    if not isinstance(data, list):
        raise ValueError("not a list")
    names = {each.name for each in fields(Rule)}
    rules = [Rule(**row) for row in data if isinstance(row, dict) and set(row) == names]
    good = [
        rule
        for rule in rules
        if all(isinstance(value, str) for value in asdict(rule).values())
        and rule.command in COMMANDS
        and COMMANDS[rule.command].effect is not Effect.IRREVERSIBLE
        and rule.origin == origin_of(rule.origin)
    ]
    return [rule for rule in good if rule.scope == "always"]

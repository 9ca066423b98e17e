"""The rules learned from approvals: those of the session, and those kept in a file that every kernel shares."""

from __future__ import annotations

import html
import json
import logging
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from skillbook.errors import NotAllowed
from skillbook.perception.escape import text_table
from skillbook.policy import Call, Kind, RequestRule, Rule, learnable_kind
from skillbook.policy.approvals import SCOPES, SEND_REQUEST, Scope
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.commands.read import ShownField
from skillbook.session.grant_book import change_rows, is_grant

_COLUMNS = ("id", "command", "origin", "role", "label", "scope", "made", "request")

_log = logging.getLogger("skillbook.session")


class RuleBook:
    """The rules in force, those of the session and those kept on disk, which `sb.grants` lists, too.

    Shows itself as a table; `len`, iteration and `pandas.DataFrame(book)` work.

    path: the file of the rules kept for good; None keeps none.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._session: dict[str, Rule] = {}
        self._requests: dict[str, RequestRule] = {}
        self._lock = threading.Lock()
        self._kept: dict[str, Rule] = {}
        self._stamp: tuple[int, int] | None = None

    def add(
        self, command: str, origin: str, scope: Scope = "session", *, role: str = "*", label: str = ""
    ) -> Rule:
        """Learn a rule; the same rule is learned once.

        origin: such as `https://example.com`.
        role, label: the elements that it is for, numbers in the label as #; "*" for all, "" for calls without one.
        Raises NotAllowed: the command can't be undone or isn't known, the origin is none, or there is no place to keep
            it.
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
            rule = Rule(secrets.token_hex(3), *kind, scope, _now())
            if scope == "always":
                self._session.pop(known.id if known else "", None)
                self._kept[rule.id] = rule
                self._write()
            else:
                self._session[rule.id] = rule
            return rule

    def add_request(self, kind: RequestRule) -> Rule:
        """Learn for the session that requests of a kind need no question; the same rule is learned once."""
        with self._lock:
            known = next((id for id, rule in self._requests.items() if rule == kind), None)
            if known is not None:
                return self._session[known]
            rule = Rule(
                secrets.token_hex(3), SEND_REQUEST, kind.origin, "", "", "session", _now(), request=str(kind)
            )
            self._session[rule.id], self._requests[rule.id] = rule, kind
            return rule

    def remove(self, rule: Rule | str) -> None:
        """Forget one rule, by itself or by its id.

        Raises NotAllowed: there is no such rule.
        """
        id = rule.id if isinstance(rule, Rule) else rule
        with self._lock:
            self._read()
            self._requests.pop(id, None)
            if self._session.pop(id, None) is None:
                if self._kept.pop(id, None) is None:
                    raise NotAllowed(f"there is no rule {id!r}", hint="see browser.rules")
                self._write()

    def revoke(self, rule: Rule | str) -> None:
        """Like `remove`, by its former name."""
        self.remove(rule)

    def clear(self) -> int:
        """Forget every rule; returns how many there were."""
        with self._lock:
            self._read()
            count = len(self._session) + len(self._kept)
            self._session.clear()
            self._requests.clear()
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

    def match_request(
        self, fact: RequestFact, button: str = "", shown: Sequence[ShownField] = ()
    ) -> Rule | None:
        """The rule that spares asking about a request, or None.

        shown: the fields with labels that the page shows.
        """
        with self._lock:
            allowing = (id for id, rule in self._requests.items() if rule.allows(fact, button, shown))
            id = next(allowing, None)
            return None if id is None else self._session[id]

    def only_reads(self, origin: str | None, button: str) -> bool:
        """Whether the person said of a form on an origin, which this button sends, that it only reads."""
        with self._lock:
            rules = list(self._requests.values())
        return any(rule.only_reads and (rule.origin, rule.button) == (origin, button) for rule in rules)

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
        return text_table(rows)

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
        return next((rule for rule in rows if not rule.request and rule.kind == kind), None)

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
        rules = [asdict(rule) for rule in self._kept.values()]
        change_rows(self.path, lambda rows: [*rules, *(row for row in rows if is_grant(row))])
        facts = self.path.stat()
        self._stamp = (facts.st_mtime_ns, facts.st_ino)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def _parse(text: str) -> list[Rule]:
    data = json.loads(text)
    if not isinstance(data, list):
        raise ValueError("not a list")
    names = {each.name for each in fields(Rule)} - {"request"}
    rules = [Rule(**row) for row in data if isinstance(row, dict) and set(row) - {"request"} == names]
    good = [
        rule
        for rule in rules
        if all(isinstance(value, str) for value in asdict(rule).values())
        and rule.command in COMMANDS
        and COMMANDS[rule.command].effect is not Effect.IRREVERSIBLE
        and rule.origin == origin_of(rule.origin)
    ]
    return [rule for rule in good if rule.scope == "always"]

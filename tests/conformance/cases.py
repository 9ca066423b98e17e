"""Cases written from the specifications: HTML, and what each element marked in it must be to both engines.

A file has one rule after the other::

    # Title of a rule
    <button id=$x aria-label="Close">×</button>
    = x button "Close"

A blank line ends a case. `$` stands for the case's own prefix of ids. A line with `=` expects an element: its id, its
role, its name in quotes (unchecked where it is left out), its description as `desc="…"`, the states it has and no
others, and other facts as `level=2`. The role `-` expects no node at all, `generic` none that means anything. A line
with `~ ENGINE REASON` allows an engine to give what the `=` lines after it say. `! alone` gives a case its own page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from skillbook.perception import Node, Snapshot

HERE = Path(__file__).resolve().parent
FOLDERS = ("accname", "htmlaam")
ENGINES = ("dom", "cdp")

_TOKEN = re.compile(r'([\w-]+)="([^"]*)"|"([^"]*)"|(\S+)')
_PLACE = {"offscreen", "focused", "editable", "unseen"}
"""States that come from where the case stands on its page or how it looks, or follow from the role: checked only where
named."""


@dataclass(frozen=True)
class Expected:
    """What one element must be."""

    ident: str
    role: str
    name: str | None = None
    description: str | None = None
    states: frozenset[str] = frozenset()
    facts: tuple[tuple[str, str], ...] = ()


@dataclass
class Case:
    """One piece of HTML and what is expected of it."""

    group: str
    title: str
    place: str
    prefix: str
    html: str = ""
    alone: bool = False
    expected: list[Expected] = field(default_factory=list)
    allowed: dict[str, tuple[str, list[Expected]]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The HTML with this case's own ids."""
        return self.html.replace("$", self.prefix)

    def problems(self, snapshot: Snapshot, engine: str) -> list[str]:
        """What the snapshot has otherwise than expected, or than is allowed to the engine."""
        nodes = {node.html_id: node for node in snapshot.nodes if node.html_id}
        strict = [problem for one in self.expected for problem in _differences(one, nodes, self.prefix)]
        if engine not in self.allowed:
            return strict
        reason, instead = self.allowed[engine]
        if not strict:
            return [f"the difference allowed to {engine} is no longer there: {reason}"]
        return [problem for one in instead for problem in _differences(one, nodes, self.prefix)]


def _differences(one: Expected, nodes: dict[str, Node], prefix: str) -> Iterator[str]:
    node = nodes.get(prefix + one.ident)
    if node is None:
        if one.role not in {"-", "generic"}:
            yield f"{one.ident}: is missing, should be {one.role} {one.name!r}"
        return
    if node.role != one.role:
        yield f"{one.ident}: is {node.role} {node.name!r}, should be {one.role} {one.name!r}"
        return
    if one.name is not None and node.name != one.name:
        yield f"{one.ident}: is called {node.name!r}, should be {one.name!r}"
    if one.description is not None and (node.description or "") != one.description:
        yield f"{one.ident}: is described as {node.description!r}, should be {one.description!r}"
    states = node.states - (_PLACE - one.states)
    if states != one.states:
        yield f"{one.ident}: has states {sorted(states)}, should have {sorted(one.states)}"
    for key, value in one.facts:
        found = node.extra.get(key)
        text = "" if found is None else f"{found:g}" if isinstance(found, float) else str(found)
        if text != value:
            yield f"{one.ident}: has {key}={found!r}, should have {value!r}"


def read_cases(folder: Path = HERE) -> list[Case]:
    """Every case of every file, in order."""
    found: list[Case] = []
    for group in FOLDERS:
        for file in sorted((folder / group).glob("*.txt")):
            for case in _read_file(file, group, len(found)):
                found.append(case)
    return found


def _read_file(file: Path, group: str, start: int) -> Iterator[Case]:
    title = file.stem
    case: Case | None = None
    count = 0
    into: list[Expected] = []
    for number, line in enumerate([*file.read_text(encoding="utf-8").splitlines(), ""], 1):
        if not line.strip():
            if case is not None:
                if not case.expected:
                    raise ValueError(f"{file.name}:{number}: a case that expects nothing")
                yield case
            case = None
            continue
        if line.startswith("# "):
            title = line[2:]
            continue
        if case is None:
            place = f"{group}/{file.stem}:{number}"
            case = Case(group, title, place, f"c{start + count}-")
            into = case.expected
            count += 1
        if line == "! alone":
            case.alone = True
        elif line.startswith("= "):
            into.append(_expectation(line[2:]))
        elif line.startswith("~ "):
            engine, _, reason = line[2:].partition(" ")
            if engine not in ENGINES or not reason:
                raise ValueError(f"{file.name}:{number}: an allowed difference needs an engine and a reason")
            into = []
            case.allowed[engine] = (reason, into)
        else:
            case.html += line + "\n"


def _expectation(line: str) -> Expected:
    ident, role, *rest = (match for match in _TOKEN.finditer(line))
    name = description = None
    states: set[str] = set()
    facts: list[tuple[str, str]] = []
    for match in rest:
        key, value, quoted, word = match.groups()
        if quoted is not None:
            name = quoted
        elif key == "desc":
            description = value
        elif key:
            facts.append((key, value))
        elif "=" in word:
            left, _, right = word.partition("=")
            facts.append((left, right))
        else:
            states.add(word)
    return Expected(ident[0], role[0], name, description, frozenset(states), tuple(facts))


def pages_of(cases: list[Case], size: int = 60) -> Iterator[tuple[str, list[Case]]]:
    """HTML pages with many cases each, but for those that need their own."""
    together = [case for case in cases if not case.alone]
    batches = [together[i : i + size] for i in range(0, len(together), size)]
    for batch in [*batches, *([case] for case in cases if case.alone)]:
        body = "\n".join(f"<div>{case.source}</div>" for case in batch)
        yield (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>Cases</title><body>{body}</body></html>",
            batch,
        )

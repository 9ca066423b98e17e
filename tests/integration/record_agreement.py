"""The record around a control as the page chooses it and as the kernel does, in lists whose nodes are used again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from skillbook.perception.nodes import Node
from skillbook.perception.records import is_in_record, record_of
from skillbook.perception.records.record_around import record_around
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.envelopes import SeenRecord
from tests.integration.engine_page import EnginePages
from tests.integration.selector_agreement import SHOW, whole_snapshot

# What stands in braces is an item's own: a name, a state, a number, an amount, a clock.
LISTS = (
    ("<ul>", "<li>{name} <i>{state}</i> <button>Delete</button></li>", "</ul>"),
    ("<ul>", "<li><button>Delete</button> {state} {name}</li>", "</ul>"),
    ("<ul>", "<li><a href='/{number}'>{name}</a> <button>Hide</button></li>", "</ul>"),
    ("<ul>", "<li><a href='/{number}'>Open</a> <button>Hide</button></li>", "</ul>"),
    ("<ul>", "<li>{number} <button>Hide</button></li>", "</ul>"),
    ("<ul>", "<li><img alt='{name}' src='data:' width=9 height=9> {state} <button>Hide</button></li>", "</ul>"),
    ("<table>", "<tr><td>{number}<td>{name}<td>{amount}<td><button>Edit</button></tr>", "</table>"),
    ("<table>", "<tr><td>{state}<td>{amount}<td>{name}<td><a href='/x'>Edit</a></tr>", "</table>"),
    ("<table>", "<tr><th>{name}<td>{state}<td><input type=checkbox></tr>", "</table>"),
    ("<table>", "<tr><td>{number}<td>{state}<td><button>Edit</button></tr>", "</table>"),
    ("<table>", "<tr><td><button>Edit</button><td>{amount}<td>{clock}</tr>", "</table>"),
    ("", "<div class=card><h3>{name}</h3><p>{state}</p><button>Buy</button></div>", ""),
    ("", "<div class=card><p>{state}</p><div><b>{name}</b></div><div><button>Buy</button></div></div>", ""),
    ("", "<div class=card><p>{amount}</p><button>Buy</button></div>", ""),
    ("", "<div class=card><button>Buy</button><button>{name}</button></div>", ""),
    ("", "<div class=card><input value='{name}'> <button>Buy</button></div>", ""),
    ("", "<article aria-label='{name}'><p>{state}</p><button>Buy</button></article>", ""),
    ("", "<article><div><span>{name}</span> {clock}</div><div><div><button>Buy</button></div></div></article>", ""),
    ("<dl>", "<dt>{name}</dt><dd><button>Edit</button></dd>", "</dl>"),
    ("<dl>", "<dt>{state}</dt><dd>{name} <button>Edit</button></dd>", "</dl>"),
    ("<div>", "<h3>{name}</h3><div><button>Open</button></div>", "</div>"),
    ("<div>", "{name} <button>Open</button><br>", "</div>"),
    ("<div>", "<span>{name}</span> <button>Open</button><br>", "</div>"),
    ("<div>", "<p>{name}</p><button>Open</button>", "</div>"),
    ("<section><h2>{name}</h2><form>", "<p><button>Save</button></p>", "</form></section>"),
    ("<h1>{name}</h1><main>", "<p>{state}</p><button>Save</button>", "</main>"),
    ("<dialog open><h2>{name}</h2><p>{state}</p>", "<button>OK</button>", "</dialog>"),
    ("<dialog open aria-label='{name}'><p>{state}</p>", "<button>OK</button>", "</dialog>"),
    ("<div role=list>", "<div role=listitem><div>{name}</div><div>{clock}</div><button>Go</button></div>", "</div>"),
    ("<div role=tree>", "<div role=treeitem>{name} <button>Go</button></div>", "</div>"),
    ("<div>", "<x-item><template shadowrootmode=open><p>{name}</p><button>Go</button></template></x-item>", "</div>"),
    ("<ul>", "<li>{long} {name} <button>Go</button></li>", "</ul>"),
    ("<div>", "<div><div class=x><p>{name}</p><button>Go</button></div></div>", "</div>"),
    ("<div>", "<div class=x><p>{name}</p><button>Go {number}</button></div>", "</div>"),
    ("<ul>", "<li><input aria-label={number} value='{name}'> {name}</li>", "</ul>"),
    ("<ul>", "<li><h3>{name}</h3><ul><li>{state} <button>Go</button></li></ul></li>", "</ul>"),
)  # fmt: skip
NAMES = ("Ann", "Lamp", "É", "Söhne", "Ann-Marie")
STATES = ("online", "offline", "online", "3 new", "open")
COPY = """(html) => {
    const made = document.implementation.createHTMLDocument('');
    made.documentElement.setHTMLUnsafe(`<head></head><body>${html}</body>`);
    const same = (one, other) => {
        for (const { name, value } of other.attributes ?? []) one.setAttribute(name, value);
        if (other.nodeType === 3) one.data = other.data;
        if (other.shadowRoot) same(one.shadowRoot, other.shadowRoot);
        other.childNodes.forEach((each, at) => same(one.childNodes[at], each));
    };
    same(document.body, made.body);
}"""
AROUND = "(numbers) => numbers.map((number) => skillbookAround(engine, number))"
IS_OTHER = (
    "(asked) => asked.map(([number, seen]) => seen === null ? null : skillbookIsOther(engine, number, seen))"
)


def letters(number: int) -> str:
    """A word for a number, without digits."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


class Lists:
    """Makes a document of lists, and the same document with every item's own words in another item."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0
        pick = self.random
        self.shapes = [(pick.choice(LISTS), pick.randint(1, 4)) for _ in range(pick.randint(1, 3))]
        self.values = [[self.made() for _ in range(count + 1)] for _, count in self.shapes]

    def made(self) -> dict[str, str]:
        """An item's own words; a name is nobody else's, and a state is."""
        pick = self.random
        self.names += 1
        return {
            "name": f"{pick.choice(NAMES)} {letters(self.names)}",
            "long": "so much " * 50,
            "state": pick.choice(STATES),
            "number": str(pick.randint(1, 999)),
            "amount": f"${pick.randint(1, 99)}.00",
            "clock": f"{pick.randint(10, 20)}:{pick.randint(10, 59)}",
        }

    def html(self, turned: int = 0) -> str:
        said = []
        for ((first, item, last), count), values in zip(self.shapes, self.values, strict=True):
            own = [*values[turned:], *values[:turned]]
            said += [first.format(**own[count]), *(item.format(**own[at]) for at in range(count)), last]
        return "".join(said)


@dataclass
class Records:
    """How often the page chose, left it to the kernel, caught another record, and was wrong.

    It is wrong where it refuses what it has just seen, or lets a record pass that the kernel's choice catches.
    """

    chosen: int = 0
    left: int = 0
    caught: int = 0
    wrong: list[str] = field(default_factory=list)

    def compare(self, engine: EnginePages, seed: object, first: str, then: str) -> None:
        """Choose both ways on one document, and compare on the other."""
        engine.page.evaluate(SHOW, first)
        nodes = [node for node in whole_snapshot(engine).elements if node.ref]
        numbers = [int(str(node.ref).lstrip("e")) for node in nodes]
        parts = engine.page.evaluate(AROUND, numbers)
        by_page = [_in_part(part, str(node.ref)) for part, node in zip(parts, nodes, strict=True)]
        by_kernel = [_wire(record_around(node)) for node in nodes]
        before = engine.page.evaluate(IS_OTHER, list(zip(numbers, by_page, strict=True)))
        engine.page.evaluate(COPY, then)
        now = engine.page.evaluate(IS_OTHER, list(zip(numbers, by_page, strict=True)))
        wanted = engine.page.evaluate(IS_OTHER, list(zip(numbers, by_kernel, strict=True)))
        for at, node in enumerate(nodes):
            if parts[at] is None:
                self.left += 1
                continue
            self.chosen += 1
            self.caught += bool(now[at])
            self.wrong += [f"{seed}: {said}: {first}" for said in _known_in_part(parts[at], node)]
            if before[at]:
                self.wrong.append(f"{seed}: {node!r} isn't in its own record {by_page[at]}")
            if wanted[at] and not now[at]:
                self.wrong.append(
                    f"{seed}: {node!r}: {by_page[at]}, and {by_kernel[at]} of the kernel: {first}"
                )


def _in_part(part: dict[str, Any] | None, ref: str) -> dict[str, object] | None:
    if part is None:
        return None
    snapshot = Snapshot.from_wire({"documents": [part]})
    return _wire(record_around(snapshot[ref], in_part=True)) if ref in snapshot else None


def _known_in_part(part: dict[str, Any], node: Node) -> Iterator[str]:
    """What the record of an element says otherwise in what was read around it: the journal keeps that."""
    snapshot, ref = Snapshot.from_wire({"documents": [part]}), str(node.ref)
    near, whole = record_of(snapshot[ref]) if ref in snapshot else None, record_of(node)
    if (near is None) is not (whole is None):
        yield f"{node!r}: {near} around it, and {whole} in the page"
    elif near is not None and not near.place and not (verdict := is_in_record(near, node)).is_same:
        yield f"{node!r} isn't in its own record {near}: {verdict.why}"


def _wire(record: SeenRecord | None) -> dict[str, object] | None:
    # Facts go with approved commands alone.
    return record.model_dump(exclude_none=True, exclude={"facts"}) if record is not None else None


def compare_records(engine: EnginePages, seeds: Iterable[int]) -> Records:
    """Compare on one document for each seed."""
    found = Records()
    engine.show("")
    for seed in seeds:
        lists = Lists(seed)
        found.compare(engine, seed, lists.html(), lists.html(turned=1))
    return found

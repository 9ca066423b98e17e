"""Selectors resolved in the page and over a whole snapshot, on documents that are made up at random."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from skillbook.io_thread import io
from skillbook.perception.selectors import find_all, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.page_search import find_in_page, query_of
from skillbook.session.sync import Page
from tests.integration.engine_page import EnginePages


def listed(text: str) -> list[str]:
    """Words, each as often as it is there."""
    return text.split()


WORDS = (
    "Save", "save", "Edit", "Bob", "Ann", "Name", "Name *", "Name (required)", "Next →", "Next", "+", "straße", "12",
    "STRASSE", "É 1", "e\u0301 1", "ﬁle", "Save as", "Bob Ann", "Close", "Close…",
)  # fmt: skip
ROLES = (
    "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "option", "heading", "tab", "switch",
    "listitem", "row", "cell", "dialog", "navigation", "region", "group", "list", "menuitem", "slider", "columnheader",
    "article", "main", "paragraph", "status", "treeitem", "spinbutton", "searchbox", "gridcell",
)  # fmt: skip
STATES = listed("disabled checked checked=false expanded required pressed level=2 editable focused")
STYLES = (
    "display:none", "visibility:hidden", "visibility:visible", "display:contents", "opacity:0", "cursor:pointer",
    "display:table", "display:table-row", "display:table-cell", "content-visibility:hidden", "font-size:0", "width:0",
    "position:absolute;left:-9999px", "display:inline-block", "text-transform:uppercase",
)  # fmt: skip
CSS = "<style>.b::before{content:'Bob '}.a::after{content:' as'}.i::before{content:'Save'}</style>"


FLAGS = listed(
    "hidden inert aria-hidden=true tabindex=0 contenteditable disabled aria-disabled=true aria-checked=true "
    "draggable=true aria-expanded=false required onclick=1 data-testid=x aria-pressed=true aria-modal=true"
)
HIDING = (
    "aria-hidden=true", "hidden", "style='display:none'", "style='opacity:0'", "style='font-size:0'",
    "style='visibility:hidden'", "style='position:absolute;width:1px;height:1px;overflow:hidden'",
)  # fmt: skip
INPUTS = listed("text checkbox radio submit button range number search password file image hidden")
TAGS = "div div div span span p section nav main form button button h2 article header aside dl"
# What stands in braces is made anew each time: attributes, a word, what is inside, an id, a kind of input.
KINDS = [
    *(f"<{tag} {{about}}>{{inside}}</{tag}>" for tag in listed(TAGS)),
    *"""
<input type={type} {about}>
<input type={type} placeholder='{word}' {about}>
<input value='{word}' {about}>
<input type={type} value='{word}' alt='{word}' {about}>
<img alt='{word}' src='data:' width=9 height=9 {about}>
<svg width=9 height=9 {about}><title>{word}</title><path d='M0 0h9v9'/></svg>
<textarea {about}>{word}</textarea>
<select {about}><option>{word}<option>{word}</select>
<select multiple {about}><option>{word}<option>{word}</select>
<a href=/x {about}>{inside}</a>
<a data-toggle=x {about}>{inside}</a>
<a {about}>{word}</a>
<table {about}><tr {about}><th>{word}<th>{word}</tr><tr {about}><td {about}>{inside}</td><td>{word}</td></tr></table>
<table><tr><td>{inside}</td><td {about}>{word}</td></tr><tr {about}><td {about}>{inside}</td></tr></table>
<ul {about}><li {about}>{inside}</li><li>{inside}</li></ul>
<ol {about}><li>{inside}</li></ol>
<details {about}><summary>{word}</summary>{inside}</details>
<details open {about}><summary {about}>{word}</summary>{inside}</details>
<dialog {about}>{inside}</dialog>
<dialog open {about}>{inside}</dialog>
<fieldset {about}><legend>{word}</legend>{inside}</fieldset>
<fieldset disabled><legend>{inside}</legend>{inside}</fieldset>
<label {about}>{inside}</label>
<label {about}><input type=checkbox role=switch {hiding}> {word}</label>
<hgroup {about}>{inside}</hgroup>
<label for={id} {about}>{word}</label>
<button {about}><i {hiding}>{word}</i> {word}</button>
<button {about}>{word} <b>{word}</b><i {hiding}>{word}</i></button>
<a href=/x {about}>{word} <i {hiding}>{inside}</i></a>
<ul><li>{word} <i {hiding}>{word}</i> {word} <button>{word}</button></li><li {about}>{inside}</li></ul>
<ul><li {about}>{inside}<input type={type}></li><li>{word} {word} <button>{word}</button></li></ul>
<table><tr><td>{word} <i {hiding}>{word}</i> {word}<td>{inside}</tr><tr><td>{word} {word}<td>{inside}</tr></table>
<div {about}><template shadowrootmode=open>{inside}<slot></slot></template>{word}</div>
<x-host {about}><template shadowrootmode=open>{inside}</template><button>{word}</button></x-host>
""".strip().splitlines(),
]


class Documents:
    """Makes documents of few words and many kinds of elements."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ids = 1

    def make(self) -> str:
        return CSS + "".join(self.element(0) for _ in range(self.random.randint(3, 9)))

    def word(self) -> str:
        return self.random.choice(WORDS)

    def attributes(self) -> str:
        pick = self.random
        self.ids += 1
        said = {
            f"aria-label='{self.word()}'": 0.12,
            f"title='{self.word()}'": 0.08,
            f"aria-labelledby='i{pick.randint(1, self.ids)}'": 0.06,
            f"style='{pick.choice(STYLES)}'": 0.15,
            f"class='{pick.choice(['a', 'b', 'i', 'btn'])}'": 0.1,
            f"role='{pick.choice([*ROLES, 'none', 'presentation', 'bogus button', 'img', 'form'])}'": 0.12,
            pick.choice(FLAGS): 0.06,
            f"id=i{self.ids}": 0.15,
        }
        return " ".join(text for text, share in said.items() if pick.random() < share)

    def element(self, depth: int) -> str:
        makers: dict[str, Callable[[], str]] = {
            "about": self.attributes,
            "word": self.word,
            "inside": lambda: self.inside(depth),
            "id": lambda: f"i{self.random.randint(1, self.ids)}",
            "hiding": lambda: self.random.choice([*HIDING, ""]),
            "type": lambda: self.random.choice(INPUTS),
        }
        return re.sub(r"\{(\w+)\}", lambda found: makers[found[1]](), self.random.choice(KINDS))

    def inside(self, depth: int) -> str:
        if depth > 3:
            return self.word()
        return "".join(
            self.word() + " " if self.random.random() < 0.6 else self.element(depth + 1)
            for _ in range(self.random.randint(0, 3))
        )

    def selector(self, snapshot: Snapshot) -> str:
        """One that names something of the document more often than not."""
        pick = self.random
        named = [node for node in snapshot.nodes if node.role in ROLES]
        if pick.random() < 0.15:
            return f"label {self.name(pick.choice(named).name if named else '')}{self.clauses(snapshot)}"
        if named and pick.random() < 0.8:
            node = pick.choice(named)
            role, name = node.role, node.name or node.text
        else:
            role, name = pick.choice(ROLES), self.word()
        head = role if pick.random() < 0.12 else f"{role} {self.name(name)}"
        return head + self.clauses(snapshot)

    def name(self, name: str) -> str:
        pick = self.random
        name = name if name.strip() and pick.random() < 0.8 else self.word()
        name = (
            pick.choice([name, name, name.upper(), name.lower(), name[:5] or "x", name.rstrip(" *")]) or "x"
        )
        return pick.choice(["", "", "", "~"]) + "'" + name.replace("\\", "").replace("'", "\\'") + "'"

    def clauses(self, snapshot: Snapshot) -> str:
        pick, said = self.random, ""
        if pick.random() < 0.15:
            said += f" [{pick.choice(STATES)}]"
        around = [node for node in snapshot.nodes if node.role in ROLES and len(node.children)]
        if around and pick.random() < 0.35:
            outer = pick.choice(around)
            name = outer.name or pick.choice([child.name for child in outer.children]) or outer.text
            said += f" in {outer.role}" + (
                f" {self.name(name[:40])}".replace("~", "") if pick.random() < 0.7 else ""
            )
        if pick.random() < 0.15:
            said = f"{said} nth {pick.randint(1, 3)}" if " in " not in said else said
        return said


SHOW = """(html) => {
    document.documentElement.setHTMLUnsafe(`<head></head><body>${html}</body>`);
    window.engine?.stop();
    window.engine = skillbookEngine();
}"""


@dataclass
class Agreement:
    """How often the page answered, left it to the kernel, and was wrong."""

    answered: int = 0
    left: int = 0
    wrong: list[str] = field(default_factory=list)

    def compare(self, engine: EnginePages, selectors: list[str], seed: object, snapshot: Snapshot) -> None:
        """Resolve selectors both ways on the document that is shown."""
        asked = [(text, query) for text in selectors if (query := query_of(parse_selector(text))) is not None]
        answers: list[Any] = engine.page.evaluate(
            "(queries) => queries.map((query) => engine.findParts(query))", [query for _, query in asked]
        )
        self.left += len(selectors) - len(asked)
        for (text, _), tree in zip(asked, answers, strict=True):
            whole = [node.ref for node in find_all(snapshot, text)]
            found = find_all(Snapshot.from_wire({"documents": [tree]}), text) if tree is not None else []
            if len(found) != 1:
                self.left += len(whole) == 1
                continue
            self.answered += 1
            if [found[0].ref] != whole:
                self.wrong.append(
                    f"{seed}: {text}: {found[0].ref} {found[0]!r}, and {whole} in the whole snapshot"
                )


def whole_snapshot(engine: EnginePages) -> Snapshot:
    tree = json.loads(engine.page.evaluate("JSON.stringify(engine.snapshot().tree)"))
    return Snapshot.from_wire({"documents": [tree]})


def compare_documents(engine: EnginePages, seeds: range) -> Agreement:
    """Compare on as many documents as there are seeds."""
    agreement = Agreement()
    engine.show("")
    for seed in seeds:
        documents = Documents(seed)
        engine.page.evaluate(SHOW, documents.make())
        snapshot = whole_snapshot(engine)
        agreement.compare(engine, [documents.selector(snapshot) for _ in range(20)], seed, snapshot)
    return agreement


def compare_page(page: Page, count: int) -> Agreement:
    """Resolve so many selectors of a page's elements both ways, through the browser."""
    page.wait_for(idle=True)
    agreement, documents = Agreement(), Documents(1)
    shown = page.snapshot()
    for text in [documents.selector(shown) for _ in range(count)]:
        found = io.sync(find_in_page(page.driver, parse_selector(text), acts=False))
        whole = [node.ref for node in page.snapshot().find_all(text)]
        if found is None:
            agreement.left += len(whole) == 1
            continue
        agreement.answered += 1
        if [found.ref] != whole:
            agreement.wrong.append(f"{page.url}: {text}: {found.node!r}, and {whole} in the whole snapshot")
    return agreement

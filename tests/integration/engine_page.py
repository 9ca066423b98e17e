"""The dom engine as a page script in Chromium, and Chrome's own accessibility tree beside it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page, sync_playwright

from skillbook.launcher import find_chromium
from skillbook.protocol.snapshot import DocumentTree, NodeExtra, State

EXTENSION = Path(__file__).resolve().parents[2] / "extension"

INTERACTIVE = {
    *(
        "button",
        "checkbox",
        "combobox",
        "link",
        "listbox",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
    ),
    *("radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem"),
}

# Chrome's own names for what HTML-AAM leaves without a role, and for roles of the publishing vocabulary.
CHROME_ROLES = {
    "ColorWell": "textbox",
    "Date": "textbox",
    "DateTime": "textbox",
    "DisclosureTriangle": "button",
    "InputTime": "textbox",
    "MenuListOption": "option",
    "doc-backlink": "link",
    "doc-biblioref": "link",
    "doc-noteref": "link",
    "image": "img",
}


class Node(NamedTuple):
    """A node of a snapshot, out of its columns."""

    number: int
    depth: int
    role: str
    name: str
    tag: str
    flags: State
    box: tuple[int, int, int, int]
    extra: NodeExtra


class ChromeNode(NamedTuple):
    """A node of Chrome's accessibility tree."""

    role: str
    name: str
    html: str


def fold(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def build_engine(folder: Path) -> str:
    """Bundle the engine and give its source."""
    node = shutil.which("node")
    assert node, "the tests of the engine need Node, as the extension's build does"
    target = folder / "engine.js"
    subprocess.run([node, str(EXTENSION / "test/browser/build.mjs"), str(target)], check=True, cwd=EXTENSION)
    return target.read_text(encoding="utf-8")


@contextmanager
def engine_pages(source: str) -> Iterator[EnginePages]:
    """A Chromium whose pages have the engine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_chromium().path), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        try:
            yield EnginePages(page, source)
        finally:
            browser.close()


class EnginePages:
    """One page that shows one document after the other."""

    def __init__(self, page: Page, source: str) -> None:
        self.page = page
        self.source = source

    def show(self, html: str) -> None:
        """Show a document and put the engine in."""
        self.page.goto("about:blank")
        self.page.set_content(html if "<!doctype" in html else f"<!doctype html><title>Test</title>{html}")
        self.install()

    def install(self) -> None:
        self.page.evaluate(self.source)
        self.page.evaluate("() => { window.engine = skillbookEngine(); }")

    def tree(self) -> DocumentTree:
        """A snapshot, validated."""
        text = self.page.evaluate("JSON.stringify(engine.snapshot().tree)")
        return DocumentTree.model_validate(json.loads(text))

    def nodes(self) -> list[Node]:
        return nodes_of(self.tree())

    def outline(self) -> list[str]:
        """Role and name of each node, indented by depth."""
        return [f"{'  ' * node.depth}{node.role} {node.name}".rstrip() for node in self.nodes()]

    def chrome_nodes(self) -> dict[int, ChromeNode]:
        """Chrome's accessibility tree, by backend node id."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("DOM.enable")
        session.send("Accessibility.enable")
        found = {}
        for node in session.send("Accessibility.getFullAXTree")["nodes"]:
            if node.get("ignored") or "backendDOMNodeId" not in node:
                continue
            role = CHROME_ROLES.get(node["role"]["value"], node["role"]["value"])
            if role not in INTERACTIVE:
                continue
            ident = node["backendDOMNodeId"]
            html = session.send("DOM.getOuterHTML", {"backendNodeId": ident})["outerHTML"]
            if re.match(r'<\w+[^>]* pseudo="-', html):
                continue  # a part of Chrome's own controls
            found[ident] = ChromeNode(role, fold(node.get("name", {}).get("value")), html[:200])
        session.detach()
        return found

    def backend_ids(self, numbers: list[int]) -> dict[int, int]:
        """Which backend node id has which ref number."""
        session = self.page.context.new_cdp_session(self.page)
        expression = f"({json.dumps(numbers)}).map((number) => engine.refs.find(number).element)"
        array = session.send("Runtime.evaluate", {"expression": expression})["result"]["objectId"]
        listing: dict[str, Any] = session.send(
            "Runtime.getProperties", {"objectId": array, "ownProperties": True}
        )
        found = {}
        for entry in listing["result"]:
            if entry["name"].isdigit():
                node = session.send("DOM.describeNode", {"objectId": entry["value"]["objectId"]})["node"]
                found[node["backendNodeId"]] = numbers[int(entry["name"])]
        session.detach()
        return found

    def differences(self) -> tuple[int, list[str]]:
        """How many interactive elements Chrome finds, and each on which the engine says something else."""
        nodes = {node.number: node for node in self.nodes() if node.number}
        numbers = self.backend_ids(list(nodes))
        chrome = self.chrome_nodes()
        found = []
        for ident, theirs in chrome.items():
            ours = nodes.get(numbers.get(ident, 0))
            if ours is None:
                found.append(f"missing: {theirs.role} '{theirs.name}': {theirs.html}")
            elif (ours.role, fold(ours.name)) != (theirs.role, theirs.name):
                found.append(
                    f"{theirs.role} '{theirs.name}' is {ours.role} '{ours.name}' here: {theirs.html}"
                )
        return len(chrome), found


def nodes_of(tree: DocumentTree) -> list[Node]:
    """The nodes of a tree's columns."""
    extras = dict(tree.extra)
    return [
        Node(
            number=tree.number[i],
            depth=tree.depth[i],
            role=tree.roles[tree.role[i]],
            name=tree.name[i],
            tag=tree.tags[tree.tag[i]] if tree.tag[i] >= 0 else "",
            flags=State(tree.flags[i]),
            box=(tree.box[4 * i], tree.box[4 * i + 1], tree.box[4 * i + 2], tree.box[4 * i + 3]),
            extra=extras.get(i, NodeExtra()),
        )
        for i in range(len(tree.number))
    ]

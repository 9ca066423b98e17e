"""Which node of Chrome's trees is which ref: every element gets a class, which both sides report.

Classes say nothing of role, name or interactivity, so that marking doesn't change what is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Error

from benchmarks.peers import Tab
from skillbook.perception.nodes import Node

_MARK = re.compile(r"\bzz-mark-(\d+)\b")
_SET = """() => {
  let count = 0;
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      element.classList.add(`zz-mark-${++count}`);
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return count;
}"""


@dataclass
class Marked:
    """A page whose elements are marked.

    Attributes
    ----------
    ours : skillbook's nodes by mark.
    backend : CDP's backendNodeIds by mark.
    tags : local names by mark.
    """

    ours: dict[int, Node]
    backend: dict[int, int]
    tags: dict[int, str]


def mark(tab: Tab, cdp: CDPSession) -> Marked:
    """Mark the main document's elements, through open shadow roots, and read them from both sides."""
    tab.theirs.evaluate(_SET)
    snapshot = tab.ours.snapshot()
    ours = {}
    for node in snapshot.nodes:
        found = _MARK.search(snapshot.columns.tag[node.index])
        if found:
            ours[int(found[1])] = node
    backend, tags = {}, {}
    for raw in _nodes(cdp.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]):
        attributes = raw.get("attributes", [])
        classes = dict(zip(attributes[::2], attributes[1::2], strict=True)).get("class", "")
        found = _MARK.search(classes)
        if found:
            backend[int(found[1])] = raw["backendNodeId"]
            tags[int(found[1])] = raw["localName"]
    return Marked(ours, backend, tags)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A node of the DOM tree and all below it, shadow roots too, frames' documents not."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += node.get("children", []) + node.get("shadowRoots", [])


def listeners_of(cdp: CDPSession, backend: int) -> set[str]:
    """The types of event that an element has listeners for."""
    try:
        remote = cdp.send("DOM.resolveNode", {"backendNodeId": backend})["object"]["objectId"]
    except Error:
        return set()
    found = cdp.send("DOMDebugger.getEventListeners", {"objectId": remote})["listeners"]
    return {str(listener["type"]) for listener in found}

"""What Chrome has of a page: interactive nodes of its accessibility tree, and elements that scripts listen on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from skillbook.perception import Snapshot
from skillbook.protocol.refs import make_ref
from tests.conformance.devtools import DevTools, DevToolsError

INTERACTIVE = frozenset(
    ("button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
     "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem")
)  # fmt: skip
"""Roles whose nodes the engines must have as Chrome has them."""

_ROLES = {
    "ColorWell": "textbox",
    "Date": "textbox",
    "DateTime": "textbox",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "InputTime": "textbox",
    "MenuListOption": "option",
    "doc-backlink": "link",
    "doc-biblioref": "link",
    "doc-noteref": "link",
}
"""Chrome's own names for what ARIA names otherwise."""

_POINTER_KINDS = {"click", "mousedown", "pointerdown"}
_KINDS = {*_POINTER_KINDS, "keydown"}

_FACTS = """function () {
  const style = getComputedStyle(this);
  const box = this.getBoundingClientRect();
  let up = this, inert = false;
  for (; up; up = up.assignedSlot ?? up.parentNode ?? up.host) if (up.inert) inert = true;
  return {
    tag: this.localName, pointer: style.cursor === 'pointer',
    seen: this.checkVisibility({visibilityProperty: true}) && box.width > 0 && box.height > 0 && !inert,
    root: this === document.documentElement || this === document.body,
    html: this.outerHTML.slice(0, 160),
  };
}"""


@dataclass(frozen=True)
class AxNode:
    """An interactive node of Chrome's accessibility tree; `ref` is the engines' for the same element, if any."""

    ref: str | None
    role: str
    name: str
    html: str


@dataclass(frozen=True)
class Listening:
    """A visible element with listeners of its own, or below one with the pointing hand beginning at it.

    Attributes
    ----------
    kinds : of its listeners.
    delegated : an element around it listens, and the pointing hand begins here.
    around, inside : refs of the elements around it, nearest first, and in it.
    """

    ref: str | None
    kinds: tuple[str, ...]
    delegated: bool
    around: tuple[str, ...]
    inside: tuple[str, ...]
    html: str


def fold(text: str | None) -> str:
    """A name with its white space folded."""
    return re.sub(r"\s+", " ", text or "").strip()


class ChromePage:
    """A page's own process and those of its frames.

    Parameters
    ----------
    snapshots : both engines', whose refs the answers speak of.
    """

    def __init__(self, tools: DevTools, url: str, snapshots: Iterable[Snapshot]) -> None:
        self.tools = tools
        targets = tools.send("Target.getTargets")["targetInfos"]
        target = next(one for one in targets if one["type"] == "page" and one["url"] == url)
        self.sessions: list[str] = []
        self._attached = tools.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)[
            "sessionId"
        ]
        self._open(self._attached)
        known = _numbers_of(snapshots)
        self._refs = {session: self._refs_of(session, *known) for session in self.sessions}

    def close(self) -> None:
        """Let the page go."""
        for session in reversed(self.sessions):
            self.tools.send_all([("Target.detachFromTarget", {"sessionId": session})])

    def _open(self, session: str) -> None:
        self.sessions.append(session)
        for domain in ("DOM", "Accessibility", "Runtime", "Page"):
            self.tools.send(f"{domain}.enable", session)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        self.tools.send("Target.setAutoAttach", session, **auto)
        for event in self.tools.take_events("Target.attachedToTarget", session):
            if event["targetInfo"]["type"] == "iframe":
                self._open(event["sessionId"])

    def _refs_of(self, session: str, numbers: dict[str, list[int]], frames: dict[str, int]) -> dict[int, str]:
        """Refs by backend id, as the content scripts of the session's documents have them."""
        found: dict[int, str] = {}
        for event in self.tools.take_events("Runtime.executionContextCreated", session):
            context = event["context"]
            if context.get("auxData", {}).get("type") != "isolated":
                continue
            where = {"uniqueContextId": context["uniqueId"]}
            answers = self.tools.send_all(
                [
                    (
                        "Runtime.evaluate",
                        {"expression": "globalThis.skillbook?.key", "returnByValue": True, **where},
                    )
                ],
                session,
            )[0]
            key = None if isinstance(answers, DevToolsError) else answers["result"].get("value")
            if key not in numbers:
                continue
            expression = f"{numbers[key]}.map((number) => globalThis.skillbook.element(number))"
            array = self.tools.send("Runtime.evaluate", session, expression=expression, **where)["result"]
            listing = self.tools.send(
                "Runtime.getProperties", session, objectId=array["objectId"], ownProperties=True
            )["result"]
            entries = [e for e in listing if e["name"].isdigit() and e["value"].get("objectId")]
            described = self.tools.send_all(
                [("DOM.describeNode", {"objectId": entry["value"]["objectId"]}) for entry in entries], session
            )
            for entry, answer in zip(entries, described, strict=True):
                if not isinstance(answer, DevToolsError):
                    number = numbers[key][int(entry["name"])]
                    found[answer["node"]["backendNodeId"]] = make_ref(frames[key], number)
        return found

    def _frames(self, session: str) -> Iterator[str]:
        pending = [self.tools.send("Page.getFrameTree", session)["frameTree"]]
        while pending:
            tree = pending.pop()
            yield tree["frame"]["id"]
            pending += tree.get("childFrames", [])

    def interactive(self) -> list[AxNode]:
        """Every interactive node that Chrome's accessibility tree has."""
        found: list[AxNode] = []
        for session in self.sessions:
            trees = self.tools.send_all(
                [("Accessibility.getFullAXTree", {"frameId": frame}) for frame in self._frames(session)],
                session,
            )
            nodes: dict[int, dict[str, Any]] = {}
            for tree in trees:
                for node in [] if isinstance(tree, DevToolsError) else tree["nodes"]:
                    role = node.get("role", {}).get("value", "")
                    if not node.get("ignored") and _ROLES.get(role, role) in INTERACTIVE:
                        nodes.setdefault(node.get("backendDOMNodeId", 0), node)
            nodes.pop(0, None)
            html = self.tools.send_all(
                [("DOM.getOuterHTML", {"backendNodeId": one}) for one in nodes], session
            )
            for (ident, node), answer in zip(nodes.items(), html, strict=True):
                text = "" if isinstance(answer, DevToolsError) else answer["outerHTML"]
                if re.match(r'<[\w-]+[^>]* pseudo="-', text):
                    continue  # a part of Chrome's own controls
                role = node["role"]["value"]
                found.append(
                    AxNode(
                        self._refs[session].get(ident),
                        _ROLES.get(role, role),
                        fold(node.get("name", {}).get("value")),
                        text[:160] + (" …<wbr>…" if "<wbr" in text[160:] else ""),
                    )
                )
        return found

    def listening(self) -> list[Listening]:
        """Every visible element that scripts listen on, and those that a pointing hand shows others listen for."""
        return [one for session in self.sessions for one in self._listening(session)]

    def _listening(self, session: str) -> Iterator[Listening]:
        root = self.tools.send("DOM.getDocument", session, depth=-1, pierce=True)["root"]
        elements: list[tuple[int, list[int]]] = []
        below: dict[int, list[int]] = {}
        _flatten(root, [], elements, below)
        handles = self.tools.send_all(
            [("DOM.resolveNode", {"backendNodeId": ident}) for ident, _ in elements], session
        )
        objects = [
            "" if isinstance(answer, DevToolsError) else answer["object"]["objectId"] for answer in handles
        ]
        listeners = self.tools.send_all(
            [("DOMDebugger.getEventListeners", {"objectId": handle}) for handle in objects], session
        )
        kinds = [
            () if isinstance(answer, DevToolsError)
            else tuple(sorted({one["type"] for one in answer["listeners"]} & _KINDS))
            for answer in listeners
        ]  # fmt: skip
        query = {"functionDeclaration": _FACTS, "returnByValue": True}
        answered = self.tools.send_all(
            [("Runtime.callFunctionOn", {"objectId": handle, **query}) for handle in objects], session
        )
        facts = [
            {} if isinstance(answer, DevToolsError) else answer["result"].get("value") or {}
            for answer in answered
        ]
        at = {ident: i for i, (ident, _) in enumerate(elements)}
        refs = self._refs[session]
        listens_above = {
            ident: any(set(kinds[at[up]]) & _POINTER_KINDS for up in around if up in at)
            for ident, around in elements
        }
        for i, (ident, around) in enumerate(elements):
            seen = facts[i]
            if not seen.get("seen") or seen.get("root"):
                continue
            parent = facts[at[around[0]]] if around and around[0] in at else {}
            delegated = bool(seen["pointer"] and not parent.get("pointer") and listens_above[ident])
            if not kinds[i] and not delegated:
                continue
            yield Listening(
                refs.get(ident),
                kinds[i],
                delegated,
                tuple(refs[up] for up in around if up in refs),
                tuple(refs[one] for one in below[ident] if one in refs),
                seen["html"],
            )


def _numbers_of(snapshots: Iterable[Snapshot]) -> tuple[dict[str, list[int]], dict[str, int]]:
    """The numbers that each document gave out, and the documents' frames, by the documents' keys."""
    numbers: dict[str, dict[int, None]] = {}
    frames: dict[str, int] = {}
    for snapshot in snapshots:
        keys = {document.frame: document.key for document in snapshot.documents}
        frames |= {document.key: document.frame for document in snapshot.documents}
        for node in snapshot.nodes:
            if node.ref:
                numbers.setdefault(keys[node.frame], {})[snapshot.columns.number[node.index]] = None
    return {key: list(found) for key, found in numbers.items()}, frames


def _flatten(
    node: dict[str, Any],
    around: list[int],
    elements: list[tuple[int, list[int]]],
    below: dict[int, list[int]],
) -> list[int]:
    """Every element below a node with those around it, nearest first, and those in it."""
    inner = [*around]
    is_element = node["nodeType"] == 1
    if is_element:
        elements.append((node["backendNodeId"], around))
        inner = [node["backendNodeId"], *around]
    found: list[int] = []
    parts = [*node.get("shadowRoots", []), *node.get("children", [])]
    if "contentDocument" in node:
        parts.append(node["contentDocument"])
    for part in parts:
        if part.get("shadowRootType") != "user-agent":
            found += _flatten(part, inner, elements, below)
    if is_element:
        below[node["backendNodeId"]] = found
        return [node["backendNodeId"], *found]
    return found

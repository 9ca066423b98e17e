"""Page snapshots written as indented text, for tests of whatever reads snapshots.

::

    main
      heading "Orders" level=1
      table "Open" tag=table
        row
          cell
            "Ann"
          cell
            button "Edit" +
      iframe "Pay" document=pay

A line is a role, a name in quotes, then words: `+` makes it actionable, a state's name sets it (`checked`,
`disabled`, `inline`, `offscreen`), `key=value` sets an extra, a tag (`tag=div.card`) or a box (`box=0,0,10,10`).
A line that begins with a quote is a text run; its tag is that of the element that it stands for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import NodeExtra, State

_WORD = re.compile(r'(?P<key>[\w-]+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<value>\S+))|(?P<flag>\+|[\w-]+)')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_INTEGERS = {"level", "colspan", "rowspan", "setsize", "posinset", "colcount"}
_FLOATS = {"valuemin", "valuemax", "valuenow"}
_TAGS = {
    "button": "button", "link": "a", "listitem": "li", "list": "ul", "row": "tr", "cell": "td", "columnheader": "th",
    "table": "table", "textbox": "input", "heading": "h2", "iframe": "iframe", "paragraph": "p", "img": "img",
}  # fmt: skip


def tree(
    text: str,
    *,
    key: str = "main",
    frame: int = 0,
    url: str = "http://site.test/",
    title: str = "",
    first: int = 1,
) -> dict[str, Any]:
    """A `DocumentTree` as parsed JSON, from indented text; refs are numbered from `first` in order."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("number", "depth", "role", "tag", "flags", "name", "box")
    }
    roles: dict[str, int] = {}
    tags: dict[str, int] = {}
    extras: list[list[Any]] = []
    levels: list[int] = []
    number = first
    for line in text.split("\n"):
        words = line.strip()
        if not words:
            continue
        indent = len(line) - len(line.lstrip(" "))
        while levels and levels[-1] >= indent:
            levels.pop()
        node = _node(words)
        columns["depth"].append(len(levels))
        levels.append(indent)
        is_text = node["role"] == "text"
        columns["number"].append(0 if is_text else node["number"] or number)
        number += 0 if is_text else 1
        columns["role"].append(roles.setdefault(node["role"], len(roles)))
        columns["tag"].append(-1 if not node["tag"] else tags.setdefault(node["tag"], len(tags)))
        columns["flags"].append(int(node["flags"]))
        columns["name"].append(node["name"])
        columns["box"] += node["box"]
        if node["extra"]:
            facts = NodeExtra.model_validate(node["extra"]).model_dump(exclude_none=True)
            extras.append([len(columns["role"]) - 1, facts])
    _mark_lines(columns, roles.get("text", -1))
    return {
        "key": key, "frame": frame, "url": url, "title": title, "version": 1, "viewport": [1280, 720],
        "scroll": [0, 0], "size": [1280, 720], "roles": list(roles), "tags": list(tags), **columns, "extra": extras,
    }  # fmt: skip


def _mark_lines(columns: dict[str, list[Any]], text: int) -> None:
    """Text runs beside other text or inline elements share their line."""
    depth, role, flags = columns["depth"], columns["role"], columns["flags"]
    for at, kind in enumerate(role):
        if kind != text:
            continue
        before = next((i for i in range(at - 1, -1, -1) if depth[i] <= depth[at]), at)
        beside = [before, at + 1] if at + 1 < len(role) else [before]
        same = [i for i in beside if i != at and depth[i] == depth[at]]
        if any(role[i] == text or flags[i] & State.INLINE for i in same):
            flags[at] |= int(State.INLINE)


def snapshot(text: str, frames: Mapping[str, str] | None = None, **facts: Any) -> Snapshot:
    """A `Snapshot` from indented text; `frames` maps a document's key to its text."""
    documents = [tree(text, **facts)]
    for frame, (key, inner) in enumerate((frames or {}).items(), 1):
        documents.append(tree(inner, key=key, frame=frame, url=f"http://{key}.test/"))
    return Snapshot.from_wire({"documents": documents, "missing": [], "took_ms": 1.0}, taken_at=0.0)


def _node(words: str) -> dict[str, Any]:
    node: dict[str, Any] = {
        "role": "text", "name": "", "tag": "", "flags": State(0), "box": [0, 0, 10, 10], "extra": {}, "number": 0
    }  # fmt: skip
    if not words.startswith('"'):
        node["role"], _, words = words.partition(" ")
        node["tag"] = _TAGS.get(node["role"], "div")
    name = _STRING.match(words.lstrip())
    if name:
        node["name"] = json.loads(name[0])
        words = words.lstrip()[name.end() :]
    for word in _WORD.finditer(words):
        if word["flag"] == "+":
            node["flags"] |= State.ACTIONABLE
        elif word["flag"]:
            node["flags"] |= State[word["flag"].upper()]
        else:
            value = word["value"] if word["quoted"] is None else json.loads(f'"{word["quoted"]}"')
            _set(node, word["key"], value)
    return node


def _set(node: dict[str, Any], key: str, value: str) -> None:
    if key == "tag":
        node["tag"] = value
    elif key == "box":
        node["box"] = [int(part) for part in value.split(",")]
    elif key == "ref":
        node["number"] = int(value.removeprefix("e"))
    elif key in _INTEGERS:
        node["extra"][key] = int(value)
    elif key in _FLOATS:
        node["extra"][key] = float(value)
    elif key in {"why", "keys"}:
        node["extra"][key] = value.split(",")
    elif key == "scroll":
        node["extra"][key] = tuple(int(part) for part in value.split(","))
    else:
        node["extra"][key] = value

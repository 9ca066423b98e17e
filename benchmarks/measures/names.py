"""Roles and names against Chrome's accessibility tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.figures import Figure
from benchmarks.marks import mark
from benchmarks.measures.texts import INTERACTIVE, fold
from benchmarks.peers import Tab

WIDGETS = INTERACTIVE | {"listbox"}
# What Chrome calls by names that ARIA doesn't have.
_ARIA = {"DisclosureTriangle": "button", "PopUpButton": "combobox", "MenuListPopup": "listbox"}


def measure(tab: Tab) -> Iterator[Figure]:
    """Every widget that Chrome exposes in the main document and skillbook shows."""
    tab.reload()
    cdp = tab.cdp()
    cdp.send("Accessibility.enable")
    marked = mark(tab, cdp)
    by_backend = {backend: number for number, backend in marked.backend.items()}
    total, agreed, missing, spaces = 0, 0, 0, 0
    differences: Counter[str] = Counter()
    for ax in cdp.send("Accessibility.getFullAXTree")["nodes"]:
        number = by_backend.get(ax.get("backendDOMNodeId", -1))
        role = _text(ax.get("role"))
        role = _ARIA.get(role, role)
        if number is None or ax.get("ignored") or role not in WIDGETS:
            continue
        node = marked.ours.get(number)
        if node is None:
            missing += 1
            continue
        total += 1
        name = _text(ax.get("name"))
        if (node.role, fold(node.name)) == (role, fold(name)):
            agreed += 1
            spaces += " ".join(name.split()) != " ".join(node.name.split())
        else:
            differences[f"{role} {name[:40]!r} is {node.role} {node.name[:40]!r} to us"] += 1
    cdp.detach()
    notes = [f"{total} compared"]
    notes += [f"{missing} that Chrome exposes aren't in the snapshot"] if missing else []
    notes += [f"{spaces} differ in spaces only"] if spaces else []
    notes += [f"{text} ({times}×)" for text, times in differences.most_common(2)]
    yield Figure(
        "roles and names as Chrome's accessibility tree", tab.label, 100 * agreed / total if total else 100.0, None,
        "%", "at least", 99, "; ".join(notes), "Chrome",
    )  # fmt: skip


def _text(value: dict[str, Any] | None) -> str:
    return str((value or {}).get("value", ""))

"""The part of CSS selectors that a snapshot can answer by itself: tags, classes, ids, attributes, combinators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillbook.errors import SelectorSyntaxError
from skillbook.perception.nodes.base_snapshot import BaseSnapshot

_ATTRIBUTES = {
    "id": "html_id",
    "name": "html_name",
    "type": "type",
    "href": "href",
    "src": "src",
    "placeholder": "placeholder",
    "data-testid": "test_id",
}
_SIMPLE = re.compile(
    r"""(?P<tag>\*|[A-Za-z][\w-]*)|\.(?P<cls>[\w-]+)|\#(?P<id>[\w-]+)"""
    r"""|\[\s*(?P<attr>[\w-]+)\s*(?:(?P<op>[*^$]?=)\s*(?P<val>"[^"]*"|'[^']*'|[\w-]+)\s*)?\]"""
)
_COMBINATOR = re.compile(r"\s*>\s*|\s+")


class UnsupportedCss(ValueError):
    """CSS that needs the page itself."""


@dataclass(frozen=True)
class _Test:
    kind: str
    key: str
    op: str = ""
    value: str = ""


def match_css(snapshot: BaseSnapshot, css: str) -> list[int]:
    """Indexes of the elements that a CSS selector names, in document order.

    Raises
    ------
    UnsupportedCss : it has something in it that only the page can answer.
    SelectorSyntaxError : it is empty.
    """
    found: set[int] = set()
    for branch in css.split(","):
        if not branch.strip():
            raise SelectorSyntaxError("an empty css selector", selector=css)
        steps = _parse(branch.strip())
        found.update(i for i, tag in enumerate(snapshot.columns.tag) if tag and _ends(snapshot, i, steps))
    return sorted(found)


def _parse(branch: str) -> list[tuple[str, list[_Test]]]:
    """Compounds from left to right, each with the combinator before it."""
    steps: list[tuple[str, list[_Test]]] = []
    at, combinator = 0, " "
    while at < len(branch):
        tests: list[_Test] = []
        while match := _SIMPLE.match(branch, at):
            tests.append(_test(match, first=not tests))
            at = match.end()
        gap = _COMBINATOR.match(branch, at)
        if not tests or (gap is None and at < len(branch)):
            raise UnsupportedCss(f"{branch[at:]!r} isn't a tag, class, id or attribute")
        steps.append((combinator, tests))
        if gap:
            combinator, at = gap[0].strip() or " ", gap.end()
    return steps


def _test(match: re.Match[str], first: bool) -> _Test:
    if match["tag"]:
        if not first:
            raise UnsupportedCss(f"{match['tag']!r} after another test")
        return _Test("tag", match["tag"].lower())
    if match["cls"]:
        return _Test("class", match["cls"])
    if match["id"]:
        return _Test("attr", "html_id", "=", match["id"])
    key = _ATTRIBUTES.get(match["attr"])
    if key is None or (key in {"href", "src"} and match["op"] == "="):
        raise UnsupportedCss(f"the attribute {match['attr']!r} isn't in snapshots as written")
    return _Test("attr", key, match["op"] or "", (match["val"] or "").strip("\"'"))


def _ends(snapshot: BaseSnapshot, index: int, steps: list[tuple[str, list[_Test]]]) -> bool:
    """Whether the steps can end at a node."""
    combinator, tests = steps[-1]
    if not all(_holds(snapshot, index, test) for test in tests):
        return False
    if len(steps) == 1:
        return True
    parent = snapshot.parents[index]
    while parent >= 0:
        if _ends(snapshot, parent, steps[:-1]):
            return True
        if combinator == ">":
            return False
        parent = snapshot.parents[parent]
    return False


def _holds(snapshot: BaseSnapshot, index: int, test: _Test) -> bool:
    tag, *classes = snapshot.columns.tag[index].split(".")
    if test.kind == "tag":
        return test.key in {"*", tag}
    if test.kind == "class":
        return test.key in classes
    value = snapshot.columns.extra.get(index, {}).get(test.key)
    if value is None:
        return False
    return bool(
        {
            "": True,
            "=": value == test.value,
            "*=": test.value in value,
            "^=": value.startswith(test.value),
            "$=": value.endswith(test.value),
        }[test.op]
    )

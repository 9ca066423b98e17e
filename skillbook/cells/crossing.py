"""What crosses between a cell and the browser: plain data in the checkpoint, small objects in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from skillbook.perception.nodes import Node as PageNode
from skillbook.session.actions.result import ActionResult as PageResult
from skillbook.session.page_driver import PageDriver

_KIND = "~"
"""The key that names an object's class in plain data; no page can make one, for data of pages is wrapped."""


@dataclass(frozen=True)
class ActionResult:
    """What an action did.

    Parameters
    ----------
    changed : whether the page changed; None where nobody knows.
    url : the address afterwards.
    path : the file, where it downloaded one.
    """

    changed: bool | None = None
    url: str = ""
    path: str | None = None


@dataclass(frozen=True)
class Page:
    """A page in a cell: its calls stop the cell, nothing is called here.

    Parameters
    ----------
    tab : the tab's number; 0 for the page that a cell begins with.
    """

    tab: int = 0

    def __getattr__(self, name: str) -> Any:
        """An attribute of the page is asked of the browser; here it can only fail as that did."""
        failed = self.__dict__.get("failed")
        raise failed if failed is not None else AttributeError(name)

    def __repr__(self) -> str:
        return f"<page in tab {self.tab}>" if self.tab else "<page>"


@dataclass(frozen=True)
class Node:
    """An element as it was when it was found.

    Parameters
    ----------
    tab : where it was found; 0 for the page that a cell begins with.
    """

    ref: str
    role: str = ""
    name: str = ""
    value: str | None = None
    text: str = ""
    tab: int = 0

    def __repr__(self) -> str:
        """Without what says nothing new, for a model that gets many of them."""
        value = f", value={self.value!r}" if self.value is not None else ""
        text = f", text={self.text!r}" if self.text != self.name else ""
        tab = f", tab={self.tab}" if self.tab else ""
        return f"Node({self.ref!r}, {self.role!r}, {self.name!r}{value}{text}{tab})"


@dataclass(frozen=True)
class SkillResult:
    """What a skill gave.

    value: its one fact, or all of them by name; what its function returned, if it is code.
    rows: the rows that its function returned, or that it read last, as dicts.
    """

    value: Any = None
    rows: Any = field(default_factory=list)


class CellSecret:
    """A secret in a cell: a handle that says its name and nothing else.

    No text becomes one, and it becomes no text.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<secret {self.name!r}>"


CellObject = ActionResult | Node | Page | SkillResult
_CLASSES: dict[str, type[Any]] = {each.__name__: each for each in (ActionResult, Node, Page, SkillResult)}


def to_plain(value: Any) -> Any:
    """A value as plain data, which a checkpoint keeps."""
    if isinstance(value, CellObject):
        inner = {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
        return {_KIND: type(value).__name__, "of": inner}
    if isinstance(value, Mapping):
        return {_KIND: "dict", "of": {str(key): to_plain(each) for key, each in value.items()}}
    if isinstance(value, list | tuple | set):
        return [to_plain(each) for each in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def from_plain(data: Any) -> Any:
    """A value from plain data."""
    if isinstance(data, list):
        return [from_plain(each) for each in data]
    if not isinstance(data, Mapping):
        return data
    made = _CLASSES.get(str(data[_KIND]))
    if made is not None:
        return made(**{key: from_plain(each) for key, each in data["of"].items()})
    return {key: from_plain(each) for key, each in data["of"].items()}


def to_sandbox(value: Any, page: Callable[[Page], Any]) -> Any:
    """A value as the sandbox takes it: of an object only its fields, and no methods.

    page: gives what stands for a page in the sandbox.
    """
    from pydantic_monty import ClassInstance

    if isinstance(value, Page):
        return page(value)
    if isinstance(value, CellSecret):
        return ClassInstance(value, eager_attrs=[])
    if isinstance(value, CellObject):
        return ClassInstance(value, eager_attrs=[each.name for each in fields(value)])
    if isinstance(value, Mapping):
        return {key: to_sandbox(each, page) for key, each in value.items()}
    return [to_sandbox(each, page) for each in value] if isinstance(value, list) else value


MOST_ROWS = 5_000
_NODES = 500
_NODE_TEXT = 2_000


def value_for_code(value: Any, tab: int = 0) -> Any:
    """A tool's value as plain data.

    tab: where the call was made; 0 for the page that a cell begins with.
    """
    if isinstance(value, PageDriver):
        return to_plain(Page(value.tab.id))
    if isinstance(value, PageResult):
        path = str(value.path) if value.path is not None else None
        return to_plain(ActionResult(value.changed, value.url, path))
    if isinstance(value, list) and value and isinstance(value[0], PageNode):
        return to_plain([_node(each, tab) for each in value[:_NODES]])
    if isinstance(value, SkillResult):
        rows = _rows(value.rows) if value.rows is not None else []
        return to_plain(SkillResult(value.value, rows))
    return to_plain(_rows(value))


def _rows(value: Any) -> Any:
    """A frame as a list of dicts; anything else as it is."""
    if not hasattr(value, "to_json"):
        return value
    return json.loads(value.head(MOST_ROWS).to_json(orient="records", date_format="iso"))


def _node(node: PageNode, tab: int) -> Node:
    """A node without a ref has that of what it is in."""
    ref = next((each.ref for each in (node, *node.ancestors) if each.ref), "")
    value = None if node.value is None else str(node.value)
    return Node(ref, node.role, node.label, value, node.text[:_NODE_TEXT], tab)


def refs_of(value: Any) -> set[str]:
    """The refs of the elements in a plain value."""
    if isinstance(value, list):
        return {ref for each in value for ref in refs_of(each)}
    inner = value.get("of") if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return set()
    if isinstance(inner.get("ref"), str):
        return {inner["ref"]}
    return {ref for each in inner.values() for ref in refs_of(each)}

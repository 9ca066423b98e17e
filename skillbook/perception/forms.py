"""Which fields and buttons belong to one form.

HTML says it of its own controls, also where the form itself is no node. Of others, such as a component's button, what
is around them says it.
"""

from __future__ import annotations

from collections.abc import Hashable

from skillbook.perception.nodes.base import Node
from skillbook.perception.roles import words

_ROOTS = words("form search dialog alertdialog")


def root_of(node: Node) -> Node | None:
    """The nearest form, search or dialog around a node; None for the page itself."""
    return next((up for up in node.ancestors if up.role in _ROOTS or up.tag == "form"), None)


def form_key(node: Node) -> Hashable:
    """What is the same for the fields of one form, and another for those of another one."""
    if (number := _number(node)) is not None:
        return number
    root = root_of(node)
    return None if root is None else root.index


def form_elements(field: Node) -> list[Node]:
    """The nodes of a field's form, those that can't be acted on included.

    That is what HTML says is in it, and what no form claims and stands in the nearest form or dialog around the field,
    or between the form's own controls. A form without a button of its own may have any that stands in no form.
    """
    elements = [node for node in field.snapshot.nodes if node.role != "text"]
    number, root = _number(field), root_of(field)
    inside = range(root.index, field.snapshot.ends[root.index]) if root is not None else range(0)
    if number is None:
        return [
            node
            for node in elements
            if (node.index in inside if root is not None else form_key(node) is None)
        ]
    own = [node for node in elements if _number(node) == number]
    between = range(own[0].index, own[-1].index)
    has_button = any(node.role == "button" for node in own)
    return [
        node
        for node in elements
        if _number(node) == number
        or (_number(node) is None and (node.index in inside or node.index in between))
        or (not has_button and root is None and form_key(node) is None)
    ]


def _number(node: Node) -> tuple[str, int] | None:
    """The number of a control's form, which counts in its own frame."""
    number = node.extra.get("form")
    return None if number is None else (str(node.ref).rpartition("e")[0], number)

"""What counts as a match, and which one `nth` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from skillbook.perception.collections.collection_search import partial_lists
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.selectors.grammar import Selector

_CHECKED = words("checkbox radio switch")
_WITHOUT_CONTROLS = words("button combobox searchbox slider spinbutton textbox")
_NATIVE = words("button input select textarea")


def without_shells(snapshot: BaseSnapshot, found: Sequence[int]) -> Sequence[int]:
    """Without a control around another one of its name and kind: a page that styles a native one has both, for one.

    ARIA and HTML let these hold no other controls ("Children Presentational", "interactive content").
    """
    nodes = snapshot.nodes
    return [
        index
        for index, after in zip_longest(found, found[1:])
        if after is None or after >= snapshot.ends[index] or not _is_shell(nodes[index], nodes[after])
    ]


def _is_shell(node: Node, inner: Node) -> bool:
    is_native = inner.tag.partition(".")[0] in _NATIVE
    if node.role in _CHECKED and inner.role == node.role and is_native:
        return True
    alike = inner.role == node.role in _WITHOUT_CONTROLS or (node.role in _CHECKED and inner.role in _CHECKED)
    return is_native and alike and _called(node) == _called(inner)


def _called(node: Node) -> str:
    return (node.name or node.text).casefold()


def items_by_number(snapshot: BaseSnapshot, selector: Selector, found: Sequence[int]) -> Mapping[int, int]:
    """Of a list that shows a part of its items, these by the numbers that the page gives them; else by their order.

    Which item comes first on the screen depends on how far such a list is scrolled.

    found: what a selector names without its `nth`, in document order.
    """
    is_bare = selector.kind == "role" and not (selector.name or selector.tests or selector.beside)
    numbers = _numbers(snapshot, found) if is_bare and found and snapshot.has_places else None
    return dict(enumerate(found, 1)) if numbers is None else numbers


def _numbers(snapshot: BaseSnapshot, found: Sequence[int]) -> Mapping[int, int] | None:
    columns = snapshot.columns
    for partial in partial_lists(snapshot):
        items, span = set(partial.items), range(partial.node.index, snapshot.ends[partial.node.index])
        # A header is a row, too, and no item.
        if items.isdisjoint(found) or not all(
            index in items or (index in span and columns.role[index] == "row") for index in found
        ):
            continue
        numbers: dict[int, int] = {}
        for index in sorted(found, key=lambda index: (index not in items, index)):
            number = columns.extra.get(index, {}).get("posinset")
            if number is None:
                return None
            numbers.setdefault(int(number), index)
        return numbers
    return None

"""Where roles, names, texts and addresses stand among a page's nodes, so that selectors find them quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from skillbook.perception.escape import clean
from skillbook.perception.nodes.columns import Columns

_LONGEST = 60  # characters of a text whose parts are looked up one by one


class NameIndex:
    """Indexes of nodes by what they are and are called; each is made when a selector first needs it."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._facts: dict[str, dict[str, list[int]]] = {}

    @cached_property
    def clean(self) -> Sequence[str]:
        """Every node's name as it is compared, by index."""
        return [clean(name) if name else "" for name in self._columns.name]

    @cached_property
    def folded(self) -> Sequence[str]:
        """Every node's name without regard to case, by index."""
        return [name.casefold() for name in self.clean]

    @cached_property
    def by_role(self) -> Mapping[str, Sequence[int]]:
        """The nodes of each role, in document order."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, role in enumerate(self._columns.role):
            found[role].append(index)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[int]]:
        """The nodes of each name without regard to case, in document order; those without a name are left out."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.folded):
            if name:
                found[name].append(index)
        return dict(found)

    def parts_of(self, text: str) -> list[int]:
        """The nodes whose names are a part of a text, which is folded, in document order."""
        by_name = self.by_name
        if len(text) > _LONGEST:
            return sorted(at for name, places in by_name.items() if name in text for at in places)
        sizes = range(len(text))
        parts = {text[first : last + 1] for first in sizes for last in range(first, len(text))}
        return sorted(at for part in parts if part in by_name for at in by_name[part])

    def with_fact(self, key: str, value: str) -> Sequence[int]:
        """The nodes of which the page says this, such as an address, in document order."""
        if key not in self._facts:
            found: dict[str, list[int]] = defaultdict(list)
            for index, facts in self._columns.extra.items():
                if (said := facts.get(key)) is not None:
                    found[str(said).casefold()].append(index)
            self._facts[key] = found
        return sorted(self._facts[key].get(value.casefold(), ()))

"""Where names, texts and addresses stand in a snapshot: made when first asked for, shared by all selectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot

_LONGEST = 60  # characters of a text whose parts are looked up one by one


class NameIndex:
    """Indexes of nodes by what they are called, without regard to case."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._facts: dict[str, dict[str, list[int]]] = {}

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[int]]:
        """The nodes of each name, in document order; those without a name are left out."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.snapshot.folded_names):
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
            for index, facts in self.snapshot.columns.extra.items():
                if (said := facts.get(key)) is not None:
                    found[str(said).casefold()].append(index)
            self._facts[key] = found
        return sorted(self._facts[key].get(value.casefold(), ()))

"""Which field each of an item's values is where several have one place: by what stands before them, and their kind.

An item that lacks the first of two texts alike must not have the second in the first one's column. Of texts that
begin with a label each, such as "Price 12", the label names the column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from skillbook.perception.collections.leaves import MONEY, Leaf
from skillbook.perception.collections.measures import NEARLY_ALL, SEVERAL

Path = tuple[str, ...]
Place = tuple[Path, Path]
"""A path without its count, and that of the value before which every item has."""

_KINDS = (
    ("money", MONEY),
    ("date", re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b\d{1,2}:\d\d\b")),
    ("number", re.compile(r"^[^\w]*\d[\d.,\s/%]*\w{0,3}$")),
)


def align(items: Sequence[list[Leaf]]) -> tuple[list[list[Leaf]], list[list[Path]]]:
    """Give values whose path several of an item have a path that tells them apart.

    items: the values of each item, in page order.
    """
    bases = [[_base(leaf.path) for leaf in leaves] for leaves in items]
    counts = [Counter(each) for each in bases]
    every = {base for count in counts for base in count}
    differing = {
        base
        for base in every
        if max(count[base] for count in counts) > 1 and len({count[base] for count in counts}) > 1
    }
    if not differing:
        return list(items), []
    firm = {base for base in every if all(count[base] == 1 for count in counts)}
    places = [_places(each, differing, firm) for each in bases]
    by_kind, unsure = _sorted_out(items, places)
    texts_of_place = {place: _texts_at(place, items, places) for place in unsure}
    by_word = {place for place, each in texts_of_place.items() if _begin_with_labels(each)}
    # Where an item keeps the element of a value that it lacks, only the last ones can be missing.
    unsure = [
        place
        for place, each in texts_of_place.items()
        if place not in by_word and not any("" in texts for texts in each)
    ]
    aligned = [_renamed(leaves, each, by_kind, by_word) for leaves, each in zip(items, places, strict=True)]
    shaky = [
        list(dict.fromkeys(leaf.path for leaves, each in zip(aligned, places, strict=True)
             for leaf, at in zip(leaves, each, strict=True) if at == place))
        for place in unsure
    ]  # fmt: skip
    return aligned, shaky


def _base(path: Path) -> Path:
    return path[:-1] if path[-1].startswith("#") else path


def _places(bases: Sequence[Path], differing: set[Path], firm: set[Path]) -> list[Place | None]:
    before: Path = ()
    places: list[Place | None] = []
    for base in bases:
        places.append((base, before) if base in differing else None)
        if base in firm:
            before = base
    return places


def _sorted_out(
    items: Sequence[Sequence[Leaf]], places: Sequence[Sequence[Place | None]]
) -> tuple[set[Place], list[Place]]:
    """The places at which values are told apart by their kind, and those at which they can't be told apart."""
    found: dict[Place, list[Counter[str]]] = defaultdict(list)
    for leaves, each in zip(items, places, strict=True):
        here: dict[Place, Counter[str]] = defaultdict(Counter)
        for leaf, place in zip(leaves, each, strict=True):
            if place is not None:
                here[place][kind_of_text(leaf.text)] += 1
        for place, kinds in here.items():
            found[place].append(kinds)
    by_kind, unsure = set(), []
    for place, several in found.items():
        totals = {kinds.total() for kinds in several} | ({0} if len(several) < len(items) else set())
        if max(totals) == 1 or len(totals) == 1:
            continue
        if max(max(kinds.values()) for kinds in several) == 1:
            by_kind.add(place)
        else:
            unsure.append(place)
    return by_kind, unsure


def _texts_at(
    place: Place, items: Sequence[Sequence[Leaf]], places: Sequence[Sequence[Place | None]]
) -> list[list[str]]:
    """What each item says at a place."""
    return [
        [leaf.text for leaf, at in zip(leaves, each, strict=True) if at == place]
        for leaves, each in zip(items, places, strict=True)
    ]


def _begin_with_labels(texts_of_items: Sequence[Sequence[str]]) -> bool:
    """Whether texts begin with words that are the same in several items, once in each, and go on in different ways."""
    having: Counter[str] = Counter()
    rests: dict[str, set[str]] = defaultdict(set)
    for texts in texts_of_items:
        words = [text.split(maxsplit=1) for text in texts]
        firsts = {word[0] for word in words if len(word) > 1 and not any(map(str.isdigit, word[0]))}
        if len(firsts) < len(texts):
            return False
        having.update(firsts)
        for first, rest in words:
            rests[first].add(rest)
    repeated = [first for first, count in having.items() if count >= SEVERAL]
    varied = sum(len(rests[first]) > 1 for first in repeated)
    firm = sum(having[first] for first in repeated)
    return firm >= NEARLY_ALL * having.total() and varied * 2 >= len(repeated) > 1


def _renamed(
    leaves: Sequence[Leaf], places: Sequence[Place | None], by_kind: set[Place], by_word: set[Place]
) -> list[Leaf]:
    counts: Counter[Path] = Counter()
    renamed = []
    for leaf, place in zip(leaves, places, strict=True):
        path = leaf.path
        if place is not None:
            base, before = place
            path = (*base, "#after " + " ".join(before)) if before else base
            path = (*path, f"#{kind_of_text(leaf.text)}") if place in by_kind else path
            path = (*path, f"#{leaf.text.split()[0]}") if place in by_word else path
            counts[path] += 1
            path = (*path, f"#{counts[path]}") if counts[path] > 1 else path
        renamed.append(replace(leaf, path=path))
    return renamed


def kind_of_text(text: str) -> str:
    """Whether a text is money, a date, a number, or none of these."""
    return next((name for name, pattern in _KINDS if pattern.search(text)), "text")

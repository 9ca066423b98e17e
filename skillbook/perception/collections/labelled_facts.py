"""Which column a value of an item goes to: by a label, else by what stands before it and its kind."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from skillbook.perception.collections.collection import Collection
from skillbook.perception.collections.leaves import MONEY, Leaf
from skillbook.perception.collections.measures import HALF, NEARLY_ALL, SAMPLE, SEVERAL
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box
from skillbook.perception.nodes.columns import FEWEST, kind_of
from skillbook.perception.roles import CELLS, INTERACTIVE, words
from skillbook.protocol.snapshot import State

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


FACT = "="
"""What the path of a fact begins with; its label follows."""

_TURNS = " turns"  # what the shape of labels and values of one kind ends with
_LAST = "label last"  # the same where it stands behind its value: "12 votes"
_NO_NAME = "column "  # what the name of a column begins with that no header names
_CLOSED = words("heading link button figure table grid") | INTERACTIVE
_COLONS = (":", "：")
_IN_TEXT = re.compile(r"([^:：]{1,40}?)\s*(?::\s+|：\s*)(\S.*)", re.DOTALL)


@dataclass(frozen=True)
class _Part:
    """A child that says something: which node, what, and how it is made."""

    index: int
    text: str
    kind: str
    is_plain: bool  # without a link or control in it


@dataclass(frozen=True)
class _Fact:
    """What may be a label with its value: the item, what kind of place it is, and the nodes that say it.

    `is_apart` says whether its place shows the pair: in cells, or nearer to each other than to the next pair. One that
    `is_blank` is a label where others have their values too.
    """

    item: int
    shape: str
    label: str
    value: str
    node: int
    spans: tuple[int, ...]
    is_marked: bool
    is_apart: bool = False
    is_blank: bool = False


@dataclass(frozen=True)
class Facts:
    """Labelled facts of some items: the leaves of each item, and the nodes that say no other thing."""

    leaves: Sequence[Sequence[Leaf]]
    covered: frozenset[int]
    faults: Sequence[str] = ()


def facts_of(
    snapshot: BaseSnapshot,
    members: Sequence[int],
    nested: Set[int],
    known: Set[str] = frozenset(),
    opened: Set[int] = frozenset(),
) -> Facts:
    """The labelled facts of the items of a collection.

    known: the labels of such items elsewhere: a single item doesn't show which of its texts are labels.
    opened: tables whose rows may be facts (`tables_of_facts`).
    """
    closed = nested - set(members)
    sample = members[:: max(len(members) // SAMPLE, 1)][:SAMPLE]
    if not _accepted(_candidates(snapshot, sample, closed, opened), len(sample), known):
        return Facts([[] for _ in members], frozenset())
    facts = _accepted(_candidates(snapshot, members, closed, opened), len(members), known)
    leaves: list[list[Leaf]] = [[] for _ in members]
    covered: set[int] = set()
    for fact in sorted(facts, key=lambda each: each.node):
        path: tuple[str, ...] = (FACT + fact.label,)
        again = sum(leaf.path[:1] == path for leaf in leaves[fact.item])
        leaves[fact.item].append(Leaf((*path, f"#{again + 1}") if again else path, fact.node, fact.value))
        covered.update(fact.spans)
    return Facts(leaves, frozenset(covered), _doubts(facts, len(members)))


def _doubts(facts: Sequence[_Fact], items: int) -> list[str]:
    """What is unsure of labels that nothing marks, not their place either, and that no item lacks.

    They may be values that all items have, such as a currency.
    """
    turns = [fact for fact in facts if fact.shape.endswith(_TURNS)]
    having = Counter(fact.label for fact in turns)
    if not turns or min(having.values()) < items or all(fact.is_apart for fact in turns):
        return []
    names = ", ".join(map(clean, having))
    return [
        f"columns {names} are named by texts that stand before their values in all items: they may be values"
    ]


def label_of(path: Sequence[str]) -> str | None:
    """The label of a fact's path; None where it is another's."""
    return path[0].removeprefix(FACT) if path and path[0].startswith(FACT) else None


def tables_of_facts(tables: Sequence[Collection]) -> frozenset[int]:
    """The tables whose rows may be facts of what they stand in: columns that no header names, a label and a value."""
    return frozenset(
        table.node.index
        for table in tables
        if all(name.startswith(_NO_NAME) for name in table.fields) and len(table.fields) % 2 == 0
    )


def said_by_items(tables: Sequence[Collection], items: Sequence[Collection]) -> frozenset[int]:
    """The tables that items have as their facts, each of their rows."""
    indexes = sorted(
        cell.index for each in items if each.labelled for row in each.rows for cell in row.cells if cell
    )
    return frozenset(
        table.node.index
        for table in tables
        if all(
            bisect_left(indexes, row.node.index)
            < bisect_left(indexes, row.node.snapshot.ends[row.node.index])
            for row in table.rows
        )
    )


def _candidates(
    snapshot: BaseSnapshot, members: Sequence[int], closed: Set[int], opened: Set[int]
) -> list[_Fact]:
    found: list[_Fact] = []
    for item, member in enumerate(members):
        at = member
        while at < snapshot.ends[member]:
            is_closed = (snapshot.columns.role[at] in _CLOSED and at not in opened) or at in closed
            if at != member and is_closed:
                at = snapshot.ends[at]
                continue
            if snapshot.ends[at] > at + 1:
                found += _facts_in(snapshot, item, member, at)
            at += 1
    return found


def _facts_in(snapshot: BaseSnapshot, item: int, member: int, parent: int) -> Iterator[_Fact]:
    """What may be labels with their values among the children of one element."""
    parts = [part for at in snapshot.child_indexes(parent) if (part := _part(snapshot, at)) is not None]
    holder = f"{snapshot.columns.depth[parent] - snapshot.columns.depth[member]} " + kind_of(
        snapshot.columns.tag[parent]
    )
    for part in parts:
        match = _IN_TEXT.fullmatch(part.text) if snapshot.columns.role[part.index] == "text" else None
        if match and _can_be_label(match[1]):
            spans = (part.index,) if len(parts) > 1 or parent == member else (parent,)
            yield _Fact(item, f"{holder} :", match[1].strip(), match[2].strip(), part.index, spans, False)
    marked = [at for at, part in enumerate(parts[:-1]) if _is_marked(snapshot, part, parts[at + 1])]
    if marked:
        yield from _marked_facts(snapshot, item, holder, parts, marked)
    elif len(parts) == 2 and parent != member:
        for (label, value), order in ((parts, "row"), (parts[::-1], _LAST)):
            if label.is_plain and _can_be_label(label.text):
                shape = f"{holder} {label.kind} {order}"
                yield _Fact(item, shape, label.text, value.text, value.index, (parent,), False)
    elif len(parts) == 1 and parent != member and parts[0].is_plain:
        (label,) = parts
        shape = f"{holder} {label.kind} row"
        yield _Fact(item, shape, label.text, "", label.index, (parent,), False, is_blank=True)
    else:
        yield from _turns(snapshot, item, holder, parts)


def _part(snapshot: BaseSnapshot, index: int) -> _Part | None:
    columns = snapshot.columns
    if columns.role[index] == "text" and columns.flags[index] & State.UNSEEN:
        return None
    is_text = columns.role[index] in {"text", "cell", "rowheader"}
    text = (clean(columns.name[index]) if is_text else "") or snapshot.text_of(index)
    if not text:
        return None
    inside = columns.role[index : snapshot.ends[index]]
    kind = kind_of(columns.tag[index]) or columns.role[index]
    return _Part(index, text, kind, _CLOSED.isdisjoint(inside))


def _is_marked(snapshot: BaseSnapshot, part: _Part, after: _Part) -> bool:
    """Whether the page marks a text as the label of what follows it: a term, a label, or a colon between them."""
    tags = [snapshot.columns.tag[each.index].partition(".")[0] for each in (part, after)]
    if not part.is_plain or not _can_be_label(part.text) or tags[1] in {"dt", "label"}:
        return False
    colon = part.text.endswith(_COLONS) or after.text.startswith(_COLONS)
    return (tags[0] == "dt" and tags[1] == "dd") or tags[0] == "label" or colon


def _marked_facts(
    snapshot: BaseSnapshot, item: int, holder: str, parts: Sequence[_Part], marked: Sequence[int]
) -> Iterator[_Fact]:
    """Marked labels with the part beside each; a term with all of its definitions."""
    for number, at in enumerate(marked):
        label, until = parts[at], at + 2
        following = marked[number + 1] if number + 1 < len(marked) else len(parts)
        is_term = snapshot.columns.tag[label.index].partition(".")[0] == "dt"
        if is_term or (len(marked) == 1 and at == 0):
            until = following
        values = parts[at + 1 : until]
        if any(_is_marked(snapshot, each, parts[at + 2 + place]) for place, each in enumerate(values[:-1])):
            values = values[:1]
        text = " ".join(each.text for each in values).lstrip("".join(_COLONS)).strip()
        spans = (label.index, *(each.index for each in values))
        name = label.text.rstrip("".join(_COLONS)).strip()
        yield _Fact(item, f"{holder} {label.kind} marked", name, text, values[0].index, spans, True)


def _turns(snapshot: BaseSnapshot, item: int, holder: str, parts: Sequence[_Part]) -> Iterator[_Fact]:
    """Labels and values by turns: of two kinds, each label before its value; or of one kind, an even number of them."""
    kinds = [part.kind for part in parts]
    for (first, second), count in Counter(pairwise(kinds)).items():
        firsts, seconds = kinds.count(first), kinds.count(second)
        pairs = pairwise(parts)
        if first != second and count == firsts == seconds:
            for label, value in pairs:
                if (label.kind, value.kind) == (first, second) and _can_be_pair(label):
                    yield _turn(item, f"{holder} {first} {second}", label, value)
    for kind, run in groupby(parts, key=lambda part: part.kind):
        alike = list(run)
        if len(alike) >= 4 and len(alike) % 2 == 0 and kinds.count(kind) == len(alike):
            in_table = {snapshot.columns.role[part.index] for part in alike} <= CELLS
            apart = in_table or _are_pairs_apart(snapshot, [part.index for part in alike])
            for label, value in zip(alike[::2], alike[1::2], strict=True):
                if _can_be_pair(label):
                    yield replace(_turn(item, f"{holder} {kind}{_TURNS}", label, value), is_apart=apart)


def _turn(item: int, shape: str, label: _Part, value: _Part) -> _Fact:
    return _Fact(item, shape, label.text, value.text, value.index, (label.index, value.index), False)


def _are_pairs_apart(snapshot: BaseSnapshot, parts: Sequence[int]) -> bool:
    """Whether the parts of each pair stand nearer to each other than to the next pair: on one line, or in it."""
    gaps = [_gap(snapshot.box_of(one), snapshot.box_of(other)) for one, other in pairwise(parts)]
    return max(gaps[::2]) < min(gaps[1::2])


def _gap(one: Box, other: Box) -> tuple[bool, int]:
    """How far a box is from the one before it: whether it stands on another line, and pixels."""
    below = max(one.y, other.y) - min(one.y + one.height, other.y + other.height)
    if below >= 0:
        return True, below
    return False, max(one.x, other.x) - min(one.x + one.width, other.x + other.width)


def _can_be_pair(label: _Part) -> bool:
    return label.is_plain and _can_be_label(label.text)


def _can_be_label(text: str) -> bool:
    return len(text) <= LONGEST_NAME and any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _accepted(candidates: Sequence[_Fact], items: int, known: Set[str]) -> list[_Fact]:
    """The facts of those kinds of places at which texts are labels."""
    by_shape: dict[str, list[_Fact]] = defaultdict(list)
    for fact in candidates:
        if not fact.is_blank:
            by_shape[fact.shape].append(fact)
    found: list[_Fact] = []
    used: set[int] = set()
    marked_first = sorted(by_shape.values(), key=lambda facts: not facts[0].is_marked)
    for facts in marked_first:
        is_free = used.isdisjoint(at for fact in facts for at in fact.spans)
        if is_free and (_are_known(facts, known) or _are_labels(facts, items)):
            found += facts
            used.update(at for fact in facts for at in fact.spans)
    labels = {(fact.shape, fact.label) for fact in found}
    return found + [fact for fact in candidates if fact.is_blank and (fact.shape, fact.label) in labels]


def _are_known(facts: Sequence[_Fact], known: Set[str]) -> bool:
    return sum(fact.label in known for fact in facts) >= NEARLY_ALL * len(facts)


def _are_labels(facts: Sequence[_Fact], items: int) -> bool:
    """Whether texts at one kind of place are labels: the same in several items, and not what they stand beside."""
    having: dict[str, set[int]] = defaultdict(set)
    values: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        having[fact.label].add(fact.item)
        values[fact.label].add(fact.value)
    repeated = [label for label, each in having.items() if len(each) >= SEVERAL]
    if facts[0].is_marked:
        return any(len(having[label]) >= HALF * items for label in repeated)
    if facts[0].shape.endswith(_LAST) and (
        len(repeated) < FEWEST or any(len(each) < items for each in having.values())
    ):
        return False
    pairs = sum(map(len, having.values()))
    firm = sum(len(having[label]) for label in repeated)
    varied = sum(len(values[label]) > 1 for label in repeated)
    by_item = Counter(item for each in having.values() for item in each)
    return (
        len(repeated) >= SEVERAL
        and pairs >= NEARLY_ALL * len(facts)  # once in an item
        and firm >= NEARLY_ALL * pairs
        and pairs >= HALF * len(having) * items
        and varied >= HALF * len(repeated)
        and sum(count >= SEVERAL for count in by_item.values()) >= HALF * items
    )

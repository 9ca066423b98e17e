"""Lists, cards and definitions as collections: elements with the same place in the page's structure.

Items need not be siblings: operations in several sections, or products on several shelves, have the same tag, class
and roles around them, and are one collection.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from skillbook.perception.collections.between import from_the_top
from skillbook.perception.collections.cells import cell_text, has_unnamed_icon
from skillbook.perception.collections.collection import (
    Aside,
    Cell,
    Collection,
    Kind,
    Row,
    name_of,
    unique_names,
)
from skillbook.perception.collections.faults import closed_items, is_details, unread_items, without_copies
from skillbook.perception.collections.flat_grids import flat_grids
from skillbook.perception.collections.labelled_facts import Path, align, facts_of, label_of
from skillbook.perception.collections.leaves import (
    Leaf,
    leaves_of,
    name_fields,
    with_labels,
    with_lone_texts,
    with_prices_joined,
)
from skillbook.perception.collections.measures import HALF, NEARLY_ALL, SAMPLE, SEVERAL
from skillbook.perception.collections.row_kinds import without_ways_on
from skillbook.perception.escape import LONGEST_NAME, clean, counted
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.columns import FEWEST, LARGEST_ITEM, kind_of
from skillbook.perception.roles import LANDMARKS, RECORDS, TABLES, words

OTHER_TEXT = "other text"
"""The column of what only few items have."""
_NO_NAME = re.compile(r"text(?: \d+)?")
_MENUS = words("menu menubar tablist toolbar")
_PAGER = re.compile(r"(?i)(?:^|[-_])(?:pagination|paginator|pager|page-numbers|breadcrumbs?)(?:[-_]|$)")
_NAVIGATION = LANDMARKS - {"main", "region", "search", "form"}
_NO_ITEMS = words(
    "text row cell columnheader rowheader gridcell rowgroup combobox listbox table grid term caption heading"
)
_PLAIN_CONTROLS = words("button option")
"""No items where all that they hold is what they are called."""
_NAMES_OF_BRANCHES = words("text link button strong")
_MOST_FIELDS = 40
_PLAIN_ITEMS = (RECORDS - {"row"}) | {"figure"}


def find_repeats(
    snapshot: BaseSnapshot,
    taken: Sequence[range],
    like: tuple[str, str] | None = None,
    labels: Set[str] = frozenset(),
    facts: Set[int] = frozenset(),
) -> list[Collection]:
    """Every list, set of cards and definition list outside of `taken`; or those with items like given ones.

    facts: tables whose rows may be facts of such items.
    """
    groups = _groups(snapshot, taken, like, labels, facts)
    found = []
    for group in groups:
        # Answers stand in what they answer: each is an item of its own.
        nested = {index for other in groups for index in other}
        collection = _read(snapshot, group, nested, FEWEST if like is None else 1, labels, facts)
        if collection is not None:
            found.append(collection)
    if like is None:
        rows = {row.node.index for collection in found for row in collection.rows}
        for grid in flat_grids(snapshot, taken, rows):
            found.append(replace(grid, minor=_is_minor(snapshot, grid.node.index)))
            rows.update(cell.index for row in grid.rows for cell in row.cells if cell)
        found += _plain_rows(snapshot, taken, rows)
    return [*found, *_definitions(snapshot, taken)]


def read_items(snapshot: BaseSnapshot, members: Sequence[int]) -> Collection | None:
    """Given elements as the rows of one collection, however few they are; None where they say nothing."""
    nested = {at for at in members for at in range(at + 1, snapshot.ends[at]) if at in set(members)}
    found = _read(snapshot, members, nested, 1)
    if found is not None:
        return found
    rows = [row for row in _text_rows(snapshot, members) if row.cells[0] and row.cells[0].text]
    if not rows:
        return None
    container = snapshot.nodes[_container(snapshot, members)]
    kind: Kind = "list" if rows[0].node.role == "listitem" else "cards"
    return Collection(kind, name_of(snapshot, container.index), container, ["text"], rows)


def _text_rows(snapshot: BaseSnapshot, members: Sequence[int]) -> list[Row]:
    """Elements as rows of one cell: their text, or what they are called."""
    texts = [(at, snapshot.text_of(at) or clean(snapshot.columns.name[at])) for at in members]
    return [Row(snapshot.nodes[at], [Cell(text, snapshot, at)]) for at, text in texts]


def _plain_rows(snapshot: BaseSnapshot, taken: Sequence[range], rows: set[int]) -> Iterator[Collection]:
    """Lists whose rows are only a text or a control, and of which others aren't there: room or numbers show them."""
    columns, parents, ends = snapshot.columns, snapshot.parents, snapshot.ends
    numbered = {parents[index] for index, facts in columns.extra.items() if "setsize" in facts}
    for scope in sorted(numbered.union(index for index, facts in columns.extra.items() if "scroll" in facts)):
        families: dict[tuple[int, str, str], list[int]] = defaultdict(list)
        at = scope + 1
        while at < ends[scope]:
            if at in rows or columns.role[at] in TABLES:
                at = ends[at]
                continue
            families[parents[at], columns.role[at], kind_of(columns.tag[at])].append(at)
            at += 1
        for (parent, _, _), members in families.items():
            if len(members) < FEWEST or any(parent in span for span in taken):
                continue
            sizes = [columns.extra.get(member, {}).get("setsize") or 0 for member in members]
            if snapshot.extents.room_for(members) is None and max(sizes) <= len(members):
                continue
            rows.update(members)
            name, node, minor = name_of(snapshot, parent), snapshot.nodes[parent], _is_minor(snapshot, parent)
            yield Collection("list", name, node, ["text"], _text_rows(snapshot, members), minor)


def _groups(
    snapshot: BaseSnapshot,
    taken: Sequence[range],
    like: tuple[str, str] | None,
    labels: Set[str],
    tables: Set[int],
) -> list[list[int]]:
    """Elements that are items of one collection, in page order; groups around others come first."""
    chosen: list[list[int]] = []
    owner: dict[int, int] = {}  # an item -> how many items its group has
    covered: set[int] = set()  # what only says facts of an item
    for members in _families(snapshot, taken, like):
        for group in _alike(snapshot, members):
            enclosing = {_nearest(snapshot.parents, owner, member) for member in group} - {-1}
            if enclosing and branch_of(snapshot, group[0]) is None:
                per_item = Counter(_nearest(snapshot.parents, owner, member) for member in group)
                outer_count = owner[next(iter(enclosing))]
                is_few = len(group) <= 1.5 * outer_count or max(per_item.values()) < FEWEST
                if is_few and not (len(group) > outer_count and _only_name(snapshot, enclosing, group)):
                    continue
                if covered.issuperset(group):
                    continue
            chosen.append(group)
            covered |= facts_of(snapshot, group, frozenset(), labels, tables).covered
            owner.update(dict.fromkeys(group, len(group)))
    return chosen


def _only_name(snapshot: BaseSnapshot, outer: Set[int], items: Sequence[int]) -> bool:
    """Whether what is around items of several fields in lists, as a board's columns, says one thing beside them."""
    if snapshot.columns.role[items[0]] != "listitem" or len(outer) < SEVERAL:
        return False
    if len(leaves_of(snapshot, items[0])) < SEVERAL:
        return False
    inside = set(items)
    return all(len(leaves_of(snapshot, at, inside)) <= 1 for at in outer)


def _families(
    snapshot: BaseSnapshot, taken: Sequence[range], like: tuple[str, str] | None
) -> list[list[int]]:
    """Elements of one kind: items of one list, or blocks of one tag and class under the same roles.

    Elements without role and class are sorted by what they are in. What a block without a role is in says little else:
    wrappers that hold a single thing aren't in a snapshot.
    """
    columns = snapshot.columns
    parents, ends = snapshot.parents, snapshot.ends
    outer: list[int] = [0] * len(
        columns.role
    )  # the path of roles, and of blocks that hold elements without class
    family: dict[int, list[int]] = defaultdict(list)
    keys: dict[int, int] = {}
    answers: dict[int, bool] = {}  # a list in an item -> whether its items are made as that item is
    skipped = {span.start: span.stop for span in taken}
    index, size = 0, len(columns.role)
    while index < size:
        role = columns.role[index]
        parent = parents[index]
        above = outer[parent] if parent >= 0 else 0
        outer[index] = above if role in {"generic", "text"} else hash((above, role))
        if index in skipped:
            index = skipped[index]
            continue
        fewest = FEWEST if role in _PLAIN_CONTROLS else 1
        if role not in _NO_ITEMS and fewest < ends[index] - index <= LARGEST_ITEM:
            kind = kind_of(columns.tag[index])
            if (like is None or (role, kind) == like) and not (
                role == "list" and _has_items(snapshot, index)
            ):
                around = _around(snapshot, index, kind) if role in _PLAIN_ITEMS else -1
                if around in keys and parent not in answers:
                    answers[parent] = "." in kind or _answers(snapshot, around, index)
                if around in keys and answers[parent]:
                    key = keys[around]
                elif role == "listitem":
                    key = hash((role, branch_of(snapshot, index) or parent))
                elif role == "generic" and "." in kind:
                    key = hash((above, kind))
                else:
                    key = hash((above, role, kind, parent if role == "generic" else 0))
                family[key].append(index)
                keys[index] = key
        index += 1
    if like is None:
        _join_short_lists(snapshot, family)
    found = sorted(family.values())
    return [members for members in found if like is not None or len(members) >= FEWEST]


def _join_short_lists(snapshot: BaseSnapshot, family: dict[int, list[int]]) -> None:
    """Make items of one class in several lists one family if a list is too short to be one, as on a board of columns.

    Items of a single text are what another item says several of.
    """
    columns, lists = snapshot.columns, defaultdict[tuple[str, int], list[int]](list)
    for key, members in family.items():
        kind = kind_of(columns.tag[members[0]])
        is_item = columns.role[members[0]] == "listitem" and "." in kind
        if is_item and len(leaves_of(snapshot, members[0])) > 1 and branch_of(snapshot, members[0]) is None:
            lists[kind, columns.depth[members[0]]].append(key)
    for keys in lists.values():
        if len(keys) > 1 and any(len(family[key]) < FEWEST for key in keys):
            family[keys[0]] = sorted(at for key in keys for at in family.pop(key))


def _around(snapshot: BaseSnapshot, index: int, kind: str) -> int:
    """The nearest element around this one with its role, tag and class; -1 where there is none."""
    columns, at = snapshot.columns, snapshot.parents[index]
    while at >= 0 and (columns.role[at] != columns.role[index] or kind_of(columns.tag[at]) != kind):
        at = snapshot.parents[at]
    return at


def branch_of(snapshot: BaseSnapshot, item: int) -> tuple[int, int] | None:
    """The tree of lists that an item is in, and how deep; None where no item around it has just a name and a list."""
    columns, parents, depth = snapshot.columns, snapshot.parents, 0
    at = item
    while (around := parents[parents[at]] if parents[at] >= 0 else -1) >= 0:
        if columns.role[around] != "listitem" or columns.role[parents[at]] != "list":
            break
        beside = [child for child in snapshot.child_indexes(around) if child != parents[at]]
        if len(beside) != 1 or columns.role[beside[0]] not in _NAMES_OF_BRANCHES:
            break
        at, depth = around, depth + 1
    return (parents[at], depth) if depth else None


def _answers(snapshot: BaseSnapshot, outer: int, inner: int) -> bool:
    """Whether an item in an item, both without class, says the same kinds of things, as an answer to a remark does.

    One thing is too little: a list of links in an item has links in its items.
    """
    items = {at for at in range(outer, snapshot.ends[outer]) if snapshot.columns.role[at] == "listitem"}
    around, inside = (
        frozenset(leaf.path for leaf in leaves_of(snapshot, at, items - {at})) for at in (outer, inner)
    )
    return len(around & inside) > 1 and len(around & inside) >= HALF * len(around | inside)


def _has_items(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a list has items of one kind, and isn't an item itself, with a field in each of its own."""
    items = [at for at in snapshot.child_indexes(index) if snapshot.columns.role[at] == "listitem"]
    kinds = {kind_of(snapshot.columns.tag[at]) for at in items}
    return bool(items) and (len(items) == 1 or len(kinds) < len(items))


def _alike(snapshot: BaseSnapshot, members: list[int]) -> list[list[int]]:
    """A family as it is if its members are made alike, else those of each full set of classes that are."""
    if _is_collection(snapshot, members):
        return [members]
    by_tag: dict[str, list[int]] = defaultdict(list)
    for member in members:
        by_tag[snapshot.columns.tag[member]].append(member)
    if len(by_tag) == 1:
        return []
    return [group for group in by_tag.values() if len(group) >= FEWEST and _is_collection(snapshot, group)]


def _nearest(parents: Sequence[int], owner: dict[int, int], index: int) -> int:
    at = parents[index]
    while at >= 0 and at not in owner:
        at = parents[at]
    return at


def _is_collection(snapshot: BaseSnapshot, members: Sequence[int]) -> bool:
    """Whether members are items: with something to say, and made of the same parts."""
    sample = members[:: max(len(members) // 12, 1)][:12]
    inside = set(members)
    parts = [frozenset(leaf.path for leaf in leaves_of(snapshot, member, inside)) for member in sample]
    # Details without names of their own are a part of what they stand in.
    is_named = is_details(snapshot, members[0]) and len({snapshot.text_of(at) for at in sample}) > 1
    fewest = 1 if is_named or snapshot.columns.role[members[0]] in _PLAIN_ITEMS else 2
    if sum(len(paths) >= fewest for paths in parts) < 0.5 * len(parts):
        return False
    several = [paths for paths in parts if len(paths) > 1]
    return _are_alike(parts, fewest) or (len(several) >= FEWEST and _are_alike(several, fewest))


def _are_alike(parts: Sequence[frozenset[Path]], fewest: int) -> bool:
    seen = Counter(path for paths in parts for path in paths)
    common = {path for path, count in seen.items() if count > 0.5 * len(parts)}
    alike = sum(len(paths & common) / max(len(paths | common), 1) for paths in parts) / len(parts)
    return len(common) >= fewest and alike >= HALF


def _read(
    snapshot: BaseSnapshot,
    members: Sequence[int],
    nested: set[int],
    fewest: int,
    labels: Set[str] = frozenset(),
    tables: Set[int] = frozenset(),
) -> Collection | None:
    facts = facts_of(snapshot, members, nested, labels, tables)
    rest = nested | facts.covered
    whole = _plain_lists(snapshot, members, nested)
    texts = [
        [*leaves_of(snapshot, member, rest, whole), *own_leaves] or _controls(snapshot, member)
        for member, own_leaves in zip(members, facts.leaves, strict=True)
    ]
    items, shaky = align(with_labels(snapshot, with_lone_texts(snapshot, texts)))
    seen = Counter(path for leaves in items for path in {leaf.path for leaf in leaves if leaf.text})
    order = _in_order(items)
    paths = [path for path in order if seen[path] >= _fewest_with(path, len(items))][:_MOST_FIELDS]
    if not paths:
        return None
    samples = {
        path: [leaf for leaves in items for leaf in leaves if leaf.path == path and leaf.text]
        for path in paths
    }
    fields = unique_names(_names(snapshot, paths, samples), "field")
    named = dict(zip(paths, fields, strict=True))
    notes, faults = _shifts([[path for path in alike if path in named] for alike in shaky], named)
    spare = any(leaf.text and leaf.path not in named for leaves in items for leaf in leaves)
    fields = unique_names([*fields, *[OTHER_TEXT] * spare])
    rows, aside = _rows_of(snapshot, members, items, paths, spare)
    aside += [("header", at) for at in facts.covered]
    fields, rows = with_prices_joined(fields, rows)
    faults += facts.faults
    rows = _sorted_out(snapshot, members, rows, notes, faults, aside)
    if spare and not any(row.cells[-1] for row in rows):
        fields, rows = fields[:-1], [Row(row.node, row.cells[:-1]) for row in rows]
    if len(rows) < fewest:
        return None
    container = _container(snapshot, members)
    role = snapshot.columns.role[members[0]]
    kind: Kind = "list" if role == "listitem" else "cards"
    roles = {snapshot.columns.role[member] for member in members}
    minor = roles <= _NAVIGATION or _is_minor(snapshot, container)
    name = _name_over(snapshot, container, members)
    labelled = bool(facts.covered)
    node = snapshot.nodes[container]
    return Collection(
        kind, name, node, fields, rows, minor, faults=faults, notes=notes, labelled=labelled, aside=aside
    )


def _plain_lists(snapshot: BaseSnapshot, members: Sequence[int], nested: Set[int]) -> set[int]:
    """The lists in cards whose entries say one thing each, where one of them is a collection of its own.

    Such a list is a value of its item, however many entries it has: a plan's features.
    """
    roles, parents, ends = snapshot.columns.role, snapshot.parents, snapshot.ends
    starts = sorted(members)
    own = {parents[at] for at in nested if roles[at] == "listitem"}
    own = {at for at in own if at >= starts[0] and at < ends[starts[bisect_right(starts, at) - 1]]}
    if not own:
        return set()
    inside = {at for member in members for at in range(member + 1, ends[member]) if roles[at] == "list"}
    if all(len(leaves_of(snapshot, member, inside)) < SEVERAL for member in members):
        return set()  # branches of a tree
    plain = {
        at for at in inside if all(len(leaves_of(snapshot, one)) <= 1 for one in snapshot.child_indexes(at))
    }
    return plain if not plain.isdisjoint(own) else set()


def _sorted_out(
    snapshot: BaseSnapshot,
    members: Sequence[int],
    rows: list[Row],
    notes: list[str],
    faults: list[str],
    aside: list[Aside],
) -> list[Row]:
    """Rows as one sees them, without controls and copies among them; what these are, and what is missing, is added."""
    unsaid = _unsaid(snapshot, members, {row.node.index for row in rows})
    if unsaid and _are_drawn(snapshot, members):
        faults += [f"{each} yet" for each in unsaid]
    else:
        notes += unsaid
    shown = [rows[at] for at in from_the_top(snapshot, [row.node.index for row in rows])]
    rows, leading = without_ways_on(snapshot, shown)
    aside += [("control", row.node.index) for row in shown[len(rows) :]]
    rows, copies, twice = without_copies(snapshot, rows)
    notes += [*leading, *twice]
    aside += [("repeated", row.node.index) for row in copies]
    faults += unread_items(snapshot, rows) + closed_items(snapshot, [row.node.index for row in rows])
    return rows


def _rows_of(
    snapshot: BaseSnapshot,
    members: Sequence[int],
    items: Sequence[Sequence[Leaf]],
    paths: Sequence[Path],
    spare: bool,
) -> tuple[list[Row], list[Aside]]:
    """Items as rows with a cell for each path, and one for the rest if there is a `spare` column."""
    rows, aside, named = [], [], set(paths)
    for member, leaves in zip(members, items, strict=True):
        by_path: dict[tuple[str, ...], Leaf] = {}
        for leaf in leaves:
            by_path.setdefault(leaf.path, leaf)
        cells = [_cell(snapshot, by_path.get(path)) for path in paths]
        if spare:
            others = [leaf for leaf in leaves if leaf.path not in named]
            cells.append(_rest(snapshot, others))
            aside += [("cell", leaf.index) for leaf in others]
        if leaves or has_unnamed_icon(snapshot, member):
            rows.append(Row(snapshot.nodes[member], cells))
    return rows, aside


def _names(
    snapshot: BaseSnapshot, paths: Sequence[Path], samples: Mapping[Path, Sequence[Leaf]]
) -> list[str]:
    """A name for each field: its label where the items say it."""
    others = [path for path in paths if label_of(path) is None]
    named = dict(zip(others, name_fields(snapshot, others, samples), strict=True))
    return [label_of(path) or named[path] for path in paths]


def _name_over(snapshot: BaseSnapshot, container: int, members: Sequence[int]) -> str:
    """What all members are called: a heading before the first is that of some where others follow between them."""
    columns, ends = snapshot.columns, snapshot.ends
    name = name_of(snapshot, container)
    if container != members[0] and clean(columns.name[container]) == name:
        return name
    for before, after in pairwise(members):
        for at in range(ends[before], after):
            if columns.role[at] == "heading" or (columns.role[at] == "region" and columns.name[at].strip()):
                return ""
    return name


def _controls(snapshot: BaseSnapshot, member: int) -> list[Leaf]:
    """What an item that has nothing but controls says: their names."""
    inside = range(member + 1, snapshot.ends[member])
    names = [clean(snapshot.nodes[at].label) for at in inside if snapshot.columns.role[at] == "button"]
    return [Leaf(("button",), member, " ".join(names))] if any(names) else []


def _fewest_with(path: Path, items: int) -> float:
    """How many items must have a field: few where the page names it, for a badge may be on one of many cards."""
    if items <= SEVERAL:
        return 1
    if label_of(path) is not None:
        return 1
    named = 1 if items <= SAMPLE else SEVERAL
    return named if _is_called(path) else max(2, (1 - NEARLY_ALL) * items)


def _shifts(shaky: Sequence[Sequence[Path]], named: Mapping[Path, str]) -> tuple[list[str], list[str]]:
    """What a person should know of fields that may be another's, and what is a fault.

    A class that names what they hold is that of all of them: the second tag of an item is a tag, whichever one lacks.
    """
    notes: list[str] = []
    faults: list[str] = []
    for paths in shaky:
        if len(paths) > 1:
            alike = ", ".join(clean(named[path]) for path in paths)
            message = f"columns {alike} count texts that are alike: where an item lacks one, others move up"
            is_called = all(_is_called(path) and not _NO_NAME.fullmatch(named[path]) for path in paths)
            (notes if is_called else faults).append(message)
    return notes, faults


def _is_called(path: Path) -> bool:
    """Whether a class says what stands at a path."""
    return "." in next(step for step in reversed(path) if not step.startswith("#"))


def _unsaid(snapshot: BaseSnapshot, members: Sequence[int], rows: set[int]) -> list[str]:
    """What says how many items show nothing: members without a row, and blocks beside these with nothing in them."""
    columns, known = snapshot.columns, set(members)
    kinds = {(columns.role[at], kind_of(columns.tag[at])) for at in members}
    beside = (
        at for up in {snapshot.parents[at] for at in members} if up >= 0 for at in snapshot.child_indexes(up)
    )
    empty = sum(
        at not in known
        and snapshot.ends[at] == at + 1
        and (columns.role[at], kind_of(columns.tag[at])) in kinds
        and not columns.name[at].strip()
        and snapshot.box_of(at).height > 0
        for at in beside
    )
    count = empty + sum(at not in rows and not snapshot.text_of(at) for at in members)
    items = counted(count, "item that shows", "items that show")
    return [f"left out: {items} nothing"] if count else []


def _are_drawn(snapshot: BaseSnapshot, members: Sequence[int]) -> bool:
    """Whether items without text show parts in a text's place, as they do until it is there."""
    columns = snapshot.columns
    parents = {snapshot.parents[at] for at in members}
    looks = [shape for at in parents for shape, _ in columns.extra.get(at, {}).get("looks") or ()]
    classes = kind_of(columns.tag[members[0]]).partition(".")[2]
    return bool(classes) and any(shape.startswith(f"{classes} > ") for shape in looks)


def _rest(snapshot: BaseSnapshot, leaves: Sequence[Leaf]) -> Cell | None:
    """What an item says that is in none of the fields, as one cell."""
    leaves = [leaf for leaf in leaves if leaf.text]
    return Cell(" ".join(leaf.text for leaf in leaves), snapshot, leaves[0].index) if leaves else None


def _in_order(items: Sequence[Sequence[Leaf]]) -> list[tuple[str, ...]]:
    """Every path, in the order of the fullest item, others where they first come."""
    order: list[tuple[str, ...]] = []
    for leaves in sorted(items, key=len, reverse=True):
        place = 0
        for leaf in leaves:
            if leaf.path in order:
                place = order.index(leaf.path) + 1
            else:
                order.insert(place, leaf.path)
                place += 1
        if len(order) > 3 * _MOST_FIELDS:
            break
    return order


def _cell(snapshot: BaseSnapshot, leaf: Leaf | None) -> Cell | None:
    return None if leaf is None or not leaf.text else Cell(leaf.text, snapshot, leaf.index)


def _container(snapshot: BaseSnapshot, members: Sequence[int]) -> int:
    """The innermost element around all members; the first member where they stand free in the page."""
    parents, ends = snapshot.parents, snapshot.ends
    at = parents[members[0]]
    while at >= 0 and ends[at] <= members[-1]:
        at = parents[at]
    return at if at >= 0 else members[0]


def _is_minor(snapshot: BaseSnapshot, container: int) -> bool:
    node = snapshot.nodes[container]
    if node.role in _MENUS or any(outer.role in _NAVIGATION for outer in (node, *node.ancestors)):
        return True
    around = (node, node.parent) if node.parent is not None else (node,)
    named = any(map(_PAGER.search, (name for each in around for name in each.classes)))
    return named and len(snapshot.text_of(container)) <= LONGEST_NAME


def _definitions(snapshot: BaseSnapshot, taken: Sequence[range]) -> Iterator[Collection]:
    """Terms with their definitions: a field for each where most have several, as search results do, else a row."""
    columns = snapshot.columns
    if "definition" not in columns.role:
        return
    by_list: dict[int, list[int]] = defaultdict(list)
    for parent in dict.fromkeys(
        snapshot.parents[at] for at in range(len(columns.role)) if _is_dd(snapshot, at)
    ):
        around = snapshot.parents[parent] if columns.tag[parent].partition(".")[0] == "div" else parent
        by_list[around].extend(snapshot.child_indexes(parent))
    for parent, members in by_list.items():
        terms = _terms(snapshot, members)
        most = max((len(line) - 1 for line in terms), default=0)
        several = sum(len(line) > 2 for line in terms)
        if len(terms) == 1 or several * 2 <= len(terms):
            terms, most = [[line[0], cell] for line in terms for cell in line[1:]], 1
        rows = [
            Row(snapshot.nodes[line[1].index], [*line, *[None] * (most + 1 - len(line))]) for line in terms
        ]
        texts = [cell.text for line in terms for cell in line[1:]]
        short = sum(map(len, texts)) <= 400 * len(texts)
        if len(rows) >= 2 and short and not any(parent in span for span in taken):
            yield Collection(
                "definitions",
                clean(name_of(snapshot, parent)),
                snapshot.nodes[parent],
                ["term", "definition", *(f"definition {number}" for number in range(2, most + 1))],
                rows,
                _is_minor(snapshot, parent),
            )


def _terms(snapshot: BaseSnapshot, members: Sequence[int]) -> list[list[Cell]]:
    """Each term with its definitions; terms that stand together have the same ones."""
    lines: list[list[Cell]] = []
    terms = 0  # the last so many lines wait for definitions, or have the same ones
    was_term = False
    for index in members:
        # A term is no node of its own where it is nothing but text.
        cell = Cell(cell_text(snapshot, index), snapshot, index)
        is_term = not _is_dd(snapshot, index)
        if is_term:
            lines.append([cell])
            terms = terms + 1 if was_term else 1
        else:
            for line in lines[len(lines) - terms :] if terms else []:
                line.append(cell)
        was_term = is_term
    return [line for line in lines if len(line) > 1]


def _is_dd(snapshot: BaseSnapshot, index: int) -> bool:
    is_definition = snapshot.columns.role[index] == "definition"
    return is_definition and snapshot.columns.tag[index].partition(".")[0] == "dd"

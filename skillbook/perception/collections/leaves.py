"""What an item of a collection is made of: its texts, links, images and fields, each with its place in the item."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection as AnyOf
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from skillbook.perception.collections.collection import Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.nodes.visible_text import speaks, text_beside_struck
from skillbook.perception.roles import FIELDS, GAUGES, IMAGES, INTERACTIVE, SPEAKING, words
from skillbook.protocol.snapshot import State

_WHOLE = words("link heading paragraph time option") | FIELDS | IMAGES
_NAMED_BY_TEXT = SPEAKING - INTERACTIVE
_WRAPPERS = words("div span section")
_INLINE = int(State.INLINE)
MONEY = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY)\b")
_PRICE = "price"
_PRICES = re.compile(rf"{_PRICE}(?: \d+)?")
_LETTER = re.compile(r"[^\W\d_]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?$", re.IGNORECASE)
_WORD = re.compile(r"[a-z][a-z0-9]*")
_LABEL = "label"
_STRUCK = "del"  # on the path of what is struck out
_STRUCK_TAGS = words("del s strike")
_EMPTY_WORDS = words(
    "a b c d div span item card col row flex grid text content inner wrapper container block box body list wrap left "
    "right top bottom small large sm md lg xl xs mb mt ml mr px py mx my p m main info css style active first last "
    "even odd is has js ui view cell value label meta"
)


@dataclass(frozen=True)
class Leaf:
    """One value in an item: where in the item it is, which node says it, and what; "" for one that it lacks."""

    path: tuple[str, ...]
    index: int
    text: str


def leaves_of(
    snapshot: BaseSnapshot, item: int, nested: AnyOf[int] = (), whole: AnyOf[int] = ()
) -> list[Leaf]:
    """An item's values in page order; those of other collections in it (`nested`) are left out.

    whole: lists that are one value each.
    """
    columns, ends = snapshot.columns, snapshot.ends
    found: list[tuple[tuple[str, ...], int, str]] = []
    path: list[tuple[int, str]] = []
    at = item + 1
    if _says_text_itself(snapshot, item) and not _holds_any(snapshot, item, nested):
        return [Leaf(("",), item, snapshot.text_of(item))]
    while at < ends[item]:
        if at in nested:
            at = ends[at]
            continue
        while path and at >= path[-1][0]:
            path.pop()
        role = columns.role[at]
        step = _step(role, columns.tag[at])
        here = (*(name for _, name in path if "." in name or name not in _WRAPPERS), step)
        if at in whole:
            found.append((here, at, snapshot.text_of(at)))
            at = ends[at]
            continue
        if role == "text":
            text = clean(columns.name[at])
            if text:
                found += [*_lacking(snapshot, at, here), (here, at, text)]
            at += 1
            continue
        if (beside := _beside_struck(snapshot, at)) is not None:
            inside = [child for child in snapshot.child_indexes(at) if clean(columns.name[child])]
            found += [
                (here if child == beside else (*here, _STRUCK), child, clean(columns.name[child]))
                for child in inside
            ]
            at = ends[at]
            continue
        # What can be clicked has its text as its name, and no node in it.
        is_title = snapshot.parents[at] == item and _is_summary(snapshot, at)
        is_named = (is_title or role in _NAMED_BY_TEXT) and speaks(columns, at)
        is_whole = role in _WHOLE or is_named or _is_gauge(snapshot, at) or _says_text_itself(snapshot, at)
        if is_whole and not _holds_named_texts(snapshot, at) and not _holds_any(snapshot, at, nested):
            text = _value(snapshot, at)
            holds = role in {"link", "heading"} and _holds_blocks(snapshot, at)
            if text and not holds:
                found += [*_lacking(snapshot, at, here), (here, at, text)]
                at = ends[at]
                continue
            if not text and role in _WHOLE and not holds:
                at = ends[at]
                continue
        path.append((ends[at], step))
        at += 1
    name = clean(columns.name[item]) if columns.role[item] == "figure" else ""
    if name and all(text != name for _, _, text in found):
        found.append((("caption",), item, name))
    # Where nothing of an item is seen it only waits to be shown.
    found = [each for each in found if not _is_unseen(snapshot, each[1])] or found
    return _numbered(found)


def _numbered(found: Sequence[tuple[tuple[str, ...], int, str]]) -> list[Leaf]:
    counts: Counter[tuple[str, ...]] = Counter()
    leaves = []
    for here, index, text in found:
        counts[here] += 1
        leaves.append(Leaf((*here, f"#{counts[here]}") if counts[here] > 1 else here, index, text))
    return leaves


def _is_summary(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element is what one sees of details that are closed, and their title."""
    return kind_of(snapshot.columns.tag[index]).partition(".")[0] == "summary"


def _holds_any(snapshot: BaseSnapshot, index: int, left_out: AnyOf[int]) -> bool:
    """Whether a child is left out, such as a label: what stands beside it isn't one text with it."""
    return bool(left_out) and any(at in left_out for at in snapshot.child_indexes(index))


def _beside_struck(snapshot: BaseSnapshot, index: int) -> int | None:
    """The only text of an element that isn't struck out, as a price beside the old one: others have it without such."""
    columns = snapshot.columns
    if columns.role[index] not in {"generic", "paragraph"}:
        return None
    inside = [
        at for at in snapshot.child_indexes(index) if columns.role[at] != "text" or clean(columns.name[at])
    ]
    if len(inside) < SEVERAL or any(columns.role[at] != "text" for at in inside):
        return None
    left = [at for at in inside if not _is_struck(snapshot, at)]
    return left[0] if len(left) == 1 else None


def _is_struck(snapshot: BaseSnapshot, index: int) -> bool:
    columns = snapshot.columns
    is_marked = kind_of(columns.tag[index]).partition(".")[0] in _STRUCK_TAGS
    return is_marked or bool(columns.flags[index] & State.STRUCK)


def _lacking(
    snapshot: BaseSnapshot, index: int, here: tuple[str, ...]
) -> list[tuple[tuple[str, ...], int, str]]:
    """Places of values before this one that the item lacks: no other moves up where the page keeps them."""
    return [(here, index, "")] * (snapshot.columns.extra.get(index, {}).get("gaps") or 0)


def _is_unseen(snapshot: BaseSnapshot, index: int) -> bool:
    columns = snapshot.columns
    texts = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return bool(texts) and all(columns.flags[at] & State.UNSEEN for at in texts)


def _step(role: str, tag: str) -> str:
    """What an element is on a path: its role, or tag, with its first class where that says what it holds."""
    kind = kind_of(tag)
    if role in {"generic", "text"}:
        return kind or "text"
    first_class = "" if role in {"link", "button"} else kind.partition(".")[2]
    return f"{role}.{first_class}" if first_class else role


def _says_text_itself(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element's content is text, at most with inline marks in it, and no link or field."""
    columns = snapshot.columns
    direct = False
    if _holds_lines(snapshot, index):
        return False
    for at in range(index + 1, snapshot.ends[index]):
        role = columns.role[at]
        if role == "text" and _is_field_beside(snapshot, at):
            return False
        if role == "text":
            direct = direct or bool(columns.name[at].strip())
        elif (
            not columns.flags[at] & _INLINE
            or role in _WHOLE
            or columns.flags[at] & State.ACTIONABLE
            or _is_gauge(snapshot, at)
        ):
            return False
        elif columns.flags[at] & State.UNSEEN and columns.name[at]:
            return False  # a sign beside the text says something else
    if not direct:
        return False
    spans = [at for at in snapshot.child_indexes(index) if columns.role[at] != "text"]
    has_text = any(
        columns.role[at] == "text" and columns.name[at].strip() for at in snapshot.child_indexes(index)
    )
    return has_text or len(spans) == 1


def _holds_lines(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element holds texts of which each is a block of its own, as a message's sender, text and time are."""
    columns = snapshot.columns
    blocks = [
        at
        for at in snapshot.child_indexes(index)
        if columns.role[at] == "text" and columns.tag[at] and not columns.flags[at] & _INLINE
    ]
    return len(blocks) >= SEVERAL


def _holds_named_texts(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a paragraph or block is a line of fields: texts side by side, each with a class of its own."""
    columns = snapshot.columns
    inside = list(snapshot.child_indexes(index))
    if columns.role[index] not in {"paragraph", "generic"} or len(inside) < SEVERAL:
        return False
    kinds = {kind_of(columns.tag[at]) for at in inside if columns.role[at] == "text"}
    return len(kinds) == len(inside) and all("." in kind for kind in kinds)


def _is_field_beside(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a text run stands on one line with the run before it: the page keeps them apart as fields."""
    columns = snapshot.columns
    before = index - 1
    if columns.role[before] != "text" or snapshot.parents[before] != snapshot.parents[index]:
        return False
    return bool(columns.flags[before] & columns.flags[index] & _INLINE)


def _holds_blocks(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a link or heading has several things in it, as a card that is one link has."""
    columns = snapshot.columns
    blocks = 0
    for at in range(index + 1, snapshot.ends[index]):
        if columns.role[at] == "heading" and snapshot.text_of(at) != snapshot.text_of(index):
            return True
        block = not columns.flags[at] & _INLINE and columns.role[at] != "text"
        if (block and snapshot.text_of(at)) or columns.role[at] in _WHOLE - {"paragraph"}:
            blocks += 1
    return blocks > 1


def _value(snapshot: BaseSnapshot, index: int) -> str:
    columns = snapshot.columns
    role = columns.role[index]
    if role in {"checkbox", "switch", "radio"}:
        return "true" if columns.flags[index] & State.CHECKED else "false"
    value = columns.extra.get(index, {}).get("value")
    if role in FIELDS and (value is not None or snapshot.ends[index] == index + 1):
        return clean(value or "")
    if _is_gauge(snapshot, index):
        return snapshot.text_of(index) or clean(value or "")
    return text_beside_struck(columns, index) or snapshot.text_of(index) or clean(columns.name[index])


def _is_gauge(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element is a bar or a meter that is set to something."""
    columns = snapshot.columns
    return columns.role[index] in GAUGES and bool(columns.extra.get(index, {}).get("value"))


def with_labels(snapshot: BaseSnapshot, items: Sequence[Sequence[Leaf]]) -> list[list[Leaf]]:
    """Items with their controls' labels as values of their own, where these tell the items apart.

    A task list's checkboxes are the case: what one has to do is the label. A label that quotes a text of its item, such
    as "Quantity of Milk", says nothing that isn't there.
    """
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for leaves in items:
        for leaf in leaves:
            names[leaf.path].add(_label_of(snapshot, leaf))
    found = []
    for leaves in items:
        labelled: list[Leaf] = []
        texts = [
            leaf.text for leaf in leaves if snapshot.columns.role[leaf.index] not in FIELDS and leaf.text
        ]
        for leaf in leaves:
            label = _label_of(snapshot, leaf)
            quotes = any(other in label for other in texts)
            if label and len(names[leaf.path]) > 1 and not quotes:
                labelled.append(Leaf((*leaf.path, _LABEL), leaf.index, label))
            labelled.append(leaf)
        found.append(labelled)
    return found


def with_lone_texts(snapshot: BaseSnapshot, items: Sequence[Sequence[Leaf]]) -> list[Sequence[Leaf]]:
    """Items with the only text of some at the place that the same element has in the others, or all have one."""
    roles = snapshot.columns.role
    lone = Counter(leaves[0].path for leaves in items if leaves)
    if max(map(len, items), default=0) == 1 and lone.most_common(1)[0][0] == ("",):
        return [
            [Leaf(("",), leaf.index, leaf.text) if roles[leaf.index] == "text" else leaf for leaf in leaves]
            for leaves in items
        ]
    paths = {leaf.path for leaves in items for leaf in leaves if len(leaves) > 1}
    found: list[Sequence[Leaf]] = []
    for leaves in items:
        if len(leaves) == 1 and leaves[0].path == ("",):
            item, text = leaves[0].index, leaves[0].text
            inside = [at for at in snapshot.child_indexes(item) if snapshot.columns.tag[at]]
            path = (_step("text", snapshot.columns.tag[inside[0]]),) if len(inside) == 1 else ()
            if path in paths:
                leaves = _numbered([*_lacking(snapshot, inside[0], path), (path, item, text)])
        found.append(leaves)
    return found


def _label_of(snapshot: BaseSnapshot, leaf: Leaf) -> str:
    columns = snapshot.columns
    return clean(columns.name[leaf.index]) if columns.role[leaf.index] in FIELDS else ""


def name_fields(
    snapshot: BaseSnapshot,
    paths: Sequence[tuple[str, ...]],
    samples: Mapping[tuple[str, ...], Sequence[Leaf]],
) -> list[str]:
    """A name for each field: by role, by what its classes say, by what its values look like."""
    common = _common_words(paths)
    names = [_name(snapshot, path, samples[path], common) for path in paths]
    names = [_without_others(name, names) for name in names]
    if "title" not in names:
        for at, (path, name) in enumerate(zip(paths, names, strict=True)):
            if name == "link" or (name == "text" and "link" in path):
                names[at] = "title"
                break
    return names


def _name(
    snapshot: BaseSnapshot, path: tuple[str, ...], leaves: Sequence[Leaf], common: frozenset[str]
) -> str:
    columns = snapshot.columns
    role = columns.role[leaves[0].index]
    steps = [step for step in path if not step.startswith("#")]
    if steps[-1:] == [_LABEL]:
        return _LABEL
    is_heading = any(step.partition(".")[0] == "heading" for step in steps)
    if is_heading or _is_summary(snapshot, leaves[0].index):
        return "title"
    if steps[-1:] == [_STRUCK]:
        return "struck"
    names = [word for word in _class_words(path) if word not in common | _EMPTY_WORDS]
    if not names:
        names = [word for word in _class_words(path)[-1:] if word not in _EMPTY_WORDS and len(common) > 1]
    if names and len(names) <= 3 and not any(map(str.isdigit, names[-1])):
        return " ".join(names)
    if role in IMAGES:
        return "image"
    if role == "time" or steps[-1:] == ["time"]:
        times = sum(bool(_CLOCK.match(leaf.text)) for leaf in leaves)
        return "time" if times > 0.6 * len(leaves) else "date"
    if role in FIELDS:
        labels = [_label_of(snapshot, leaf).split() for leaf in leaves]
        shared = [
            words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*labels, strict=False))
        ]
        return " ".join(shared)[:40] or role
    texts = [leaf.text for leaf in leaves[:20]]
    if sum(bool(MONEY.search(text)) and any(map(str.isdigit, text)) for text in texts) > 0.6 * len(texts):
        return _PRICE
    if sum(bool(_DATE.search(text)) for text in texts) > 0.6 * len(texts):
        return "date"
    if role in {"link", "button"}:
        return role
    return "text"


def _without_others(name: str, names: Sequence[str]) -> str:
    """A name of several words without those that are another field's whole name."""
    remaining = [word for word in name.split() if word not in names]
    return " ".join(remaining) if remaining and len(name.split()) > 1 else name


def _class_words(path: tuple[str, ...]) -> list[str]:
    """Words of the class nearest to the value."""
    steps = [step.partition(".")[2] for step in path if not step.startswith("#")][-2:]
    return next((_WORD.findall(step.lower().replace("_", "-")) for step in reversed(steps) if step), [])


def _common_words(paths: Sequence[tuple[str, ...]]) -> frozenset[str]:
    """Words that the classes of most fields have, such as a component's name."""
    seen: Counter[str] = Counter()
    kinds = {tuple(step for step in path if not step.startswith("#")) for path in paths}
    for kind in kinds:
        seen.update(set(_class_words(kind)))
    return frozenset(word for word, count in seen.items() if count > 1 and count >= 0.6 * len(kinds))


def with_prices_joined(fields: Sequence[str], rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
    """Fields and rows in which two columns of prices are one if no item has both, and none has anything else in them.

    A third column of prices stays: which one an item lacks isn't sure then. So does one that says more, such as
    "$5 shipping".
    """
    places = [at for at, field in enumerate(fields) if _PRICES.fullmatch(field)]
    if len(places) != SEVERAL:
        return list(fields), list(rows)
    first, second = places
    for row in rows:
        texts = [cell.text for at in places if (cell := row.cells[at])]
        if len(texts) != 1 or not MONEY.search(texts[0]) or _LETTER.search(MONEY.sub("", texts[0])):
            return list(fields), list(rows)
    joined = [
        Row(row.node, [row.cells[at] or row.cells[second] if at == first else cell
                       for at, cell in enumerate(row.cells) if at != second])
        for row in rows
    ]  # fmt: skip
    names = [_PRICE if at == first else field for at, field in enumerate(fields) if at != second]
    return names, joined

"""What is around an element: the record that it belongs to, and the heading, group and layer over it.

The record is the content of the row, list item or card around an element. It says which of many alike elements is
taken where ids, positions and generated names don't: those move when a row is added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.field_names import says_only_value
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import DIALOGS, FIELDS, LANDMARKS
from skillbook.perception.selectors import (
    GROUPS,
    ITEMS,
    Neighbours,
    beside_of,
    frame_place,
    others_like,
    said_in,
)
from skillbook.skill.model.templates import has_parts
from skillbook.skill.targets.control_states import date_of

ANY = "${any}"
"""In a fingerprint: a part that differs from run to run."""
SEPARATOR = " | "
_SITE = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})
_SECTIONS = ITEMS | LANDMARKS | DIALOGS | {"tabpanel"}
_MOST_PIECES = 40
_KEPT_PIECES = 20
_MOST_COMPARED = 200
"""Pieces of a record that is looked at for what was recorded of another, which may have been the shorter one."""
_TELLING = 3
"""Letters of a piece that tells records apart, and such pieces of one record that do where nothing else does."""
_LEAST_RECORDS = 3
"""Of fewer records nobody knows whether what tells them apart is a key."""
_MARK = re.compile(r"[^\s@]+@[^\s@]+\.\w|^[A-Za-z]{1,8}[-_./#]?\d[\w-]*$")
_NUMBER = r"\d{1,3}(?:[.,]?\d{3})*"
_BRACKETED = re.compile(rf"\(\s*{_NUMBER}\+?\s*\)")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A control's name as it is compared: without case, a count in brackets, and how long ago something was."""
    return _ago().sub("#", lexicon.fold(clean(_BRACKETED.sub("#", text))))


def uncounted(text: str) -> str:
    """A heading or a record's text as it is compared: as `plain` has it, and without "137 results" or "1–20 of 83"."""
    return plain(_count().sub("#", lexicon.fold(text)))


@cache
def _ago() -> re.Pattern[str]:
    number = rf"(?:\d+|{lexicon.alternation('one')})"
    unit, ago = lexicon.alternation("second", "minute", "long_time"), lexicon.alternation("ago")
    day = lexicon.alternation("just_now", "yesterday", "today")
    return re.compile(rf"{ago}\s*{number}\s*{unit}|{number}\s*{unit}\s*{ago}|{day}")


@cache
def _count() -> re.Pattern[str]:
    results, of = lexicon.alternation("results"), lexicon.alternation("of")
    counted = lexicon.alternation("results", "items", "counted_things")
    folder, single = lexicon.alternation("cart", "inbox"), lexicon.alternation("single_thing")
    number_last = rf"(?:(?!{single}){counted}(?::|\s+[-–—])?|{results}:|{folder}(?::|\s+[-–—])?)"
    return re.compile(
        rf"\b{_NUMBER}\s*[-–—]\s*{_NUMBER}\s+(?:{of}|/)\s+{_NUMBER}\b"
        rf"|\b{_NUMBER}\s+(?:{lexicon.alternation('counted_state')}\s+)?{counted}"
        rf"|^{number_last}\s+(?!(?:19|20)\d\d$){_NUMBER}$"
    )


def record_of(node: Node) -> tuple[Node, list[str]] | None:
    """The nearest row, list item or card around an element that says something, and what it says."""
    for outer in node.ancestors:
        if outer.role in {"main", "navigation", "banner", "contentinfo"}:
            return None
        if _is_item(outer) and not says_only_value(outer, node) and (found := pieces(outer, node)):
            return outer, found
    return None


def _is_item(node: Node) -> bool:
    return node.role in ITEMS or node.index in node.snapshot.cards


def pieces(item: Node, node: Node, kept: int = _KEPT_PIECES) -> list[str]:
    """The texts of a record but for the element's and for controls; without any, what its other fields hold."""
    most = None if item.role == "row" else _MOST_PIECES
    span = range(item.index + 1, item.snapshot.ends[item.index])
    said = said_in(item.snapshot, [span], node, most)
    return (said.texts or said.values)[:kept]


def write_record(record: Sequence[str]) -> str:
    """A record as a fingerprint has it."""
    return SEPARATOR.join(record)


def headings_over(node: Node) -> list[str]:
    """The headings that an element stands under, nearest first: of its section, of the section around that."""
    snapshot, roles = node.snapshot, node.snapshot.columns.role
    site = next((up for up in node.ancestors if up.role in _SITE | DIALOGS), None)
    found: list[str] = []
    level = 9
    for index in range(node.index - 1, site.index if site else -1, -1):
        if roles[index] != "heading" or node.index < snapshot.ends[index]:
            continue
        heading = snapshot.nodes[index]
        if (heading.level or 2) >= level or not clean(heading.label):
            continue
        apart = any(
            (up.role in _SECTIONS or up.index in snapshot.cards) and node.index >= snapshot.ends[up.index]
            for up in heading.ancestors
        )
        if not apart:
            found.append(clean(heading.label))
            level = heading.level or 2
    return found


def layer_of(node: Node) -> str:
    """Whether an element is in a dialog or on the page."""
    return "dialog" if any(up.role in DIALOGS for up in node.ancestors) else "page"


def differences(
    recorded: Mapping[str, str], node: Node, by_input: Collection[str] | None = None
) -> list[str]:
    """What around an element is not as it was recorded, each with both; empty where it is the same place.

    Parameters
    ----------
    recorded : the fingerprint; what it doesn't say isn't compared, so older files run.
    by_input : where an input says which element it is, the keys that hold one: only these are compared.
    """
    found: list[str] = []

    def differs(key: str, what: str, now: str | None) -> None:
        found.append(f"{what} was {recorded[key]!r} and is {now or 'none'!r}")

    def counts(key: str) -> bool:
        return key in recorded and (by_input is None or key in by_input)

    for key, what, fits in (
        ("record", "the record around it", _in_record),
        ("beside", "what is said beside it", _is_beside),
    ):
        if not counts(key) or fits(recorded, node):
            continue
        now = write_record(texts_around(key, node))
        if (place := recorded.get(f"{key}_place")) and uncounted(now) == uncounted(recorded[key]):
            here = (place_beside if key == "beside" else place_of)(node) or "the only one"
            found.append(f"its place among those alike was {place!r} and is {here!r}")
        else:
            differs(key, what, now)
    if "record" not in recorded and counts("row") and "heading" not in recorded and "layer" not in recorded:
        rows = [up.text for up in node.ancestors if up.role in ITEMS]  # a file of an earlier version
        if not any(plain(row[:120]) == plain(recorded["row"]) for row in rows):
            differs("row", "the row around it", rows[0] if rows else None)
    if counts("heading"):
        over = headings_over(node)
        if not any(_fits(recorded["heading"], heading) for heading in over):
            differs("heading", "the heading over it", over[0] if over else None)
    if counts("inside"):
        names = [up.name for up in node.ancestors if up.role in GROUPS and up.name]
        if not any(_fits(recorded["inside"], name[:120]) for name in names):
            differs("inside", "the group around it", names[0] if names else None)
    if "date" in recorded and date_of(node)[:7] != recorded["date"][:7]:
        shown = date_of(node)[:7] or "none"
        found.append(f"the calendar's month was {recorded['date'][:7]} and is {shown}")
    if counts("layer") and layer_of(node) != recorded["layer"]:
        differs("layer", "its layer", layer_of(node))
    if counts("frame") and frame_place(node) != recorded["frame"]:
        differs("frame", "its frame", frame_place(node))
    if counts("landmark"):
        around = [up.role for up in node.ancestors if up.role in LANDMARKS]
        was = recorded["landmark"]
        if (was in _SITE and was not in around) or (was == "main" and around and around[0] in _SITE):
            differs("landmark", "the landmark around it", around[0] if around else None)
    return found


def _fits(recorded: str, now: str) -> bool:
    """Whether a text is the recorded one; `ANY` in that stands for anything."""
    return has_parts(uncounted(now), [uncounted(part) for part in recorded.split(ANY)])


def _in_record(recorded: Mapping[str, str], node: Node) -> bool:
    wanted, nearest = recorded["record"].split(SEPARATOR), record_of(node)
    if nearest is None:  # too few are left to be cards
        return not recorded.get("record_place") and _is_beside({"beside": recorded["record"]}, node)
    item, now = nearest
    if _same(wanted, now):
        return _place(_items_like(item, node, wanted, _same), item) == recorded.get("record_place", "")
    return _has_all(wanted, pieces(item, node, _MOST_COMPARED)) and _alone_has_all(item, node, wanted)


def _is_beside(recorded: Mapping[str, str], node: Node) -> bool:
    """Whether what is said beside an element is what was recorded, or all that and more where no other has that."""
    wanted = recorded["beside"].split(SEPARATOR) if recorded["beside"] else []
    place, nodes = recorded.get("beside_place", ""), node.snapshot.nodes
    others = others_like(node)
    near = Neighbours(node.snapshot, sorted([node.index, *others]))

    def fit(like: Callable[[Sequence[str], Sequence[str]], bool]) -> list[int]:
        return [
            index for index in near.members if any(like(wanted, said) for said in near.readings(nodes[index]))
        ]

    if not wanted:
        return f"{near.members.index(node.index) + 1} of {len(near.members)}" == place
    same = fit(_same)
    if node.index in same:
        return _place(same, node) == place
    if not others and not any(_has_all(wanted, said) for level in near.levels(node)[:1] for said in level):
        return False
    return not place and not same and fit(_has_all) == [node.index]


def _alone_has_all(item: Node, node: Node, wanted: Sequence[str]) -> bool:
    return len(_items_like(item, node, wanted, _has_all, _MOST_COMPARED)) == 1


def _place(alike: list[int], item: Node) -> str:
    return f"{alike.index(item.index) + 1} of {len(alike)}" if len(alike) > 1 else ""


def place_of(node: Node) -> str:
    """Which of several records that say the same an element is in, as "2 of 3"; empty where there is one."""
    nearest = record_of(node)
    return _place(_items_like(nearest[0], node, nearest[1], _same), nearest[0]) if nearest else ""


def _items_like(
    item: Node,
    node: Node,
    wanted: Sequence[str],
    like: Callable[[Sequence[str], Sequence[str]], bool],
    kept: int = _KEPT_PIECES,
) -> list[int]:
    """The records of the page like the wanted one, and this one, in document order."""
    nodes = item.snapshot.nodes
    return [
        index
        for index in _items_beside(item)
        if index == item.index or like(wanted, pieces(nodes[index], node, kept))
    ]


def _items_beside(item: Node) -> list[int]:
    """Every record of an item's kind, and the item itself, in document order."""
    snapshot = item.snapshot
    if item.index in snapshot.cards:
        return sorted(snapshot.cards)
    return [index for index, role in enumerate(snapshot.columns.role) if role == item.role]


def own_of(node: Node) -> str:
    """What of an element tells its record from the others: "name", "href", both or "".

    It does where the elements at its place in other records have others, each another, and no element of its role on
    the page has the same: the title of each card does, a button "Edit" doesn't. Of one or two records nobody knows.
    """
    nearest = record_of(node)
    if nearest is None:
        return ""
    item, snapshot, columns = nearest[0], node.snapshot, node.snapshot.columns
    place = _of_role(item, node.role).index(node.index)
    beside = [
        snapshot.nodes[alike[place]]
        for index in _items_beside(item)
        if index != item.index and len(alike := _of_role(snapshot.nodes[index], node.role)) > place
    ]
    page = [snapshot.nodes[index] for index, role in enumerate(columns.role) if role == node.role]
    found = []
    for what, read in (("name", _called), ("href", _leads)):
        values = [read(one) for one in [node, *beside]]
        apart = len(beside) > 1 and all(values) and len(set(values)) == len(values)
        if apart and sum(read(one) == values[0] for one in page) == 1:
            found.append(what)
    return " ".join(found)


def keys_first(item: Node, node: Node, texts: Sequence[str]) -> list[str]:
    """A record's texts, first those that say best which record it is.

    That is what every record has and no two have the same: an e-mail address or a number where the names of two people
    may be alike. Among those come addresses and codes such as `SB-1042`, then words, then numbers.
    """
    nodes = item.snapshot.nodes
    beside = [pieces(nodes[index], node, _MOST_COMPARED) for index in _items_beside(item)]
    of_shape = [one for one in beside if len(one) == len(texts)]

    def rank(place: int) -> tuple[bool, bool, bool]:
        text = texts[place]
        column = [one[place] for one in of_shape]
        is_key = len(set(column)) == len(column) >= _LEAST_RECORDS
        lettered = any(letter.isalpha() for letter in text)
        return not is_key, not _MARK.search(text), not lettered

    return [texts[place] for place in sorted(range(len(texts)), key=rank)]


def _of_role(item: Node, role: str) -> list[int]:
    roles, end = item.snapshot.columns.role, item.snapshot.ends[item.index]
    return [index for index in range(item.index + 1, end) if roles[index] == role]


def _called(node: Node) -> str:
    return plain(node.name if node.role in FIELDS else node.label)


def _leads(node: Node) -> str:
    return node.href or ""


def is_by_its_own(recorded: Mapping[str, str], node: Node) -> bool:
    """Whether an element is the recorded one by what tells its record from others, though something around it differs.

    It has the recorded name, which no other of its role has. Either it leads where the recorded one led and some of the
    record is left, or it stands in the same place with half of the record left, enough of it in no other record.
    """
    own, name = recorded.get("own", "").split(), plain(recorded.get("name", ""))
    snapshot = node.snapshot
    page = [snapshot.nodes[index] for index, role in enumerate(snapshot.columns.role) if role == node.role]
    if (
        "name" not in own
        or node.role != recorded.get("role")
        or [one for one in page if _called(one) == name] != [node]
    ):
        return False
    if layer_of(node) != recorded.get("layer", layer_of(node)) or not _keeps_marks(recorded, node):
        return False
    left, telling = _left_of_record(recorded, node)
    if "href" in own:
        return telling >= 1 and [one for one in page if _leads(one) == recorded.get("href")] == [node]
    elsewhere = differences(recorded, node, set(recorded) - {"record", "row"})
    return not elsewhere and telling >= _TELLING and left >= 0.5


def _keeps_marks(recorded: Mapping[str, str], node: Node) -> bool:
    """Whether everything that markup says of an element itself is as recorded, ids aside."""
    now = {"test_id": node.test_id, "html_name": node.html_name, "href": node.href, "type": node.type}
    return all(now[key] == recorded[key] for key in now if key in recorded)


def _left_of_record(recorded: Mapping[str, str], node: Node) -> tuple[float, int]:
    """The share of a record's pieces that are still there in any order, and how many of them no other record has."""
    nearest = record_of(node)
    wanted = [
        uncounted(piece) for piece in recorded.get("record", "").split(SEPARATOR) if piece not in ("", ANY)
    ]
    if nearest is None or not wanted:
        return 0.0, 0
    item = nearest[0]
    nodes = item.snapshot.nodes
    now = {uncounted(piece) for piece in pieces(item, node, _MOST_COMPARED)}
    others = {
        uncounted(piece)
        for index in _items_beside(item)
        if index != item.index
        for piece in pieces(nodes[index], node, _MOST_COMPARED)
    }
    kept = [piece for piece in wanted if piece in now]
    telling = {piece for piece in kept if piece not in others and sum(map(str.isalnum, piece)) >= _TELLING}
    return len(kept) / len(wanted), len(telling)


def _same(wanted: Sequence[str], now: Sequence[str]) -> bool:
    return len(wanted) == len(now) and all(_fits(one, other) for one, other in zip(wanted, now, strict=True))


def _has_all(wanted: Sequence[str], now: Sequence[str]) -> bool:
    """Whether a record says all that was recorded, in order, and more."""
    rest = iter(now)
    certain = [one for one in wanted if one != ANY]
    return bool(certain) and all(any(_fits(one, other) for other in rest) for one in certain)


def record_texts(node: Node) -> list[str]:
    """What the record around an element says; empty where there is none."""
    nearest = record_of(node)
    return nearest[1] if nearest is not None else []


def beside_texts(node: Node) -> list[str]:
    """What is said beside an element that tells it from those like it; empty where nothing does."""
    beside = beside_of(node)
    return list(beside.texts) if beside is not None else []


def place_beside(node: Node) -> str:
    """Which of those that say the same beside them an element is, as "2 of 3"; empty where there is one."""
    beside = beside_of(node)
    return beside.place if beside is not None else ""


def said_around(node: Node) -> list[str]:
    """Every text that says which of many alike elements it is."""
    return list(dict.fromkeys([*record_texts(node), *beside_texts(node)]))


def varying(key: str, node: Node, others: Sequence[BaseSnapshot]) -> set[int]:
    """The places of texts around an element that the recording itself saw change: before, or after it was used.

    Parameters
    ----------
    key : `record` or `beside`.
    """
    now, then_of = _AROUND[key][0](node), _AROUND[key][1]
    found: set[int] = set()
    for other in others if now else ():
        then = then_of(node, now, other)
        if then is not None and len(then) == len(now):
            found |= {
                place
                for place, (one, two) in enumerate(zip(now, then, strict=True))
                if uncounted(one) != uncounted(two)
            }
        elif then is not None:
            known = {uncounted(piece) for piece in then}
            found |= {place for place, piece in enumerate(now) if uncounted(piece) not in known}
    return found


def _record_then(node: Node, now: Sequence[str], other: BaseSnapshot) -> Sequence[str] | None:
    """What a record said in another snapshot: by its ref in the same document, else the one that changed into it."""
    item = next(up for up in node.ancestors if _is_item(up))
    if _share_document(node, other):
        if item.ref is None or item.ref not in other:
            return None
        return pieces(other[item.ref], _same_node(other, node))
    said = [
        pieces(other.nodes[index], node)
        for index, role in enumerate(other.columns.role)
        if role == item.role and role in ITEMS
    ]
    return _changed_into(now, said) if _address(other) == _address(node.snapshot) else None


def _beside_then(node: Node, now: Sequence[str], other: BaseSnapshot) -> Sequence[str] | None:
    """What was said beside an element in another snapshot."""
    if _share_document(node, other):
        then = _same_node(other, node)
        if then is node:
            return None
        near = Neighbours(other, sorted([then.index, *others_like(then)]))
        said = [one for one in near.readings(then) if len(one) == len(now)]
        return None if any(_same(now, one) for one in said) else next(iter(said), None)
    if _address(other) != _address(node.snapshot):
        return None
    like = [one for one in other.elements if one.role == node.role and plain(one.label) == plain(node.label)]
    near = Neighbours(other, [one.index for one in like])
    return _changed_into(now, [said for one in like for said in near.readings(one)])


_AROUND = {"record": (record_texts, _record_then), "beside": (beside_texts, _beside_then)}
AROUND = tuple(_AROUND)
"""What of a fingerprint says which of many alike elements it is."""


def texts_around(key: str, node: Node) -> list[str]:
    """What is around an element, by its key in a fingerprint."""
    return _AROUND[key][0](node)


def _changed_into(now: Sequence[str], said: Sequence[Sequence[str]]) -> Sequence[str] | None:
    """What now says something else, by the first text with letters; None where nothing changed, or nobody knows."""
    if any(_same(now, one) for one in said):
        return None
    first = next((plain(piece) for piece in now if re.search(r"[^\W\d]", piece)), "")
    like = [one for one in said if len(one) == len(now) and first in [plain(piece) for piece in one]]
    return like[0] if len(like) == 1 else None


def _share_document(node: Node, other: BaseSnapshot) -> bool:
    return bool({one.key for one in node.snapshot.documents} & {one.key for one in other.documents})


def _address(snapshot: BaseSnapshot) -> str:
    """A page's address without its query, which also says from where one came, or what was done there."""
    return re.split(r"[?#]", snapshot.url)[0]


def _same_node(snapshot: BaseSnapshot, node: Node) -> Node:
    return snapshot[node.ref] if node.ref is not None and node.ref in snapshot else node

"""What a skill's file has of an element: its states, its date, its record, and the heading, group and layer over it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records import ANY, Record, Verdict, compare, fits, is_in_record, record_of
from skillbook.perception.records.record_pieces import Piece, is_name, kind_of_key, parted, plain
from skillbook.perception.records.record_table import Rank
from skillbook.perception.records.same_record import headings_over
from skillbook.perception.roles import DIALOGS, FIELDS, LANDMARKS, RECORDS
from skillbook.perception.selectors import GROUPS, frame_place
from skillbook.protocol.snapshot import State

TICKED = frozenset({"checkbox", "switch", "menuitemcheckbox"})
_HEADERS = {"columnheader", "rowheader"}


def states_of(node: Node) -> dict[str, str]:
    """What a press on an element may switch, as it is now: of a header's button, how its column is sorted."""
    flags, found = node.flags, {}
    header = next((one for one in (node, *node.ancestors) if one.role in _HEADERS), None)
    if header is not None:
        found["sort"] = str(header.extra.get("sort") or "none")
    if node.role == "button":
        found["pressed"] = _said(flags & State.PRESSED)
    if node.role in TICKED:
        found["checked"] = "mixed" if flags & State.MIXED else _said(flags & State.CHECKED)
    if flags & (State.EXPANDED | State.COLLAPSED) and node.role not in FIELDS:
        found["expanded"] = _said(flags & State.EXPANDED)
    return found


def _said(flag: int) -> str:
    return "true" if flag else "false"


def switched(before: Node, after: Node) -> dict[str, str]:
    """The state that a press switched, as it was afterwards; empty where it switched none."""
    was, now = states_of(before), states_of(after)
    changed = [key for key in was if key in now and was[key] != now[key]]
    return {changed[0]: now[changed[0]]} if changed else {}


def holds(wanted: Mapping[str, str], node: Node) -> bool:
    """Whether an element is in a state."""
    now = states_of(node)
    return all(now.get(key) == value for key, value in wanted.items())


_DAY = re.compile(r"[1-9]|[12]\d|3[01]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LEAST_DAYS = 20
"""So many different numbers make a calendar of what is around one."""
_OUTSIDE = 2
"""How many levels around the days the name of their month may stand."""


def date_of(node: Node) -> str:
    """The date of a day in a calendar, such as 2026-07-09; "" for what is no such day, or says its month itself."""
    day = clean(node.label)
    days = next((up for up in node.ancestors if _shows_days(up)), None) if _DAY.fullmatch(day) else None
    if days is None:
        return ""
    for outer in [days, *list(days.ancestors)[:_OUTSIDE]]:
        before = _said_before(outer, node)
        months = [month for text in before if (month := _month_in(text))]
        years = [found for text in before for found in _YEAR.findall(text)]
        if months and years:
            return f"{years[-1]}-{months[-1]:02}-{int(day):02}"
    return ""


def _shows_days(node: Node) -> bool:
    inside = node.snapshot.nodes[node.index + 1 : node.snapshot.ends[node.index]]
    return len({text for one in inside if _DAY.fullmatch(text := clean(one.label))}) >= _LEAST_DAYS


def _said_before(outer: Node, node: Node) -> Iterable[str]:
    """The name of a part of the page and what it says before an element: texts, and what lists and fields show."""
    before = outer.snapshot.nodes[outer.index + 1 : node.index]
    shown = [clean(one.value or one.name) for one in before if one.role != "option"]
    return [clean(outer.name), *shown]


def _month_in(text: str) -> int:
    """The month that a text names, from 1; 0 for none."""
    months = {**lexicon.months(), **lexicon.months(short=True)}
    words = re.findall(r"[^\W\d_]+", lexicon.fold(text))
    return next((months[word] for word in words if word in months), 0)


SEPARATOR = " | "
PARTS = ("names", "keys", "facts", "counted")
"""What a fingerprint has of a record; the last of them tells no record from another by itself."""
TELLING = PARTS[:-1]
_EARLIER = ("record", "beside")
"""What fingerprints of earlier versions have in the place of these: all texts of it."""
_SITE = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})


def write_record(texts: Sequence[str]) -> str:
    """Texts of a record as a fingerprint has them."""
    return SEPARATOR.join(text.replace(SEPARATOR, " ¦ ") for text in texts)


def texts_around(key: str, node: Node) -> list[str]:
    """A part of the record around an element, by its key in a fingerprint; empty where there is none."""
    record = record_of(node)
    return list(getattr(record, key)) if record is not None else []


def place_of(node: Node) -> str:
    """Which of several records that say the same an element is in, as "2 of 3"; empty where there is one."""
    record = record_of(node)
    return record.place if record is not None else ""


def kept_around(kept: Mapping[str, Any], written: Callable[[str], str]) -> dict[str, str]:
    """What the journal keeps of where an element is, as a fingerprint has it.

    written: writes a text for a file.
    """
    found = {key: write_record([written(str(text)) for text in kept.get(key, ())]) for key in PARTS}
    found |= {"record_place": str(kept.get("place", "")), "heading": written(str(kept.get("heading", "")))}
    return {key: text for key, text in found.items() if text}


def seen_record(recorded: Mapping[str, str]) -> Record | None:
    """The record that a fingerprint describes, of any version; None where it has none."""
    if any(key in recorded for key in (*PARTS, "record_place")) and "record" not in recorded:
        names, keys, facts, counted = (_parts(recorded.get(key, "")) for key in PARTS)
        return Record(names, keys, facts, recorded.get("record_place", ""), counted=counted)
    for key in _EARLIER:
        if key in recorded:
            pieces = [part for text in _parts(recorded[key]) for part in parted(Piece(Rank.TEXT, text))]
            names = tuple(piece.text for piece in pieces if is_name(piece.text))
            facts = tuple(piece.text for piece in pieces if piece.text not in names)
            return Record(names, (), facts, recorded.get(f"{key}_place", ""))
    return None


def without_keys(recorded: Mapping[str, str], kinds: Collection[str] | None = None) -> dict[str, str]:
    """A fingerprint without the keys of its record, or without those of some kinds.

    kinds: see `skillbook.perception.records.record_pieces.kind_of_key`.
    """
    left = dict(recorded)
    for key in ("keys", "counted"):
        kept = [
            part for part in _parts(left.pop(key, "")) if kinds is not None and kind_of_key(part) not in kinds
        ]
        if kept:
            left[key] = write_record(kept)
    return left


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(SEPARATOR) if part not in ("", ANY))


def has_record(recorded: Mapping[str, str]) -> bool:
    """Whether a fingerprint says in which record its element is."""
    return any(key in recorded for key in (*TELLING, *_EARLIER))


def layer_of(node: Node) -> str:
    """Whether an element is in a dialog or on the page."""
    return "dialog" if any(up.role in DIALOGS for up in node.ancestors) else "page"


def verdict_of(
    recorded: Mapping[str, str], node: Node, by_input: Collection[str] | None = None
) -> Verdict | None:
    """Whether an element is in the recorded record; None where the fingerprint has none.

    by_input: see `differences`.
    """
    chosen = {key: text for key, text in recorded.items() if by_input is None or key in by_input}
    seen = seen_record(chosen)
    return is_in_record(seen, node) if seen is not None else None


def differences(
    recorded: Mapping[str, str], node: Node, by_input: Collection[str] | None = None
) -> list[str]:
    """What around an element is not as it was recorded, each with both; empty where it is the same place.

    recorded: the fingerprint; what it doesn't say isn't compared, so older files run.
    by_input: where an input says which element it is, the keys that hold one: only these are compared.
    """
    found: list[str] = []

    def differs(key: str, what: str, now: str | None) -> None:
        found.append(f"{what} was {recorded[key]!r} and is {now or 'none'!r}")

    def counts(key: str) -> bool:
        return key in recorded and (by_input is None or key in by_input)

    verdict = verdict_of(recorded, node, by_input)
    if verdict is not None and not verdict.is_same:
        found.append(f"its record is {verdict.sameness.value}: {verdict.why}")
    if verdict is None and counts("row") and "heading" not in recorded and "layer" not in recorded:
        rows = [up.text for up in node.ancestors if up.role in RECORDS]  # a file of an earlier version
        if not any(plain(row[:120]) == plain(recorded["row"]) for row in rows):
            differs("row", "the row around it", rows[0] if rows else None)
    if counts("heading"):
        over = headings_over(node)
        is_same = verdict is not None and verdict.is_same
        leads = is_same and bool(node.href) and node.href == recorded.get("href")
        seen = seen_record(recorded)
        is_its_name = is_same and seen is not None and recorded["heading"] in seen.names  # compared above
        is_translated = is_same and language_of(node) != recorded.get("language")
        if not (leads or is_its_name) and not any(
            fits(recorded["heading"], one) or (is_translated and _counts_alike(recorded["heading"], one))
            for one in over
        ):
            differs("heading", "the heading over it", over[0] if over else None)
    if counts("inside"):
        names = [up.name for up in node.ancestors if up.role in GROUPS and up.name]
        if not any(fits(recorded["inside"], name[:120]) for name in names):
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


def language_of(node: Node) -> str | None:
    """The language that the document of an element says that it is in."""
    return node.snapshot.columns.document_at(node.index).lang or None


def _counts_alike(one: str, other: str) -> bool:
    """Whether two headings have the same numbers, as one in another language has."""
    return re.findall(r"\d+", one) == re.findall(r"\d+", other)


def said_around(node: Node) -> list[str]:
    """Every text that says which of many alike elements it is."""
    record = record_of(node)
    return list(record.texts) if record is not None else []


def varying(key: str, node: Node, others: Sequence[BaseSnapshot]) -> set[int]:
    """The places of texts around an element that the recording itself saw change: before, or after it was used.

    key: see `PARTS`.
    """
    now = texts_around(key, node)
    found: set[int] = set()
    for other in others if now else ():
        then = _record_then(node, other)
        if then is not None:
            before = {*then.texts, *then.keys, *then.counted}
            if not before:
                continue  # behind a dialog, a page may hide what it says
            found |= {place for place, text in enumerate(now) if not any(fits(text, one) for one in before)}
    return found


def _record_then(node: Node, other: BaseSnapshot) -> Record | None:
    """The record of an element in another snapshot: by its ref in the same document, else the one that became it."""
    if {one.key for one in node.snapshot.documents} & {one.key for one in other.documents}:
        then = other[node.ref] if node.ref is not None and node.ref in other else None
        return record_of(then) if then is not None and then.role == node.role else None
    now = record_of(node)
    if now is None or _address(other) != _address(node.snapshot):
        return None
    alike = [one for one in other.elements if one.role == node.role and plain(one.label) == plain(node.label)]
    records = [record for one in alike if (record := record_of(one)) is not None]
    if any(compare(now, record).is_same for record in records):
        return None
    like = [one for one in records if now.names and one.names and fits(now.names[0], one.names[0])]
    return like[0] if len(like) == 1 else None


def _address(snapshot: BaseSnapshot) -> str:
    """A page's address without its query, which also says from where one came, or what was done there."""
    return re.split(r"[?#]", snapshot.url)[0]

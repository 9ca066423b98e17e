"""What a dialog or a whole page lists where something is confirmed, and what of that is another than recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skillbook.perception.escape import clean
from skillbook.perception.forms import is_form
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.records import ANY, ChangedFact, fits
from skillbook.perception.records.nearest_record import units_around
from skillbook.perception.records.record_pieces import unaged
from skillbook.perception.records.record_table import CONTROLS, is_record
from skillbook.perception.roles import DIALOGS, FIELDS, RECORDS, words
from skillbook.perception.selectors import parse_selector
from skillbook.policy.labels import danger_of
from skillbook.protocol.snapshot import State
from skillbook.skill.model.spec_steps import Check


@dataclass(frozen=True)
class Confirmation:
    """What is listed where a step is confirmed, and what of it is another than recorded."""

    texts: tuple[str, ...] = ()
    changed: tuple[ChangedFact, ...] = ()


_BESIDE = words("navigation banner contentinfo complementary search alert status log timer marquee tooltip")
"""What stands on a page whatever is confirmed there, or says what came before."""
_PARTS = DIALOGS | words("main iframe")
_TITLES = words("heading link")
_ADDS = {"send", "publish", "credentials"}
"""What is added to a page's list, or sent elsewhere, is in the form: the page may list what came before."""
_MOST = 200
_LONGEST = 400


def listed_for(
    node: Node, expect: Sequence[Check] = (), names_an_input: Callable[[str], bool] = lambda _: False
) -> list[str] | None:
    """What is listed where a press on an element confirms something: related records, counts, names.

    expect: what must hold after the press. Where that is a new record, those that are there were added before.
    names_an_input: of a ticked record that an input names, all other texts are `ANY`: another record has others.
    """
    dialog = next((up for up in node.ancestors if up.role in DIALOGS), None)
    if _is_in_record(node, dialog):
        return None
    snapshot = node.snapshot
    if dialog is not None:
        return _bounded(_texts(snapshot, _inside(dialog), node))
    beside = _BESIDE | _added_to(expect)
    form = next(
        (up for up in node.ancestors if up.role == "form" or is_form(up.snapshot.columns.tag[up.index])), None
    )
    if danger_of(node.label, anywhere=True) in _ADDS or (form is not None and _has_password(form)):
        return _bounded(_texts(snapshot, _inside(form), node, beside)) if form is not None else None
    part = next((up for up in node.ancestors if up.role in _PARTS), None)
    span = _inside(part) if part is not None else range(len(snapshot))
    chosen = _chosen_records(snapshot, span)
    if chosen is not None:
        records = [list(_texts(snapshot, _inside(record), node)) for record in chosen]
        return _bounded(text for texts in records for text in _freed(texts, names_an_input))
    return _bounded(_texts(snapshot, span, node, beside))


def _freed(texts: list[str], names_an_input: Callable[[str], bool]) -> list[str]:
    named = list(map(names_an_input, texts))
    return [text if is_named or not any(named) else ANY for text, is_named in zip(texts, named, strict=True)]


def _added_to(expect: Sequence[Check]) -> frozenset[str]:
    """The roles of the records of which a new one shows that a step was done."""
    places = [parse_selector(check.present).within for check in expect if check.present]
    return frozenset(place.role for place in places if place is not None and place.role in RECORDS)


def _is_in_record(node: Node, dialog: Node | None) -> bool:
    """Whether an element is in one of several records, of its dialog where it is in one."""
    unit = next(iter(units_around(node)), None)
    if unit is None:
        return False
    if dialog is not None and not (unit.role and unit.place > dialog.index):
        return False
    return unit.role != "article" or len(unit.family.texts) > 1


def _inside(node: Node) -> range:
    return range(node.index + 1, node.snapshot.ends[node.index])


def _has_password(form: Node) -> bool:
    columns = form.snapshot.columns
    return any(
        columns.role[index] in FIELDS and form.snapshot.nodes[index].type == "password"
        for index in _inside(form)
    )


def _chosen_records(snapshot: BaseSnapshot, span: range) -> list[Node] | None:
    """The records of a list that are ticked, where it has boxes to tick them; None where no list there has."""
    roles, flags, ends = snapshot.columns.role, snapshot.columns.flags, snapshot.ends
    found: list[Node] = []
    has_boxes = False
    for index in span:
        if roles[index] != "checkbox":
            continue
        record = next((up for up in snapshot.nodes[index].ancestors if is_record(up)), None)
        if record is None or record.index not in span:
            continue
        has_boxes = True
        if flags[index] & State.CHECKED and not (found and ends[found[-1].index] > record.index):
            found.append(record)
    return found if has_boxes else None


def _texts(
    snapshot: BaseSnapshot, span: range, confirming: Node, beside: frozenset[str] = _BESIDE
) -> Iterator[str]:
    """What a part of a page says, in document order; what a field holds, and which boxes are ticked.

    beside: roles of what is left out.
    """
    columns, ends = snapshot.columns, snapshot.ends
    index = span.start
    while index < span.stop:
        role = columns.role[index]
        around = index <= confirming.index < ends[index]
        is_beside = role in beside or role in DIALOGS or role == "iframe"
        if index == confirming.index or (is_beside and not around):
            index = ends[index]
        elif role in CONTROLS:
            yield from _said_by_control(snapshot.nodes[index])
            index = ends[index]
        elif role in _TITLES:
            yield clean(snapshot.nodes[index].label)
            index = ends[index]
        else:
            if role == "text" or speaks(columns, index):
                yield clean(columns.name[index])
            index += 1


def _said_by_control(control: Node) -> Iterator[str]:
    if control.flags & State.SECRET:
        return
    if control.flags & State.CHECKED:
        yield f"{clean(control.label)} ✓"
    elif value := control.extra.get("value"):
        yield f"{clean(control.label)}: {clean(str(value))}"


def _bounded(texts: Iterator[str]) -> list[str]:
    """Texts that a file can keep: of more than so many, how many more there are."""
    found = [text[:_LONGEST] for text in texts if text]
    more = len(found) - _MOST
    return [*found[:_MOST], f"… and {more} more texts"] if more > 0 else found


def changes_of(recorded: Sequence[str], now: Sequence[str]) -> list[ChangedFact]:
    """What a confirmation listed and doesn't, and what it lists now and didn't.

    recorded: what it listed, with the inputs' values; `ANY` in a text stands for anything.
    """
    left = list(now)
    gone: list[str] = []
    for text in sorted(recorded, key=lambda text: ANY in text):
        found = next((other for other in left if fits(text, other, unaged)), None)
        if found is not None:
            left.remove(found)
        elif text != ANY:
            gone.append(text)
    gone.sort(key=list(recorded).index)
    pairs = [ChangedFact(was, left[place] if place < len(left) else "") for place, was in enumerate(gone)]
    return [*pairs, *(ChangedFact("", text) for text in left[len(gone) :])]

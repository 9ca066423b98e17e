"""Names of fields without what is no part of them; which controls are one form, and what a form is for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from skillbook import lexicon
from skillbook.perception.action_intent import action_intent
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import CELLS, FIELDS, ITEMS, words
from skillbook.protocol.snapshot import State

SIGNS = " *＊∗:："
"""What stands beside a field's name and is no part of it."""
_JOINTS = SIGNS + ",;|–—-"
_BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]*)[)\]）】]\Z")
_MARKS = ("required", "optional")


def bare_name(label: str, is_required: bool = False) -> str:
    """A field's name, folded, without stars, colons, and a word at its end that says whether the field is required.

    is_required: whether the markup says so. Only then the word counts without brackets: "Signature required" may be
        what a checkbox asks.
    """
    folded = lexicon.fold(label).strip(SIGNS)
    if mark := _BRACKETS.search(folded):
        is_mark = any(lexicon.is_all(meaning, mark[1]) for meaning in _MARKS)
        return folded[: mark.start()].strip(_JOINTS) if is_mark else folded
    if is_required:
        ends = [hit.start for hit in lexicon.find(folded) if hit.meaning == "required" and hit.ends]
        return folded[: min(ends)].strip(_JOINTS) or folded if ends else folded
    return folded


def without_arrows(label: str) -> str:
    """A name, folded, without the arrows and triangles before and after it; "" where it is nothing else."""
    folded = lexicon.fold(label)
    first, last = 0, len(folded)
    while first < last and _is_arrow(folded[first]):
        first += 1
    while first < last and _is_arrow(folded[last - 1]):
        last -= 1
    return folded[first:last].strip()


@cache
def _is_arrow(char: str) -> bool:
    """Whether a character is a blank, an arrow or a triangle, by its name in Unicode."""
    words = unicodedata.name(char, "").replace("-", " ").split()
    return char.isspace() or not {"ARROW", "ARROWS", "ARROWHEAD", "TRIANGLE", "TRIANGLES"}.isdisjoint(words)


def says_only_value(card: Node, field: Node) -> bool:
    """Whether a card around a field is no record: each card has a field with a name of its own.

    Fields that a script renders are such cards, and what these say is the field's value. In records the fields are
    called the same.
    """
    snapshot = field.snapshot
    roles, names = snapshot.columns.role, snapshot.folded_names
    if field.role not in FIELDS or not field.name or card.index not in snapshot.cards:
        return False
    outside = [*range(card.index), *range(snapshot.ends[card.index], len(snapshot))]
    others = [at for at in outside if roles[at] in FIELDS]
    if any(roles[at] == field.role and names[at] == names[field.index] for at in others):
        return False
    cards = [range(at, snapshot.ends[at]) for at in snapshot.cards if at != card.index]
    return any(names[at] and any(at in one for one in cards) for at in others)


_ROWS = CELLS | ITEMS | {"row"}
_ROOTS = words("form search dialog alertdialog")


_NO_FIELDS = words("button link heading img tab menuitem checkbox radio switch option")


def takes_no_text(role: str, states: int) -> bool:
    """Whether an element is surely none that text can be put in, by its role and `State`s."""
    return role in _NO_FIELDS and not states & State.EDITABLE


def is_form(tag: str) -> bool:
    """Whether a node's tag and classes are a form's."""
    return tag.partition(".")[0] == "form"


def leads_to(extra: Mapping[str, Any], address: str) -> bool:
    """Whether a form is sent to an address, or to one whose path ends like it."""
    action = extra.get("action")
    if not action or not address.strip("/"):
        return False
    path = f"/{urlsplit(action).path.strip('/')}"
    return action == address or path.endswith(f"/{address.strip('/')}")


def forms_to_tell_apart(snapshot: BaseSnapshot) -> frozenset[int]:
    """Forms with fields that nobody names, if the page has several; those in rows are told apart by these."""
    columns = snapshot.columns
    found = [
        index
        for index, tag in enumerate(columns.tag)
        if columns.role[index] == "generic" and is_form(tag) and _has_fields(snapshot, index)
    ]
    if len(found) > 1:
        found = [index for index in found if not _in_row(snapshot, index)]
    return frozenset(found) if len(found) > 1 else frozenset()


def heading_of(form: Node) -> str:
    """The first heading in a form; empty where there is none."""
    columns, last = form.snapshot.columns, form.snapshot.ends[form.index]
    first = next((at for at in range(form.index + 1, last) if columns.role[at] == "heading"), None)
    return "" if first is None else clean(form.snapshot.nodes[first].label)


def _has_fields(snapshot: BaseSnapshot, index: int) -> bool:
    columns = snapshot.columns
    return any(
        columns.role[at] in FIELDS or columns.flags[at] & State.EDITABLE
        for at in range(index + 1, snapshot.ends[index])
    )


def _in_row(snapshot: BaseSnapshot, index: int) -> bool:
    columns = snapshot.columns
    return any(up in snapshot.cards or columns.role[up] in _ROWS for up in columns.around(index))


def root_of(node: Node) -> Node | None:
    """The nearest form, search or dialog around a node; None for the page itself."""
    return next((up for up in node.ancestors if up.role in _ROOTS or up.tag == "form"), None)


def form_key(node: Node) -> Hashable:
    """What is the same for the fields of one form, and another for those of another one."""
    if (number := _number(node)) is not None:
        return number
    root = root_of(node)
    return None if root is None else root.index


def form_elements(field: Node) -> list[Node]:
    """The nodes of a field's form, those that can't be acted on included.

    That is what HTML says is in it, and what no form claims and stands in the nearest form or dialog around the field,
    or between the form's own controls. A form without a button of its own may have any that stands in no form.
    """
    snapshot, number, root = field.snapshot, _number(field), root_of(field)
    inside = range(root.index + 1, snapshot.ends[root.index]) if root is not None else range(0)
    own = [] if number is None else _own(field, number)
    between = range(own[0], own[-1]) if own else range(0)
    has_button = any(snapshot.columns.role[at] == "button" for at in own)
    free = range(len(snapshot)) if root is None and not has_button else range(0)
    found = {
        *own,
        *(at for at in (*inside, *between) if number is None or _number(snapshot.nodes[at]) is None),
        *(at for at in free if form_key(snapshot.nodes[at]) is None),
    }
    return [snapshot.nodes[at] for at in sorted(found) if snapshot.columns.role[at] != "text"]


def _own(field: Node, number: tuple[str, int]) -> list[int]:
    """The places of the controls that HTML says are a form's."""
    nodes, extras = field.snapshot.nodes, field.snapshot.columns.extra
    return sorted(
        at for at, extra in extras.items() if extra.get("form") == number[1] and _number(nodes[at]) == number
    )


def caption_of(field: Node) -> str:
    """What stands right before a field that nothing names, or in the cell before its own; empty for nothing."""
    if field.name or field.placeholder:
        return ""
    before = field.snapshot.nodes[field.index - 1] if field.index else None
    if before is not None and before.role == "text" and before.parent == field.parent:
        return _short(before.name) if on_one_line(before, field) else ""
    cell = next((up for up in field.ancestors if up.role in CELLS), None)
    if cell is None or cell.parent is None:
        return ""
    beside = [one for one in cell.parent.children if one.role in CELLS and one.index < cell.index]
    fields = [one for one in beside[-1:] if not FIELDS.isdisjoint(_roles_in(one))]
    return "" if not beside or fields or _first_field(cell) != field.index else _short(beside[-1].text)


def on_one_line(text: Node, field: Node) -> bool:
    """Whether a field stands beside a text, and not below it, as below a heading."""
    return text.box.y < field.box.y + max(field.box.height, 1) and field.box.y < text.box.y + max(
        text.box.height, 1
    )


def _short(text: str) -> str:
    caption = clean(text).strip(" :*")
    return caption if len(caption) <= LONGEST_NAME else ""


def _roles_in(node: Node) -> list[str]:
    return node.snapshot.columns.role[node.index : node.snapshot.ends[node.index]]


def _first_field(cell: Node) -> int | None:
    return next((cell.index + at for at, role in enumerate(_roles_in(cell)) if role in FIELDS), None)


def _number(node: Node) -> tuple[str, int] | None:
    """The number of a control's form, which counts in its own frame."""
    number = node.extra.get("form")
    return None if number is None else (str(node.ref).rpartition("e")[0], number)


FORM_PURPOSES = (
    "login",
    "register",
    "change_password",
    "payment",
    "payment_method",
    "billing",
    "search",
    "newsletter",
    "upload",
    "contact",
    "address",
    "schedule",
    "filter",
    "checkout",
    "book",
)
_CARD_NAMES = frozenset(
    {"cardnumber", "ccnumber", "ccnum", "creditcard", "creditcardnumber", "cvc", "cvv", "iban"}
)
_DATES = frozenset({"date", "datetime-local", "time", "month", "week"})
_PASSWORDS = frozenset({"current-password", "new-password"})
_STREETS = frozenset({"street-address", "address-line1", "postal-code"})
_UNTYPED = frozenset({"", "textbox"})


@dataclass(frozen=True)
class FieldFacts:
    """What a form's field says of itself: its label, HTML type or role, `autocomplete` and `name`."""

    label: str
    type: str = ""
    autocomplete: str = ""
    name: str = ""

    @property
    def tokens(self) -> frozenset[str]:
        """The parts of its `autocomplete`."""
        return frozenset(self.autocomplete.lower().split())

    def says(self, *meanings: str) -> bool:
        """Whether its label has words of one of the meanings."""
        return not lexicon.meanings(self.label).isdisjoint(meanings)


def form_purpose(fields: Sequence[FieldFacts], submit: str, name: str) -> str | None:
    """What a form is for."""
    tokens = frozenset[str]().union(*(field.tokens for field in fields))
    doing = lexicon.meanings(f"{submit} | {name}")
    if any(map(_takes_card, fields)):
        return "payment"
    if secrets := sum(map(_takes_password, fields)):
        # Who chooses a password types it twice; who changes one has no other field.
        if secrets > 1 and secrets == len(fields):
            return "change_password"
        return "register" if secrets > 1 or "new-password" in tokens or "register" in doing else "login"
    if "billing" in tokens:
        return "billing"
    types = {field.type for field in fields}
    if types & {"search", "searchbox"}:
        return "search"
    return _by_words(fields, types, tokens, doing) or _by_intent(f"{submit} {name}")


def _takes_card(field: FieldFacts) -> bool:
    if any(token.startswith("cc-") for token in field.tokens) or lexicon.letters(field.name) in _CARD_NAMES:
        return True
    return field.says("card_number", "card_code", "card_details", "iban")


def _takes_password(field: FieldFacts) -> bool:
    if field.type == "password" or field.tokens & _PASSWORDS:
        return True
    return field.type in _UNTYPED and field.says("password")


def _by_words(
    fields: Sequence[FieldFacts], types: Collection[str], tokens: Collection[str], doing: Collection[str]
) -> str | None:
    def some(*meanings: str) -> bool:
        return any(field.says(*meanings) for field in fields)

    takes_email = "email" in types or "email" in tokens or some("email")
    checks = (
        ("payment_method", "payment_method" in doing or some("payment_method")),
        ("search", "search" in doing or some("search")),
        ("newsletter", takes_email and ("subscribe" in doing or "newsletter" in doing)),
        ("upload", "file" in types or some("upload")),
        ("billing", "billing" in doing or some("billing")),
        ("contact", some("message")),
        ("address", bool(_STREETS.intersection(tokens)) or some("street", "postal_code", "city")),
        ("filter", "filter" in doing or some("filter", "range")),
        ("schedule", bool(_DATES.intersection(types)) or some("date")),
    )
    return next((purpose for purpose, holds in checks if holds), None)


def _by_intent(doing: str) -> str | None:
    intent = action_intent(doing)
    return intent if intent in {"login", "register", "checkout", "book"} else None

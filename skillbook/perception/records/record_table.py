"""The table of what makes a record: what it is, what names it, what is only a fact of it. docs/skills.md shows it."""

from __future__ import annotations

import re
from enum import IntEnum

from skillbook import lexicon
from skillbook.perception.escape import LONGEST_TEXT
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import DIALOGS, FIELDS, RECORDS, words

AROUND = RECORDS | DIALOGS | words("option menuitem definition")
"""What may be the record around a control as it is pressed: also what shows one record at a time."""
UNNAMED = (RECORDS - {"article"}) | words("option menuitem")
"""Roles of records that are called what is in them."""
TITLES = words("heading rowheader term legend caption")
TITLE_TAGS = words("legend figcaption dt")
CONTROLS = (FIELDS - {"radiogroup"}) | words("button menuitem tab option menu progressbar")
"""What says no text of the record, but what it holds and what it is called."""


class Rank(IntEnum):
    """How a piece is said: the lower, the likelier it names its record."""

    TITLE = 0
    LINK = 1
    TEXT = 2
    VALUE = 3
    IMAGE = 4
    CONTROL = 5
    KEY = 6


_ID_WORDS = "id|uid|uuid|guid|pk|sku"
KEY = (
    rf"(?!data-test)(?:data-(?:[a-z0-9]+[-_])*(?:{_ID_WORDS})|data-(?:(?:row|item|node)-)?key|row-(?:id|key))"
)
"""Attributes besides `id` whose value may be a key: `data-id`, `data-row-key`, `row-id`; `data-index` is none."""

NUMBER = r"\d{1,3}(?:[.,]?\d{3})*"
_SIGNS = re.escape(lexicon.currency_signs())
_CODES = "|".join(map(re.escape, lexicon.currency_codes()))
AMOUNT = rf"(?:[{_SIGNS}]|(?<!\w)(?:{_CODES}|R\$))\s?-?\d[\d.,'’]*|-?\d[\d.,'’]*\s?(?:[%{_SIGNS}]|(?:{_CODES})(?!\w))"
"""An amount of money or a percentage."""
CLOCK = r"(?<!\w)\d{1,2}:\d\d(?::\d\d)?(?!\w)"
COUNT = r"[(\[][^()\[\]\d]*\d{1,3}[^()\[\]\d]*[)\]](?=\s|$)"
"""A count in brackets."""
VOLATILE = f"{COUNT}|{CLOCK}|{AMOUNT}"
"""What of a name may change while it is the same record: it is left out where names are compared."""
LONGEST = LONGEST_TEXT
"""Characters of a text that the page compares."""


def record_role(snapshot: BaseSnapshot, index: int) -> str:
    """The role by which a selector knows a record; empty where a node is none."""
    role = snapshot.columns.role[index]
    return role if role in RECORDS else "card" if index in snapshot.cards else ""


def is_record(node: Node) -> bool:
    """Whether an element is a record by its role, or one of several cards."""
    return bool(record_role(node.snapshot, node.index))

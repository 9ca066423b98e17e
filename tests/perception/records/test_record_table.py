"""The table of records: the page has the same one."""

from __future__ import annotations

import re

import pytest

from skillbook.perception.records.generate import TARGET, render
from skillbook.perception.records.record_table import VOLATILE


def test_the_page_has_the_same_table() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run `make generate`"


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("Inbox (3)", "Inbox "),
        ("Lamp $5.00", "Lamp "),
        ("Lamp 5,00 €", "Lamp "),
        ("Lamp 12 PLN", "Lamp "),
        ("Meeting 12:30", "Meeting "),
        ("Order 1001", "Order 1001"),
        ("Room (12a34)", "Room (12a34)"),
        ("Kroner", "Kroner"),
    ],
)
def test_counts_amounts_and_clocks_are_no_part_of_a_name(name: str, rest: str) -> None:
    assert re.sub(VOLATILE, "", name) == rest

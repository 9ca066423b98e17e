"""What the documentation promises about the tests: every fault that a test is named after is explained."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FAULTS = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
SHOWN, OPEN = FAULTS.split("## Known, and not closed yet")


def numbers(text: str) -> set[str]:
    return set(re.findall(r"^\| (\d\d) \|", text, re.MULTILINE))


def cited() -> set[str]:
    tests = (ROOT / "tests").rglob("test_*.py")
    return {
        number for path in tests for number in re.findall(r"fault_(\d\d)", path.read_text(encoding="utf-8"))
    }


def test_every_fault_that_a_test_is_named_after_is_listed() -> None:
    assert len(cited()) > 20
    assert cited() - numbers(SHOWN) == set()


def test_every_fault_listed_as_survived_has_a_test() -> None:
    assert numbers(SHOWN) - cited() == set()


def test_no_fault_is_listed_twice() -> None:
    assert numbers(SHOWN) & numbers(OPEN) == set()

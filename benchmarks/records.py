"""`python -m benchmarks.records`: acts on one record of a list that has changed; writes docs/records_measured.md."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from tests.integration.record_lists import CHANGES, COMMANDS, MARKUPS, TOLD_BY_NAMES

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/records_measured.md"
SUITE = "tests/integration/test_one_record.py::test_the_record_is_acted_on_or_none"
DONE_GOAL = 0.9
WAYS = {
    "code": "a selector built for code",
    "cells": "a cell's selector",
    "recorded": "a recorded skill",
    "journal": "a skill made of the journal",
}
OUTCOMES = ("done", "refused", "wrong")
_CHANGED = {
    "added": "another record comes first, with the same price and state",
    "removed": "the first record is gone",
    "reordered": "the other way round",
    "prices moved": "each has the price that the next one had",
    "all at once": "added, reordered and moved prices",
    "translated": "the heading is in another language",
    "renamed": "the record has another name and its old key",
    "namesake": "a record of the same name comes first",
    "namesake instead": "a record of the same name has taken its place",
    "gone": "it is gone, and another has its price and place",
}


class Outcomes:
    """A pytest plugin that collects what became of each act."""

    def __init__(self) -> None:
        self.acts: Counter[tuple[str, str, str, str, str]] = Counter()
        """How often, by markup, command, way, change and outcome."""
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one test's acts, whether it passed or not."""
        if report.when != "call":
            return
        self.tests[report.outcome] += 1
        markup, command, way = report.nodeid.partition("[")[2].rstrip("]").rsplit("-", 2)
        for change, outcome in report.user_properties:
            self.acts[markup, command, way, str(change), str(outcome)] += 1

    def count(self, place: int = -1, value: str = "", changes: tuple[str, ...] = ()) -> Counter[str]:
        """Outcomes of the acts that have a value in a place, after these changes."""
        counted: Counter[str] = Counter()
        for act, times in self.acts.items():
            if (place < 0 or act[place] == value) and (not changes or act[3] in changes):
                counted[act[4]] += times
        return counted


def written(outcomes: Outcomes) -> str:
    """The page of figures."""
    every, told = outcomes.count(), outcomes.count(changes=TOLD_BY_NAMES)
    share = told["done"] / max(told.total(), 1)
    lines = [
        "# Records, measured",
        "",
        f"`python -m benchmarks.records` wrote this page on {date.today()}. A list has four records with the same "
        "controls. Somebody acts on the second one's control. Then the list changes, and the same is done again: "
        f"{len(MARKUPS)} markups, {len(COMMANDS)} commands, {len(WAYS)} ways, {len(CHANGES)} changes. "
        "[Records](skills.md#which-record-a-step-acts-on) says what decides.",
        "",
        f"**{every.total():,} acts: {every['wrong']} on another record (goal 0), {every['done']:,} done, "
        f"{every['refused']:,} refused with the reason. After changes that leave the names as they were, a person "
        f"could tell which record it is: {share:.1%} of {told.total():,} acts done (goal {DONE_GOAL:.0%}).**",
    ]
    possible = len(MARKUPS) * len(COMMANDS) * len(WAYS) * len(CHANGES)
    if every.total() < possible:
        lines += ["", f"The run ended early: {every.total():,} of {possible:,} acts were tried."]
    lines += _table("the list's change", 3, {name: f"{name}: {_CHANGED[name]}" for name in CHANGES}, outcomes)
    lines += _table("way", 2, WAYS, outcomes)
    lines += _table("command", 1, {name: f"`{name}`" for name in COMMANDS}, outcomes)
    lines += _table("markup", 0, {name: name for name in MARKUPS}, outcomes)
    lines += ["", "## Every markup, change and way", "", *_matrix(outcomes)]
    return "\n".join(lines) + "\n"


def _table(title: str, place: int, names: dict[str, str], outcomes: Outcomes) -> list[str]:
    lines = ["", f"| {title} | acts | done | refused | wrong |", "|---|---|---|---|---|"]
    for name, shown in names.items():
        counted = outcomes.count(place, name)
        cells = " | ".join(f"{counted[outcome]:,}" for outcome in OUTCOMES)
        lines.append(f"| {shown} | {counted.total():,} | {cells} |")
    return lines


def _matrix(outcomes: Outcomes) -> list[str]:
    """A row for each markup and change, a column for each way: what became of all commands."""
    changes = [change for change in CHANGES if change not in TOLD_BY_NAMES]
    lines = [
        "Each cell counts the commands done. After the changes that aren't listed here all are.",
        "",
        f"| markup | change | {' | '.join(WAYS)} |",
        f"|---|---|{'---|' * len(WAYS)}",
    ]
    for markup in MARKUPS:
        for change in CHANGES:
            cells = []
            for way in WAYS:
                counted: Counter[str] = Counter()
                for act, times in outcomes.acts.items():
                    if (act[0], act[2], act[3]) == (markup, way, change):
                        counted[act[4]] += times
                cells.append(_cell(counted))
            if change in changes or any(cell != f"{len(COMMANDS)} done" for cell in cells):
                lines.append(f"| {markup} | {change} | {' | '.join(cells)} |")
    return lines


def _cell(counted: Counter[str]) -> str:
    return ", ".join(f"{counted[outcome]} {outcome}" for outcome in OUTCOMES if counted[outcome]) or "–"


def main() -> int:
    """Run the whole suite and write the page; arguments are pytest's, and with any the page is only printed."""
    outcomes = Outcomes()
    some = sys.argv[1:]
    code = pytest.main(
        [
            SUITE,
            "-m",
            "more or not more",
            "-q",
            "-p",
            "no:nbval",
            "--reruns",
            "0",
            "--rootdir",
            str(ROOT),
            *some,
        ],
        plugins=[outcomes],
    )
    if some:
        print(written(outcomes))
    else:
        PAGE.write_text(written(outcomes), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())

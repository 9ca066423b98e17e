"""How often a right frame is called incomplete by the law of texts, over tests that know what is right.

    python -m benchmarks.false_alarms [paths of tests and options of pytest]

A frame is right where its test passes. It is called incomplete by the law if it would be complete without. Where its
test asserts something of completeness, that is what the page deserves; elsewhere it is a false alarm.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest

from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.evidence import Check

READS = (
    "cards carousels cell_values flat_grids grid_parts headers_and_pictures items_are_rows no_text_is_lost "
    "odd_tables ordinary_decorations what_no_cell_says"
)
PATHS = ["tests/extraction", "tests/perception/collections"]
PATHS += [f"tests/integration/test_{name}.py" for name in READS.split()]
EXPECTS = ("complete", "reason", "evidence", "left over", "IncompleteFrame")


@dataclass
class Counts:
    """Frames of the tests that passed.

    Attributes
    ----------
    frames : how many were read.
    without, with_law : how many of them were called incomplete without the law of texts, and with it.
    alarms : what the law said of frames whose tests expect nothing of completeness, by test.
    """

    frames: int = 0
    without: int = 0
    with_law: int = 0
    alarms: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Watch:
    """Counts frames as they are checked, for pytest."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._read: list[tuple[bool, bool, str]] = []
        checked = Completeness.checked

        def watched(whole: Completeness, *checks: Check) -> Completeness:
            after = checked(whole, *checks)
            self._read.append(
                (whole.complete, after.complete, "; ".join(each.says for each in checks if not each.holds))
            )
            return after

        Completeness.checked = watched  # type: ignore[method-assign]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Keep what a test read if it passed."""
        outcome = yield
        if call.when != "call":
            self._read = [] if call.when == "setup" else self._read
            return
        read, self._read = self._read, []
        if outcome.get_result().outcome != "passed":
            return
        expects = any(word in inspect.getsource(item.function) for word in EXPECTS)
        for before, after, says in read:
            self.counts.frames += 1
            self.counts.without += not before
            self.counts.with_law += not after
            if before and not after and not expects:
                self.counts.alarms[item.nodeid].append(says)


def main() -> int:
    """Run the tests and print the counts."""
    watch = Watch()
    status = pytest.main(["-q", "-p", "no:nbval", *(sys.argv[1:] or PATHS)], plugins=[watch])
    counts = watch.counts
    print(
        f"{counts.frames:,} frames; incomplete without the law {counts.without:,}, with it {counts.with_law:,}"
    )
    alarms = sum(map(len, counts.alarms.values()))
    print(f"false alarms: {alarms:,} ({alarms / max(counts.frames, 1):.2%})")
    for test, says in counts.alarms.items():
        print(f"  {test}: {says[0]}")
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())

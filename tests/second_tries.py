"""The ledger of tests that failed at their first try; a run in which one does so that stands there already fails.

`python -m tests.second_tries` (`make flaky`) runs what is in the ledger ten times without a second try. What passes
each time is taken out of it.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / ".pytest_cache" / "second-tries.jsonl"
TIMES = 10


def note(reports: Iterable[Any], ledger: Path = LEDGER) -> list[str]:
    """Write the first failures of a run down.

    Returns
    -------
    The tests that stood there already: these are no accidents.
    """
    known = {entry["test"] for entry in noted(ledger)}
    found = [(report.nodeid, str(report.longreprtext)[-1_000:]) for report in reports]
    if found:
        ledger.parent.mkdir(exist_ok=True)
        with ledger.open("a", encoding="utf-8") as file:
            for test, why in found:
                file.write(json.dumps({"test": test, "time": time.time(), "why": why}) + "\n")
    return sorted({test for test, _ in found} & known)


def noted(ledger: Path = LEDGER) -> list[dict[str, Any]]:
    """What the ledger has, the oldest first."""
    if not ledger.exists():
        return []
    return [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]


def take_out(tests: set[str], ledger: Path = LEDGER) -> None:
    """Forget tests."""
    left = [entry for entry in noted(ledger) if entry["test"] not in tests]
    ledger.write_text("".join(json.dumps(entry) + "\n" for entry in left), encoding="utf-8")


class _Failures:
    """Notes which tests fail."""

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a failure."""
        self.tests[report.nodeid] += report.failed


def main(arguments: list[str]) -> int:
    """Run what needed a second try ten times; 1 if anything failed."""
    import pytest

    tests = sorted({entry["test"] for entry in noted() if (ROOT / entry["test"].partition("::")[0]).exists()})
    if not tests:
        print("No test needed a second try.")
        return 0
    failures = _Failures()
    for _ in range(TIMES):
        pytest.main([*tests, "--reruns", "0", "-q", "-p", "no:nbval", *arguments], plugins=[failures])
    for test in tests:
        print(f"failed {failures.tests[test]} of {TIMES}: {test}")
    take_out({test for test in tests if not failures.tests[test]})
    return int(bool(+failures.tests))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m tests.conformance [--all] [--report]`: measure, print, and write docs/conformance.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.conformance.measure import measure
from tests.conformance.report import render

REPORT = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"


def main() -> int:
    """Run the suite; 1 where something differs that isn't allowed, or an allowed difference is no more."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every page and 600 generated documents")
    parser.add_argument("--report", action="store_true", help=f"write {REPORT.name}")
    options = parser.parse_args()
    results = measure(everything=options.all, say=lambda text: print(text, file=sys.stderr, flush=True))
    text = render(results)
    print(text)
    if options.report:
        REPORT.write_text(text, encoding="utf-8")
    for one in results.unused:
        print(f"nothing shows any more: {one.title}", file=sys.stderr)
    return 1 if results.unexplained or (results.unused and not results.skipped) else 0


if __name__ == "__main__":
    sys.exit(main())

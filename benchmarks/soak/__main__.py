"""`python -m benchmarks.soak`: thousands of mixed actions, a fault every few dozen."""

from __future__ import annotations

import argparse
import asyncio

from rich.console import Console

from benchmarks.soak.report import write_report
from benchmarks.soak.runner import run_soak


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--actions", type=int, default=10_000, help="how many actions (default 10,000)")
    parser.add_argument("--every", type=int, default=50, help="a fault under every so manieth (default 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices")
    parser.add_argument("--write-docs", action="store_true", help="write docs/soak.md")
    options = parser.parse_args()
    soak = asyncio.run(run_soak(options.actions, options.every, options.seed))
    console = Console()
    for each in soak.findings:
        console.print(
            f"{'met   ' if each.met else 'MISSED'} {each.what}: {each.found} (wanted {each.wanted})"
        )
    if options.write_docs:
        command = f"python -m benchmarks.soak --actions {options.actions} --every {options.every}"
        write_report(soak, f"{command} --seed {options.seed} --write-docs")
    return 0 if all(each.met for each in soak.findings) else 1


if __name__ == "__main__":
    raise SystemExit(main())

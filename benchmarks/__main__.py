"""The comparison with Playwright and others: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from benchmarks.apps import APPS
from benchmarks.measures import ALONE, PER_PAGE
from benchmarks.peers import start_peers
from benchmarks.report import KEPT, describe_machine, keep, read_json, show, slower, write_docs, write_json
from benchmarks.runner import Plan, Results, run
from benchmarks.sites import Sites
from skillbook.testing.site import serve_folder

FENCE = 0.15
"""How much of a ratio may be lost before the nightly run fails."""


def main() -> int:
    """Run, print and write."""
    options = _options()
    console = Console()
    if options.read:
        results, machine = read_json(options.read)
        show(results, console)
        if options.write_docs:
            write_docs(*keep(results, machine))
        return 0
    plan = Plan(options.only, options.sizes, options.rounds)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with serve_folder(folder) as site, start_peers(folder) as peers:
            machine = describe_machine(peers.version)
            sites = Sites(folder, site.url)

            def save(results: Results) -> None:
                if options.json:
                    write_json(options.json, results, machine)

            results = run(plan, peers, sites, console, save)
            lost = _lost(results, lambda: run(plan, peers, sites, console, save)) if options.fence else []
    show(results, console)
    save(results)
    if options.write_docs:
        write_docs(*keep(results, machine))
    for line in lost:
        console.print(line, markup=False)
    return 1 if lost else 0


def _lost(results: Results, again: Callable[[], Results]) -> list[str]:
    """What is slower beside its peer than when it was kept, each time of three: once may be the machine."""
    kept, _ = read_json([KEPT])
    lost = slower(results.figures, kept.figures, FENCE)
    for _ in range(2):
        if not lost:
            break
        still = {line.rpartition(": ")[0] for line in slower(again().figures, kept.figures, FENCE)}
        lost = [line for line in lost if line.rpartition(": ")[0] in still]
    return lost


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [*PER_PAGE, *ALONE, "breakdown", "synthetic", *(app.name for app in APPS)]
    parser.add_argument("--only", nargs="+", choices=names, default=[], help="only these measures and pages")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[100, 1000, 5000, 10000, 50000], help="of the synthetic pages"
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed, in turns")
    parser.add_argument(
        "--fence", action="store_true", help=f"fail where a ratio is {FENCE:.0%}% worse than the kept one"
    )
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument(
        "--read", type=Path, nargs="+", help="measure nothing; take the figures from such files"
    )
    parser.add_argument(
        "--write-docs",
        action="store_true",
        help="keep the figures, and write docs/benchmarks.md of all that are kept",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

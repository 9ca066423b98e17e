"""`python -m benchmarks.tool_calls`: the same tasks by each set of tools; writes docs/tool_calls_measured.md."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from statistics import median

from benchmarks.figures import tokens
from benchmarks.tool_calls.contestants import Contestant, Tally, others
from benchmarks.tool_calls.mcp_peer import PACKAGES, install
from benchmarks.tool_calls.our_contestants import our_own
from benchmarks.tool_calls.scripted_tasks import TASKS, ScriptedTask
from skillbook.testing.site import serve_site

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tool_calls_measured.md"
ROUNDS = 3
_HEAD = """# Tool calls, measured

`make bench-tools` wrote this page on {day}. Five tasks on the bundled sites are carried out without a model: a script
makes the calls that a model without mistakes would make. It finds each element in the newest text that the tools
returned, and looks again only if that text doesn't have it. All drive the same Chromium. The others are {others}.

- *Right* counts tasks after which the site, or the last text, is as it should be.
- *Sent* and *received* are characters of tool names with arguments, and of answers. *Tokens* are those of both, by the
  `o200k_base` tokenizer.
- *Read first* is what a model reads before the first call, in tokens: the schemas of the tools, or the skill that
  explains the commands. It is paid for at every step, unless the model's provider caches it.
- *Seconds* are those of the calls, the median of {rounds} rounds in turns, with {load} processes waiting per core. Each
  command in a terminal is a new process. skillbook's times include its policy, journal and paused requests, and that it
  waits until the page is quiet after an action; whatever waits for a person is approved at once.

| tools | right | calls | sent | received | tokens | read first | seconds |
|---|---|---|---|---|---|---|---|
{total}

## By task

| task | tools | right | calls | sent | received | tokens | seconds |
|---|---|---|---|---|---|---|---|
{rows}
"""
_ARRIVES = 10.0
Round = tuple[Tally, bool]


def main() -> int:
    """Measure, and write the page; 1 where a task of ours isn't right."""
    found: dict[str, list[list[Round]]] = {}
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    with ExitStack() as stack:
        ours = stack.enter_context(our_own())
        contestants: list[Contestant] = [*ours, *(stack.enter_context(others()) if install() else [])]
        for _ in range(ROUNDS):
            for one in contestants:
                done = [measure(one, task) for task in TASKS]
                found.setdefault(one.name, []).append(done)
                print(one.name, [(tally.calls, round(tally.ms), right) for tally, right in done], flush=True)
        first = {one.name: tokens(one.read_first) for one in contestants}
    PAGE.write_text(page_of(found, first, busy), encoding="utf-8")
    return 0 if all(right for one in ours for rounds in found[one.name] for _, right in rounds) else 1


def measure(one: Contestant, task: ScriptedTask) -> Round:
    """Carry a task out on a site of its own."""
    with serve_site(task.site) as site:
        tally = one.carry_out(site.url + task.path, task)
        # Some tools answer before what they did has reached the site.
        deadline = time.monotonic() + _ARRIVES
        while not (right := task.right(site.app)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return tally, task.shows in tally.text and right


def page_of(found: dict[str, list[list[Round]]], first: dict[str, int], busy: float) -> str:
    """The page.

    Parameters
    ----------
    found : of each set of tools its rounds, each with all tasks.
    first : how many tokens of it a model reads before the first call.
    busy : how many processes waited per core.
    """
    total, rows = [], []
    for name, rounds in found.items():
        right = sum(all(done[at][1] for done in rounds) for at in range(len(TASKS)))
        cells = _cells([[tally for tally, _ in done] for done in rounds], f"{first[name]:,}")
        total.append(f"| {name} | {right} of {len(TASKS)} | {cells}")
    for at, task in enumerate(TASKS):
        for name, rounds in found.items():
            yes = "yes" if all(done[at][1] for done in rounds) else "no"
            rows.append(f"| {task.name} | {name} | {yes} | {_cells([[done[at][0]] for done in rounds])}")
    return _HEAD.format(
        day=date.today(), others=f"{', '.join(PACKAGES[:-1])} and {PACKAGES[-1]}", rounds=ROUNDS, load=f"{busy:.1f}",
        total="\n".join(total), rows="\n".join(rows),
    )  # fmt: skip


def _cells(rounds: Sequence[Sequence[Tally]], *more: str) -> str:
    """What the calls of each round took; calls and characters are those of the last round."""
    last = rounds[-1]
    counts = (sum(getattr(each, name) for each in last) for name in ("calls", "sent", "received", "tokens"))
    seconds = median(sum(each.ms for each in tallies) for tallies in rounds) / 1000
    return " | ".join([*(f"{count:,}" for count in counts), *more, f"{seconds:.1f} |"])


if __name__ == "__main__":
    sys.exit(main())

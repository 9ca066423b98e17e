"""`python -m benchmarks.tool_calls`: the same tasks by each set of tools; writes docs/tool_calls_measured.md."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import skillbook as sb
from benchmarks.tool_calls.contestants import Contestant, Ours, Tally, servers
from benchmarks.tool_calls.mcp_peer import PACKAGES, install
from benchmarks.tool_calls.scripted_tasks import TASKS, ScriptedTask
from skillbook.testing.site import serve_site

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tool_calls_measured.md"
_HEAD = """# Tool calls, measured

`make bench-tools` wrote this page on {day}. Five tasks on the bundled sites are carried out without a model: a script
makes the calls that a model without mistakes would make. It finds each element in the newest text that the tools
returned, and looks again only if that text doesn't have it. All drive the same Chromium. The others are {others}.

*Sent* and *received* are characters of tool names with arguments, and of answers. *Right* counts tasks after which the
site, or the last text, is as it should be. {times}

| tools | right | calls | characters sent | characters received | ms |
|---|---|---|---|---|---|
{total}

## By task

| task | tools | right | calls | sent | received |
|---|---|---|---|---|---|
{rows}
"""
_ARRIVES = 10.0
_TIMES = "skillbook's time includes its policy, journal and paused requests."
_BUSY = "The machine was busy with other programs, so there are no times."


def main() -> int:
    """Measure, and write the page; 1 where a task of ours isn't right."""
    found: dict[str, list[tuple[ScriptedTask, Tally, bool]]] = {}
    with ExitStack() as stack:
        contestants: list[Contestant] = [Ours(stack.enter_context(sb.launch()))]
        if install():
            for start in servers().values():
                made = start()
                stack.enter_context(made.peer)
                contestants.append(made)
        for one in contestants:
            found[one.name] = [measure(one, task) for task in TASKS]
            print(one.name, [(task.name, tally.calls, right) for task, tally, right in found[one.name]])
    PAGE.write_text(page_of(found), encoding="utf-8")
    return 0 if all(right for _, _, right in found["skillbook"]) else 1


def measure(one: Contestant, task: ScriptedTask) -> tuple[ScriptedTask, Tally, bool]:
    """Carry a task out on a site of its own."""
    with serve_site(task.site) as site:
        tally = one.carry_out(site.url + task.path, task)
        # Some tools answer before what they did has reached the site.
        deadline = time.monotonic() + _ARRIVES
        while not (right := task.right(site.app)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return task, tally, task.shows in tally.text and right


def page_of(found: dict[str, list[tuple[ScriptedTask, Tally, bool]]]) -> str:
    """The page; times are left out where other programs kept the machine busy."""
    busy = os.getloadavg()[0] > (os.cpu_count() or 1) + 1
    total = [
        f"| {name} | {sum(right for *_, right in rows)} of {len(rows)} | {sum(tally.calls for _, tally, _ in rows)} "
        f"| {sum(tally.sent for _, tally, _ in rows):,} | {sum(tally.received for _, tally, _ in rows):,} "
        f"| {'' if busy else format(sum(tally.ms for _, tally, _ in rows), ',.0f')} |"
        for name, rows in found.items()
    ]
    rows = [
        f"| {task.name} | {name} | {'yes' if right else 'no'} | {tally.calls} | {tally.sent:,} | {tally.received:,} |"
        for at, task in enumerate(TASKS)
        for name, each in found.items()
        for _, tally, right in [each[at]]
    ]
    others = f"{', '.join(PACKAGES[:-1])} and {PACKAGES[-1]}"
    times = _BUSY if busy else _TIMES
    return _HEAD.format(
        day=date.today(), others=others, times=times, total="\n".join(total), rows="\n".join(rows)
    )


if __name__ == "__main__":
    sys.exit(main())

"""Prints and writes what a run measured."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.breakdown import Breakdown
from benchmarks.chart import Bar, render_chart
from benchmarks.figures import Figure
from benchmarks.reasons import reason
from benchmarks.runner import Results
from benchmarks.sites import ROOT

DOCS = ROOT / "docs"
CHART = "images/benchmarks.svg"
TOOL_CALLS = "tool_calls_measured.md"
KEPT = ROOT / "benchmarks" / "measured.json"


def describe_machine(browser: str) -> str:
    """Cores, memory and browser, and nothing else."""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    load = f", {busy:.1f} processes waiting per core when the run began" if busy > 0.5 else ""
    return f"{os.cpu_count()} cores, {gigabytes:.0f} GiB memory, Chromium {browser}{load}"


def with_derived(figures: Sequence[Figure]) -> list[Figure]:
    """The figures, and those of several pages: full snapshots of real ones, and a click as pages grow."""
    found = list(figures)
    ratios = [
        one.ratio for one in figures if one.measure == "full snapshot" and not one.page.endswith("elements")
    ]
    if ratios:
        note = f"median of {len(ratios)} pages"
        found.append(
            Figure("full snapshot, median", "real pages", median(ratios), None, "×", "at least", 2, note)
        )
    clicks = {one.page: one.ours for one in figures if one.measure == "click by ref"}
    small, large = clicks.get("100 elements"), clicks.get("10,000 elements")
    if small and large:
        found.append(
            Figure("click by ref", "10,000 elements", large, small, "ms", "share", 1.5, "", "100 elements")
        )
    return found


def slower(figures: Sequence[Figure], kept: Sequence[Figure], most: float) -> list[str]:
    """What is said of each comparison that lost more than a share of what it was when it was kept."""
    before = {one.key: one for one in kept}
    found = []
    for one in figures:
        was = before.get(one.key)
        if was is None or not (one.theirs and was.theirs and was.ours) or one.kind not in {"faster", "share"}:
            continue
        # A goal may have been read in another way when the figure was kept.
        if (one.ours / one.theirs) / (was.ours / was.theirs) > 1 + most:
            found.append(f"{one.measure}, {one.page}: {one.shown_ratio}, kept was {was.shown_ratio}")
    return found


def show(results: Results, console: Console) -> None:
    """Print the comparison."""
    figures = with_derived(results.figures)
    table = Table(title="skillbook against its peers, one run, one browser")
    for name in ("figure", "page", "skillbook", "peer", "ratio", "goal", ""):
        table.add_column(name, justify="left" if name in {"figure", "page"} else "right")
    for figure in _sorted(figures):
        met = "[green]met[/]" if figure.met else "[red]missed[/]"
        table.add_row(
            figure.measure, figure.page, figure.show(figure.ours), figure.show(figure.theirs), figure.shown_ratio,
            figure.shown_goal, met,
        )  # fmt: skip
    console.print(table)
    if results.breakdowns:
        table = Table(title="where a full snapshot's milliseconds go")
        for head in ("page", "total", "script", "browser", "wire", "join", "MB", "of the walk"):
            table.add_column(head, justify="left" if head in {"page", "of the walk"} else "right")
        for cells in _breakdown_rows(results):
            table.add_row(*map(escape, cells))
        console.print(table)
    for what, why in results.skipped.items():
        console.print(f"not measured: {what}: {why}", markup=False)
    reached = sum(figure.met for figure in figures)
    console.print(f"{reached} of {len(figures)} figures met")


def write_json(path: Path, results: Results, machine: str) -> None:
    """Every figure, for a program."""
    data: dict[str, Any] = {
        "machine": machine,
        "figures": [figure.to_dict() for figure in results.figures],
        "breakdowns": [asdict(each) for each in results.breakdowns],
        "skipped": results.skipped,
    }
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(paths: Sequence[Path]) -> tuple[Results, str]:
    """What `write_json` wrote: results and machine; a later file's figures replace an earlier's."""
    merged: dict[str, Any] = {}
    figures: dict[tuple[str, str, str], Figure] = {}
    breakdowns: dict[str, Breakdown] = {}
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        for each in data["figures"]:
            figure = Figure(**{name: value for name, value in each.items() if name not in {"ratio", "met"}})
            figures[figure.key] = figure
        for each in data["breakdowns"]:
            breakdowns[each["page"]] = Breakdown(
                **{**each, "functions": tuple(map(tuple, each["functions"]))}
            )
        merged |= data
    results = Results(list(figures.values()), list(breakdowns.values()), merged["skipped"])
    return results, merged["machine"]


def keep(results: Results, machine: str) -> tuple[Results, str]:
    """Put what was measured in the place of what was measured before, and give all of it."""
    with TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.json"
        write_json(fresh, results, machine)
        every = read_json([KEPT, fresh] if KEPT.exists() else [fresh])
    write_json(KEPT, *every)
    return every


def write_docs(results: Results, machine: str) -> None:
    """docs/benchmarks.md and its chart."""
    (DOCS / "images").mkdir(parents=True, exist_ok=True)
    bars = [
        Bar(f"{one.measure}, {one.page}", f"{one.shown_ratio} (goal {one.shown_goal})", _score(one))
        for one in _sorted(results.figures)
        if one.theirs and one.kind in {"faster", "share"}
    ]
    (DOCS / CHART).write_text(render_chart(bars, "How far each figure is from its goal"), encoding="utf-8")
    text = "\n".join(_document(results, machine))
    (DOCS / "benchmarks.md").write_text(text.rstrip() + "\n", encoding="utf-8")


def _document(results: Results, machine: str) -> Iterator[str]:
    figures = with_derived(results.figures)
    met = sum(figure.met for figure in figures)
    yield f"""# Benchmarks

`make bench BENCH_ARGS=--write-docs` writes this page; `--only` measures a part anew and keeps the rest.
Last written on {datetime.now(UTC):%Y-%m-%d}. Machine: {machine}.

skillbook and Playwright drive the same tabs of the same browser. Both are timed in turns; the first round isn't
counted, and the table has medians. Compare the ratios: milliseconds depend on the machine and its load. A full
snapshot is the first one of a newly loaded document; by then the page has loaded and Playwright has found an element
in it. Tokens are counted with the `o200k_base` tokenizer.

**{met} of {len(figures)} figures reach their goal.**

![How far each figure is from its goal]({CHART})

| figure | page | skillbook | peer | ratio | goal | |
|---|---|---:|---:|---:|---:|---|"""
    for one in _sorted(figures):
        peer = (
            ""
            if one.theirs is None
            else f"{one.show(one.theirs)}{'' if one.peer == 'Playwright' else f' ({one.peer})'}"
        )
        yield (
            f"| {one.measure} | {one.page} | {one.show(one.ours)} | {peer} | {one.shown_ratio} | {one.shown_goal} |"
            f" {'met' if one.met else '**missed**'} |"
        )
    yield from _missed(figures, results)
    if results.breakdowns:
        yield """
## Where a full snapshot's time goes

Milliseconds of one call: the walk in the page (by Chrome's profiler, which slows it a little), the rest of the
browser's work (frames queried, messages between the extension's parts), the wire (socket, JSON, validation,
journal), and the join to a `Snapshot` in Python.

| page | total | script | browser | wire | join | MB | of the walk, by DOM function (ms) |
|---|---:|---:|---:|---:|---:|---:|---|"""
        for cells in _breakdown_rows(results):
            yield f"| {' | '.join(cells)} |"
    yield from _tool_calls()
    yield from _noted(figures)
    yield """
Agents' runs: a scripted model behind a loopback server plays the tasks with the real OpenAI client. The tasks are on
Django's admin, Python's documentation, Swagger UI, jQuery UI, AG Grid, FullCalendar and Shoelace; all must be solved.
In effective tokens, the beginning that a request shares with the previous one counts a tenth, in blocks of 128 from
1,024 on.
"""


def _tool_calls() -> Iterator[str]:
    """The sums of `make bench-tools`, which writes a page of its own."""
    written = (DOCS / TOOL_CALLS).read_text(encoding="utf-8").splitlines()
    table = [
        line for line in takewhile(lambda line: not line.startswith("## "), written) if line.startswith("|")
    ]
    yield f"""
## Tool calls

The same five tasks by our tools and by other servers, without a model: characters that a model reads and writes. Tasks,
conditions and each task's row: [{TOOL_CALLS}]({TOOL_CALLS}).
"""
    yield from table


def _missed(figures: Sequence[Figure], results: Results) -> Iterator[str]:
    yield "\n## What was missed, and why\n"
    missed = [figure for figure in _sorted(figures) if not figure.met]
    for one in missed:
        why = reason(one, results.breakdowns)
        note = f" Seen: {_cell(one.note)}." if one.note else ""
        yield f"- **{one.measure}, {one.page}** ({one.shown_ratio}, goal {one.shown_goal}): {why}{note}"
    if not missed:
        yield "Nothing."
    for what, why in results.skipped.items():
        yield f"- **Not measured: {what}.** {_cell(why)}"


def _noted(figures: Sequence[Figure]) -> Iterator[str]:
    noted = [one for one in _sorted(figures) if one.met and one.note]
    if noted:
        yield "\n## Notes\n"
        for one in noted:
            yield f"- {one.measure}, {one.page}: {_cell(one.note)}"


def _breakdown_rows(results: Results) -> Iterator[list[str]]:
    for one in results.breakdowns:
        functions = ", ".join(f"{name} {value:.1f}" for name, value in one.functions)
        times = [f"{value:.1f}" for value in (one.total, one.script, one.browser, one.wire, one.join)]
        yield [one.page, *times, f"{one.megabytes:.2f}", functions]


def _sorted(figures: Sequence[Figure]) -> list[Figure]:
    first = {name: place for place, name in reversed(list(enumerate(one.measure for one in figures)))}
    return sorted(figures, key=lambda one: first[one.measure])


def _score(one: Figure) -> float:
    if one.kind == "faster":
        return one.ratio / one.goal
    return one.goal / one.ratio if one.ratio else 50.0


def _cell(text: str) -> str:
    """Text of a page or an error, harmless in Markdown."""
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")

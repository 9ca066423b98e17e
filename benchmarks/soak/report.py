"""The soak's report: docs/soak.md with a chart."""

from __future__ import annotations

import os
import platform
import time
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import median

from benchmarks.soak.runner import Soak
from benchmarks.soak.verdict import RECOVERY_GOAL, p95

DOCS = Path(__file__).resolve().parents[2] / "docs"
_WIDTH, _HEIGHT, _LEFT, _TOP = 860, 190, 70, 34


def write_report(soak: Soak, command: str, folder: Path = DOCS) -> None:
    """Write the page and its chart into a folder of documents."""
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "soak.svg").write_text(render_soak(soak), encoding="utf-8")
    (folder / "soak.md").write_text(text_of(soak, command), encoding="utf-8")


def text_of(soak: Soak, command: str) -> str:
    """The report as Markdown."""
    story = soak.story
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, seconds in story.recoveries:
        by_kind[kind].append(seconds)
    lines = [
        "# Soak",
        "",
        f"Written by `{command}` on {time.strftime('%Y-%m-%d')}. Machine: {os.cpu_count()} cores,"
        f" {platform.system()}. {story.actions:,} mixed actions in {story.elapsed / 60:.0f} minutes on a page that"
        f" keeps changing, with {len(story.recoveries)} faults brought about while an action was under way.",
        "",
        "The site's server counts what reached the page; a counter in front of the bridge counts what was sent."
        " Neither relies on the browser or the journal.",
        "",
        "| what | found | wanted | |",
        "|---|---:|---:|---|",
        *(
            f"| {each.what} | {each.found} | {each.wanted} | {'met' if each.met else '**missed**'} |"
            for each in soak.findings
        ),
        "",
        "![Memory and recovery over the soak](images/soak.svg)",
        "",
        "## Recovery",
        "",
        "Time from the fault's end until the page was read again, with a user's means: a crashed tab is reloaded.",
        "",
        "| fault | times | median | 95th percentile | longest |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {kind} | {len(found)} | {median(found):.2f} s | {p95(found):.2f} s | {max(found):.2f} s |"
            for kind, found in by_kind.items()
        ),
        "",
        "## Answers",
        "",
        "| answer | times |",
        "|---|---:|",
        *(f"| `{code}` | {count} |" for code, count in story.answers.most_common()),
        "",
        "## Actions",
        "",
        "| action | times |",
        "|---|---:|",
        *(f"| {name} | {count} |" for name, count in story.commands.most_common()),
        "",
    ]
    return "\n".join(lines)


def render_soak(soak: Soak) -> str:
    """Two charts, one above the other: memory over the actions, and each fault's recovery."""
    memory = soak.story.memory
    last = max([number for number, *_ in memory], default=1)
    mega = 2**20
    lines = [
        ("kernel, MB", "#1f6fb2", [(number, kernel / mega) for number, kernel, _, _ in memory]),
        ("browser, MB ÷ 10", "#888888", [(number, browser / mega / 10) for number, _, browser, _ in memory]),
        ("worker's heap, MB × 10", "#c8442e", [(number, heap / mega * 10) for number, _, _, heap in memory]),
    ]
    top = max([value for _, _, points in lines for _, value in points], default=1) * 1.1
    step = last / max(1, len(soak.story.recoveries))
    recoveries = [((index + 1) * step, seconds) for index, (_, seconds) in enumerate(soak.story.recoveries)]
    high = max([RECOVERY_GOAL * 1.1, *(seconds for _, seconds in recoveries)])
    below = _TOP + _HEIGHT + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + 20} {below + _HEIGHT + 40}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Memory and recovery over the soak</title>",
        f'<rect width="{_WIDTH + 20}" height="{below + _HEIGHT + 40}" fill="#fff"/>',
        _axes(_TOP, "Memory", top, last),
    ]
    for number, (name, color, points) in enumerate(lines):
        path = " ".join(_at(x / last, y / top, _TOP) for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<text x="{200 + 180 * number}" y="20" fill="{color}">{escape(name)}</text>')
    parts.append(_axes(below, "Recovery, seconds", high, last))
    goal = _at(0, RECOVERY_GOAL / high, below).split(",")[1]
    parts.append(
        f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{goal}" y2="{goal}" stroke="#c8442e" stroke-dasharray="4"/>'
    )
    for x, y in recoveries:
        cx, cy = _at(x / last, y / high, below).split(",")
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="2" fill="#1f6fb2"/>')
    return "\n".join([*parts, "</svg>", ""])


def _at(x: float, y: float, top: int) -> str:
    return f"{_LEFT + (_WIDTH - _LEFT) * x:.1f},{top + _HEIGHT * (1 - y):.1f}"


def _axes(top: int, title: str, high: float, last: int) -> str:
    marks: Sequence[tuple[float, str]] = [(0, "0"), (0.5, f"{high / 2:.1f}"), (1, f"{high:.1f}")]
    parts = [f'<text x="12" y="{top - 14}" font-weight="bold">{escape(title)}</text>']
    for part, text in marks:
        y = top + _HEIGHT * (1 - part)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    parts.append(f'<text x="{_WIDTH}" y="{top + _HEIGHT + 16}" text-anchor="end">{last:,} actions</text>')
    return "\n".join(parts)

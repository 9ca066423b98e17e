"""`python -m benchmarks.skills`: run the trials and the triples, and write the table."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import skillbook as sb
from benchmarks.skills.recall import Recall, measure_recall
from benchmarks.skills.sites import Sites
from benchmarks.skills.trials import Tried, run_trials, temporary_folder

PAGE = Path(__file__).resolve().parents[2] / "docs/builtin_skills_measured.md"
_GOAL = 0.95


def report(tried: Sequence[Tried], recalled: Sequence[Recall]) -> str:
    """The page."""
    tried = [one for one in tried if one.ending != "not installed"]
    recalled = [one for one in recalled if not one.skipped]
    right, wrong = sum(one.right for one in tried), sum(one.ending == "WRONG" for one in tried)
    found = Counter(one.found for one in recalled)
    apps = sorted({one.trial.app.removesuffix("-login") for one in tried})
    reached = (found["summary"] + found["query"]) / max(len(recalled), 1)
    lines = [
        "# Built-in skills, measured",
        "",
        f"Written by `make skills` on {date.today()}. Third-party applications as installed, "
        f"without a model: {', '.join(apps)}.",
        "",
        f"**{right} of {len(tried)} trials on {len(apps)} applications end as they should; {wrong} report success for "
        "an effect that didn't happen.** If a page can't do a task, a refusal is right.",
        "",
        "| application | skill | what | ended | |",
        "|---|---|---|---|---|",
    ]
    for one in tried:
        shown = {name: value for name, value in one.trial.params.items() if name != "password"}
        what = ", ".join(f"{name}={value!r}" for name, value in shown.items()).replace("|", "\\|")
        lines.append(
            f"| {one.trial.app} | {one.trial.skill} | {what} | {one.ending} | {'' if one.right else '**missed**'} |"
        )
    lines += [
        "",
        "## What a task needs next",
        "",
        f"For {len(recalled)} hand-written triples of page, task's words and control, the control is in the summary's "
        f"text for {found['summary']}, else in the first five of `query` with the task's words for {found['query']}: "
        f"**{reached:.1%}** (goal {_GOAL:.0%}). Missed:",
        "",
        *[
            f"- {one.wanted.app} {one.wanted.path}: {one.wanted.words!r}"
            for one in recalled
            if one.found not in {"summary", "query"}
        ],
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skills")
    parser.add_argument("--only", default="", help="one application's trials; nothing is written")
    only = parser.parse_args().only
    os.chdir(tempfile.mkdtemp(prefix="skillbook-downloads-"))
    with sb.launch(headless=True) as browser, Sites(temporary_folder()) as sites:
        tried = run_trials(browser, sites, only)
        for one in tried:
            print(one.trial.app, one.trial.skill, dict(one.trial.params), one.ending, one.said[:200])
        if only:
            return 0
        text = report(tried, measure_recall(browser, sites))
    PAGE.write_text(text, encoding="utf-8")
    return int(any(one.ending == "WRONG" for one in tried))


if __name__ == "__main__":
    raise SystemExit(main())

"""An evaluation as a file: HTML with a chart and every attempt, all page text escaped; and JUnit's XML, for CI."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

import pandas as pd

from skillbook.evals.attempt import Attempt

_WIDTH, _LABEL, _ROW = 640, 200, 22
_STYLE = """body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;
color-scheme:light dark}
table{border-collapse:collapse;margin:1rem 0}th,td{border-bottom:1px solid #8884;padding:.3rem .6rem;text-align:left;
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}.no{color:#c22}summary{cursor:pointer}
pre{white-space:pre-wrap;overflow-wrap:anywhere}@media(prefers-color-scheme:dark){.no{color:#f77}}"""


class Evaluated(Protocol):
    """What a report needs to know of an evaluation."""

    name: str
    attempts: list[Attempt]
    planned: int

    @property
    def interrupted(self) -> bool:
        """Whether attempts are missing."""
        ...

    @property
    def by_task(self) -> pd.DataFrame:
        """The means of each task."""
        ...

    def interval(self) -> tuple[float, float]:
        """Within which share of passed attempts the target lies."""
        ...


@dataclass(frozen=True)
class Plot:
    """A chart of what passed, by task.

    by_task: as `Evaluation.by_task` gives it.
    """

    by_task: pd.DataFrame

    @property
    def svg(self) -> str:
        """The chart: one bar a task, and beside it steps and seconds."""
        bars = [
            _bar(at, str(task), row["passed"], f"{row['steps']:.1f} steps, {row['seconds']:.1f} s")
            for at, (task, row) in enumerate(self.by_task.iterrows())
        ]
        height = _ROW * len(bars) + 8
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" '
            f'font-family="system-ui,sans-serif" font-size="12" fill="currentColor">'
            f"<title>Share of attempts that passed, by task</title>{''.join(bars)}</svg>"
        )

    def __repr__(self) -> str:
        return self.by_task[["passed", "steps", "seconds"]].round(2).to_string()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "image/svg+xml": self.svg}


def _bar(at: int, task: str, passed: float, took: str) -> str:
    top, full = at * _ROW + 4, 240
    label = task if len(task) <= 28 else f"{task[:27]}…"
    return (
        f'<text x="{_LABEL - 8}" y="{top + 12}" text-anchor="end">{escape(label)}</text>'
        f'<rect x="{_LABEL}" y="{top}" width="{full}" height="15" rx="2" fill="#8883"/>'
        f'<rect x="{_LABEL}" y="{top}" width="{full * passed:.1f}" height="15" rx="2" fill="#2a7de1"/>'
        f'<text x="{_LABEL + full + 8}" y="{top + 12}">{passed:.0%}, {escape(took)}</text>'
    )


def cell_html(evaluation: Evaluated) -> str:
    """An evaluation in a notebook: a sentence, the chart, and the attempts that failed."""
    failed = [each for each in evaluation.attempts if not each.passed]
    rows = "".join(
        f"<tr><td>{escape(each.task)}</td><td>{escape(why_failed(each))}</td></tr>" for each in failed[:20]
    )
    table = f"<table><tr><th>failed</th><th>why</th></tr>{rows}</table>" if failed else ""
    chart = Plot(evaluation.by_task).svg if evaluation.attempts else ""
    return f"<p><b>{escape(evaluation.name)}</b>: {escape(headline(evaluation))}</p>{chart}{table}"


def report_html(evaluation: Evaluated) -> str:
    """The whole page."""
    title = escape(f"Evaluation of {evaluation.name}")
    attempts = "".join(map(_attempt, evaluation.attempts))
    chart = Plot(evaluation.by_task).svg if evaluation.attempts else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1><p>{escape(headline(evaluation))}</p>{chart}<h2>Attempts</h2><table><tr><th>task<th>passed"
        f"<th>scores<th>steps<th>s<th>tokens<th>$<th>asked<th>unasked<th>answer</tr>{attempts}</table></html>\n"
    )


def headline(evaluation: Evaluated) -> str:
    """What passed, in one sentence."""
    good = sum(each.passed for each in evaluation.attempts)
    low, high = evaluation.interval() if evaluation.attempts else (float("nan"), float("nan"))
    sure = f" (95 %: {low:.0%} to {high:.0%} of tasks like these)" if low == low else ""
    rest = f"; interrupted, {evaluation.planned} were planned" if evaluation.interrupted else ""
    return f"{good} of {len(evaluation.attempts)} attempts passed{sure}{rest}."


def _attempt(each: Attempt) -> str:
    name = each.task if each.repetition == 1 else f"{each.task} ({each.repetition})"
    scores = ", ".join(f"{score} {value:.2f}" for score, value in each.scores.items())
    usd = "?" if each.usd is None else f"{each.usd:.4f}"
    calls = "\n".join(
        f"{call['tool']} {json.dumps(call['args'], ensure_ascii=False, default=str)}" for call in each.calls
    )
    steps = f"<details><summary>calls</summary><pre>{escape(calls)}</pre></details>" if calls else ""
    words = (
        escape(each.answer[:600]) + (f'<p class="no">{escape(each.error)}</p>' if each.error else "") + steps
    )
    numbers = (each.steps, f"{each.seconds:.1f}", each.tokens, usd, each.asked, each.unasked)
    cells = "".join(f'<td class="n">{number}</td>' for number in numbers)
    mark = "yes" if each.passed else '<span class="no">no</span>'
    return f"<tr><td>{escape(name)}</td><td>{mark}</td><td>{escape(scores)}</td>{cells}<td>{words}</td></tr>"


def why_failed(attempt: Attempt) -> str:
    """Its error, or the scores that are less than 1."""
    missing = ", ".join(f"{name} {score:.2f}" for name, score in attempt.scores.items() if score < 1)
    return attempt.error or missing


_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML can't have, which pages may."""


def junit_xml(name: str, attempts: Sequence[Attempt]) -> str:
    """One test case for each attempt: a failure where a score is missing, an error where it broke off."""
    cases = "".join(_case(name, each) for each in attempts)
    errors = sum(bool(each.error) for each in attempts)
    failures = sum(not each.passed and not each.error for each in attempts)
    seconds = sum(each.seconds for each in attempts)
    head = f'tests="{len(attempts)}" failures="{failures}" errors="{errors}" time="{seconds:.3f}"'
    suite = f"<testsuite name={_attribute(name)} {head}>\n{cases}</testsuite>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {head}>\n{suite}\n</testsuites>\n'


def _case(name: str, attempt: Attempt) -> str:
    title = attempt.task if attempt.repetition == 1 else f"{attempt.task} ({attempt.repetition})"
    head = f'<testcase classname={_attribute(name)} name={_attribute(title)} time="{attempt.seconds:.3f}"'
    if attempt.passed:
        return f"{head}/>\n"
    if attempt.error:
        return f"{head}><error message={_attribute(attempt.error)}/></testcase>\n"
    missing = ", ".join(f"{score} {value:.2f}" for score, value in attempt.scores.items() if value < 1)
    body = escape_xml(_clean(attempt.answer))
    return f"{head}><failure message={_attribute(missing)}>{body}</failure></testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)

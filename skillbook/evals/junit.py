"""An evaluation as JUnit's XML, for CI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from skillbook.evals.attempt import Attempt

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
    body = escape(_clean(attempt.answer))
    return f"{head}><failure message={_attribute(missing)}>{body}</failure></testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)

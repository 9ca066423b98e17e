"""When a run asks a person to look, since nothing that it does works."""

from __future__ import annotations

import pytest

from skillbook.agents.review.person_help import find_failures
from skillbook.agents.state.step_records import StepRecord


def steps(*errors: str | None) -> list[StepRecord]:
    return [
        StepRecord(number, "click", {}, f"call-{number}", "write", "auto", error=error)
        for number, error in enumerate(errors, 1)
    ]


def test_six_failed_calls_in_a_row_are_a_reason_to_look() -> None:
    found = find_failures(steps(*["stale_ref"] * 6))
    assert found is not None
    assert found.kind == "failure"


@pytest.mark.parametrize("last", [None, "not_sent"])
def test_a_call_that_worked_and_a_request_that_the_person_refused_are_none(last: str | None) -> None:
    assert find_failures(steps(*["stale_ref"] * 5, last)) is None
    assert find_failures(steps(*["not_sent"] * 6)) is None

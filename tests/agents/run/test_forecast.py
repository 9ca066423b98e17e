from __future__ import annotations

from typing import Any

import pytest

from skillbook.agents.run.run_tables import Forecast, forecast_of
from skillbook.agents.run.run_view import run_view
from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.state.tasks import TaskList
from skillbook.errors import BudgetExceeded
from tests.agents.steps import LOOK


def made(*tokens: int, cost: float | None = 0.5) -> list[StepRecord]:
    return [
        StepRecord(index=number, tool="look", args={}, call_id=str(number), tokens=each, cost=cost)
        for number, each in enumerate(tokens, 1)
    ]


def tasks(*statuses: str) -> TaskList:
    listed = TaskList()
    listed.merge([{"id": n, "title": f"t{n}", "status": status} for n, status in enumerate(statuses, 1)])
    return listed


def test_nothing_is_forecast_before_a_step() -> None:
    assert forecast_of([], TaskList(), 50) is None


def test_without_tasks_the_limit_of_steps_is_the_most_to_expect() -> None:
    forecast = forecast_of(made(9000, 100, 200, 300), TaskList(), 10)
    assert forecast == Forecast(200, 0.5, 6)
    assert (forecast.tokens, forecast.usd) == (1200, 3.0)
    assert str(forecast) == (
        "a step takes about 200 tokens, the 6 steps that it may still make about 1,200 tokens ($3.0000)"
    )


def test_tasks_that_are_done_tell_what_those_left_will_take() -> None:
    forecast = forecast_of(made(100, 100, cost=None), tasks("completed", "executing", "pending"), 50)
    assert forecast == Forecast(100, None, 4, 2)
    assert str(forecast) == "a step takes about 100 tokens, the 2 tasks left about 400 tokens"


def test_a_budget_of_tokens_ends_the_run_before_the_answer_that_exceeds_it(bench: Any) -> None:
    run = bench.run([*[LOOK] * 40, "done"], autonomy="all", budget_tokens=1600)
    with pytest.raises(
        BudgetExceeded, match=r"of its budget of 1,600 tokens, and the next answer would take about"
    ):
        run.run()
    assert run.cost.calls >= 1
    assert run.cost.tokens <= 1600
    assert run_view(run).budget_tokens == 1600
    run.budget_tokens = None
    assert run.run().status == "succeeded"


def test_the_run_says_what_is_to_be_expected(bench: Any) -> None:
    run = bench.run([LOOK, LOOK, "done"], autonomy="reads", max_steps=9)
    assert run.forecast is None
    run.step()
    assert run.forecast.steps == 8
    assert f"about {run.forecast.step_tokens:,} tokens" in repr(run)
    assert run_view(run).forecast == str(run.forecast)
    run.run()
    assert "expected" not in repr(run)

"""MiniWoB++ tasks through the agent's tools; the task's own reward says whether they were solved."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.testing.site import Site
from tests.integration.solvers import TASKS, model_of
from tests.shown import after_reading

pytestmark = pytest.mark.gym

BEGIN = "core.EPISODE_MAX_TIME = 1e8, Math.seedrandom('{seed}'), core.startEpisodeReal(), core.getUtterance()"


@pytest.mark.parametrize(("task", "seed"), [(task, "37"[n % 2]) for n, task in enumerate(TASKS)])
def test_the_tasks_own_reward_is_one(
    miniwob: Site, open_page: Callable[[str], Page], task: str, seed: str
) -> None:
    page = open_page(f"{miniwob.url}/miniwob/{task}.html")
    utterance = page.evaluate(BEGIN.format(seed=seed))
    run = sb.agent(page, utterance, model=model_of(TASKS[task], utterance), autonomy="all")
    run.run()
    while run.pending:
        after_reading(run).approve()
    assert page.evaluate("WOB_RAW_REWARD_GLOBAL") == 1, run.steps.to_string()

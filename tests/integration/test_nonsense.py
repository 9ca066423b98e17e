"""An agent that makes no sense: whatever it calls, nothing breaks and nothing is sent that nobody allowed."""

from __future__ import annotations

import pytest

import skillbook as sb
from skillbook.evals import Attempt
from skillbook.session.sync import Browser
from skillbook.testing import NonsenseModel


def speak(browser: Browser, site: str, steps: int, seed: int) -> Attempt:
    cookies = {"shop": {"user": "demo", "cart": "143x1"}, "portal": {"user": "harbour"}}[site]
    task = {
        "name": "nonsense",
        "goal": "Say anything.",
        "start": {"site": site, "cookies": cookies},
        "autonomy": "reads",
        "budget": {"steps": steps, "seconds": 600},
        "expected": {"sends": []},
    }
    model = NonsenseModel(seed=seed)
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
    check(browser, speak(browser, "shop", 12, seed=4), 12)


@pytest.mark.soak
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("site", ["shop", "portal"])
def test_two_hundred_steps_of_nonsense_break_nothing(browser: Browser, site: str) -> None:
    check(browser, speak(browser, site, 200, seed=1), 200)

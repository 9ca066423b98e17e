"""One question about one act is asked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from skillbook.limits import MOMENT_SECONDS
from skillbook.session.page.page_rest import Looking, PageRest, Settled


class Asked:
    """A page that answers, and keeps what it was asked."""

    def __init__(self, *, script: bool = True) -> None:
        self.questions: list[str] = []
        self.script = script
        self.url = "http://site.test/"
        self.rest = PageRest(self.answer, lambda: self.url)

    async def answer(self, params: dict[str, Any], seconds: float) -> Mapping[str, Any]:
        self.questions.append(f"{params['need']} of {params['since']}")
        return {"state": "rest", "waiting": [], "never": [], "waited_ms": 1, "script": self.script}


async def test_the_answers_of_an_act_are_asked_for_once() -> None:
    page = Asked()
    page.rest.begin()
    page.rest.begun("7")
    for _ in range(3):
        assert (await page.rest.settled("answers", 3)).state == "rest"
    await page.rest.settled("rest", 5)
    assert page.questions == ["answers of 7", "rest of None"]
    page.rest.begin()
    page.rest.begun("8")
    await page.rest.settled("answers", 3)
    assert page.questions[-1] == "answers of 8"


async def test_they_are_asked_for_again_elsewhere_or_where_nothing_marks_causes() -> None:
    page = Asked()
    page.rest.begun("7")
    await page.rest.settled("answers", 3)
    page.url = "http://site.test/next"
    await page.rest.settled("answers", 3)
    assert page.questions == ["answers of 7"] * 2
    page = Asked(script=False)
    page.rest.begun("7")
    for _ in range(2):
        await page.rest.settled("answers", 3)
    assert page.questions == ["answers of 7"] * 2


async def test_what_was_waited_for_in_vain_is_not_waited_for_after_later_acts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Asked()
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)

    async def wait_in_vain(params: dict[str, Any], seconds: float) -> Mapping[str, Any]:
        nonlocal now
        now += seconds
        return {**await page.answer(params, seconds), "state": "waiting"}

    page.rest = PageRest(wait_in_vain, lambda: page.url)
    await page.rest.settled("rest", 5)
    page.rest.begin()
    page.rest.begun("7")
    await page.rest.settled("rest", 3)
    page.rest.begin()
    page.rest.begun("8")
    for budget in (3, 5, 8):
        await page.rest.settled("rest", budget)
        page.rest.begin()
        page.rest.begun(None)
    # a longer time than any so far may be enough
    assert page.questions[1:] == ["rest of 7", "rest of 8", "rest of 7", "rest of None"]


class Standing:
    """A page that stays as it is."""

    def __init__(self, answer: Settled) -> None:
        self.answer = answer
        self.waited = 0.0

    async def settled(self, need: str, seconds: float) -> Settled:
        return self.answer

    async def changed_since(self, snapshot: object, seconds: float) -> Literal[False]:
        self.waited = seconds
        return False


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (Settled("rest"), True),
        (Settled("rest", is_pushed=True), False),
        (Settled("never", never=("a timer",)), False),
        (Settled("waiting"), False),
        (Settled("rest", script=False), False),
    ],
    ids=["at rest", "pushed", "repeated", "waiting", "unknown"],
)
async def test_what_a_page_at_rest_does_not_show_will_not_come(answer: Settled, stays: bool) -> None:
    page: Any = Standing(answer)
    assert not await Looking(page, 9).more_comes(page)
    assert (page.waited <= MOMENT_SECONDS) is stays

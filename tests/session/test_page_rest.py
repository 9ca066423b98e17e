"""One question about one act is asked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbook.session.page.page_rest import PageRest


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

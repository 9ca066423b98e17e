"""How long a page is looked at for something that isn't there."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.limits import ANSWER_SECONDS, CAUSE_SECONDS
from skillbook.session.page.page_rest import Looking, Settled


class Quiet:
    """A page that never changes."""

    def __init__(self, *answers: Settled) -> None:
        self.answers = list(answers)
        self.waited: list[float] = []

    async def snapshot(self) -> Any:
        raise NotImplementedError

    async def settled(self, need: str = "rest", seconds: float | None = None) -> Settled:
        return self.answers.pop(0)

    async def changed_since(self, snapshot: Any, seconds: float) -> bool:
        self.waited.append(seconds)
        return False


REST, WAITING = Settled("rest"), Settled("waiting", waiting=("POST /search",))


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (REST, ANSWER_SECONDS),
        (Settled("never", never=("an interval of 1 s",)), ANSWER_SECONDS),
        (WAITING, CAUSE_SECONDS),
        (Settled("rest", script=False), CAUSE_SECONDS),
    ],
)
async def test_a_page_at_rest_is_looked_at_for_as_long_as_a_push_may_take(
    answer: Settled, seconds: float
) -> None:
    page = Quiet(answer)
    assert not await Looking(page, CAUSE_SECONDS).comes(None)  # type: ignore[arg-type]
    assert page.waited == [pytest.approx(seconds, abs=0.5)]


async def test_the_time_of_pushes_counts_from_the_rest_and_anew_after_more_was_caused() -> None:
    page = Quiet(REST, REST, WAITING, REST)
    looking = Looking(page, CAUSE_SECONDS)
    for _ in range(4):
        await looking.comes(None)  # type: ignore[arg-type]
    first, second, third, last = page.waited
    assert second < first <= ANSWER_SECONDS < third
    assert second < last <= ANSWER_SECONDS

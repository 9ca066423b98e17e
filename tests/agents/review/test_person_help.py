"""That a person has done what the run waited for is noticed by the last thing that they did."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from skillbook.agents.review.person_help import PersonHelp
from skillbook.errors import SkillbookError
from tests.trees import snapshot

WALL = snapshot('main\n  checkbox "I\'m not a robot" + box=0,0,20,20')
BEYOND = snapshot('main\n  link "Orders" + box=0,0,20,20')


class Tab:
    """A page that comes to rest when the test says so."""

    def __init__(self) -> None:
        self.latest = WALL
        self.looks = 0
        self.rests: list[asyncio.Future[None]] = []
        self.came: asyncio.Event = asyncio.Event()

    async def settled(self, *_: Any) -> None:
        rest: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rests.append(rest)
        self.came.set()
        await rest

    async def snapshot(self) -> Any:
        self.looks += 1
        return self.latest

    async def rest(self, error: Exception | None = None) -> None:
        """Come to rest once somebody waits for it."""
        await self.came.wait()
        self.came.clear()
        rest = self.rests.pop()
        if error is None:
            rest.set_result(None)
        else:
            rest.set_exception(error)


async def helping(acts: Callable[[Tab, PersonHelp], Any]) -> tuple[Tab, PersonHelp]:
    tab = Tab()
    told = asyncio.Event()
    help = PersonHelp(tab, "Read my orders", told.set)
    await acts(tab, help)
    assert help._looking is not None
    await asyncio.wait_for(help._looking, 5)
    assert told.is_set() is help.noticed
    return tab, help


def test_what_is_done_during_a_look_is_looked_at_too() -> None:
    async def acts(tab: Tab, help: PersonHelp) -> None:
        help.look()
        await tab.came.wait()
        help.look()
        await tab.rest()
        await tab.came.wait()
        tab.latest = BEYOND
        await tab.rest()

    tab, help = asyncio.run(helping(acts))
    assert help.noticed
    assert tab.looks == 2


def test_a_page_on_its_way_elsewhere_is_looked_at_when_it_is_there() -> None:
    async def acts(tab: Tab, help: PersonHelp) -> None:
        help.look()
        tab.latest = BEYOND
        await tab.rest(SkillbookError("the document went away"))
        await tab.rest()

    _, help = asyncio.run(helping(acts))
    assert help.noticed


def test_a_page_that_cannot_be_read_is_left_alone() -> None:
    async def acts(tab: Tab, help: PersonHelp) -> None:
        help.look()
        for _ in range(3):
            await tab.rest(SkillbookError("the tab was closed"))

    _, help = asyncio.run(helping(acts))
    assert not help.noticed

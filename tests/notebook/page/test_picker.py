"""Pointing in the real page for a call that waits: one at a time, and only where a person sees the page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from skillbook.errors import CommandTimeout
from skillbook.notebook.page.run_source import Picked, Picker
from tests.session.conftest import rig

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver
    from tests.session.rig import Rig

__all__ = ["rig"]


@pytest.fixture
async def page(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> PageDriver:
    opened = await rig.open()
    await opened.snapshot()
    return opened


def first_number(page: PageDriver) -> int:
    assert page.latest is not None
    return next(int(node.ref[1:]) for node in page.latest.nodes if node.ref)


async def until_over(picker: Picker) -> None:
    over = asyncio.Event()
    picker._changed = lambda: None if picker.waits_for else over.set()
    await asyncio.wait_for(over.wait(), 5)


async def test_what_is_pointed_at_belongs_to_the_question(rig: Rig, page: PageDriver) -> None:
    number = first_number(page)
    rig.extension.handlers["pick"] = lambda params, tab: {"frame": 0, "path": [999, number]}
    picker = Picker(lambda: page, lambda: None)
    picker.begin("q1")
    await until_over(picker)
    assert picker.picked == Picked("q1", 1, f"e{number}")
    picker.begin("q1")
    await until_over(picker)
    assert picker.picked == Picked("q1", 2, f"e{number}")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"frame": 0, "path": []}, ""),
        (CommandTimeout("too slow"), "Nothing was pointed at in the page."),
        ({"frame": 0, "path": [999]}, "What was pointed at has gone."),
    ],
)
async def test_without_an_element_nothing_is_picked(
    rig: Rig, page: PageDriver, answer: Any, problem: str
) -> None:
    def pick(params: Any, tab: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    rig.extension.handlers["pick"] = pick
    picker = Picker(lambda: page, lambda: None)
    picker.begin("q1")
    await until_over(picker)
    assert picker.picked is None
    assert picker.problem == problem


async def test_another_question_or_an_answer_ends_it(rig: Rig, page: PageDriver) -> None:
    begun: list[str] = []
    never = asyncio.Event()

    async def pick(params: Any, tab: Any) -> Any:
        begun.append(params["text"])
        await never.wait()

    rig.extension.handlers["pick"] = pick
    picker = Picker(lambda: page, lambda: None)
    picker.begin("q1")
    picker.begin("q1")
    picker.begin("q2")
    assert picker.waits_for == "q2"
    picker.end()
    assert picker.waits_for == ""
    picker.end()


async def test_a_page_that_nobody_sees_is_left_alone(
    rig: Rig, page: PageDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(page.browser), "has_window", property(lambda _: False))
    picker = Picker(lambda: page, lambda: None)
    picker.begin("q1")
    assert picker.waits_for == ""

"""Pointing: the last wish wins, and what is gone is passed over."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from skillbook.errors import StaleRef
from skillbook.notebook.page.remote_input import Pointer
from skillbook.session.page_driver import PageDriver


class Page:
    """Notes what is outlined; each outline takes until `go` is set."""

    def __init__(self) -> None:
        self.closed: str | None = None
        self.shown: list[list[str]] = []
        self.go = asyncio.Event()
        self.go.set()

    async def run(self, command: str, params: dict[str, Any]) -> None:
        assert command == "highlight"
        self.shown.append(params["refs"])
        await self.go.wait()
        if params["refs"] == ["e9"]:
            raise StaleRef("e9 is gone", ref="e9")


async def settle(pointer: Pointer) -> None:
    assert pointer._going is not None
    await asyncio.wait_for(pointer._going, 5)


def pointer_at(page: Page) -> Pointer:
    return Pointer(lambda: cast("PageDriver", page))


async def test_of_quick_changes_the_last_is_carried_out() -> None:
    page = Page()
    pointer = pointer_at(page)
    page.go.clear()
    pointer.point("e1")
    await asyncio.sleep(0)
    for ref in ("e2", "e3", "e4"):
        pointer.point(ref)
    page.go.set()
    await settle(pointer)
    assert page.shown == [["e1"], ["e4"]]


async def test_leaving_clears_once() -> None:
    page = Page()
    pointer = pointer_at(page)
    for ref in ("f1e2", None, None):
        pointer.point(ref)
        await settle(pointer)
    assert page.shown == [["f1e2"], []]


@pytest.mark.parametrize("strange", ["<b>", "", 7, ["e1"], {"ref": "e1"}])
async def test_what_is_no_ref_is_never_requested(strange: object) -> None:
    page = Page()
    pointer = pointer_at(page)
    pointer.point(strange)
    await settle(pointer)
    assert page.shown == []


async def test_an_element_that_is_gone_ends_nothing() -> None:
    page = Page()
    pointer = pointer_at(page)
    pointer.point("e9")
    await settle(pointer)
    pointer.point("e1")
    await settle(pointer)
    assert page.shown == [["e9"], ["e1"]]


async def test_a_closed_page_is_left_alone() -> None:
    page = Page()
    page.closed = "by the user"
    pointer = pointer_at(page)
    pointer.point("e1")
    await settle(pointer)
    assert page.shown == []

"""Pages made of snapshots: one after the other as one clicks or scrolls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillbook.errors import SkillbookError
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActLog
from skillbook.session.page.page_rest import Need, Settled
from tests.trees import snapshot


class Pages:
    """A source whose every action shows the next snapshot."""

    def __init__(self, *texts: str | SkillbookError, same_document: bool = False) -> None:
        self.pages = [
            text
            if isinstance(text, SkillbookError)
            else snapshot(text, key="main" if same_document else f"page{at}", url=f"http://site.test/{at}")
            for at, text in enumerate(texts)
        ]
        self.at = 0
        self.statuses: dict[int, int] = {}  # of pages by number, where it isn't 200
        self.retry_afters: dict[int, float] = {}  # of pages by number, where their answer has such a header
        self.done: list[tuple[str, Any]] = []
        self.acts = ActLog(str)

    @property
    def url(self) -> str:
        return f"http://site.test/{self.at}"

    async def snapshot(self) -> Snapshot:
        page = self.pages[self.at]
        if isinstance(page, SkillbookError):
            raise page
        return page

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        return await self.snapshot()

    async def act(self, command: str, target: Any = None, **params: Any) -> None:
        self.done.append((command, target or params))
        self.at = min(self.at + 1, len(self.pages) - 1)

    async def run(self, command: str, params: Any) -> None:
        if command != "describe":
            await self.act(command, **params)

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        return False

    async def status(self) -> int:
        return self.statuses.get(self.at, 200)

    async def retry_after(self) -> float | None:
        return self.retry_afters.get(self.at)

    async def settled(self, need: Need = "rest", seconds: float | None = None) -> Settled:
        return Settled("rest")


@pytest.fixture
def pages() -> Callable[..., Pages]:
    return Pages


def shop(*items: tuple[str, str], next: str = "", extra: str = "") -> str:
    """A page of products with a way on."""
    cards = "".join(
        f'  generic tag=div.card\n    heading "{name}" level=3\n      link "{name}" + inline href=/p/{name}\n'
        f'    generic tag=div.price\n      "{price}"\n    img "photo" src=/i/{name}.png\n    button "Buy" +\n'
        for name, price in items
    )
    return f"main\n{cards}{extra}" + (f"  {next}\n" if next else "")


@pytest.fixture
def shop_page() -> Callable[..., str]:
    return shop

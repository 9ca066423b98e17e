"""The mixed actions, and the faults among them."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

import skillbook as sb
from benchmarks.soak.faults import Faults
from benchmarks.soak.site import ITEMS
from skillbook.errors import NotConnected, SkillbookError
from skillbook.io_thread import io

ACTION_SECONDS = 5.0
RECOVERY_SECONDS = 60.0
SAMPLE_EVERY = 50

Page = sb.aio.Page


@dataclass
class Expected:
    """How often something may have happened: at least `sure`, at most `sure + unknown`."""

    sure: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass
class Story:
    """What happened in a soak.

    Attributes
    ----------
    answers : how often each outcome came, by the error's code.
    recoveries : kind of fault, and seconds until the page was read again.
    memory : action, kernel's and browser's resident bytes, heap of the extension's worker in bytes.
    """

    actions: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    presses: Expected = field(default_factory=Expected)
    writes: Expected = field(default_factory=Expected)
    recoveries: list[tuple[str, float]] = field(default_factory=list)
    memory: list[tuple[int, int, int, int]] = field(default_factory=list)
    elapsed: float = 0.0


class Driver:
    """Drives one page.

    Parameters
    ----------
    browser, site : the browser, and where the site is.
    faults : what can go wrong.
    seed : of the random choices.
    worker_heap : reads the size of the worker's heap in bytes.
    """

    def __init__(
        self,
        browser: sb.aio.Browser,
        site: str,
        faults: Faults,
        seed: int,
        worker_heap: Callable[[], Awaitable[int]],
    ) -> None:
        self.story = Story()
        self._browser = browser
        self._site = site
        self._faults = faults
        self._random = random.Random(seed)
        self._worker_heap = worker_heap
        self._page: Page | None = None
        self._token = 0
        self._fault: str | None = None
        self._mix: list[tuple[int, str, Callable[[Page], Awaitable[object]]]] = [
            (20, "read", lambda page: page.snapshot()),
            (6, "get", lambda page: page.get("text", "link 'First'")),
            (25, "click", self._press_item),
            (12, "write", self._write),
            (8, "fill", lambda page: page.fill("textbox 'Plain'", self._word(), timeout=ACTION_SECONDS)),
            (5, "type", lambda page: page.type("textbox 'Plain'", self._word(), timeout=ACTION_SECONDS)),
            (4, "press", lambda page: page.press("End", "textbox 'Plain'", timeout=ACTION_SECONDS)),
            (4, "check", lambda page: page.check("checkbox 'Box'", timeout=ACTION_SECONDS)),
            (3, "uncheck", lambda page: page.uncheck("checkbox 'Box'", timeout=ACTION_SECONDS)),
            (4, "select", lambda page: page.select("combobox 'Size'", self._size(), timeout=ACTION_SECONDS)),
            (4, "hover", lambda page: page.hover("link 'Second'", timeout=ACTION_SECONDS)),
            (3, "scroll", lambda page: page.scroll(dy=100)),
            (2, "goto", lambda page: page.goto(f"{self._site}/page/{self._random.randint(1, 2)}")),
        ]

    async def run(self, actions: int, every: int) -> Story:
        """Do so many actions, with a fault under every so manieth."""
        began = time.monotonic()
        kinds = list(self._faults.kinds)
        self._page = await self._open()
        for number in range(1, actions + 1):
            fault = kinds[(number // every - 1) % len(kinds)] if number % every == 0 else None
            await self._one(fault)
            self.story.actions += 1
            if number % SAMPLE_EVERY == 0:
                await self._sample(number)
        self.story.elapsed = time.monotonic() - began
        return self.story

    async def _one(self, fault: str | None) -> None:
        page = await self._living()
        weights, names, steps = zip(*self._mix, strict=True)
        index = self._random.choices(range(len(names)), weights)[0]
        self.story.commands[names[index]] += 1
        self._fault = fault
        action = asyncio.ensure_future(self._answer(steps[index](page)))
        if fault is None:
            await action
            return
        await asyncio.sleep(self._random.uniform(0, 0.02))
        await self._faults.kinds[fault](page)
        began = time.monotonic()
        await self._recover(page, fault)
        self.story.recoveries.append((fault, time.monotonic() - began))
        await action

    async def _answer(self, step: Awaitable[object]) -> None:
        try:
            await step
            self.story.answers["ok"] += 1
        except SkillbookError as error:
            self.story.answers[error.code] += 1

    async def _recover(self, page: Page, fault: str) -> None:
        """Try as a user would, until the page can be read."""
        deadline = time.monotonic() + RECOVERY_SECONDS
        while True:
            try:
                if page.closed:
                    page = self._page = await self._open()
                await page.snapshot(
                    timeout=ACTION_SECONDS, wait=0
                )  # what is measured is no waiting for effects
                return
            except SkillbookError as error:
                if time.monotonic() > deadline:
                    raise
                if error.code == "page_unreachable":
                    await self._reload(page)
                await self._until_connected(deadline)

    async def _reload(self, page: Page) -> None:
        try:
            await page.reload()
        except SkillbookError as error:
            self.story.answers[f"reload: {error.code}"] += 1

    async def _until_connected(self, deadline: float) -> None:
        connected = self._browser.driver.server.connected(max(0.1, deadline - time.monotonic()))
        with suppress(NotConnected):
            await io.wait(connected)

    async def _living(self) -> Page:
        assert self._page is not None
        if self._page.closed:
            self._page = await self._open()
        return self._page

    async def _open(self) -> Page:
        return await self._browser.open(f"{self._site}/page/1")

    async def _press_item(self, page: Page) -> None:
        item = str(self._random.randint(1, ITEMS))
        await self._counted(
            self.story.presses, item, page.click(f"button 'Item {item}'", timeout=ACTION_SECONDS)
        )

    async def _write(self, page: Page) -> None:
        self._token += 1
        token = f"w{self._token}"
        await page.fill("textbox 'Note'", token, timeout=ACTION_SECONDS)
        await self._counted(self.story.writes, token, page.click("button 'Send'", timeout=ACTION_SECONDS))

    async def _counted(self, expected: Expected, key: str, step: Awaitable[object]) -> None:
        # A page that left between its two steps has lost the note; one that crashed may not have reported.
        doubtful = self._fault is not None if expected is self.story.writes else self._fault == "tab crashed"
        try:
            await step
        except SkillbookError as error:
            if error.data.get("sent") is not False:
                expected.unknown[key] += 1
            raise
        (expected.unknown if doubtful else expected.sure)[key] += 1

    def _word(self) -> str:
        return f"word {self._random.randint(1, 999)}"

    def _size(self) -> str:
        return self._random.choice(["small", "medium", "large"])

    async def _sample(self, number: int) -> None:
        process = self._browser.driver.process
        assert process is not None
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        browser = sum(_rss(each) for each in family)
        heap = await self._worker_heap()
        self.story.memory.append((number, psutil.Process().memory_info().rss, browser, heap))


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0

"""Runs watches when they are due, one at a time each, and tells what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from skillbook.agents.review.person_help import find_obstacle
from skillbook.errors import SkillbookError
from skillbook.extraction import extract
from skillbook.limits import MOMENT_SECONDS
from skillbook.perception.escape import counted
from skillbook.serving.runs.served_run import page_of
from skillbook.serving.runs.task_runs import SkillRun
from skillbook.serving.terminal.terminal_run import question_lines
from skillbook.serving.watches.telling import Notify, changed_lines, key_of, known_after, plain, tell
from skillbook.serving.watches.watch import Watch, WatchStore
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver
from skillbook.skill.facade import Skill
from skillbook.skill.library import load_skill

Tell = Callable[[Sequence[Notify], str, str], list[str]]
_INTERRUPTED = (
    "it was interrupted in the middle, and may have done a part of what it does: look, and run it yourself if it is to "
    "go on; it isn't done again by itself before its next time"
)


@dataclass(frozen=True)
class Reading:
    """What a run gave: rows, whether these are all, and why it failed; `asks` is the question it waits with."""

    frame: pd.DataFrame | None = None
    complete: bool = True
    reason: str = ""
    problem: str = ""


class Watcher:
    """The watches of one service; every method runs on the I/O thread.

    add_run: shows a run in the side panel.
    """

    def __init__(
        self, driver: BrowserDriver, store: WatchStore, add_run: Callable[[Any], object], tell: Tell = tell
    ) -> None:
        self._driver, self._store, self._add_run, self._tell = driver, store, add_run, tell
        self._going: dict[str, asyncio.Task[None]] = {}

    async def begin(self) -> None:
        """See which runs an earlier process didn't end: what may have done something isn't done again by itself."""
        for watch in self._store:
            if not watch.began:
                continue
            writes = await asyncio.to_thread(_may_write, watch)
            if writes:
                await self._say(watch, _INTERRUPTED)
                due = watch.schedule.next_after(self._store.clock(), watch.made)
                self._store.keep(replace(watch, began=0.0, due=due, words="interrupted"))
            else:
                self._store.keep(replace(watch, began=0.0, due=min(watch.due, watch.began)))

    def tick(self) -> list[asyncio.Task[None]]:
        """Start what is due and not under way; however many times were missed, it runs once."""
        now = self._store.clock()
        for watch in self._store:
            is_over = watch.until and now >= watch.until
            if watch.due <= now and not is_over and watch.name not in self._going:
                due = watch.schedule.next_after(now, watch.made)
                begun = replace(watch, began=now, due=due)
                self._store.keep(begun)  # before anything is done
                task = asyncio.ensure_future(self._run(begun))
                self._going[watch.name] = task
                task.add_done_callback(partial(self._ended, watch.name))
        return list(self._going.values())

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        self._going.pop(name, None)

    async def serve(self) -> None:
        """Look after them until it is cancelled."""
        await self.begin()
        try:
            while True:
                with suppress(SkillbookError, OSError):  # a full disk; the next look tries again
                    self.tick()
                await asyncio.sleep(MOMENT_SECONDS)
        finally:
            for task in list(self._going.values()):
                task.cancel()

    async def _run(self, watch: Watch) -> None:
        page: PageDriver | None = None
        try:
            page = await self._driver.open(watch.url or "about:blank", active=False)
            reading = await self._look_at(watch, page)
        except SkillbookError as error:
            reading = Reading(problem=plain(error.message))
        finally:
            if page is not None and not page.closed:
                with suppress(SkillbookError):
                    await self._driver.close_page(page)
        if any(kept.name == watch.name for kept in self._store):  # nobody removed it meanwhile
            await self._take(watch, reading)

    async def _look_at(self, watch: Watch, page: PageDriver) -> Reading:
        """What a page or a skill gives; where that is nothing, what is in the way."""
        try:
            reading = await (self._skill(watch, page) if watch.skill else self._read(watch, page))
        except SkillbookError as error:
            reading = Reading(problem=plain(error.message))
        if (reading.problem or reading.frame is None or reading.frame.empty) and (
            found := await _obstacle_of(page)
        ):
            return Reading(problem=found)
        return reading

    async def _read(self, watch: Watch, page: PageDriver) -> Reading:
        frame: Any = await asyncio.to_thread(partial(extract, page_of(page), **watch.options))
        whole = frame.skillbook
        return Reading(frame, whole.complete, plain(whole.reason or ""))

    async def _skill(self, watch: Watch, page: PageDriver) -> Reading:
        skill = await asyncio.to_thread(load_skill, watch.skill)
        run = SkillRun(skill, page, watch.inputs)
        self._add_run(run)
        run.start()
        shown_id = ""
        while not run.is_over:
            question = run.question
            if question is not None and question.id != shown_id:
                shown_id = question.id
                asks = "\n".join(map(plain, question_lines(question)))
                words = f"it waits for your answer, and nothing of this was done yet: {asks}"
                await self._say(watch, f"{words}\nAnswer in the side panel, or with `skillbook approve`.")
            await asyncio.sleep(MOMENT_SECONDS)
        if not run.ok:
            return Reading(problem=plain(run.error_words()[0] or "it was stopped"))
        result = run.result
        frames = [] if result is None else result.frames if result.returned is None else [result.returned]
        if not frames:
            return Reading(pd.DataFrame([result.values]) if result is not None and result.values else None)
        parts = [frame.skillbook for frame in frames]
        reason = next((part.reason for part in parts if not part.complete), "")
        frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
        return Reading(frame, all(part.complete for part in parts), plain(reason or ""))

    async def _take(self, watch: Watch, reading: Reading) -> None:
        now = self._store.clock()
        watch = replace(self._store[watch.name], began=0.0, last=now)
        if reading.problem:
            await self._failed(watch, reading.problem)
            return
        lines = [f"it works again; before, {watch.failures} times: {watch.problem}"] if watch.failures else []
        words = "done"
        if reading.frame is not None:
            try:
                found, watch = await asyncio.to_thread(self._compare, watch, reading)
            except SkillbookError as error:
                await self._failed(watch, plain(error.message))
                return
            lines += found
            if found:
                watch = replace(watch, changed=now, changes=found)
            changes = f", {counted(len(found), 'change')}" if found else ""
            words = f"{len(reading.frame)} rows{changes}" + (
                "" if reading.complete else f", not all: {reading.reason}"
            )
        self._store.keep(replace(watch, words=words, failures=0, problem=""))
        if lines and not reading.complete:
            lines.append(f"not all rows were read, so nothing is said to be gone: {reading.reason}")
        if lines:
            await self._say(watch, "\n".join(lines))

    def _compare(self, watch: Watch, reading: Reading) -> tuple[list[str], Watch]:
        frame, complete = reading.frame, reading.complete
        assert frame is not None
        known = self._store.known(watch)
        watch = replace(watch, key=watch.key or key_of(frame if known is None else known, []))
        lines = [] if known is None else changed_lines(known, frame, watch.key, complete=complete)
        after = known_after(known, frame, watch.key, complete=complete)
        self._store.keep_reading(watch, frame, after, complete=complete)
        return lines, watch

    async def _failed(self, watch: Watch, problem: str) -> None:
        """Tell a failure the first time, and then ever more seldom: the second, fourth, eighth … time in a row."""
        count = watch.failures + 1 if problem == watch.problem else 1
        self._store.keep(replace(watch, words=f"failed: {problem}", failures=count, problem=problem))
        if count & (count - 1) == 0:
            times = f" ({count} times in a row)" if count > 1 else ""
            await self._say(watch, f"{problem}{times}")

    async def _say(self, watch: Watch, text: str) -> None:
        problems = await asyncio.to_thread(self._tell, watch.notify, f"skillbook: {watch.name}", text)
        if problems:
            kept = self._store[watch.name]
            self._store.keep(replace(kept, words=f"{kept.words}; nobody was told: {'; '.join(problems)}"))


def _may_write(watch: Watch) -> bool:
    """Whether a watch may change something, as far as is known: reading a page doesn't."""
    if not watch.skill:
        return False
    try:
        skill = load_skill(watch.skill)
    except SkillbookError:
        return True
    if not isinstance(skill, Skill):
        return True
    spec = skill.spec
    return spec.all_sends is None or bool(spec.all_sends) or any(step.irreversible for step in spec.all_steps)


async def _obstacle_of(page: PageDriver) -> str:
    """What is in the way on a page, and what to do; empty for nothing."""
    if page.closed:
        return ""
    with suppress(SkillbookError):
        found = find_obstacle(await page.snapshot())
        if found is not None:
            return f"{plain(found.message)} It is at {plain(page.url)}; do it in the browser of `skillbook serve`."
    return ""

"""An exploration in the side panel: the pages and controls that it knows as tasks, and what it found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from skillbook.errors import Stopped
from skillbook.exploration.beam_search import Search
from skillbook.exploration.outcome import SEEN
from skillbook.protocol.asks.run_asks import Breadcrumb, RunState, RunView, TaskView
from skillbook.serving.outputs import FactsOutput, RowsOutput, RunOutput
from skillbook.serving.runs.served_run import TaskRun

_STATUS = {"failed": "failed", "waiting": "pending"}
_MOST_WAITING = 12
_MOST_SEEN = 100


class ExplorationRun(TaskRun):
    """A search for a page, by links and controls that only read.

    search: not yet begun.
    """

    def __init__(self, search: Search) -> None:
        inputs = {"goal": search.words, "max_pages": search.pages, "max_depth": search.depth}
        super().__init__("exploration", search.words, name="explore", inputs=inputs, driver=search.driver)
        self.search = search
        search.listeners.append(self.changed_now)

    def changed_now(self) -> None:
        """Report what was seen meanwhile."""
        self.changed()

    async def work(self) -> None:
        await self.search.run()
        self.ok = self.search.result.found

    async def outcome(self) -> Any:
        """Start it, and wait for what it finds; who waits no more ends it.

        Raises Stopped: it was stopped in the side panel. SkillbookError : it failed.
        """
        self.start()
        assert self._task is not None
        try:
            await asyncio.shield(self._task)
        except asyncio.CancelledError:
            await self.stop()
            raise
        if self.error is not None:
            raise self.error
        if self._stopped:
            raise Stopped("the exploration was stopped in the side panel", hint="call it again: it goes on")
        return self.search.result

    @property
    def state(self) -> RunState:
        own = super().state
        return "exploring" if own == "executing" else own

    @property
    def status(self) -> Any:
        return "running" if self.state == "exploring" else super().status

    def view(self) -> RunView:
        search, result = self.search, self.search.result
        error, hint = self.error_words()
        known = result.graph.number_of_nodes()
        return RunView(
            **self._summary(),
            status=self.status,
            progress=1.0 if self.ok else min(search.opened / search.pages, 1.0),
            progress_words=f"{search.opened} pages opened of at most {search.pages}",
            under_way=", ".join(move.label or move.url for move in search.under_way),
            breadcrumbs=[Breadcrumb(url=self._facts(key)["url"], title=self._facts(key)["title"], label=label)
                         for key, label in result.path] if result.found else [],
            tasks=self._tasks(),
            tasks_words=f"{result.opened} looked at, {known} known",
            result=f"Found {result.why}" if result.found else "",
            error=error,
            hint=hint,
            outputs=[output.view() for output in self.outputs()],
            can=[*self.steering(), "write_notebook"],
        )  # fmt: skip

    def _facts(self, key: str) -> dict[str, Any]:
        facts: dict[str, Any] = self.search.result.graph.nodes[key]
        return facts

    def _tasks(self) -> list[TaskView]:
        """What was looked at and what is, and the best of what waits and of what is left out."""
        result = self.search.result
        opening = {move.key for move in self.search.under_way}
        seen, waiting, left = list[str](), list[str](), list[str]()
        for key, data in result.graph.nodes(data=True):
            kind = waiting if data["status"] == "waiting" else left if data["status"] == "left out" else seen
            (seen if key in opening else kind).append(key)
        waiting.sort(key=lambda key: -self._facts(key)["score"])
        shown = {*seen[-_MOST_SEEN:], *waiting[:_MOST_WAITING], *left[:_MOST_WAITING]}
        return [
            self._task_of(number, key, key in opening)
            for number, key in enumerate(result.graph, 1)
            if key in shown
        ]

    def _task_of(self, number: int, key: str, opening: bool) -> TaskView:
        data, label = self._facts(key), self.search.result.label_to(key)
        status: Any = "completed" if data["status"] in SEEN else _STATUS.get(data["status"], "dropped")
        if opening:
            status = "executing"
        why = data["why"] or (f"fits the goal by {data['score']:.0%}" if data["depth"] else "the start")
        return TaskView(
            id=number,
            title=label or data["title"] or data["url"],
            type="click" if data["presses"] else "open",
            parameters={"address": data["url"]},
            status=status,
            why=why,
            risk="write" if data["status"] == "left out" else "read",
        )

    def outputs(self) -> Sequence[RunOutput]:
        result, found = self.search.result, list[RunOutput]()
        if not self.is_over:
            return found
        if result.found:
            way = " › ".join(label for _, label in result.path if label)
            found.append(
                FactsOutput("found", "Found", {"address": result.address, "way": way or "the start"})
            )
        frame = result.frame
        if len(frame):
            found.append(RowsOutput("pages", "Pages", frame, self.page, not self.ok))
        return found

    def error_words(self) -> tuple[str, str]:
        if self.error is not None or self._stopped or self._page_closed or not self.is_over or self.ok:
            return super().error_words()
        hint = "say it with more words, as the page has them, or let it open more pages"
        return f"not found: {self.search.result.why}", hint

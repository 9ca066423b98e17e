"""A skill's run and an exploration in the side panel: their steps or pages as tasks, what they ask, what they found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from skillbook.errors import ApprovalRequired, NotAllowed, Stopped
from skillbook.exploration.beam_search import Search
from skillbook.exploration.outcome import SEEN
from skillbook.policy.secrets import store
from skillbook.protocol.asks.run_asks import Breadcrumb, RunState, RunView, StepLine, TaskView
from skillbook.protocol.commands import COMMANDS
from skillbook.serving.outputs import FactsOutput, FileOutput, RowsOutput, RunOutput, TextOutput
from skillbook.serving.runs.served_run import TaskRun, page_of
from skillbook.session.page.act_requests import HeldRequest
from skillbook.session.page_driver import PageDriver
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.consent.send_allowlist import Question as AskedOfSkill
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.replay.skill_result import SkillResult, StepOutcome

_STATUS = {"ok": "completed", "failed": "failed", "skipped": "dropped"}


class SkillRun(TaskRun):
    """A run of a saved or built-in skill.

    model: runs a skill that is a prompt, and finds what code alone can't find; None for the setting's.
    """

    def __init__(
        self, skill: Skill | Builtin, driver: PageDriver, inputs: Mapping[str, Any], model: Any = None
    ) -> None:
        super().__init__("skill", skill.name, name=skill.name, inputs=inputs, driver=driver)
        self.skill = skill
        self._model = model
        self._outcomes: list[StepOutcome] = []
        self._result: SkillResult | None = None

    async def work(self) -> None:
        page = page_of(self._driver)
        self._outcomes.clear()
        self._check_secrets()
        self._take(
            await self.skill.arun(
                page, inputs=self.inputs, model=self._model, approve=_Asking(self), progress=self._done
            )
        )

    def _check_secrets(self) -> None:
        """Refuse to begin where the kernel would ask for a secret in its terminal, where nobody is."""
        names = [] if isinstance(self.skill, Builtin) else self.skill.spec.all_secrets
        if missing := [name for name in names if not store.has(name)]:
            variables = ", ".join(store.variable(name) for name in missing)
            raise NotAllowed(
                f"the secret {', '.join(missing)} has no value", hint=f"set {variables} where the kernel runs"
            )

    def _done(self, outcome: StepOutcome) -> None:
        self._outcomes.append(outcome)
        self.changed()

    def _take(self, result: SkillResult) -> None:
        self._result, self.ok, self.error = result, result.ok, result.error

    @property
    def result(self) -> SkillResult | None:
        """What it gave so far."""
        return self._result or self.skill.last

    async def resume(self) -> None:
        result = self._result
        if (
            self.is_paused
            or not self.is_over
            or result is None
            or result.stopped is None
            or result.again is None
        ):
            await super().resume()
            return

        async def go_on() -> None:
            # The skill's steps begin on another thread, which waits for this one.
            self._take(await asyncio.to_thread(result.resume))

        self.work = go_on  # type: ignore[method-assign]
        self.start()

    def view(self) -> RunView:
        done = [outcome for outcome in self._outcomes if outcome.status != "failed"]
        planned = getattr(self.skill, "planned", None)
        finished = self.state == "succeeded"
        result = self.result if self.is_over else None
        healed = len(result.healed) if result is not None else 0
        can: list[Any] = ["write_notebook", *self.steering()]
        if self.is_over and result is not None and result.stopped is not None and not self.ok:
            can.append("resume")
        return self.shown(
            progress=1.0 if finished else min(len(done) / planned, 1.0) if planned else None,
            progress_words=f"step {len(self._outcomes)} of {planned}" if planned else "",
            under_way=self._under_way(),
            breadcrumbs=self._breadcrumbs(),
            steps=[
                _line(number, outcome, self._planned_step(outcome))
                for number, outcome in enumerate(self._outcomes, 1)
            ],
            tasks=self._tasks(),
            tasks_words=f"{len(done)} of {planned} steps done" if planned else "",
            warning=f"{healed} targets were not where they were recorded: look at `skill.last.patch` in Python"
            if healed
            else "",
            notice="" if not self.is_over else f"{'Done' if self.ok else 'Ended'}: {self.title}",
            can=can,
        )

    def _planned_step(self, outcome: StepOutcome) -> SkillStep | None:
        steps = self._all_steps()
        return steps[outcome.index - 1] if outcome.index <= len(steps) else None

    def _all_steps(self) -> list[SkillStep]:
        return [] if isinstance(self.skill, Builtin) else self.skill.spec.all_steps

    def _under_way(self) -> str:
        steps, at = self._all_steps(), len(self._outcomes)
        return step_words(steps[at]) if not self.is_over and at < len(steps) else ""

    def _tasks(self) -> list[TaskView]:
        last = {outcome.index: outcome.status for outcome in self._outcomes}
        working = not self.is_over
        views = []
        for number, step in enumerate(self._all_steps(), 1):
            status: Any = _STATUS.get(last.get(number, ""), "pending")
            if status == "pending" and working:
                status, working = "requires_assistance" if self.questions else "executing", False
            views.append(
                TaskView(
                    id=number, title=step_words(step), type=step.command, status=status,
                    why=_why(step), risk=_risk(step),
                )
            )  # fmt: skip
        return views

    def _breadcrumbs(self) -> list[Breadcrumb]:
        way: list[Breadcrumb] = []
        for outcome in self._outcomes:
            if outcome.url and (not way or way[-1].url != outcome.url):
                way.append(Breadcrumb(url=outcome.url, label=f"{outcome.command} {outcome.target}".strip()))
        return way

    def outputs(self) -> Sequence[RunOutput]:
        result, found = self.result, list[RunOutput]()
        if result is None:
            return found
        frames = result.frames if result.returned is None else [result.returned]
        for number, frame in enumerate(frames, 1):
            title = "Rows" if len(frames) == 1 else f"Rows {number}"
            found.append(RowsOutput(f"rows-{number}", title, frame, self.page, self.is_over and not self.ok))
        if result.values:
            found.append(FactsOutput("facts", "Facts", result.values))
        if result.answer is not None and result.returned is None and str(result.answer):
            found.append(TextOutput("answer", "Answer", str(result.answer)))
        found += [FileOutput(f"file-{number}", path) for number, path in enumerate(result.files, 1)]
        return found


class _Asking:
    """What a skill asks on its way, answered in the side panel."""

    uses_grants = True

    def __init__(self, run: SkillRun) -> None:
        self._run = run

    async def __call__(self, question: str) -> bool:
        return (
            await self._run.ask("confirm", question, why="nobody has approved this version yet")
        ).decision == ("approve")

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        is_paused = isinstance(about, HeldRequest)
        if isinstance(about, ApprovalRequired) and about.data.get("sites") is not None:
            return (await self._run.ask("approve", question, risk="write")).decision == "approve"
        # Whatever a replay asks about is what its skill doesn't cover: nobody said that it can be undone.
        decided = await self._run.ask(
            "held_request" if is_paused else "approve",
            question,
            risk="irreversible",
            second_press=True,
            place=question.record if isinstance(question, AskedOfSkill) else "",
            why=about.question if isinstance(about, HeldRequest) else _differences(question),
        )
        return decided.decision == "approve"


def _differences(question: str) -> str:
    """What is another than recorded, and what the step is confirmed for."""
    return "; ".join([*question.changes, *question.confirms]) if isinstance(question, AskedOfSkill) else ""


def _why(step: SkillStep) -> str:
    """What decides whether a step is done, where that isn't sure."""
    if step.when is not None:
        return f"only where the page shows {step.when}"
    return "what it says may be missing" if step.optional else ""


def _risk(step: SkillStep) -> Any:
    command = COMMANDS.get(step.command)
    if step.irreversible:
        return "irreversible"
    return command.effect.value if command is not None else "read"


def step_words(step: SkillStep) -> str:
    """A skill's step in words."""
    if step.note:
        return step.note
    target = step.target.selectors[0] if step.target is not None else ""
    return f"{step.command} {target}".strip()


def _line(number: int, outcome: StepOutcome, step: SkillStep | None) -> StepLine:
    command = COMMANDS.get(outcome.command)
    words = f"{outcome.command} {outcome.target}".strip()
    return StepLine(
        number=number,
        words=words if outcome.target or step is None else step_words(step),
        record=outcome.item,
        ok=outcome.status != "failed",
        declined=outcome.status == "skipped",
        error=outcome.error if outcome.status == "failed" else "",
        outcome=outcome.seen or ("" if outcome.rows is None else f"{outcome.rows} rows"),
        decision="skip" if outcome.status == "skipped" else "auto",
        effect=command.effect.value if command is not None else "read",
        elapsed_ms=outcome.elapsed_ms,
        url=outcome.url,
    )


_SEARCH_STATUS = {"failed": "failed", "waiting": "pending"}
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
        known = result.graph.number_of_nodes()
        return self.shown(
            progress=1.0 if self.ok else min(search.opened / search.pages, 1.0),
            progress_words=f"{search.opened} pages opened of at most {search.pages}",
            under_way=", ".join(move.label or move.url for move in search.under_way),
            breadcrumbs=[Breadcrumb(url=self._facts(key)["url"], title=self._facts(key)["title"], label=label)
                         for key, label in result.path] if result.found else [],
            tasks=self._tasks(),
            tasks_words=f"{result.opened} looked at, {known} known",
            result=f"Found {result.why}" if result.found else "",
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
        status: Any = "completed" if data["status"] in SEEN else _SEARCH_STATUS.get(data["status"], "dropped")
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

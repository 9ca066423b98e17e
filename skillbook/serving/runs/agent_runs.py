"""An agent's run in the side panel: the same run, questions and words as in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_view import decision_of, question_of, run_view
from skillbook.agents.run.run_words import decided_words, state_words
from skillbook.agents.state.question_queue import Place
from skillbook.errors import InvalidParams
from skillbook.protocol.asks.run_asks import DecideParams, Question, RunState, RunView, TaskEdit
from skillbook.serving.outputs import FactsOutput, FileOutput, RowsOutput, RunOutput, TextOutput
from skillbook.serving.runs.served_run import ServedRun
from skillbook.session.page_driver import PageDriver


class AgentRun(ServedRun):
    """A run of `sb.agent`, or of the workflow `copilot`.

    by_panel: whether the side panel started it, so that who waits for its end waits for decisions given there.
    """

    def __init__(self, run: Run, *, by_panel: bool = False) -> None:
        super().__init__(run.id, "goal", run.goal)
        self.run = run
        (run.on_change if by_panel else run.on_progress).append(lambda _: self.changed())

    @property
    def state(self) -> RunState:
        return self.run.state

    @property
    def words(self) -> str:
        return state_words(self.run)

    @property
    def page(self) -> PageDriver | None:
        found: PageDriver | None = self.run.page
        return found

    def view(self) -> RunView:
        outputs = [output.view() for output in self.outputs()]
        return run_view(self.run, **self._summary(), tasks_words=self.run.tasks.progress(), outputs=outputs)

    def outputs(self) -> Sequence[RunOutput]:
        run, found = self.run, list[RunOutput]()
        frames = [(step.index, step.extra["frame"]) for step in run.records if "frame" in step.extra]
        if not frames and run.frame is not None:
            frames = [(0, run.frame)]
        for number, frame in frames:
            title = "Rows" if len(frames) == 1 else f"Rows of step {number}"
            ended_early = run.status in {"failed", "stopped"} and not frame.attrs
            found.append(RowsOutput(f"rows-{number}", title, frame, self.page, ended_early))
        result = run.result
        if isinstance(result, pd.DataFrame):
            found.append(RowsOutput("result", "Result", result, self.page))
        elif hasattr(result, "model_dump"):
            found.append(FactsOutput("result", "Result", result.model_dump(mode="json")))
        elif isinstance(result, Mapping):
            found.append(FactsOutput("result", "Result", result))
        elif result is not None and str(result):
            found.append(TextOutput("result", "Answer", str(result)))
        for step in run.records:
            for number, path in enumerate(step.extra.get("files", ()), 1):
                found.append(FileOutput(f"file-{step.index}-{number}", Path(path)))
        return found

    def note_shown(self, question: str, place: Place) -> None:
        self.run.note_shown(question, place)

    @property
    def question(self) -> Question | None:
        pending = self.run.first_question
        return None if pending is None else question_of(self.run, pending)

    def answer_to(self, question: str) -> str:
        earlier = self.run.answer_to(question)
        return "" if earlier is None else f"{decided_words(earlier[0])} {earlier[1]}"

    def take(self, question: Question, given: DecideParams, place: Place) -> str:
        decision = decision_of(given)
        return decided_words(decision) if self.run.take_decision(question.id, decision, place) else ""

    async def stop(self) -> None:
        await self.run.halt()

    def pause(self) -> None:
        self.run.pause()

    async def resume(self) -> None:
        self.run.go_on(0)

    def tell(self, text: str) -> None:
        self.run.feedback(text)

    def change_tasks(self, edits: Sequence[TaskEdit]) -> None:
        for edit in edits:
            self.run.tasks.edit(edit.act, edit.id, edit.title, edit.to)

    def thumbnail(self, number: int) -> tuple[str, bytes] | None:
        """A step's small screenshot and its format; None where there is none."""
        steps = self.run.records
        if not 1 <= number <= len(steps):
            raise InvalidParams(f"there is no step {number}", hint=f"there are {len(steps)}")
        step, page = steps[number - 1], self.page
        if (shot := step.extra.get("screenshot")) is not None:
            return str(shot["format"]), bytes(shot["data"])
        key = f"{self.run.id}#{step.call_id}"
        found = page.browser.journal.thumbnail(key) if page is not None else None
        return None if found is None else ("jpeg", found)

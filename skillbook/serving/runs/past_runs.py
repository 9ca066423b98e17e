"""A run of an earlier kernel: what was kept of it, and how to go on with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from skillbook.agents.review.shown_questions import SIDE_PANEL, Place, ShownQuestions
from skillbook.errors import InvalidParams
from skillbook.protocol.asks.run_asks import Decided, DecideParams, Question, RunState, RunView
from skillbook.serving.given.rows_output import RowsOutput
from skillbook.serving.given.run_output import FactsOutput, RunOutput, TextOutput
from skillbook.serving.runs.served_run import FINAL_STATES, ServedRun
from skillbook.session.page_driver import PageDriver

_GONE = "the kernel was restarted in the middle of it"


class PastRun(ServedRun):
    """A run that is only known from disk.

    Parameters
    ----------
    view : as it was kept last.
    rows : what is kept of its rows.
    go_on : goes on with it in this kernel; None where that can't be.
    """

    def __init__(
        self, view: RunView, rows: Sequence[RowsOutput], go_on: Callable[[], Awaitable[object]] | None
    ) -> None:
        super().__init__(view.id, view.kind, view.title, name=view.name, inputs=view.inputs)
        self.started, self.ended = view.started, view.ended
        self._view, self._rows, self._go_on = view, list(rows), go_on
        self._shown = ShownQuestions()

    @property
    def state(self) -> RunState:
        if self._view.state in FINAL_STATES:
            return self._view.state
        return "awaiting_user" if self._go_on is not None else "cancelled"

    @property
    def page(self) -> PageDriver | None:
        return None

    def view(self) -> RunView:
        unfinished = self._view.state not in FINAL_STATES
        question = None
        if unfinished and self._go_on is not None:
            question = Question(
                id=f"go-on-{self.id}",
                kind="confirm",
                words=f"{_GONE[0].upper()}{_GONE[1:]}. Go on from where it was?",
                why="what was under way may have happened or not; look at the page first",
                decisions=["approve", "reject"],
            )
        changed = {
            **self._summary(),
            "live": self._go_on is not None,
            "tab": None,
            "page": self._view.page,
            "status": "waiting" if question else "stopped" if unfinished else self._view.status,
            "question": question,
            "under_way": "",
            "error": self._view.error or (_GONE if unfinished and question is None else ""),
            "outputs": [output.view() for output in self.outputs()],
            "can": [] if self._go_on is None or self.state == "succeeded" else ["resume"],
        }
        return self._view.model_copy(update=changed)

    def outputs(self) -> Sequence[RunOutput]:
        found: list[RunOutput] = list(self._rows)
        for each in self._view.outputs:
            if each.kind == "text":
                found.append(TextOutput(each.id, each.title, each.text))
            elif each.kind == "facts":
                found.append(FactsOutput(each.id, each.title, each.facts))
        return found

    def note_shown(self, question: str, place: Place) -> None:
        self._shown.show(place, question)

    def shows(self, question: str, place: Place) -> bool:
        """Whether a place showed a question of this run."""
        return not self._shown.problem(place, question)

    def decide(self, given: DecideParams, place: Place = SIDE_PANEL) -> Decided:
        return Decided(taken=False, words="this question is gone: the kernel was restarted")

    async def stop(self) -> None:
        self._view = self._view.model_copy(update={"state": "cancelled", "status": "stopped"})

    async def resume(self) -> None:
        if self._go_on is None:
            raise InvalidParams("this run can't go on", hint="run it again with the same inputs")
        await self._go_on()

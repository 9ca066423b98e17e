"""One task of an agent, steppable from a notebook."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet, WeakValueDictionary

from skillbook.agents.review.decisions import StepEnd, Until, make_auto
from skillbook.agents.run.run_decisions import RunDecisions
from skillbook.agents.run.stepper import Stepper
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import FINAL_STATUSES, PendingCall, StepRecord
from skillbook.errors import AgentError, ApprovalPending
from skillbook.hooks import hooks
from skillbook.io_thread import io, unshown
from skillbook.journal.trace_file import Trace, Traced
from skillbook.limits import PEER_SECONDS
from skillbook.session.cassette import replaying
from skillbook.storage import storing

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.run.run_trace import Replay
    from skillbook.skill.facade import Skill

T = TypeVar("T")
_INTERNAL = frozenset(
    {
        "answer_to",
        "call_off",
        "cell_variables",
        "decide",
        "first_question",
        "go_on",
        "halt",
        "note_shown",
        "on_change",
        "on_progress",
        "settle",
        "since",
        "supersede",
        "take_decision",
    }
)
"""Methods for front ends and the I/O thread, which completion leaves out."""
_runs: WeakSet[Run] = WeakSet()
_newest: WeakValueDictionary[str, Run] = WeakValueDictionary()


@atexit.register
def _stop_all() -> None:
    """Bring runs to a consistent point before the interpreter takes their thread away."""
    for run in list(_runs):
        if run._stepper.at_work_on(io.loop):
            with suppress(TimeoutError):
                io.sync(run._stepper.stop(), timeout=PEER_SECONDS)


class Run(RunDecisions, Traced):
    """One task of an agent.

    Made by `sb.agent`. It works in the background, on skillbook's thread; calls that need you wait in
    `run.pending`. From a notebook: `run.start()`, show `run.pending`, then in another cell `run.approve()`,
    `run.edit(value="tea")`, `run.reject("why")` or `run.respond("text")`. Each of these carries on and comes back
    when the next call waits or the run has ended; its value shows that call. `run.step()` goes one call at a time
    whatever the autonomy.

    Examples
    --------
    >>> run = sb.agent(page, "Find the cheapest lamp", model="openai:gpt-5-mini")  # doctest: +SKIP
    >>> run.start()  # doctest: +SKIP
    >>> run.pending  # doctest: +SKIP
    >>> run.approve()  # doctest: +SKIP
    """

    def __init__(
        self, context: RunContext, stepper: Stepper, fork: Callable[[int, Mapping[str, Any] | None], Run]
    ) -> None:
        super().__init__(context, stepper)
        self._fork = fork
        self.on_change: list[Callable[[Run], None]] = []
        self.on_progress: list[Callable[[Run], None]] = []
        self.forks: list[Run] = []
        context.notify = self._changed
        _runs.add(self)
        _newest[self.id] = self

    # --- going on -------------------------------------------------------------------------------

    def start(self) -> Run:
        """Go on in the background and return at once.

        Also goes on after a pause, a stop, an unreachable model or a raised limit, from where the run was.

        Returns
        -------
        Run
            The run itself.

        Raises
        ------
        AgentError
            The run has reached its end.
        """
        if hooks.run_started is not None:
            hooks.run_started(self)
        self._do(self._go())
        return self

    async def _go(self) -> None:
        self._stepper.go()
        if replaying():  # nobody is there to wait for: the cells after this one find what they found then
            await self._stepper.settled()

    def step(self, until: StepEnd = "call") -> StepRecord | PendingCall | None:
        """Carry out exactly one call, then wait before the next.

        A call that needs no approval is carried out; one that does is left waiting and returned as a
        `PendingCall`, and its approval is the step. So with `autonomy="ask"`, `step()` brings up the first call,
        and every `approve()` carries one out and brings up the next. With other autonomies the run pauses before
        each call, and `step()` carries it out.

        Parameters
        ----------
        until : StepEnd
            In a cell, go on past its calls to the next `write`, the next `line`, or its `end`.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, the call that now waits for a decision, or None when the run has ended.

        Raises
        ------
        ApprovalPending
            A call waits for a decision already.
        ModelUnreachable, BudgetExceeded, AgentError
            The run failed.
        """
        before = len(self._context.steps)
        self._do(self._stepper.step(until))
        self._raise_failure()
        new = self._context.steps[max(before, self._stepper.restored) :]
        if new:
            return self._with_next(new[-1])
        return self.pending if self.status == "waiting" else None

    def auto(self, n: int | None = None, until: Until = "irreversible") -> Run:
        """Let calls pass that would ask, and come back when a decision is needed or the run ends.

        Irreversible calls and requests for assistance still ask.

        Parameters
        ----------
        n : int, optional
            How many calls pass; None for any number.
        until : Until
            Wait at the first call that isn't a read (`write`), only at those that have to be seen (`irreversible`),
            or at the first pending call of which a function says True.

        Returns
        -------
        Run
            The run itself.

        Raises
        ------
        AgentError
            Another word for `until`, or a negative number.
        ModelUnreachable, BudgetExceeded
            The run failed.
        """
        limit = make_auto(n, until)

        async def auto() -> None:
            self._stepper.go(auto=limit)
            await self._stepper.settled()

        with hooks.run_awaited(self):
            self._do(auto(), unshown)  # its steps have lines
        self._raise_failure()
        return self

    def go_on(self, n: int | None = None, until: Until = "irreversible") -> None:
        """Do as `auto` does, without blocking, from any thread; for front ends."""
        limit = make_auto(n, until)
        limit.by_code = False
        io.call_soon(lambda: self._stepper.go(auto=limit))

    def pause(self) -> Run:
        """Wait before the next call, whatever it is, and return at once; the call under way is carried out.

        `step()` and `start()` go on.

        Returns
        -------
        Run
            The run itself.
        """
        io.call_soon(self._stepper.pause)
        return self

    def run(self) -> Run:
        """Go on until the run has ended.

        Where a panel shows the run, it waits for decisions given there; else it comes back when a call waits for
        one. Ctrl-C stops the run at a consistent point; `start()` goes on from there. In a terminal, each step is a
        line on standard error, unless SKILLBOOK_QUIET is set.

        Returns
        -------
        Run
            The run itself.

        Raises
        ------
        ApprovalPending
            A call needs a decision, and this kernel's ipykernel, older than 7, brings no click to a run while a cell
            waits.
        ModelUnreachable, BudgetExceeded, AgentError
            The run failed; `start()` goes on once the cause is gone.
        """
        blocked = self._clicks_blocked()
        with hooks.run_awaited(self):
            self._do(self._to_end(blocked), unshown)
        self._raise_failure()
        self._raise_blocked(blocked)
        return self

    async def arun(self) -> Run:
        """Like `run()`, awaitable from any loop: `await run.arun()` lets a panel's clicks through.

        Returns
        -------
        Run
            The run itself.
        """
        blocked = self._clicks_blocked()
        try:
            with hooks.run_awaited(self):
                await io.wait(self._to_end(blocked), unshown)
        except BaseException:
            io.submit(self._stepper.stop())
            raise
        self._raise_failure()
        self._raise_blocked(blocked)
        return self

    def stop(self) -> Run:
        """Stop at once; a command under way is cut short, and the model learns so when the run goes on.

        Returns
        -------
        Run
            The run itself.
        """
        if io.inside:
            io.submit(self._stepper.stop())
        else:
            io.sync(self._stepper.stop())
        return self

    # --- afterwards -----------------------------------------------------------------------------

    def fork(self, at: int, instead: Mapping[str, Any] | None = None) -> Run:
        """A new run that remembers this one up to step `at`, that step left out, and goes on from there.

        It is also in `run.forks`, as one is that was made in the panel. The browser isn't turned back: bring the page
        to where it was before you start the fork. What this run did from step `at` on that can't be undone is in the
        fork's `warning`, and its model knows of it.

        Parameters
        ----------
        at : int
            Number of a step, from 1.
        instead : dict, optional
            Arguments in the place of that step's, by name; those not named stay. The fork then begins with this call,
            which asks as any other; its target is looked for by what it is, not by its old ref. None lets the model
            answer anew.

        Returns
        -------
        Run
            The new run, not yet started.

        Raises
        ------
        AgentError
            There is no such step, or a step is under way.
        InvalidParams
            `instead` doesn't fit the step's tool.
        """
        if self.status == "running":
            raise AgentError("The run is at work.", hint="Stop it first: `run.stop()`.")
        if self.first_question is not None and self.first_question.request is not None:
            raise AgentError(
                "A step is under way: the page waits to send something.",
                hint="Decide on it first (`run.approve()`, `run.reject()`), or `run.stop()`.",
            )
        if not 1 <= at <= len(self._context.steps):
            raise AgentError(f"There is no step {at}; there are {len(self._context.steps)}.")
        branch = self._fork(at, instead)
        self.forks.append(branch)
        return branch

    def replay(self) -> Replay:
        """The steps so far, to go through one by one without a browser.

        Returns
        -------
        Replay
            In a notebook a viewer with ◀ and ▶; printed, a line for each fact. `replay[0].page` is the text of the
            page on which the first step was made, `.changes` what the step changed there.
        """
        from skillbook.agents.run.run_trace import Replay

        ended = self.error if self.error is not None else self.result
        return Replay(self.goal, self.status, self.records, "" if ended is None else str(ended))

    def _trace(self) -> Trace:
        from skillbook.agents.run.run_trace import trace_of

        return trace_of(self._context, self.replay(), self.model)

    def save_skill(
        self,
        name: str,
        folder: Path | str = "skills",
        *,
        description: str | None = None,
        overwrite: bool = True,
        keep: Sequence[int] = (),
        partial: bool = False,
        prove: bool = True,
    ) -> Skill:
        """Save what the run did as a skill that replays without a model.

        Steps that certainly had no effect are left out; `skill.dropped_steps` lists them. What the run read of an
        element and answered with is an output of the skill: `result.value`.

        Parameters
        ----------
        name : str
            The skill's name, and its folder's.
        folder : Path or str
            Where skills are kept.
        description : str, optional
            One or two sentences; the goal where it is None.
        overwrite : bool
            Replace a skill of that name.
        keep : sequence of int
            Numbers of steps that stay, though they seem to have had no effect.
        partial : bool
            Save the steps so far of a run that didn't reach its end.
        prove : bool
            Replay the skill at once in a tab of its own, where it does nothing irreversible and sends nothing;
            `skill.proof` says what came of it, or why it wasn't tried.

        Returns
        -------
        Skill
            The saved skill.

        Raises
        ------
        InvalidInput
            `keep` names no step that can be kept.
        InvalidSkillName
            The name can't be a skill's.
        InvalidSkill
            Nothing was done that could be done again.
        AgentError
            The run is at work, or it didn't reach its end and `partial` is False.
        """
        from skillbook.agents.run.run_code import ended_cells
        from skillbook.skill.authoring.code_skill import skill_from_cells
        from skillbook.skill.authoring.skill_writer import save_made, save_recording
        from skillbook.skill.recording.recorded_steps import recording_of_run

        if self.status == "running":
            raise AgentError("The run is at work.", hint="Stop it or wait for its end, then save it.")
        if self.status != "succeeded" and not partial:
            raise AgentError(
                f"The run didn't reach its end: it is {self.status}. A skill of it would end in the middle, too.",
                hint="Let it go on, or save the steps so far with partial=True.",
            )
        context = self._context
        columns = [] if context.frame is None else [str(column) for column in context.frame.columns]
        unseen = any(step.decision == "person" and not step.extra.get("sent_known") for step in context.steps)
        paused = context.page.requests.available and not unseen
        device = context.page.emulation.now.device
        recording = recording_of_run(
            context.goal, context.steps, held=paused, answer=self.result, device=device
        )
        cells = ended_cells(context) if context.cells is not None else None
        # What is done before the model is needed is in no cell.
        if cells is not None and (any(step.cell for step in recording.steps) or not recording.steps):
            made = skill_from_cells(recording, cells, name, description, outputs=columns)
            saved = save_made(made, recording, folder, overwrite=overwrite)
        else:
            saved = save_recording(
                recording,
                name,
                folder,
                description=description,
                outputs=columns,
                overwrite=overwrite,
                keep=keep,
            )
        return saved.prove(context.page) if prove and not context.page.closed else saved

    def to_notebook(self, path: Path | str, *, cassette: str | None = None) -> Path:
        """Write the run's cells as a notebook that a person runs: the same text, with `page` and `sb` in the kernel.

        Parameters
        ----------
        path : Path or str
            The file, which is replaced.
        cassette : str, optional
            The name of a cassette: the notebook records it when it first runs, and needs no network from then on.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        AgentError
            The run wrote no cells, or none that came to its end.
        InvalidSkill
            A person decided otherwise on a call within a cell, so that its code isn't what was done.
        """
        from skillbook.agents.run.run_code import began_at, ended_cells, notebook_of_cells

        if self._context.cells is None or not self.cells:
            raise AgentError(
                "The run wrote no cells.", hint='Its steps are in `run.steps`; mode="cells" writes cells.'
            )
        cells = list(ended_cells(self._context).values())
        if not cells:
            raise AgentError("None of the run's cells came to its end.", hint="`run.cells` has their code.")
        target = Path(path)
        with storing(target):
            text = notebook_of_cells(self.goal, began_at(self._context), cells, cassette or "")
            target.write_text(text, "utf-8")
        return target

    def diff(self, other: Run) -> pd.DataFrame:
        """The steps of two runs side by side.

        Parameters
        ----------
        other : Run
            Such as a fork of this run.

        Returns
        -------
        DataFrame
            One row for each pair of steps that belong together, and for each that only one run has. `same` says
            whether tool and arguments agree, `same_result` whether what came of them does.
        """
        from skillbook.agents.run.run_tables import diff_frame

        return diff_frame(self._context.steps, other._context.steps)

    async def settle(self) -> Run:
        """Go on until a call waits for a decision or the run has ended; for code on the I/O thread."""
        self._stepper.go()
        await self._stepper.settled()
        return self

    def supersede(self) -> None:
        """Stop for good: another object goes on with this run, so that no call is carried out by both."""
        self.stop()
        io.call_soon(self._stepper.retire)

    async def halt(self) -> Run:
        """Like `stop()`, for code on the I/O thread."""
        await self._stepper.stop()
        return self

    def call_off(self, call_id: str) -> None:
        """End one call; the run goes on. For code on the I/O thread."""
        self._stepper.call_off(call_id)

    def __repr__(self) -> str:
        pending = self.first_question
        return self.line if pending is None else f"{self.line}\nWaits for you: {pending!r}"

    @property
    def line(self) -> str:
        """The run on one line; reading it counts for no reading of the question that waits."""
        steps = len(self._context.steps)
        far = self._context.progress
        tail = "" if far is None else f", {far:.0%}"
        tail += f", waits for {self.first_question.tool}" if self.first_question else ""
        tail += f", {self.error.code}" if self.error else ""
        goal = self.goal if len(self.goal) <= 60 else self.goal[:57] + "…"
        fork = self._context.fork
        origin = (
            f"; forked at step {fork.at}" + (f", not undone: {fork.text}" if fork.lasting else "")
            if fork
            else ""
        )
        expected = f"; {self.cost}, expected: {self.forecast}" if self.forecast is not None else ""
        return (
            f"<Run {goal!r}: {self.status}, {steps} step{'' if steps == 1 else 's'}{tail}{origin}{expected}>"
        )

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        from skillbook.agents.run.run_tables import run_html

        return {"text/plain": repr(self), "text/html": run_html(self._context, self._stepper)}

    def _display_(self) -> Any:
        return hooks.live_view(self)

    # --- inside ---------------------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _INTERNAL]

    async def _to_end(self, blocked: str) -> None:
        if self.status == "succeeded":
            # What a person let go elsewhere may have brought it there before this was called.
            return
        self._stepper.go()
        await self._stepper.settled(at_end=bool(self.on_change) and not blocked)

    def _clicks_blocked(self) -> str:
        """Why this cell must not wait for clicks; a run that would wait for the first call says so at once."""
        blocked = hooks.clicks_blocked() if self.on_change else ""
        if blocked and self.autonomy == "ask":
            self._raise_blocked(blocked)
        return blocked

    def _raise_blocked(self, blocked: str) -> None:
        if blocked and self.status not in FINAL_STATUSES:
            raise ApprovalPending(
                f"This cell would wait for ever for your decision: {blocked}.",
                hint="End the cell with `run.start()`, which goes on in the background, and decide in the panel or "
                "with `run.approve()`; or install ipykernel 7 or newer and restart the kernel.",
            )


def find_live_run(run_id: str) -> Run | None:
    """The run of this kernel that has an id; the newest where several have it."""
    return _newest.get(run_id)

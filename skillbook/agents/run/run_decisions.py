"""What a person decides on a run's pending call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from skillbook.agents.run.run_facts import RunFacts
from skillbook.agents.state.step_records import SKIPPED, PendingCall, StepRecord
from skillbook.errors import ApprovalPending, InvalidParams, NothingPending, RunInterrupted, SkillbookError
from skillbook.io_thread import io
from skillbook.perception.forms import takes_no_text
from skillbook.protocol.commands import COMMANDS
from skillbook.session.actions.targets import known_node

if TYPE_CHECKING:
    from skillbook.policy.learned import Scope
    from skillbook.session.actions.targets import Target

T = TypeVar("T")
DECIDE_SECONDS = 60.0
"""How long a decision waits for a model that is still answering."""


class RunDecisions(RunFacts):
    """The decisions on a run's calls, from a cell or from a front end."""

    on_change: list[Callable[[Any], None]]
    """Front ends where a person may decide: where there is one, `run()` waits for the decisions."""
    on_progress: list[Callable[[Any], None]]
    """Those who only look."""

    def approve(
        self, always: Scope | None = None, *, address: str | None = None, stepping: bool = False
    ) -> StepRecord | None:
        """Let the pending call be carried out; returns its step when the run next waits or has ended.

        While the model is still answering, this waits for the call first, 60 s at most; other decisions do too.

        Parameters
        ----------
        always : Scope, optional
            "session" or "always" to approve no more calls of this command on this origin, until the browser is closed
            or for good; see `browser.rules`. Not for steps that can't be undone, and not for secrets. A request can be
            allowed for the session: `repr(run.pending)` says what that covers.
        address : str, optional
            With `always`, for a request: which addresses the rule is for, with `{id}` in place of what may differ, such
            as `/items/{id}/edit`. Without it the rule is for this very address.
        stepping : bool
            Of a cell: wait before each of its calls; `step()` then carries out one, `skip()` leaves it out.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        AgentError
            No rule can be made of this call; it still waits.
        """
        if stepping:
            io.call_soon(self._stepper.pause)
        widened = {} if address is None else {"address": address}
        how = {"stepping": True} if stepping else {}
        return self._decide({"type": "approve", **how, **({"always": always, **widened} if always else {})})

    def edit(self, **args: Any) -> StepRecord | None:
        """Let the pending call be carried out with other arguments; those not named stay as they are.

        Parameters
        ----------
        **args : object
            The call's arguments that change, by name.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        InvalidParams
            They don't fit; the call still waits.
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        """
        return self._decide({"type": "edit", "args": args})

    def reject(self, why: str = "") -> StepRecord | None:
        """Refuse the pending call; the model gets the reason and goes on.

        Parameters
        ----------
        why : str
            What the model is told.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        """
        return self._decide({"type": "reject", **({"message": why} if why else {})})

    def respond(self, text: str) -> StepRecord | None:
        """Answer the pending call yourself: the model gets your text as its result, nothing is carried out.

        Parameters
        ----------
        text : str
            The answer.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        """
        return self._decide({"type": "respond", "message": text})

    def skip(self) -> StepRecord | None:
        """Leave the pending call out: the model learns that you skipped it, and goes on with what comes next.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        """
        return self.reject(SKIPPED)

    def point(self, target: Target) -> StepRecord | None:
        """Let the pending call be carried out on another element.

        Parameters
        ----------
        target : Target
            A ref, a role selector, an element or a node.

        Returns
        -------
        StepRecord, optional
            The step that was carried out, or None if none was.

        Raises
        ------
        UnknownRef, StaleRef, NoMatch, AmbiguousMatch
            It names no element; the call still waits.
        InvalidParams
            The call has no target; it still waits.
        NothingPending
            No call waits.
        ApprovalPending
            Another question waits than the one that you were shown; nothing was decided.
        """
        page, pending = self._context.page, self._stepper.pending
        if page is not None and pending is not None and "target" in pending.args:
            ref = io.sync(_ref_on_page(page, target))
            command, node = COMMANDS.get(pending.tool), page.latest[ref] if page.latest is not None else None
            if command and command.edits_text and node is not None and takes_no_text(node.role, node.flags):
                raise InvalidParams(
                    f"no text can be put into {node.role} {node.label!r}", hint="point at a field"
                )
            return self.edit(target=target if isinstance(target, str) else ref)
        return self.edit(target=target)

    def feedback(self, text: str) -> Self:
        """Say something to the model; it learns of it before its next answer, whatever the run does now.

        Parameters
        ----------
        text : str
            What it is to do otherwise from now on.

        Returns
        -------
        Self
            The run itself.
        """
        io.call_soon(self._context.say, text)
        return self

    def decide(self, decision_id: str, decision: dict[str, Any]) -> None:
        """Decide without blocking, from any thread; for front ends.

        Parameters
        ----------
        decision_id: `run.pending.id`; a decision for any other call is ignored.
        decision: `{"type": "approve"}`, with `"always": "session"` or `"always"` where a rule is to be learned,
            `{"type": "edit", "args": {...}}`, `{"type": "reject", "message": "..."}` or
            `{"type": "respond", "message": "..."}`.
        """

        def take() -> None:
            try:
                self._stepper.decide(decision, decision_id, by_code=False, where="in the notebook")
            except SkillbookError as error:
                self.last_refusal = error
                self._changed()
            else:
                self.last_refusal = None

        io.call_soon(take)

    def take_decision(self, decision_id: str, decision: dict[str, Any], where: str) -> bool:
        """Like `decide`, for code on the I/O thread; whether it was this decision that counted.

        Raises
        ------
        InvalidParams, AgentError: it can't be taken; the question still waits.
        """
        taken = self._stepper.decide(decision, decision_id, by_code=False, where=where)
        if taken:
            self.last_refusal = None
        return taken

    def answer_to(self, decision_id: str) -> tuple[dict[str, Any], str] | None:
        """How a question was answered, and where; None where it wasn't."""
        return self._stepper.answers.get(decision_id)

    last_refusal: SkillbookError | None = None
    """Why the last decision given with `decide` was not taken."""

    def _decide(self, decision: dict[str, Any]) -> StepRecord | None:
        place = getattr(self._shown, "place", None)

        async def decide() -> StepRecord | None:
            if self.status == "running":
                # The model is still answering; what waits then is what is decided on.
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stepper.settled(), DECIDE_SECONDS)
            pending = self._question(place)
            self._stepper.decide(decision, pending.id)
            await self._stepper.settled()
            made: Sequence[StepRecord] = self._context.steps
            decided = (pending.call_id, pending.tool)
            return next((step for step in reversed(made) if (step.call_id, step.tool) == decided), None)

        record = self._do(decide())
        self._raise_failure()
        return record

    def _question(self, place: int | None) -> PendingCall:
        """The question that the caller was shown, by its place among all; None for a caller that was shown none.

        Raises
        ------
        NothingPending : no question waits.
        ApprovalPending : another one waits.
        """
        pending, asked = self._stepper.pending, self._stepper.asked
        old = place is not None and place < len(asked) and (pending is None or asked[place] != pending.id)
        gone = "The question that you were shown was answered elsewhere, or is gone."
        if pending is None:
            words = gone if old else f"No call waits for a decision: the run is {self.status}."
            raise NothingPending(words)
        if old:
            raise ApprovalPending(f"{gone} Nothing was decided. This one waits now: {pending!r}.")
        return pending

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return io.sync(work)
        except KeyboardInterrupt:
            io.sync(self._stepper.stop())
            steps = len(self._context.steps)
            raise RunInterrupted(
                f"The run stopped after {steps} step{'' if steps == 1 else 's'}; run.start() goes on."
            ) from None
        finally:
            _ = self.pending  # the question that waits when a call comes back is the next one to be answered

    def _raise_failure(self) -> None:
        if self.status == "failed" and self.error is not None:
            # The frames below are those of the graph that drove the run: of no use to whoever reads this.
            raise self.error.with_traceback(None) from None

    def _changed(self) -> None:
        for callback in [*self.on_change, *self.on_progress]:
            callback(self)


async def _ref_on_page(page: Any, target: Target) -> str:
    """The ref of what a target names on the page as it is now; raises what `known_node` does."""
    await page.snapshot()
    found = await page.resolve(target)
    return str(known_node(page.latest, found.ref).ref)

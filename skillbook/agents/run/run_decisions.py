"""What a person decides on a run's pending call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from skillbook.agents.run.run_facts import RunFacts
from skillbook.agents.state.question_queue import NOTEBOOK_PANEL, OUTPUTS, Place
from skillbook.agents.state.step_records import SKIPPED, PendingCall, StepRecord
from skillbook.errors import ApprovalPending, InvalidParams, NothingPending, RunInterrupted, SkillbookError
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import PRESENT_SECONDS
from skillbook.perception.forms import takes_no_text
from skillbook.protocol.commands import COMMANDS
from skillbook.session.actions.targets import known_node

if TYPE_CHECKING:
    from skillbook.policy.approvals import Scope
    from skillbook.session.actions.targets import Target

T = TypeVar("T")
Decided = StepRecord | PendingCall | None


class RunDecisions(RunFacts):
    """The decisions on a run's calls, from a cell or from a front end."""

    on_change: list[Callable[[Any], None]]
    """Front ends where a person may decide: where there is one, `run()` waits for the decisions."""
    on_progress: list[Callable[[Any], None]]
    """Those who only look."""

    def approve(
        self,
        always: Scope | Literal["form"] | None = None,
        *,
        address: str | None = None,
        vary: Collection[str] = (),
        stepping: bool = False,
        expect: str | None = None,
        id: str | None = None,
    ) -> Decided:
        """Let the pending call be carried out; returns its step when the run next waits or has ended.

        It decides only on a question that you were shown before you ran the cell. Code that can't look says what it
        expects. While the model is still answering, this waits for the call first, 60 s at most. All this holds for the
        other decisions, too.

        Parameters
        ----------
        always : Scope or "form", optional
            "session" or "always" to approve no more calls of this command on this origin, until the browser is closed
            or for good; see `browser.rules`. Not for steps that can't be undone, and not for secrets. A request can be
            allowed for the session: `repr(run.pending)` says what that covers. "form" says that a form only reads, as
            a search does: until the browser is closed it is sent without a question, as long as nothing but its fields
            with labels differs.
        address : str, optional
            With `always`, for a request: which addresses the rule is for, with `{id}` in place of what may differ, such
            as `/items/{id}/edit`. Without it the rule is for this very address.
        vary : collection of str
            With `always`, for a request: the names of the body's fields whose values may differ. Without them all
            values stay the same.
        stepping : bool
            Of a cell: wait before each of its calls; `step()` then carries out one, `skip()` leaves it out.
        expect : str, optional
            Decide only on a question of this name, shown or not: `"button 'Buy'"`,
            `"click button 'Delete' in row 'Ann'"`, `"goto https://example.com/"`, `"POST /orders"`. The text of
            `run.pending` prints the name.
        id : str, optional
            Decide only on the question with this id, `run.pending.id`, which you were shown.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        AgentError
            No rule can be made of this call; it still waits.
        """
        widened = {
            **({} if address is None else {"address": address}),
            **({"vary": list(vary)} if vary else {}),
        }
        how = {"stepping": True} if stepping else {}
        return self._decide(
            {"type": "approve", **how, **({"always": always, **widened} if always else {})}, expect, id
        )

    def edit(self, *, expect: str | None = None, id: str | None = None, **args: Any) -> Decided:
        """Let the pending call be carried out with other arguments; those not named stay as they are.

        Parameters
        ----------
        expect, id : str, optional
            Which question it is for, as for `approve`.
        **args : object
            The call's arguments that change, by name.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        InvalidParams
            They don't fit; the call still waits.
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        """
        return self._decide({"type": "edit", "args": args}, expect, id)

    def reject(self, why: str = "", *, expect: str | None = None, id: str | None = None) -> Decided:
        """Refuse the pending call; the model gets the reason and goes on.

        Parameters
        ----------
        why : str
            What the model is told.
        expect, id : str, optional
            Which question it is for, as for `approve`.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        """
        return self._decide({"type": "reject", **({"message": why} if why else {})}, expect, id)

    def respond(self, text: str, *, expect: str | None = None, id: str | None = None) -> Decided:
        """Answer the pending call yourself: the model gets your text as its result, nothing is carried out.

        Parameters
        ----------
        text : str
            The answer.
        expect, id : str, optional
            Which question it is for, as for `approve`.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        """
        return self._decide({"type": "respond", "message": text}, expect, id)

    def skip(self, *, expect: str | None = None, id: str | None = None) -> Decided:
        """Leave the pending call out: the model learns that you skipped it, and goes on with what comes next.

        Parameters
        ----------
        expect, id : str, optional
            Which question it is for, as for `approve`.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        """
        return self.reject(SKIPPED, expect=expect, id=id)

    def point(self, target: Target, *, expect: str | None = None, id: str | None = None) -> Decided:
        """Let the pending call be carried out on another element.

        Parameters
        ----------
        target : Target
            A ref, a role selector, an element or a node.
        expect, id : str, optional
            Which question it is for, as for `approve`.

        Returns
        -------
        StepRecord or PendingCall, optional
            The step that was carried out, whose `next` is the question that waits now; without a step that question, or
            None.

        Raises
        ------
        UnknownRef, StaleRef, NoMatch, AmbiguousMatch
            It names no element; the call still waits.
        InvalidParams
            The call has no target; it still waits.
        NothingPending
            No call waits.
        ApprovalPending
            You weren't shown the question that waits, or it isn't the expected one; nothing was decided.
        """
        page, pending = self._context.page, self._stepper.pending
        if page is not None and pending is not None and "target" in pending.args:
            ref = io.sync(_ref_on_page(page, target))
            command, node = COMMANDS.get(pending.tool), page.latest[ref] if page.latest is not None else None
            if command and command.edits_text and node is not None and takes_no_text(node.role, node.flags):
                raise InvalidParams(
                    f"no text can be put into {node.role} {node.label!r}", hint="point at a field"
                )
            target = target if isinstance(target, str) else ref
        about = pending.id if pending is not None else ""
        return self._decide({"type": "edit", "args": {"target": target}}, expect, id, about)

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

    def decide(self, question: str, decision: dict[str, Any], place: Place | None = None) -> None:
        """Decide without blocking, from any thread; for front ends.

        Parameters
        ----------
        question: the id of a question; a decision for any other than the one that waits is ignored.
        decision: `{"type": "approve"}`, with `"always": "session"` or `"always"` where a rule is to be learned,
            `{"type": "edit", "args": {...}}`, `{"type": "reject", "message": "..."}` or
            `{"type": "respond", "message": "..."}`.
        place: where it was made, which must have shown the question; None for a front end that knows the id by showing
            it.
        """

        def take() -> None:
            if place is None:
                self.note_shown(question, NOTEBOOK_PANEL)
            try:
                self.take_decision(question, decision, place or NOTEBOOK_PANEL)
            except SkillbookError as error:
                self.last_refusal = error
                self._changed()
            else:
                self.last_refusal = None

        io.call_soon(take)

    def take_decision(self, question: str, decision: dict[str, Any], place: Place | None) -> bool:
        """Like `decide`, for code on the I/O thread; whether it was this decision that counted.

        Parameters
        ----------
        place: where it was made; None for a refusal where nobody could be asked.

        Raises
        ------
        ApprovalPending: that place didn't show the question.
        InvalidParams, AgentError: it can't be taken; the question still waits.
        """
        taken = self._stepper.decide(decision, question, by_code=False, place=place)
        if taken:
            self.last_refusal = None
        return taken

    def note_shown(self, question: str, place: Place, since: float | None = None) -> None:
        """A place shows a question, from now on or since then; for front ends."""
        self._stepper.questions.shown.show(place, question, since)

    def answer_to(self, decision_id: str) -> tuple[dict[str, Any], str] | None:
        """How a question was answered, and where; None where it wasn't."""
        return self._stepper.questions.answers.get(decision_id)

    last_refusal: SkillbookError | None = None
    """Why the last decision given with `decide` was not taken."""

    def _decide(
        self, decision: dict[str, Any], expect: str | None, id: str | None, about: str = ""
    ) -> Decided:
        first, request = self._stepper.pending, hooks.running_request()
        about = id or about or (first.id if first is not None else "")

        async def settle() -> Decided:
            if self.status == "running":
                # The model is still answering; what waits then is what is decided on.
                with suppress(TimeoutError):
                    # How long a decision waits for a model that is still answering.
                    await asyncio.wait_for(self._stepper.settled(), PRESENT_SECONDS)
            pending = self._question(about)
            if expect is None:
                self._check_read(pending, decision["type"], request, by_id=id is not None)
            elif not pending.expectation.meets(expect):
                raise self._refusal(f"You expected {expect!r}, and another question waits.", decision["type"])
            if decision.get("stepping"):
                self._stepper.pause()
            self._stepper.decide(decision, pending.id)
            await self._stepper.settled()
            return self._step_of(pending)

        decided = self._do(settle())
        self._raise_failure()
        return decided

    def _question(self, id: str) -> PendingCall:
        """The question that waits; with an id, that one."""
        pending = self._stepper.pending
        gone = "The question that this was for was answered already, or is gone."
        if pending is None:
            raise NothingPending(gone if id else f"No call waits for a decision: the run is {self.status}.")
        if id and id != pending.id:
            raise self._stepper.approval_pending(f"{gone} Nothing was decided.")
        return pending

    def _check_read(
        self, pending: PendingCall, verb: str, request: tuple[float, bool] | None, *, by_id: bool
    ) -> None:
        """Refuse a decision on a question that nobody read.

        request: when the cell was requested, and whether its client sends queued cells at once; None outside of
            notebooks.
        """
        requested, at_once = request or (None, True)
        problem = self._stepper.questions.shown.problem(OUTPUTS, pending.id, requested)
        if not problem and pending.is_strict and not at_once and not by_id:
            problem = "Your notebook sends cells one after the other, so nobody knows whether you read the question."
        if problem:
            raise self._refusal(problem, verb)

    def _refusal(self, why: str, verb: str) -> ApprovalPending:
        pending = self._stepper.pending
        name = pending.expectation.words if pending is not None else ""
        by_name = f", code that can't look run.{verb}(expect={name!r})" if name else ""
        call = f"run.{verb}(id={pending.id!r})" if pending is not None else f"run.{verb}()"
        return self._stepper.approval_pending(
            f"{why} Nothing was decided.", f"read it, then run.{verb}() in a new cell, or {call}{by_name}"
        )

    def _step_of(self, pending: PendingCall) -> Decided:
        """The step of a question that was decided, with the question that waits now; that alone if there is no step."""
        made: Sequence[StepRecord] = self._context.steps
        is_request = pending.request is not None
        steps = (
            step
            for step in reversed(made)
            if step.call_id == pending.call_id and (is_request or step.tool == pending.tool)
        )
        return self._with_next(next(steps, None))

    def _with_next(self, step: StepRecord | None) -> Decided:
        waits = self._stepper.pending if self.status in {"waiting", "paused"} else None
        return waits if step is None else replace(step, next=waits)

    def _do(self, work: Coroutine[Any, Any, T], meanwhile: Callable[[], object] | None = None) -> T:
        try:
            return io.sync(work, meanwhile=meanwhile)
        except KeyboardInterrupt:
            io.sync(self._stepper.stop())
            steps = len(self._context.steps)
            raise RunInterrupted(
                f"The run stopped after {steps} step{'' if steps == 1 else 's'}; run.start() goes on."
            ) from None

    def _raise_failure(self) -> None:
        if self.status == "failed" and self.error is not None:
            # The frames below are those of the graph that drove the run: of no use to whoever reads this.
            raise self.error.with_traceback(None) from None

    since: float = 0.0
    """When what is under way began, in seconds since 1970; for front ends."""
    _doing: tuple[object, ...] = ()

    def _changed(self) -> None:
        doing = (self.status, self.under_way, len(self._context.steps))
        if doing != self._doing:
            self._doing, self.since = doing, time.time()
        for callback in [*self.on_change, *self.on_progress]:
            callback(self)


async def _ref_on_page(page: Any, target: Target) -> str:
    """The ref of what a target names on the page as it is now; raises what `known_node` does."""
    await page.snapshot()
    found = await page.resolve(target)
    return str(known_node(page.latest, found.ref).ref)

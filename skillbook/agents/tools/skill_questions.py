"""What a skill asks that a run's call replays: the person answers it as they do for the run's calls and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.errors import ApprovalRequired
from skillbook.session.page.act_requests import HeldRequest

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext

_RUN = "run_skill"


class SkillQuestions:
    """Approves for one skill what the person approves: a `skillbook.skill.consent.send_allowlist.Consent`.

    Parameters
    ----------
    context : the run's.
    name : the skill's.
    """

    def __init__(self, context: RunContext, name: str) -> None:
        self._context = context
        self._name = name

    async def __call__(self, question: str) -> bool:
        """Whether a person says yes to what the skill wants, before it begins."""
        return await self._ask(_RUN, self._name, Review(True, True, "write", strict=True, reason=question))

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        """Whether a person says yes to a step, or to a request that one causes."""
        if isinstance(about, HeldRequest):
            requests = self._context.requests
            return requests is not None and (await requests.decide(about)).allow
        binding, sites = about.binding, about.data.get("sites")
        if binding is None and sites is not None:
            review = Review(True, True, "write", strict=True, reason=question, sites=tuple(sites))
            return await self._ask(_RUN, self._name, review)
        if binding is None:
            return False
        review = Review(
            True,
            True,
            str(about.data.get("effect", "irreversible")),
            strict=True,
            reason=str(about.data.get("reason") or question),
            target=f"{binding.role} {binding.label!r}".strip(),
            place=binding.record,
            binding=binding,
        )
        return await self._ask(binding.command, review.target, review)

    async def _ask(self, tool: str, target: str, review: Review) -> bool:
        context = self._context
        if context.ask_step is None:
            return False
        return await context.ask_step(
            PendingCall(
                id=f"step-{uuid4().hex[:12]}",
                call_id=context.call_id,
                tool=tool,
                args={"name": target} if tool == _RUN else {},
                said="",
                review=review,
                schema={"type": "object", "properties": {}},
                decisions=("approve", "reject"),
                cell=context.cells.place(context.call_id) if context.cells is not None else None,
                skill=self._name,
            )
        )

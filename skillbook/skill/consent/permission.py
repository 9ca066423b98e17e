"""What a replay may do: act on the origins that its skill lists, and what needs a person's approval once it has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from skillbook.config import load_settings
from skillbook.errors import ApprovalRequired, NotAllowed
from skillbook.policy.urls import origin_of
from skillbook.session.gateway import Gateway
from skillbook.skill.consent.send_allowlist import Approve, answer_of
from skillbook.skill.consent.skill_approvals import covers_irreversible
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.templates import Value, fill_text

T = TypeVar("T")
_MOST_QUESTIONS = 6
"""Half of them are asked anew, where what the approval was for changed before the action."""


class Permission:
    """Decides for one replay.

    Parameters
    ----------
    spec, inputs : the skill, and every input's value.
    gateway : issues the approvals.
    approve : see `skillbook.skill.replay.replayer.run_skill`.
    """

    def __init__(
        self, spec: SkillSpec, inputs: Mapping[str, Value], gateway: Gateway, approve: Approve | None
    ) -> None:
        self._spec = spec
        self._gateway = gateway
        self._approve = approve
        self._origins = {origin_of(fill_text(origin, inputs)) for origin in spec.all_origins} - {None}

    def check_origin(self, url: str, what: str) -> None:
        """Refuse an address that is on none of the skill's origins.

        Parameters
        ----------
        what : what is to be done there, for the error.

        Raises
        ------
        NotAllowed.
        """
        origin = origin_of(url)
        if origin not in self._origins:
            listed = ", ".join(sorted(str(one) for one in self._origins)) or "none"
            raise NotAllowed(
                f"{self._spec.name} may not {what} on {origin or url!r}",
                hint=f"its origins are: {listed}; open the page it was made for, or add the origin to replay.yaml",
                origin=origin,
            )

    async def with_approval(self, do: Callable[[str | None], Awaitable[T]], *, irreversible: bool) -> T:
        """Do something, once more with a person's approval where it needs one and has it.

        Parameters
        ----------
        do : given the approval's token, None at first.
        irreversible : whether a person approved it when it was recorded, as far as the skill's file says.

        Raises
        ------
        ApprovalRequired : it needs an approval, and nobody gives one.
        """
        approval: str | None = None
        questions_left = _MOST_QUESTIONS
        while True:
            questions_left -= 1
            try:
                return await do(approval)
            except ApprovalRequired as error:
                if error.binding is None and approval is not None and questions_left:
                    approval = None  # the page changed by itself after the approval, so it is judged anew
                    continue
                if error.binding is None:
                    raise
                if not questions_left or not await self._is_approved(error, irreversible=irreversible):
                    raise ApprovalRequired(
                        error.message,
                        hint="run it with approve=skill.digest, or with a function that asks",
                        **error.data,
                    ) from None
                approval = self._gateway.approvals.issue(error.binding)

    async def _is_approved(self, question: ApprovalRequired, *, irreversible: bool) -> bool:
        if self._approve is None:
            return irreversible and covers_irreversible(load_settings().home, self._spec.digest)
        if isinstance(self._approve, str):
            return self._approve == self._spec.digest
        return await answer_of(self._approve, question.message, question)

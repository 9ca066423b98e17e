"""What a built-in skill's call approves by itself: what the skill is for, on the page's own site, and nothing else."""

from __future__ import annotations

from skillbook.errors import ApprovalRequired
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.rules import DANGERS
from skillbook.policy.urls import origin_of, same_site
from skillbook.session.page.act_requests import HeldRequest
from skillbook.skill.builtin.builtin_skill import BuiltinSkill
from skillbook.skill.consent.send_allowlist import Approve, answer_of

# As `SecretStore.questions` words them: what a call with a secret approves, and what it doesn't.
_UNBOUND, _NO_FIELD = "belongs to no site yet", "no field for passwords"


class CallConsent:
    """Approves what running the skill is for; everything else is asked of whoever may approve.

    Parameters
    ----------
    skill : says what it is for.
    origin : of the page that it was called on.
    approve : asked about the rest; None where nobody is.
    implied : whether the call approves anything at all.
    """

    def __init__(self, skill: BuiltinSkill, origin: str, approve: Approve | None, *, implied: bool) -> None:
        self._skill = skill
        self._origin = origin
        self._approve = approve
        self._implied = implied

    def __call__(self, question: str) -> bool:
        """Only `judge` is asked: a question alone says too little."""
        return False

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        """Whether it may be done."""
        if self._implied:
            own = self._sends(about.fact) if isinstance(about, HeldRequest) else self._does(about)
            if own:
                return True
        if self._approve is None or isinstance(self._approve, str):
            return False
        return await answer_of(self._approve, question, about)

    def _sends(self, fact: RequestFact) -> bool:
        return self._skill.sends and not fact.leaks and not fact.files and self._is_own(fact.origin)

    def _is_own(self, origin: str) -> bool:
        return origin == self._origin or same_site(origin, self._origin)

    def _does(self, question: ApprovalRequired) -> bool:
        """Whether a step is dangerous in no other way than the skill is, and sends its form to the page's site."""
        binding = question.binding
        reason = str(question.data.get("reason", ""))
        dangers = {kind for kind, words in DANGERS.items() if words in reason}
        types_secret = _UNBOUND in reason and _NO_FIELD not in reason
        if binding is None or not (dangers or types_secret) or not dangers <= self._skill.approves:
            return False
        if types_secret and "credentials" not in self._skill.approves:
            return False
        origin = origin_of(binding.form[1]) if binding.form else None
        return origin is None or self._is_own(origin)

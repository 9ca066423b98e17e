"""What a person has to give before a skill does anything: their approval of this version, and values for its secrets.

Anybody may have written a skill's file. So one that wants more than to read, type and click where the person allowed
that is approved by them once for each version. What a run asks as it goes on is in `permission.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook.config import load_settings
from skillbook.errors import SkillNotApproved
from skillbook.policy.secrets import store
from skillbook.policy.urls import origin_of
from skillbook.session.page_driver import driver_of
from skillbook.skill.consent.send_allowlist import Approve, answer_of
from skillbook.skill.consent.skill_approvals import may_run, remember
from skillbook.skill.consent.wants import Wants, origins_reached, wants_of
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.templates import fill_url


@dataclass(frozen=True)
class Consent:
    """A person's consent to one version of a skill.

    Parameters
    ----------
    path : the skill's folder or prompt file; None where it isn't saved.
    foreign : whether it comes from a file, which anybody may have written.
    """

    spec: SkillSpec
    path: Path | None
    foreign: bool

    @property
    def wants(self) -> Wants:
        """What the skill wants to do."""
        return wants_of(self.spec, self.path, store)

    @property
    def is_given(self) -> bool:
        """Whether the skill was made or saved here, or a person approved exactly this version."""
        return not self.foreign or may_run(load_settings().home, self.spec.digest)

    def give(self) -> None:
        """Remember that the person approves this version."""
        remember(load_settings().home, self.spec.digest)

    def is_needed(self, page: Any, given: Mapping[str, Any]) -> bool:
        """Whether the skill wants more than a person has given it.

        Parameters
        ----------
        given : values of inputs; its origins may depend on them.
        """
        if self.is_given:
            return False
        reached = origins_reached(self.spec)
        if reached is None:
            return True
        driver = driver_of(page)
        inputs = bind_inputs(self.spec, given, driver.url)
        origins = {origin_of(fill_url(address, inputs)) for address in reached}
        return not origins <= driver.browser.gateway.policy.allowed

    async def ask(self, approve: Approve | None) -> None:
        """Ask the person, once for each version, whether the skill may do what it wants.

        Raises
        ------
        SkillNotApproved : nobody can be asked, or says no.
        """
        if approve == self.spec.digest:
            return
        wants = str(self.wants)
        if approve is None or isinstance(approve, str) or not await answer_of(approve, wants):
            raise SkillNotApproved(
                f"nobody has approved this version of {self.spec.name}. {wants}",
                name=self.spec.name,
                digest=self.spec.digest,
            )
        self.give()

    def ask_secrets(self, page: Any) -> None:
        """Make sure of a value for each secret now, where a person can give it, and not in mid-run."""
        if self.spec.all_secrets:
            secrets = driver_of(page).browser.gateway.secrets
            for name in self.spec.all_secrets:
                secrets.add(name)

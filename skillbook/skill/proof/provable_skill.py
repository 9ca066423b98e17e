"""Trying a skill: its recorded example replayed, safely after saving, on request, or on changed pages."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from skillbook.config import load_settings
from skillbook.errors import EvaluateRefused, InvalidInput, InvalidSkill
from skillbook.io_thread import io
from skillbook.session.page_driver import PageDriver, driver_of
from skillbook.skill.consent.consent_summary import Consent
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.templates import Value
from skillbook.skill.proof.recorded_results import RecordedResults
from skillbook.skill.proof.skill_proof import Proof, last_proof, prove, prove_twice, remember_proof, why_not
from skillbook.skill.proof.survival import KINDS, Survival, survive

if TYPE_CHECKING:
    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page


class ProvableSkill(ABC):
    """The part of a skill that tries it.

    Attributes
    ----------
    recorded : what was read when it was recorded, where it was made here.
    """

    spec: SkillSpec
    recorded: RecordedResults
    _consent: Consent

    @property
    @abstractmethod
    def digest(self) -> str:
        """Hash of what it says."""

    def test(
        self, page: Page | AioPage, *, inputs: Mapping[str, Any] | None = None, approve: Approve | None = None
    ) -> Proof:
        """Replay the recorded example in a tab of its own and say what came of it; `sb.skills` shows that.

        It does what the skill does, so what the skill sends is sent once more.

        Parameters
        ----------
        page : Page
            Any page of the browser; a page on this machine also says where the site is.
        inputs : dict, optional
            Values in place of the recorded ones.
        approve : function or str, optional
            As for `run`.

        Returns
        -------
        Proof
            Whether it worked, and why not.

        Raises
        ------
        MissingInput, InvalidInput, SkillNotApproved, NotAllowed
            As `run`, before anything is done.
        """
        driver, given = driver_of(page), dict(inputs or {})
        values = self._agreed(page, given, approve)
        if self.spec.replays:
            texts = [str(value) for value in given.values()]
            recorded = None if given else self.recorded
            proof = io.sync(
                prove(self.spec, driver.browser, values, approve=approve, given=texts, recorded=recorded)
            )
        else:
            proof = Proof("skipped", why_not(self.spec))
        remember_proof(load_settings().home, self.digest, proof)
        return proof

    def survive(
        self,
        page: Page | AioPage,
        n: int = 100,
        *,
        kinds: Sequence[str] = KINDS,
        inputs: Mapping[str, Any] | None = None,
        approve: Approve | None = None,
    ) -> Survival:
        """See how the skill fares on changed pages: renamed ids, moved and wrapped elements, other texts, look-alikes.

        The recorded example is replayed once, in a tab of its own. Before each step acts, the page is changed, the
        step's target looked for as in any replay, and the change undone.

        Parameters
        ----------
        page : Page
            Any page of the browser, which must have been started with `allow_evaluate=True`.
        n : int
            About how many changed pages, over all steps.
        kinds : sequence of str
            Which changes; `skillbook.skill.proof.survival.KINDS` has all.
        inputs : dict, optional
            Values in place of the recorded ones.
        approve : function or str, optional
            As for `run`.

        Returns
        -------
        Survival
            What was found, refused and wrong: `frame` by step and kind, and a plot in notebooks.

        Raises
        ------
        EvaluateRefused
            The browser doesn't allow it.
        SkillNotApproved, MissingInput, InvalidInput
            As `run`.
        InvalidSkill
            No step has a target.
        """
        driver, given = driver_of(page), dict(inputs or {})
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise InvalidInput(
                f"{unknown[0]!r} is no change that pages can have",
                hint=f"kinds are some of {', '.join(KINDS)}",
            )
        if not driver.browser.allow_evaluate:
            raise EvaluateRefused(
                "changing pages needs JavaScript", hint="start the browser with allow_evaluate=True"
            )
        if not any(step.target or step.to for step in self.spec.all_steps):
            raise InvalidSkill(f"no step of {self.spec.name} has a target", hint="record one that acts")
        values = self._agreed(page, given, approve)
        texts = [str(value) for value in given.values()]
        return io.sync(
            survive(self.spec, driver.browser, values, n, kinds=kinds, approve=approve, given=texts)
        )

    def prove(self, page: Page | AioPage | PageDriver) -> Self:
        """Replay the skill if that can do no harm: nothing irreversible, nothing sent, nobody asked.

        Parameters
        ----------
        page : Page
            Any page of the browser.

        Returns
        -------
        Skill
            The skill; `skill.proof` says what came of it, or why it wasn't tried. A failure is warned of; so are other
            rows or facts than those of the recording. If a step chooses from a list by an input, another of its
            options is tried as well: `skill.proof.other`.
        """
        reason = why_not(self.spec)
        if not reason and self.spec.all_sends is None and not driver_of(page).requests.available:
            reason = "nobody knows what it sends, and here nothing can hold that"
        if reason:
            remember_proof(load_settings().home, self.digest, Proof("skipped", reason))
        elif self._prove(page).status == "failed":
            warnings.warn(f"{self.spec.name} was saved, but {self.proof}", stacklevel=3)
        return self

    def _prove(self, page: Any) -> Proof:
        driver = driver_of(page)
        proof = io.sync(prove_twice(self.spec, driver.browser, driver.url, self.recorded))
        remember_proof(load_settings().home, self.digest, proof)
        return proof

    @property
    def proof(self) -> Proof | None:
        """What replaying this version gave last; None where it was never tried."""
        return last_proof(load_settings().home, self.digest)

    def _agreed(
        self, page: Page | AioPage, given: Mapping[str, Any], approve: Approve | None
    ) -> dict[str, Value]:
        """The inputs' values, once a person has agreed to a run with them."""
        if self._consent.is_needed(page, given):
            io.sync(self._consent.ask(approve))
        self._consent.ask_secrets(page)
        return bind_inputs(self.spec, given, driver_of(page).url)

"""What a person has to give before a skill does anything: their approval of this version, and values for its secrets.

Anybody may have written a skill's file. So one that wants more than to read, type and click where the person allowed
that is approved by them once for each version. What a run asks as it goes on is in `permission.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook.config import load_settings
from skillbook.errors import ApprovalRequired, NotAllowed, SkillNotApproved
from skillbook.perception.escape import quote, shorten
from skillbook.policy.labels import says_change
from skillbook.policy.secrets import store
from skillbook.policy.urls import origin_of
from skillbook.session.action import left_by
from skillbook.session.page_driver import driver_of
from skillbook.skill.consent.send_allowlist import Approve, answer_of, is_of_code
from skillbook.skill.consent.skill_approvals import may_run, remember
from skillbook.skill.consent.wants import Wants, origins_reached, reached, wants_of
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.templates import Value, fill_url

_LONGEST, _MOST_SHOWN = 200, 3


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

    async def ask_sites(
        self, page: Any, given: Mapping[str, Any], inputs: Mapping[str, Value], approve: Approve | None
    ) -> None:
        """Ask about sites that a run reaches and that it wasn't approved for, before anything is requested.

        A version is approved for the origins that it has by itself. Values that a person's code gives are like an
        address which that code opens; those of a model, a client or a form are asked about as opening it would be.

        Parameters
        ----------
        given : the inputs' values that whoever runs it gave.
        inputs : every input's value.

        Raises
        ------
        ApprovalRequired : nobody can be asked. NotAllowed : the person says no.
        """
        policy = driver_of(page).browser.gateway.policy
        defaults = {one.name: one.default for one in self.spec.inputs if one.default is not None}
        known = reached(self.spec, defaults) if self.is_given or approve == self.spec.digest else {}
        named = {**defaults, **{name: inputs[name] for name in given}}
        by_code = reached(self.spec, named) if is_of_code(approve) else {}
        asked_for = {
            origin: addresses
            for origin, addresses in reached(self.spec, inputs).items()
            if origin not in by_code
            and (origin not in policy.allowed | known.keys() or _says_more(addresses, known.get(origin, ())))
        }
        if not asked_for:
            return
        if outside := sorted(filter(None, map(left_by, asked_for))):
            raise NotAllowed(
                f"{self.spec.name} would go to {' and '.join(outside)}, which isn't one of the sites that this program "
                "may use",
                hint="stay on the sites that the person named with --origins",
                origin=outside[0],
            )
        new = sorted(origin for origin in asked_for if origin not in policy.allowed | known.keys())
        question = ApprovalRequired(
            f"{self.spec.name} would {_words_of(asked_for, new, known)}",
            hint="open that page first, or call browser.allow(origin)",
            effect="write",
            sites=new,
        )
        if approve is None or isinstance(approve, str):
            raise question
        if not await answer_of(approve, question.message, question):
            raise NotAllowed(
                f"the person rejected that {self.spec.name} goes to {' and '.join(asked_for)}: nothing was requested",
                hint="use a site that is allowed, or ask them why",
                origin=next(iter(asked_for)),
            )
        policy.allowed.update(new)

    def ask_secrets(self, page: Any) -> None:
        """Make sure of a value for each secret now, where a person can give it, and not in mid-run."""
        if self.spec.all_secrets:
            secrets = driver_of(page).browser.gateway.secrets
            for name in self.spec.all_secrets:
                secrets.add(name)


def _says_more(addresses: Sequence[str], approved: Sequence[str]) -> bool:
    """Whether an address says that it changes something, and none of those that were approved does."""
    return any(map(says_change, addresses)) and not any(map(says_change, approved))


def _words_of(reached: Mapping[str, list[str]], new: Sequence[str], approved: Iterable[str]) -> str:
    """Where a run would go, quoted and cut, and why that is asked about."""
    addresses = [address for each in reached.values() for address in each]
    opened = ", ".join(quote(shorten(address, _LONGEST)) for address in addresses[:_MOST_SHOWN])
    more = f" and {len(addresses) - _MOST_SHOWN} more" if len(addresses) > _MOST_SHOWN else ""
    words = [f"open {opened}{more}" if opened else f"act on {' and '.join(reached)}"]
    if new:
        those = f"{' and '.join(new)} {'is' if len(new) == 1 else 'are'}n't allowed yet"
        words.append(f"it was approved for {' and '.join(approved) or 'no site'}, and {those}")
        words.append("if you approve, every program may act there from now on")
    if changes := list(filter(None, map(says_change, addresses))):
        words.append(f"the address says {changes[0]!r}: going there may change something")
    return "; ".join(words)

"""Trying a skill: its recorded example replayed, safely after saving, on request, or on pages that changed.

One replay of the recorded example goes through the skill. Before each step acts, the page is changed in one way, the
step's target is looked for as a replay would, the change is undone, and the next one is made.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, Self

from skillbook.config import load_settings
from skillbook.errors import EvaluateRefused, InvalidInput, InvalidSkill, ReplayFailed, SkillbookError
from skillbook.io_thread import io
from skillbook.limits import READ_SECONDS
from skillbook.session.page_driver import PageDriver, driver_of
from skillbook.session.shared_tabs import SharedTabs
from skillbook.skill.consent.consent_summary import Consent
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.templates import Value
from skillbook.skill.proof.skill_proof import (
    Proof,
    RecordedResults,
    last_proof,
    prove,
    prove_twice,
    remember_proof,
    why_not,
)
from skillbook.skill.targets.healing import Wanted, find_now, find_target, say

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page


KINDS = (
    "ids", "classes", "wrapped", "reordered", "renamed", "translated", "banner", "lookalike", "row", "late",
    "narrow", "replaced",
)  # fmt: skip
GONE = "replaced"
"""The kind that takes the target away and puts a near-namesake there: whatever is found is wrong."""
_LATE = "late"
_COLOURS = {"replayed": "#2a7", "healed": "#8c6", "refused": "#db5", "wrong": "#c33"}

Outcome = Literal["replayed", "healed", "refused", "wrong"]


@dataclass(frozen=True)
class Trial:
    """One target on one changed page.

    Parameters
    ----------
    step : the step's number.
    kind, seed : which change, and which of its kind.
    outcome : found by the recorded selector, healed, refused, or something else taken for it.
    found : what was taken for it, in words.
    """

    step: int
    command: str
    kind: str
    seed: int
    outcome: Outcome
    found: str = ""

    @property
    def right(self) -> bool:
        """Whether the step would have done what it says: on its target, or on nothing where that is gone."""
        return self.outcome == "refused" if self.kind == GONE else self.outcome in ("replayed", "healed")


@cache
def change(kind: str, seed: int) -> str:
    """JavaScript, a function of the target, that makes a change and says whether it could."""
    source = files("skillbook.skill.proof").joinpath("mutations.js").read_text(encoding="utf-8")
    function = source[source.index("(target, kind, seed) => {") :].strip()
    return f"(target) => ({function})(target, {json.dumps(kind)}, {seed})"


UNDO = "() => globalThis.skillbookUndo?.()"


async def look(driver: PageDriver, wanted: Wanted, ref: str, kind: str) -> tuple[Outcome, str]:
    """Look for a target on the changed page as a replay does; `ref` is the element that it is."""
    try:
        if kind == _LATE:
            found = await find_target(driver, wanted, seconds=READ_SECONDS)
        else:
            now = find_now(await driver.snapshot_for(*wanted.selectors, texts=False), wanted)
            if now is None:
                return "refused", ""
            found = now
    except ReplayFailed:
        return "refused", ""
    if kind == GONE or found.node.ref != ref:
        return "wrong", say(found.node)
    return ("replayed" if found.how == "locator" else "healed"), say(found.node)


@dataclass
class Lab:
    """Changes pages under the steps of one replay; see `skillbook.skill.replay.replayer.Replay`.

    each: how many of each kind for each target.
    """

    driver: PageDriver
    kinds: Sequence[str]
    each: int
    trials: list[Trial] = field(default_factory=list)

    async def __call__(self, step: int, command: str, wanted: Wanted, ref: str) -> None:
        """Try every change on a step's target, which the page shows now as it was recorded."""
        for kind in self.kinds:
            for seed in range(self.each):
                try:
                    made = await self.driver.evaluate(change(kind, seed), ref)
                    if made:
                        outcome, found = await look(self.driver, wanted, ref, kind)
                        self.trials.append(Trial(step, command, kind, seed, outcome, found))
                finally:
                    await self.driver.evaluate(f"({UNDO})()")
                if not made:
                    break
        # The action that follows needs the page as it was.
        if find_now(await self.driver.snapshot_for(*wanted.selectors, texts=False), wanted) is None:
            raise ReplayFailed(
                f"the page didn't come back after the changes around {wanted.selectors[0]}",
                hint="the page's scripts took part in them; give fewer kinds",
            )


class Survival:
    """How many of a skill's targets were found again on changed pages, and how often something else was taken.

    error: what ended the replay early, if anything.
    """

    def __init__(self, skill: str, trials: Iterable[Trial], error: SkillbookError | None = None) -> None:
        self.skill = skill
        self.trials = list(trials)
        self.error = error

    @property
    def survived(self) -> float:
        """Share of changed pages with the target on them where it was found, from 0 to 1."""
        there = [trial for trial in self.trials if trial.kind != GONE]
        return sum(trial.right for trial in there) / len(there) if there else 0.0

    @property
    def wrong(self) -> list[Trial]:
        """The trials in which another element was taken for the target."""
        return [trial for trial in self.trials if trial.outcome == "wrong"]

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each step and kind: pages, and how many were replayed, healed, refused and wrong."""
        import pandas as pd

        rows: dict[tuple[int, str, str], dict[str, int]] = {}
        for trial in self.trials:
            counts = rows.setdefault((trial.step, trial.command, trial.kind), dict.fromkeys(_COLOURS, 0))
            counts[trial.outcome] += 1
        table = [
            {"step": step, "command": command, "kind": kind, "pages": sum(counts.values()), **counts}
            for (step, command, kind), counts in rows.items()
        ]
        return pd.DataFrame(table, columns=["step", "command", "kind", "pages", *_COLOURS])

    def __repr__(self) -> str:
        tail = f", ended by {self.error.message}" if self.error else ""
        return (
            f"<Survival {self.skill}: {len(self.trials)} changed pages, {self.survived:.0%} found, "
            f"{len(self.wrong)} wrong{tail}>"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": f"<p>{escape(repr(self))}</p>{self.plot()}"}

    def plot(self) -> str:
        """A bar for each kind of change as SVG: green found, yellow refused, red wrong."""
        bars = []
        for place, kind in enumerate(dict.fromkeys(trial.kind for trial in self.trials)):
            mine = [trial for trial in self.trials if trial.kind == kind]
            y, x = 8 + place * 22, 110.0
            bars.append(f'<text x="100" y="{y + 12}" text-anchor="end">{escape(kind)}</text>')
            for outcome, colour in _COLOURS.items():
                count = sum(trial.outcome == outcome for trial in mine)
                width = 320 * count / len(mine)
                if count:
                    bars.append(
                        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="16" fill="{colour}">'
                        f"<title>{outcome}: {count}</title></rect>"
                    )
                x += width
            bars.append(f'<text x="438" y="{y + 12}">{len(mine)}</text>')
        height = 16 + 22 * len({trial.kind for trial in self.trials})
        legend = " · ".join(
            f'<tspan fill="{colour}">■</tspan> {outcome}' for outcome, colour in _COLOURS.items()
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="480" height="{height + 20}" font-family="sans-serif" '
            f'font-size="12" fill="currentColor">{"".join(bars)}<text x="110" y="{height + 12}">{legend}</text></svg>'
        )


async def survive(
    spec: SkillSpec,
    browser: SharedTabs[PageDriver],
    inputs: Mapping[str, Value],
    n: int,
    *,
    kinds: Sequence[str],
    approve: Approve | None,
    given: Collection[str],
) -> Survival:
    """Replay a skill's recorded example once, in a tab of its own, and try its targets on changed pages.

    n: about how many changed pages, over all targets.
    """
    targets = sum((step.target is not None) + (step.to is not None) for step in spec.all_steps)
    labs: list[Lab] = []

    def begin(tab: PageDriver) -> Lab:
        labs.append(Lab(tab, kinds, max(1, round(n / targets / len(kinds)))))
        return labs[0]

    proof = await prove(
        spec, browser, inputs, approve=approve, given=given, lab=begin, keep_screenshots=False
    )
    trials = labs[0].trials if labs else []
    return Survival(spec.name, trials, proof.result.error if proof.result else None)


class ProvableSkill:
    """The part of a skill that tries it.

    Attributes
    ----------
    recorded : what was read when it was recorded, where it was made here.
    """

    spec: SkillSpec
    recorded: RecordedResults
    _consent: Consent

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
        remember_proof(load_settings().home, self.spec.digest, proof)
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
            Which changes; `skillbook.skill.proof.provable_skill.KINDS` has all.
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
            remember_proof(load_settings().home, self.spec.digest, Proof("skipped", reason))
        elif self._prove(page).status == "failed":
            warnings.warn(f"{self.spec.name} was saved, but {self.proof}", stacklevel=3)
        return self

    def _prove(self, page: Any) -> Proof:
        driver = driver_of(page)
        proof = io.sync(prove_twice(self.spec, driver.browser, driver.url, self.recorded))
        remember_proof(load_settings().home, self.spec.digest, proof)
        return proof

    @property
    def proof(self) -> Proof | None:
        """What replaying this version gave last; None where it was never tried."""
        return last_proof(load_settings().home, self.spec.digest)

    def _agreed(
        self, page: Page | AioPage, given: Mapping[str, Any], approve: Approve | None
    ) -> dict[str, Value]:
        """The inputs' values, once a person has agreed to a run with them."""
        if self._consent.is_needed(page, given):
            io.sync(self._consent.ask(approve))
        self._consent.ask_secrets(page)
        return bind_inputs(self.spec, given, driver_of(page).url)

"""How a skill fares on changed pages: its targets are looked for under injected changes, each of which is undone.

One replay of the recorded example goes through the skill. Before each step acts, the page is changed in one way, the
step's target is looked for as a replay would, the change is undone, and the next one is made.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import ReplayFailed, SkillbookError
from skillbook.session.page_driver import PageDriver
from skillbook.session.shared_tabs import SharedTabs
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.templates import Value
from skillbook.skill.proof.skill_proof import prove
from skillbook.skill.targets.healing import Wanted, find_now, find_target, say

if TYPE_CHECKING:
    import pandas as pd

KINDS = (
    "ids", "classes", "wrapped", "reordered", "renamed", "translated", "banner", "lookalike", "row", "late",
    "narrow", "replaced",
)  # fmt: skip
GONE = "replaced"
"""The kind that takes the target away and puts a near-namesake there: whatever is found is wrong."""
_LATE = "late"
_LATE_SECONDS = 4.0
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
            found = await find_target(driver, wanted, seconds=_LATE_SECONDS)
        else:
            now = find_now(await driver.snapshot(), wanted)
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
    """Changes pages under the steps of one replay; see `skillbook.skill.replay.replayer.run_skill`.

    Parameters
    ----------
    kinds : the changes to make.
    each : how many of each kind for each target.
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
        if find_now(await self.driver.snapshot(), wanted) is None:
            raise ReplayFailed(
                f"the page didn't come back after the changes around {wanted.selectors[0]}",
                hint="the page's scripts took part in them; give fewer kinds",
            )


class Survival:
    """How many of a skill's targets were found again on changed pages, and how often something else was taken.

    Parameters
    ----------
    trials : one for each target and changed page.
    error : what ended the replay early, if anything.
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

    Parameters
    ----------
    inputs : every input's value.
    n : about how many changed pages, over all targets.
    kinds : which changes.
    approve, given : as for `skillbook.skill.replay.replayer.run_skill`.
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

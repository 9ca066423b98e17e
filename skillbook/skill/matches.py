"""Which skills may reach a goal on a page: saved and built-in ones, ranked by one measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skillbook.goals.goal_words import likeness
from skillbook.perception.summary import PageSummary
from skillbook.policy.urls import origin_of
from skillbook.skill.builtin import Builtin, Refusal
from skillbook.skill.facade import Skill
from skillbook.skill.model.inputs import local_origin
from skillbook.skill.model.templates import fill_text, placeholders

_LEAST = 0.34
_ELSEWHERE = 0.4
_SITE_FITS, _BUILTIN_FITS, _ANYWHERE_FITS = 0.8, 0.6, 0.3


@dataclass(frozen=True)
class SkillMatch:
    """A skill that may reach a goal.

    kind: `saved` or `built-in`.
    confidence: 0 to 1: how surely it is meant and can be run on the page.
    params: the inputs that the goal names.
    missing: required inputs that it doesn't name.
    """

    name: str
    kind: str
    confidence: float
    params: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    why: str = ""
    skill: Skill | Builtin = field(default=None, repr=False)  # type: ignore[assignment]

    def run(self, page: Any, **more: Any) -> Any:
        """Run it with what the goal named, and whatever else is given; see the skill's `run`."""
        return self.skill.run(page, **{**self.params, **more})


def rank_saved(skill: Skill, summary: PageSummary, goal: str) -> SkillMatch | None:
    """A saved skill by what its name and description share with the goal, and where it begins."""
    about = likeness(f"{skill.name.replace('-', ' ')} {skill.description}", goal)
    if about < _LEAST:
        return None
    begins = skill.spec.start
    fixed = begins is not None and next(placeholders(begins), None) is None
    here = not fixed or origin_of(str(begins)) == origin_of(summary.url)
    missing = tuple(one.name for one in skill.inputs if one.required and one.default is None)
    sure = about * (1.0 if here else _ELSEWHERE) * (0.7 if missing else 1.0)
    why = f"{about:.0%} of the goal's words are its own" + ("" if here else "; it begins on another site")
    return SkillMatch(skill.name, "saved", round(sure, 3), {}, missing, why, skill)


def rank_builtin(skill: Builtin, summary: PageSummary, goal: str) -> SkillMatch | None:
    """A built-in skill by whether the goal is of its kind, and whether it binds to the page."""
    params = skill.params_of(goal)
    if params is None:
        return None
    missing = tuple(one.name for one in skill.inputs if one.required and params.get(one.name) in (None, ""))
    sure = skill.match(summary, params)
    bound = skill.bind(summary, params)
    why = bound.reason if isinstance(bound, Refusal) else f"it binds to {', '.join(bound.nodes)}"
    return SkillMatch(skill.name, skill.kind, round(sure, 3), params, missing, why, skill)


def fit_to_page(skill: Skill | Builtin, summary: PageSummary) -> tuple[float | None, str]:
    """How well a skill fits a page that is open, 0 to 1, and why; None where it isn't made for such a page.

    Nothing is known of a goal: what counts is where a saved skill was made, and whether a built-in one finds its
    controls.
    """
    if isinstance(skill, Builtin):
        try:
            bound = skill.bind(summary, {})
        except (KeyError, TypeError, AttributeError):  # it needs to know more before it looks
            return None, ""
        if isinstance(bound, Refusal):
            return None, ""
        return (
            _BUILTIN_FITS,
            f"this page has {', '.join(bound.nodes)}" if bound.nodes else "it fits this page",
        )
    here = origin_of(summary.url)
    local = {one.name: local_origin(summary.url) for one in skill.spec.inputs if one.from_page}
    begins = _filled(skill.spec.start or "", local)
    if begins and begins.split("?")[0] == summary.url.split("?")[0]:
        return 1.0, "it begins on this page"
    known = {
        origin_of(address) for address in [begins, *(_filled(one, local) for one in skill.spec.all_origins)]
    }
    if here is not None and here in known:
        return _SITE_FITS, "it was made for this site"
    return (None, "") if known - {None} else (_ANYWHERE_FITS, "it runs on any page")


def _filled(address: str, local: Mapping[str, str]) -> str:
    """An address with the page's origin where it names that; empty where it needs an input that nobody gave."""
    names = {one.name for one in placeholders(address)}
    return (
        fill_text(address, dict(local))
        if names <= local.keys() and all(local[name] for name in names)
        else ""
    )

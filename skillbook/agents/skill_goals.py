"""Goals that a built-in skill can carry out: a page has one where the skill binds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skillbook.goals import Goal, from_words
from skillbook.perception.summary import PageSummary
from skillbook.skill.builtin import BUILTIN, BuiltinSkill, Details, Slots
from skillbook.skill.builtin.builtin_skill import Params

ELSEWHERE = ("download", "login", "search")
"""Skills whose page is worth looking for; the others are about the page that is open."""


@dataclass(frozen=True)
class SkillGoal(Goal):
    """A page on which a built-in skill finds all it needs.

    Parameters
    ----------
    skill, params : what is to be run there.
    about : says how near a page is.
    """

    skill: BuiltinSkill
    params: Params
    about: Goal = field(repr=False)

    def holds(self, summary: PageSummary, downloads: Sequence[str] = ()) -> bool:
        """Whether the skill binds."""
        return isinstance(self.skill.bind(Details(summary), self.params), Slots)

    def nearness(self, summary: PageSummary) -> float:
        """As the goal's words say."""
        return self.about.nearness(summary)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.params.items() if value)
        return f"a page for {self.skill.name}({given})"


def goal_for(words: str) -> Goal:
    """The page that a goal in words is about: one where a built-in skill can do it, else one that has these words.

    Raises
    ------
    InvalidInput : it has no words.
    """
    about = from_words(words)
    for name in ELSEWHERE:
        skill = BUILTIN[name]()
        params = skill.params_of(words)
        if params is not None and not missing_inputs(skill, params):
            return SkillGoal(skill, params, about)
    return about


def missing_inputs(skill: BuiltinSkill, params: Params) -> list[str]:
    """The inputs that a skill needs and wasn't given."""
    return [one.name for one in skill.inputs if one.required and params.get(one.name) in (None, "")]

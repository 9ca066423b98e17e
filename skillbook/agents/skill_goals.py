"""Goals of saved skills: what a skill that is saved reaches, and saved skills that say just what a goal says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skillbook.goals import Goal, from_words
from skillbook.goals.goal_words import content_words, is_relative
from skillbook.perception.summary import PageSummary
from skillbook.session.page_driver import PageDriver
from skillbook.skill.builtin import BUILTIN
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.library import SkillMatch, skills
from skillbook.skill.model.spec import SkillSpec

ELSEWHERE = ("download", "login", "search")
"""Skills whose page is worth looking for; the others are about the page that is open."""


@dataclass(frozen=True)
class SkillGoal(Goal):
    """A page on which a built-in skill finds all it needs.

    about: says how near a page is.
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

    Raises InvalidInput: it has no words.
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


async def saved_for(page: PageDriver, goal: str) -> SkillMatch | None:
    """The saved skill that reaches a goal on this page; None where none surely does.

    page: the page that is open; it is read only where a skill's words are the goal's.
    """
    if not any(entry.spec is not None and _says(entry.spec, goal) for entry in skills.entries):
        return None
    return next((one for one in await skills.rank(page, goal) if runs_surely(one, goal)), None)


def runs_surely(match: SkillMatch, goal: str) -> bool:
    """Whether a saved skill is just what the goal says, word by word, and does the same on any day."""
    skill = match.skill
    if isinstance(skill, Builtin) or match.missing:
        return False
    return skill.approved and _says(skill.spec, goal)


def _says(spec: SkillSpec, goal: str) -> bool:
    words = set(content_words(goal))
    if not words or is_relative(goal) or not spec.replays:
        return False
    return any(set(content_words(text)) == words for text in (spec.description, spec.name.replace("-", " ")))

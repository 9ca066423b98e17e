"""Saved skills that say just what a goal says."""

from __future__ import annotations

from skillbook.goals.goal_matching import content_words
from skillbook.goals.period import is_relative
from skillbook.session.page_driver import PageDriver
from skillbook.skill.builtin import Builtin
from skillbook.skill.library import skills
from skillbook.skill.matches import SkillMatch
from skillbook.skill.model import SkillSpec


async def saved_for(page: PageDriver, goal: str) -> SkillMatch | None:
    """The saved skill that reaches a goal on this page; None where none surely does.

    Parameters
    ----------
    page : the page that is open; it is read only where a skill's words are the goal's.
    goal : what is to be reached, in words.
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
    said = set(content_words(goal))
    if not said or is_relative(goal) or not spec.replays:
        return False
    return any(set(content_words(text)) == said for text in (spec.description, spec.name.replace("-", " ")))

"""Saved skills that say just what a goal says."""

from __future__ import annotations

from skillbook.goals.matching import content_words
from skillbook.goals.period import is_relative
from skillbook.session.drivers import PageDriver
from skillbook.skill.builtin import Builtin
from skillbook.skill.library import skills
from skillbook.skill.matches import SkillMatch


async def saved_for(page: PageDriver, goal: str) -> SkillMatch | None:
    """The saved skill that reaches a goal on this page; None where none surely does.

    Parameters
    ----------
    page : the page that is open.
    goal : what is to be reached, in words.
    """
    return next((one for one in await skills.rank(page, goal) if runs_surely(one, goal)), None)


def runs_surely(match: SkillMatch, goal: str) -> bool:
    """Whether a saved skill is just what the goal says, word by word, and does the same on any day."""
    skill = match.skill
    if isinstance(skill, Builtin) or match.missing or is_relative(goal):
        return False
    said = set(content_words(goal))
    is_meant = any(
        set(content_words(words)) == said for words in (skill.description, skill.name.replace("-", " "))
    )
    return is_meant and skill.approved and skill.spec.replays

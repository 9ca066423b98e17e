"""Skills: recorded, kept as files, and run again without a model."""

from __future__ import annotations

from skillbook.skill.authoring.from_journal import SavedSession, load_journal
from skillbook.skill.facade import Skill
from skillbook.skill.library import Library, load_skill, skills

__all__ = ["Library", "SavedSession", "Skill", "load_journal", "load_skill", "skills"]

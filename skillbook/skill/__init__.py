"""Skills: recorded, kept as files, and run again without a model."""

from __future__ import annotations

from skillbook.skill.authoring.from_journal import SavedSession, load_journal
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.facade import Skill
from skillbook.skill.library import Library, load_skill, skills
from skillbook.skill.model import SkillInput, SkillSpec, SkillStep
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import Patch, SkillResult, StepOutcome
from skillbook.skill.replay.skill_run import PromptRunner

__all__ = [
    "Library",
    "Patch",
    "PromptRunner",
    "RecordedStep",
    "Recording",
    "SavedSession",
    "Skill",
    "SkillInput",
    "SkillResult",
    "SkillSpec",
    "SkillStep",
    "StepOutcome",
    "load_journal",
    "load_skill",
    "run_skill",
    "skill_from_recording",
    "skills",
]

"""Keeping a run as a skill."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from skillbook.agents.context import RunContext
from skillbook.errors import AgentError

if TYPE_CHECKING:
    from skillbook.skill.facade import Skill


def save_run(
    context: RunContext, status: str, name: str, folder: Path | str, description: str | None, overwrite: bool
) -> Skill:
    """Save a run's steps as a skill in `folder` and return the saved skill.

    Raises
    ------
    AgentError: the run is at work.
    InvalidSkill, InvalidSkillName: see `skillbook.skill.recorder.skill_from_run`.
    """
    from skillbook.skill.approvals import remember
    from skillbook.skill.recorder import skill_from_run

    if status == "running":
        raise AgentError("The run is at work.", hint="Stop it or wait for its end, then save it.")
    columns = [] if context.frame is None else [str(column) for column in context.frame.columns]
    made = skill_from_run(context.goal, context.steps, name, description, outputs=columns)
    saved = made.save(folder, overwrite=overwrite)
    if any(step.irreversible for step in saved.spec.steps):
        remember(context.page.browser.settings.home, saved.digest)
    return saved

"""A run of a skill that is a prompt: an agent follows it, and asks in the side panel."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from skillbook.agents import Run, agent
from skillbook.agents.state.run_context import Autonomy
from skillbook.errors import SkillNotApproved
from skillbook.serving.runs.workflow_runs import WorkflowRun
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.page_driver import PageDriver
from skillbook.session.sync import Page
from skillbook.skill.facade import Skill


class PromptRun(WorkflowRun):
    """A run of a skill without recorded steps.

    Parameters
    ----------
    model, autonomy : of its agent.
    """

    def __init__(
        self, skill: Skill, driver: PageDriver, inputs: Mapping[str, Any], model: Any, autonomy: Autonomy
    ) -> None:
        prompt = skill.prompt(**inputs)

        def follow(page: Page) -> Run:
            run = agent(page, prompt, model, autonomy=autonomy, skill=f"{skill.name}: {skill.description}")
            return run.run()

        super().__init__(Workflow(skill.name, follow), driver, {}, kind="skill")
        self.inputs = dict(inputs)
        self.title = skill.description or skill.name
        self._skill = skill

    async def work(self) -> None:
        if not self._skill.approved:
            decided = await self.ask(
                "confirm", str(self._skill.wants), why="nobody has approved this version yet"
            )
            if decided.decision != "approve":
                raise SkillNotApproved(f"{self._skill.name} was not approved", hint="")
            await asyncio.to_thread(self._skill.approve)
        await super().work()

"""Running skills that are prompts only."""

from __future__ import annotations

import time
from typing import Any

from skillbook.agents.run.run_start import agent
from skillbook.errors import ApprovalRequired
from skillbook.skill.model import SkillSpec
from skillbook.skill.replay.skill_result import SkillResult, StepOutcome


async def run_prompt(page: Any, prompt: str, *, spec: SkillSpec, model: Any = None) -> SkillResult:
    """Let an agent follow a skill's prompt, on the I/O thread; a `skillbook.skill.replay.skill_run.PromptRunner`.

    Only calls that need a person's approval end it early: a skill that was started is to run by itself.

    Parameters
    ----------
    page: the page, or its driver.
    prompt: the prompt with the inputs filled in.
    spec: the skill.
    model: as for `sb.agent`.

    Raises
    ------
    ModelNotConfigured.
    """
    started = time.perf_counter()
    run = agent(page, prompt, model, autonomy="all", remember=False, skill=f"{spec.name}: {spec.description}")
    await run.settle()
    result = SkillResult(spec.name, ok=run.status == "succeeded", answer=run.result, error=run.error)
    if run.pending is not None:
        result.error = ApprovalRequired(
            f"{spec.name} needs a person's approval: {run.pending.text}",
            hint="run its prompt with sb.agent(page, skill.prompt(...)), which asks you",
        )
        await run.halt()
    result.frames = [] if run.frame is None else [run.frame]
    result.outcomes = [
        StepOutcome(
            index=step.index,
            command=step.tool,
            status="ok" if step.ok else "failed",
            how="model",
            url=step.url,
            elapsed_ms=step.elapsed_ms,
            error=step.error or "",
        )
        for step in run.records
    ]
    result.model_calls = run.cost.calls
    result.elapsed_ms = (time.perf_counter() - started) * 1000
    return result

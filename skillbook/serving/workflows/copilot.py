"""The built-in workflow that takes a goal in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from skillbook.agents import Run, agent
from skillbook.agents.state.run_context import Autonomy
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Page


def _reach_goal(
    page: Page, *, goal: str, model: str = "", autonomy: Literal["ask", "reads", "all"] = "ask"
) -> Iterator[str | Run]:
    """Reach a goal: by a saved skill, a built-in one, a model, or by exploring.

    Parameters
    ----------
    goal : str
        What to reach, in plain words.
    model : str
        A name such as openai:gpt-5-mini; without one it goes as far as skills and exploration lead.
    autonomy : str
        Ask before every call, let reads pass, or let all pass; irreversible ones always ask.
    """
    run = start_copilot(page, goal, model, autonomy)
    run.start()
    yield f"{goal}: {run.status}"
    yield run


def start_copilot(page: Page, goal: str, model: Any, autonomy: Autonomy) -> Run:
    """The run that works on a goal, not yet started; see the workflow `copilot`."""
    return agent(page, goal, model=model or None, autonomy=autonomy)


copilot = Workflow("copilot", _reach_goal)

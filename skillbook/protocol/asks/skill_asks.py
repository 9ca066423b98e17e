"""Asks about a kernel, its skills, its workflows and the person's preferences."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.asks.ask import Ask
from skillbook.protocol.asks.run_asks import RunSummary
from skillbook.protocol.commands.tabs import NoParams
from skillbook.protocol.model import WireModel

InputType = Literal["text", "number", "integer", "boolean", "date", "choice", "secret", "list", "table"]


class About(WireModel):
    """Who a kernel is."""

    name: str
    version: str
    model: str | None = Field(description="The model of its agent; none where goals go without one.")
    notebook: bool = Field(description="Whether it belongs to a notebook.")
    autonomy: Literal["ask", "reads", "all"]
    skills: int = Field(ge=0)
    workflows: int = Field(ge=0)
    can_record: bool = True


class FormInput(WireModel):
    """One field of a form."""

    name: str
    type: InputType
    label: str
    help: str = ""
    required: bool = False
    default: Any = None
    choices: list[Any] = Field([])


class TabParams(WireModel):
    tab: int | None = Field(None, description="The tab that is looked at; none where it isn't shared.")


class SkillCard(WireModel):
    """A skill that can be run."""

    name: str
    title: str
    description: str
    inputs: list[FormInput]
    sends: list[str] = Field([], description="What it may send, in words, one a line.")
    where: str = Field("", description="Where it runs, such as https://shop.test.")
    builtin: bool = False
    approved: bool = Field(True, description="Whether a person has agreed to what it wants.")
    score: float | None = Field(None, description="How well it fits the tab; none where it doesn't.")
    why: str | None = Field(None, description="Why it fits the tab.")
    problem: str = Field("", description="Why it can't be run; empty where it can.")
    last: RunSummary | None = None


class SkillList(WireModel):
    skills: list[SkillCard]


class WorkflowCard(WireModel):
    """A workflow that can be run."""

    name: str
    title: str
    description: str
    inputs: list[FormInput]
    last: RunSummary | None = None


class WorkflowList(WireModel):
    workflows: list[WorkflowCard]


class PageToolCard(WireModel):
    """A tool that the page declares; every word of it is the page's."""

    name: str
    title: str
    description: str
    inputs: list[FormInput]
    frame: str = Field("", description="Address of the frame that declares it; empty for the page itself.")
    problem: str = Field("", description="Why a form can't call it; empty where it can.")
    last: RunSummary | None = None


class PageToolList(WireModel):
    tools: list[PageToolCard]


class StartParams(WireModel):
    """What to run, on which tab."""

    tab: int
    name: str
    inputs: dict[str, Any] = Field({}, description="Values by name; a secret by the secret's name.")


class PageToolParams(StartParams):
    """Which of the page's tools to call."""

    frame: str = Field("", description="Of the tool, as it is listed.")


class GoalParams(WireModel):
    tab: int
    goal: str


class Started(WireModel):
    run: str


class Preference(WireModel):
    """Standing words of the person, given to each run."""

    site: str | None = Field(None, description="The site they are for, such as shop.test; none for all.")
    words: str = Field(max_length=4000, description="Empty words take the preference away.")


class PreferenceList(WireModel):
    preferences: list[Preference]


SKILL_ASKS = (
    Ask(name="about", params=NoParams, result=About, description="Who the kernel is, and what it has."),
    Ask(
        name="list_skills",
        params=TabParams,
        result=SkillList,
        description="The skills, those first that fit the tab best.",
    ),
    Ask(name="list_workflows", params=NoParams, result=WorkflowList, description="The workflows."),
    Ask(
        name="list_page_tools",
        params=TabParams,
        result=PageToolList,
        description="The tools that the page declares; none where the browser wasn't started for them.",
    ),
    Ask(
        name="run_page_tool",
        params=PageToolParams,
        result=Started,
        description="Call a tool that the page declares, once the person approves the call.",
    ),
    Ask(name="run_skill", params=StartParams, result=Started, description="Run a skill on a tab."),
    Ask(name="run_workflow", params=StartParams, result=Started, description="Run a workflow on a tab."),
    Ask(
        name="run_goal",
        params=GoalParams,
        result=Started,
        description="Give the workflow `copilot` a goal in words.",
    ),
    Ask(
        name="list_preferences",
        params=NoParams,
        result=PreferenceList,
        description="The person's standing words.",
    ),
    Ask(
        name="set_preference",
        params=Preference,
        result=PreferenceList,
        description="Change the standing words for a site, or for all.",
    ),
)

"""Asks about a kernel, its skills, its workflows, what its runs gave, and the preferences of the person."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.asks.run_asks import Ask, RunParams, RunSummary, SkillSaved
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


class OutputParams(RunParams):
    output: str


class ReadRowsParams(OutputParams):
    start: int = Field(0, ge=0)
    count: int = Field(100, ge=1, le=2000)
    sort: str | None = Field(
        None, description="The column to sort by; none for the order in which they were read."
    )
    descending: bool = False


class Rows(WireModel):
    """A part of the rows."""

    columns: list[str]
    kinds: list[Literal["text", "number", "date", "boolean", "other"]] = Field(
        description="One for each column."
    )
    rows: list[list[Any]] = Field(description="Cells as text, number, boolean or null.")
    places: list[int] = Field(
        description="For each row its number as it was read, which `show_source` takes."
    )
    total: int = Field(ge=0)


class SourceParams(OutputParams):
    row: int = Field(ge=0, description="The row's number as it was read.")
    column: str


class SourceShown(WireModel):
    """Whether the element that a cell came from is highlighted in the page."""

    found: bool
    words: str


class ReadFileParams(OutputParams):
    form: Literal["", "csv", "json", "text"] = Field(
        "", description="Rows as csv or json, facts as json; empty for a file as it is."
    )
    offset: int = Field(0, ge=0, description="Where to go on, in bytes.")


class FileChunk(WireModel):
    """A part of a file."""

    name: str
    media_type: str
    size: int = Field(ge=0, description="Bytes of the whole.")
    data: str = Field(description="The bytes from the offset on, base64.")
    next: int | None = Field(description="Where to go on; none at the end.")


class NotebookWritten(WireModel):
    path: str
    address: str | None = Field(
        description="Where the kernel's JupyterLab opens it; none where there is none."
    )


OUTPUT_ASKS = (
    Ask(
        name="read_rows",
        params=ReadRowsParams,
        result=Rows,
        description="A part of the rows that a run gave.",
    ),
    Ask(
        name="show_source",
        params=SourceParams,
        result=SourceShown,
        description="Highlight in the page what a cell came from.",
    ),
    Ask(
        name="read_file",
        params=ReadFileParams,
        result=FileChunk,
        description="A part of a file that a run gave.",
    ),
    Ask(
        name="write_notebook",
        params=RunParams,
        result=NotebookWritten,
        description="Write a notebook with the calls of a run and the path of its data.",
    ),
)


class GrantView(WireModel):
    """What a person granted in advance, or let be learned for good."""

    id: str
    words: str
    left: str


class GrantList(WireModel):
    grants: list[GrantView]


class RevokeParams(WireModel):
    id: str


GRANT_ASKS = (
    Ask(
        name="list_grants",
        params=NoParams,
        result=GrantList,
        description="What was granted in advance, and rules that were learned for good.",
    ),
    Ask(
        name="revoke_grant", params=RevokeParams, result=GrantList, description="Take a grant or a rule back."
    ),
)


class RecordedStepView(WireModel):
    """A step of a recording."""

    number: int = Field(ge=1)
    words: str
    input: str = Field("", description="The input that it is marked as; empty for none.")
    can_be_input: bool = False


class RecordingView(WireModel):
    """The recording under way."""

    state: Literal["recording", "paused", "stopped"]
    tab: int | None
    goal: str
    steps: list[RecordedStepView]
    can_redo: bool = False
    pointing: str = Field(
        "", description="What the person is to point at in the page, rows or check; empty for none."
    )
    problem: str = ""
    name: str = Field("", description="A name to save it by.")


class RecordingState(WireModel):
    recording: RecordingView | None = Field(description="None where there is no recording.")


class StartRecordingParams(WireModel):
    tab: int
    goal: str = ""
    last: int = Field(
        0,
        ge=0,
        description="Take so many of the tab's last acts instead, which were done already; 0 records.",
    )


class MarkRecordingParams(WireModel):
    """Steer the recording, or mark something in it."""

    mark: Literal["check", "rows", "input", "delete", "undo", "redo", "pause", "resume"]
    step: int | None = Field(None, ge=1, description="For input and delete.")
    name: str = Field("", description="For input: its name; the field's label where it is empty.")


class SaveRecordingParams(WireModel):
    name: str
    description: str = ""
    overwrite: bool = False


RECORDING_ASKS = (
    Ask(
        name="show_recording",
        params=NoParams,
        result=RecordingState,
        description="The recording, if there is one.",
    ),
    Ask(
        name="start_recording",
        params=StartRecordingParams,
        result=RecordingState,
        description="Record what the person does in a tab.",
    ),
    Ask(
        name="mark_recording",
        params=MarkRecordingParams,
        result=RecordingState,
        description="Mark rows, a check or an input, take steps back, pause or resume.",
    ),
    Ask(
        name="stop_recording",
        params=NoParams,
        result=RecordingState,
        description="Stop recording; it can be saved.",
    ),
    Ask(
        name="drop_recording",
        params=NoParams,
        result=RecordingState,
        description="Stop recording, and forget it.",
    ),
    Ask(
        name="save_recording",
        params=SaveRecordingParams,
        result=SkillSaved,
        description="Save it as a skill.",
    ),
)

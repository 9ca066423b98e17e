"""What an ask is; and a run as the side panel shows it: state, steps, the question that waits, tasks, outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.model import WireModel


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One thing that a person may want of a kernel from the browser.

    name: its name on both sides.
    description: one sentence for the docs.
    """

    name: str
    params: type[WireModel]
    result: type[WireModel]
    description: str


class RunParams(WireModel):
    run: str


RunKind = Literal["goal", "skill", "workflow", "exploration", "recording"]
RunState = Literal[
    "created", "planning", "exploring", "executing", "awaiting_user", "blocked", "succeeded", "failed", "cancelled"
]  # fmt: skip
QuestionKind = Literal["approve", "assist", "choose", "held_request", "confirm"]
DecisionKind = Literal["approve", "edit", "reject", "respond", "skip", "step", "choose", "done"]
StepUntil = Literal["call", "write", "line", "end"]
OutputKind = Literal["rows", "facts", "text", "file"]


class RunSummary(WireModel):
    """A run as one line of a list."""

    id: str
    kind: RunKind
    name: str = Field("", description="The skill's or workflow's name; empty for a goal.")
    title: str = Field(description="What it is to do, in words.")
    state: RunState
    words: str = Field(description="The state in words, such as 'waits for you'.")
    started: float = Field(description="Seconds since 1970.")
    ended: float | None = None
    tab: int | None = Field(None, description="The tab it works on; none where that is gone.")
    page: str = Field("", description="The page's address.")
    rows: int = Field(0, ge=0, description="How many rows it gave so far.")
    inputs: dict[str, Any] = Field({}, description="What it was started with; a secret by its name.")
    live: bool = Field(True, description="Whether the kernel can go on with it.")


class Breadcrumb(WireModel):
    """A page that a run came over."""

    url: str
    title: str = ""
    label: str = Field("", description="What led there, in words; page text.")
    time: float = Field(0.0, description="Seconds since 1970; 0 where it isn't known.")


class StepLine(WireModel):
    """A step of a run. Words, record, outcome and url are page text."""

    number: int = Field(ge=1)
    words: str = Field(description="The call in words, such as click button 'Save'.")
    record: str = Field("", description="The record that its target is in, such as row 'Ann'.")
    ok: bool
    declined: bool = Field(False, description="Whether a person decided that it isn't made.")
    error: str = Field("", description="Why it failed; empty where it didn't.")
    hint: str = Field("", description="What to try.")
    outcome: str = ""
    decision: str = Field(
        "auto", description="Who let it pass: auto, approve, edit, reject, skip, respond, person."
    )
    effect: Literal["read", "write", "irreversible"] = "read"
    reason: str = Field("", description="Why a person decided; empty where none did.")
    said: str = Field("", description="What the model said beside it.")
    elapsed_ms: float = 0.0
    url: str = ""
    thumbnail: bool = Field(False, description="Whether `read_thumbnail` has a small screenshot of it.")
    tool: str = Field("", description="The call's name, such as click.")
    args: str = Field("", description="The call's arguments, such as target='e2'; page text.")
    code: str = Field("", description="The call as a line of a notebook; empty where there is none.")
    tokens: int = Field(0, ge=0, description="Of the model's answers since the step before.")
    cost: float | None = Field(None, description="The same in US dollars; none where the price isn't known.")
    after: str = Field("", description="Names the page as it left it; empty where that isn't known.")


class CallView(WireModel):
    """The call that a question is about, for an editor."""

    tool: str
    args: dict[str, Any]
    json_schema: dict[str, Any] = Field({}, description="JSON schema of the arguments.")
    targets: list[str] = Field([], description="Arguments that name an element of the page.")
    phrase: str = Field("", description="What the tool does, such as Fill in.")
    target: str = Field("", description="Its element and where that is, in words; page text.")
    target_ref: str = Field("", description="The ref of its element; empty where that isn't known.")
    puts_text: bool = Field(False, description="Whether it puts text into its element.")


class CodePiece(WireModel):
    """Some code of one kind."""

    kind: Literal["", "keyword", "builtin", "string", "number", "comment"]
    text: str
    here: bool = Field(False, description="Whether it belongs to the call that waits.")


class StepOffer(WireModel):
    """How far a cell may go on before it waits again."""

    until: StepUntil
    words: str


class CellView(WireModel):
    """A cell that waits, or in which a call waits."""

    number: int
    line: int = Field(0, description="The line that waits, from 1; 0 where the whole cell does.")
    forecast: str = Field("", description="What the whole cell is going to do; page text.")
    lines: list[list[CodePiece]] = Field(description="The code, line by line.")
    steps: list[StepOffer] = Field([], description="What the decision `step` may be given as `until`.")


class VariableView(WireModel):
    """A variable that cells have left. Text and rows may be page text."""

    name: str
    type: str
    size: int | None = None
    text: str = Field("", description="Its value, or its beginning; empty where it is rows.")
    columns: list[str] = Field([])
    rows: list[list[str]] = Field([], description="Its first rows, where it is a list of dicts.")


class Question(WireModel):
    """What a run waits for. Words, place and choices may be page text."""

    id: str
    kind: QuestionKind
    words: str = Field(description="What the run wants, or what the person is to do.")
    place: str = Field("", description="The record around the target, such as row 'Ann'.")
    why: str = Field("", description="Why a person decides.")
    said: str = Field("", description="What the model said beside the call.")
    risk: Literal["read", "write", "irreversible"] = "read"
    obstacle: str = Field(
        "", description="For help: captcha, login, two_factor, cookies, permission, failure, custom."
    )
    noticed: bool = Field(False, description="For help: whether what was needed seems to be done.")
    call: CallView | None = None
    cell: CellView | None = None
    editable: list[str] = Field([], description="Arguments that an edit may change.")
    choices: list[str] = Field([], description="Answers to choose from.")
    decisions: list[DecisionKind]
    always: list[Literal["session", "always", "form"]] = Field(
        [], description="For how long a rule may be made, or that it may be said that the form only reads."
    )
    learn: str = Field("", description="The rule that an approval may make, in words.")
    form: str = Field("", description="The rule that the form only reads, in words.")
    second_press: bool = Field(
        False, description="Whether an approval needs a second press: nothing undoes it."
    )
    refusal: str = Field("", description="Why the last answer wasn't taken.")


class TaskView(WireModel):
    """One entry of a run's task list."""

    id: int
    title: str
    type: str
    parameters: dict[str, Any] = Field({})
    status: Literal["pending", "executing", "completed", "failed", "requires_assistance", "dropped"]
    after: list[int] = Field([])
    why: str = Field("", description="Why it is done, or was left out; page text.")
    risk: Literal["read", "write", "irreversible"] = "read"


class Output(WireModel):
    """Something that a run gave."""

    id: str
    kind: OutputKind
    title: str
    complete: bool | None = Field(
        None, description="For rows: whether they are all; none where nobody knows."
    )
    note: str = Field("", description="What to know of it, such as why rows are missing.")
    columns: list[str] = Field([])
    count: int = Field(0, ge=0, description="Rows, facts or bytes.")
    text: str = Field("", description="The text; of a long one its beginning.")
    facts: dict[str, str] = Field({})
    media_type: str = ""


class RunView(RunSummary):
    """Everything that is shown of a run."""

    status: Literal["idle", "running", "waiting", "paused", "succeeded", "failed", "stopped"]
    progress: float | None = Field(None, ge=0, le=1)
    progress_words: str = ""
    under_way: str = Field("", description="The call that is being carried out, in words.")
    since: float = Field(0.0, description="When what is under way began, in seconds since 1970.")
    model: str = ""
    breadcrumbs: list[Breadcrumb] = Field([])
    steps: list[StepLine] = Field([])
    question: Question | None = None
    more_questions: int = Field(0, ge=0, description="How many wait behind it.")
    tasks: list[TaskView] = Field([])
    tasks_words: str = ""
    variables: list[VariableView] = Field([], description="What the cells so far have left.")
    tokens: int = 0
    cost: float | None = Field(None, description="US dollars; none where the price isn't known.")
    max_steps: int = 0
    budget: float | None = Field(None, description="US dollars that it may cost.")
    budget_tokens: int | None = Field(None, description="Tokens that it may use.")
    forecast: str = ""
    origin: str = Field("", description="Of which run it is a fork.")
    warning: str = Field("", description="What to know before it goes on.")
    notice: str = Field("", description="One sentence on how it ended.")
    result: str = ""
    error: str = ""
    hint: str = ""
    outputs: list[Output] = Field([])
    can: list[Literal["pause", "resume", "stop", "save_skill", "write_notebook", "tell"]] = Field([])


class ListRunsParams(WireModel):
    limit: int = Field(20, ge=1, le=200)
    before: float | None = Field(None, description="Only runs that were started before; seconds since 1970.")


class RunList(WireModel):
    """Runs, the newest first."""

    runs: list[RunSummary]
    more: bool = Field(False, description="Whether there are older ones.")


class DecideParams(WireModel):
    """A person's decision on one question."""

    run: str
    question: str = Field(description="The question's id; a decision on another one isn't taken.")
    decision: DecisionKind
    args: dict[str, Any] = Field({}, description="For an edit: the arguments that change.")
    text: str = Field("", description="Why it is rejected, the response, or the choice.")
    always: Literal["", "session", "always", "form"] = Field(
        "", description="Whether the approval makes a rule."
    )
    confirmed: bool = Field(False, description="The second press, where the question needs one.")
    until: StepUntil = Field("call", description="For a step: how far the cell goes on.")


class Decided(WireModel):
    """What became of a decision."""

    taken: bool = Field(description="Whether it was this one that counted.")
    words: str = Field(description="Such as 'approved', or 'already decided: approved in the notebook'.")


class PointParams(RunParams):
    question: str = Field(description="The id of the question whose call gets another element.")
    on: bool = Field(True, description="False: the page takes clicks again.")


class Pointed(WireModel):
    """What a person pointed at in the page."""

    ref: str = Field("", description="The element's ref; empty where none was pointed at.")
    words: str = Field("", description="Why there is none, where the person didn't end it.")


class TaskEdit(WireModel):
    """A change of the task list."""

    act: Literal["add", "change", "move", "remove"]
    id: int = Field(0, description="The task's number; a new one has none.")
    title: str = ""
    to: int = Field(0, ge=0, description="The new place, from 1.")


class ChangeTasksParams(RunParams):
    edits: list[TaskEdit] = Field(min_length=1, max_length=100)


class TasksChanged(WireModel):
    tasks: list[TaskView]
    words: str = ""


class TellParams(RunParams):
    text: str = Field(min_length=1, max_length=8000)


class SaveRunParams(RunParams):
    name: str
    description: str = ""


class RunSteered(WireModel):
    state: RunState
    words: str


class ThumbnailParams(RunParams):
    step: int = Field(ge=1)


class Thumbnail(WireModel):
    image: str | None = Field(description="A data address; none where there is no screenshot.")


class SkillSaved(WireModel):
    """A skill that was written down."""

    name: str
    path: str
    words: str = Field("", description="What came of trying it, and what it was saved without.")
    inputs: str = Field("", description="What a run may give it, with what was recorded.")


def _steer(name: str, description: str) -> Ask:
    return Ask(name=name, params=RunParams, result=RunSteered, description=description)


RUN_ASKS = (
    Ask(
        name="list_runs",
        params=ListRunsParams,
        result=RunList,
        description="The last runs, the newest first.",
    ),
    Ask(
        name="show_run", params=RunParams, result=RunView, description="Everything there is to see of a run."
    ),
    Ask(
        name="read_thumbnail",
        params=ThumbnailParams,
        result=Thumbnail,
        description="A step's small screenshot.",
    ),
    Ask(name="decide", params=DecideParams, result=Decided, description="Answer the question of a run."),
    Ask(
        name="point",
        params=PointParams,
        result=Pointed,
        description="Let the person point at an element in the page, for the call that waits.",
    ),
    Ask(
        name="change_tasks",
        params=ChangeTasksParams,
        result=TasksChanged,
        description="Change a run's task list.",
    ),
    Ask(
        name="tell_run",
        params=TellParams,
        result=RunSteered,
        description="Say something to a run's model, whatever it does now.",
    ),
    _steer("pause_run", "Wait before the next call."),
    _steer("resume_run", "Go on after a pause, a stop or a restart of the kernel."),
    _steer("stop_run", "Stop at once."),
    Ask(
        name="save_run",
        params=SaveRunParams,
        result=SkillSaved,
        description="Save what a run did as a skill that replays without a model.",
    ),
)


class RunChanged(WireModel):
    """Something of a run is different; it comes at most ten times a second for each run."""

    run: str
    title: str
    state: RunState
    words: str
    question: str | None = None


class RowsCame(WireModel):
    """A run gave rows."""

    run: str
    output: str
    count: int


class QuestionOpen(WireModel):
    """A run waits for the person; once for each question."""

    run: str
    title: str
    question: str
    words: str


class RecordingChanged(WireModel):
    """A recording began, has another step, or ended."""

    steps: int
    active: bool


NOTICES: dict[str, type[WireModel]] = {
    "run_changed": RunChanged,
    "rows_came": RowsCame,
    "question_open": QuestionOpen,
    "recording_changed": RecordingChanged,
}

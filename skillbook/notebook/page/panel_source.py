"""What the panel shows, as plain data, and what it needs of whatever it shows.

The panel knows no agent: it reads a `PanelSource`, so a run, a replay or a recording can stand behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from skillbook.policy.approvals import SCOPES, Scope

Status = Literal["idle", "running", "waiting", "paused", "assistance", "succeeded", "failed", "stopped"]
DecisionKind = Literal["approve", "edit", "reject", "respond", "skip", "step"]
DECISIONS: tuple[DecisionKind, ...] = ("approve", "edit", "reject", "respond", "skip", "step")


@dataclass(frozen=True)
class PendingView:
    """A call, or a request for help, that waits for the person.

    id: names the question; an answer carries it.
    effect: read, write or irreversible.
    schema: JSON schema of the arguments, for the form.
    targets: arguments that name an element of the page.
    target_text: the target in words, such as `button "Delete"`; page text.
    place: what is around the target, such as `row "Ann"`; page text.
    reason: why a person decides.
    said: what the model said beside the call.
    assistance: captcha, login or custom where the person has to do something in the browser.
    options: answers to choose from, where it is a question that has some; page text.
    target_ref: the ref of the first target, which the call may name by a role selector; empty where that isn't known.
    puts_text: whether the call puts text into its target.
    learn: the rule that an approval may make, in words, such as `click on https://shop.test`; empty for none.
    form: the rule that the form only reads, in words; empty where none may be made.
    scopes: for how long such a rule may be made.
    cell: the cell that waits, or that the call is in, as `CellView` of the asks; None where there is none.
    text: the question in words; page text.
    kept_text: the same as a saved notebook keeps it, where no panel shows the question.
    """

    id: str
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    effect: str = "read"
    schema: dict[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    target_text: str = ""
    place: str = ""
    reason: str = ""
    said: str = ""
    assistance: str = ""
    decisions: tuple[DecisionKind, ...] = DECISIONS
    learn: str = ""
    form: str = ""
    scopes: tuple[Scope, ...] = SCOPES
    options: tuple[str, ...] = ()
    target_ref: str = ""
    puts_text: bool = False
    cell: dict[str, Any] | None = None
    text: str = ""
    kept_text: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why the person's last answer to the question `id` was not taken; `serial` distinguishes two refusals."""

    id: str
    serial: int
    text: str


@dataclass(frozen=True)
class StepView:
    """One line of the timeline, and what it opens to.

    outcome, url: page text.
    elapsed_ms: milliseconds, without the time that it waited for a person.
    tokens, cost: of the model's answers since the step before; cost in US dollars or None.
    reason: why a person decided; empty where none did.
    after: the `PageView.key` of the page as it left it; empty where that isn't known.
    fork: the code that makes a run which goes another way from here; empty where there is none.
    call: the call in words; page text.
    declined: whether a person decided that the call isn't made, so that nothing failed.
    code: the call as a line for a cell; empty where there is none.
    cell: the code that ran, of a step that runs a cell.
    """

    number: int
    tool: str
    args: str
    outcome: str
    ok: bool
    decision: str
    effect: str = "read"
    elapsed_ms: float = 0.0
    said: str = ""
    reason: str = ""
    url: str = ""
    tokens: int = 0
    cost: float | None = None
    after: str = ""
    fork: str = ""
    code: str = ""
    call: str = ""
    declined: bool = False
    cell: str = ""


@dataclass(frozen=True)
class PastStep:
    """A step whose page is shown as it was before it: its number, of how many, the call in words, and its target."""

    number: int
    of: int
    call: str
    target: str = ""


@dataclass(frozen=True)
class PanelState:
    """Everything the panel shows but the page.

    `origin` says of which run it is a fork, `resume` is the code that goes on with it in another kernel, `warning`
    what to know before it goes on, `notice` one sentence on how it ended, `budget` the US dollars it may cost and
    `budget_tokens` the tokens, `forecast` what the rest will probably take, `progress` how far the task is, `visited`
    the pages it came over, `under_way` the call that is being carried out in words, `tasks` the task list as
    `TaskList.to_json` has it, and `help_noticed` whether what the person is needed for seems to be done. `picking`
    says whether a click in the real page points at an element for `pending`, `picked` at which one the person pointed
    last, as `{"id", "serial", "ref"}`, and `pick_problem` why that failed. `remote_input_problem` says why what the
    person did in the screenshot did not arrive, and `has_window` whether the browser has a window that can be shown.
    `past` is the step that is looked at in the place of the page now. `since` is when what is under way began, in
    seconds since 1970; 0 where that isn't known. `variables` are those that cells have left, as `VariableView`
    of the asks. `offers` are what can be made of a run that is over: the buttons' labels, and the cells that each
    writes into the notebook. `gone` says that the page or its browser is, and the way on.
    """

    goal: str
    status: Status
    step: int = 0
    max_steps: int = 0
    tokens: int = 0
    cost: float | None = None
    model: str = ""
    pending: PendingView | None = None
    refusal: Refusal | None = None
    steps: tuple[StepView, ...] = ()
    result: str = ""
    error: str = ""
    resume: str = ""
    origin: str = ""
    warning: str = ""
    notice: str = ""
    tasks: tuple[dict[str, Any], ...] = ()
    help_noticed: bool = False
    picking: bool = False
    picked: dict[str, Any] | None = None
    pick_problem: str = ""
    remote_input_problem: str = ""
    has_window: bool = False
    budget: float | None = None
    budget_tokens: int | None = None
    forecast: str = ""
    progress: str = ""
    past: PastStep | None = None
    visited: str = ""
    under_way: str = ""
    since: float = 0.0
    variables: tuple[dict[str, Any], ...] = ()
    offers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gone: str = ""


@dataclass(frozen=True)
class Row:
    """One node of the page.

    `box` is x, y, width, height in CSS pixels of the main document's viewport; `no_text` says that it takes no text.
    """

    ref: str
    role: str
    name: str
    depth: int
    states: str = ""
    actionable: bool = False
    box: tuple[float, float, float, float] | None = None
    no_text: bool = False

    def to_json(self) -> list[Any]:
        """The row as the widget gets it: an array, because a page has thousands."""
        return [
            self.ref,
            self.role,
            self.name,
            self.depth,
            self.states,
            int(self.actionable) | int(self.no_text) << 1,
            list(self.box) if self.box else None,
        ]


@dataclass(frozen=True)
class Shot:
    """A screenshot: image bytes, its size in CSS pixels and where it begins in viewport coordinates."""

    data: bytes = field(repr=False)
    format: Literal["png", "jpeg"]
    width: float
    height: float
    origin: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class PageView:
    """A page at one moment: its nodes as rows, and a screenshot where there is one.

    `key` is another one after every change of the page; empty where it isn't known. `document` names its document: one
    address may have another one by now. `shown_as` is the device that the page is shown as on.
    """

    url: str
    title: str
    rows: tuple[Row, ...]
    omitted: int = 0
    shot: Shot | None = None
    key: str = ""
    document: str = ""
    shown_as: str = ""

    def to_json(self) -> dict[str, Any]:
        """The view as the widget gets it; the image's bytes go apart."""
        shot = self.shot and {
            "format": self.shot.format,
            "width": self.shot.width,
            "height": self.shot.height,
            "origin": list(self.shot.origin),
        }
        return {
            "url": self.url,
            "title": self.title,
            "shown_as": self.shown_as,
            "rows": [row.to_json() for row in self.rows],
            "omitted": self.omitted,
            "key": self.key,
            "shot": shot,
        }


@dataclass(frozen=True)
class Decision:
    """The person's answer to one question; `always` is "session" or "always" where an approval makes a rule, `until`
    how far a step in a cell goes.
    """

    id: str
    kind: DecisionKind
    args: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    always: str = ""
    until: str = ""


@dataclass(frozen=True)
class TaskEdit:
    """The person's change of the task list.

    id: the task's number; a new one has none.
    to: its new place, from 1.
    """

    act: Literal["add", "change", "move", "remove"]
    id: int = 0
    title: str = ""
    to: int = 0


class PanelSource(Protocol):
    """What the panel shows. Every method is called on skillbook's I/O thread and must not block."""

    def panel_state(self) -> PanelState:
        """What is going on now."""

    def page_view(self) -> PageView | None:
        """The page's newest view; None where there is none yet."""

    def past_view(self) -> PageView | None:
        """The page as it was before the step that is looked at; None where none is."""

    def look_at(self, number: int | None) -> None:
        """Show the page as it was before a step; None shows it as it is now."""

    def note_read(self, question: str) -> None:
        """The front end reports that a question is on the screen."""

    def answer(self, decision: Decision) -> None:
        """Take the person's answer, once: an answer to a question that no longer waits is ignored.

        One that can't be taken leaves the question waiting, with the state's `refusal` saying why.
        """

    def edit_tasks(self, edit: TaskEdit) -> None:
        """Change the task list; what can't be done changes nothing."""

    def stop(self) -> None:
        """End the work."""

    def pause(self) -> None:
        """Wait before the next call, whatever it is."""

    def go_on(self, n: int | None, until: Literal["write", "irreversible"]) -> None:
        """Go on; `n` calls pass that would ask, None for any number, until one has the effect `until`."""

    def point(self, ref: object) -> None:
        """Outline an element in the real page, as a ref; anything else ends it."""

    def step_details(self, number: int) -> dict[str, str] | None:
        """What a step opens to beside its line: `outcome` in full, and `changes`; None where there is no such step."""

    def fork(self, number: int) -> object | None:
        """Go another way from a step, and show that from now on; gives the run that does so, None where none can."""

    def pick(self, question: str | None) -> None:
        """Let the person point at an element in the real page for the question that waits; None ends it."""

    def use_remote_input(self, content: dict[str, Any]) -> None:
        """Pass on what the person's mouse and keys do in the picture; see `RemoteInput.take`."""

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, from any thread, after each change; the result ends it."""

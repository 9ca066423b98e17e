"""What the tools and middleware of one run share. Touched on the I/O thread only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from skillbook.agents.models.choice import ModelChoice, as_model_error
from skillbook.agents.models.pricing import Cost
from skillbook.agents.state.checkpoints import KeptRun
from skillbook.agents.state.forks import Fork
from skillbook.agents.state.run_parts import CallWork, RunTabs, ShownImage
from skillbook.agents.state.session_context import PastRun, SessionContext
from skillbook.agents.state.step_records import (
    NOBODY_KNOWS,
    CallNotes,
    Obstacle,
    PendingCall,
    Review,
    StepRecord,
)
from skillbook.agents.state.tasks import Phase, TaskList
from skillbook.errors import BudgetExceeded, PageClosed
from skillbook.limits import ANSWER_SECONDS
from skillbook.perception.selectors import looked_for
from skillbook.session.actions import shown_page as ai_opt_out
from skillbook.session.page.act_requests import NOT_SENT

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.state.run_cells import RunCells
    from skillbook.agents.state.run_parts import RunWorkflow
    from skillbook.perception.nodes import AnySnapshot, Node
    from skillbook.perception.nodes.base_snapshot import BaseSnapshot
    from skillbook.perception.snapshot import Snapshot
    from skillbook.policy import Binding
    from skillbook.session.action import PreparedAction
    from skillbook.session.page.act_requests import HeldRequest, RequestDecision
    from skillbook.session.stopping import Stopping
    from skillbook.skill.builtin.builtin_skill import Candidate

T = TypeVar("T")
Autonomy = Literal["ask", "reads", "all"]
NewSites = Literal["act", "visit"]


class OfferedAs(NamedTuple):
    """How whoever calls a tool knows it: its name, and the arguments of the schema that they have."""

    name: str
    arguments: tuple[str, ...]


class RunHalted(Exception):
    """The run is to stop; it goes on later from its last checkpoint."""


class HoldsRequests(Protocol):
    """Holds what the run's pages send."""

    async def join(self) -> None:
        """Hold what the page that the run works on sends."""

    async def hand_over(self) -> None:
        """Let go of the page: what is done in it now isn't the run's."""

    async def judge(self, request: HeldRequest) -> RequestDecision:
        """Whether a request may be sent."""

    def report(self, began: float = 0.0) -> str:
        """What became of requests since the last report to the model, in words; empty where there were none.

        `began` is when the call began, on the monotonic clock.
        """


ReportProgress = Callable[[str, float, float | None], None]


@dataclass
class RunContext:
    """State of one run outside its checkpoints.

    run_id: names the run in the journal and the checkpoints.
    page: the page the tools work on.
    autonomy: `ask` every call, let `reads` pass, or let `all` pass but irreversible ones.
    max_steps: tool calls the run may make.
    budget_usd, budget_tokens: US dollars its model may cost, and tokens it may take in and give out; None for no limit.
    resumed: whether an earlier kernel began it; `kept` is what that kernel wrote down.
    page_shown: whether the model of a resumed run was shown the page of this kernel.
    keep: writes down what a later kernel needs of the run.
    forget: deletes from disk what no later kernel needs.
    masked_calls: the arguments of calls that typed where nobody may read, masked, by the call's id.
    files: paths that the person gave it to upload.
    vision: whether the model gets images of the page.
    plan_first: whether the person sees a task list, or answers a question, before anything else happens.
    session: what the runs of the session know of each other.
    assist: whether what only a person gets past pauses the run; `ask_help` then has them do it.
    ask_step: asks them about what a skill comes to that a call runs.
    scout: a helper that only looks, and says which element words mean.
    fork: what it was forked from; None for a run that wasn't.
    progress: how far a run without a model is, 0 to 1.
    under_way: the call that is being carried out, in words; empty while none is.
    seen: the page as the model knows it, from the last whole page and the changes since.
    found: nodes that it was shown by themselves since then, by ref.
    image: the last image of the page that it was given.
    cells: the cells of a run whose model may write code; None for any other.
    outside_names: what another program that makes its calls knows the tools as; None where a model of ours does.
    offered: how whoever makes its calls knows each tool.
    tabs: the tabs that it may use, where those aren't all of the browser's.
    new_sites: what a person allows who approves a call on an origin that isn't on the list: to `act` there, or only to
        `visit` it; None where such a call is refused instead of asked about.
    only_origins: the only ones that it may go to, with its skills and workflows; empty for any.
    run_workflow: carries out a workflow of the person's, in a run that may ask for it.
    report: takes how far a long call is: in words of ours, how much of it is done, and of how much, if that is known.
    """

    run_id: str
    goal: str
    page: Any
    choice: ModelChoice
    autonomy: Autonomy = "ask"
    max_steps: int = 50
    budget_usd: float | None = None
    budget_tokens: int | None = None
    skill_prompt: str = ""
    vision: bool = False
    files: tuple[str, ...] = ()
    resumed: bool = False
    kept: KeptRun | None = None
    page_shown: bool = False
    steps: list[StepRecord] = field(default_factory=list)
    tasks: TaskList = field(default_factory=TaskList)
    plan_first: bool = False
    session: SessionContext = field(default_factory=SessionContext)
    frame: pd.DataFrame | None = None
    cost: Cost = field(default_factory=Cost)
    notes: CallNotes = field(default_factory=CallNotes)
    reviews: dict[str, Review] = field(default_factory=dict)
    decisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    approvals: dict[str, str] = field(default_factory=dict, repr=False)
    call_id: str = ""
    call_work: CallWork = field(default_factory=CallWork, repr=False)
    halt: asyncio.Event = field(default_factory=asyncio.Event)
    pausing: bool = False
    requests: HoldsRequests | None = field(default=None, repr=False)
    cells: RunCells | None = field(default=None, repr=False)
    outside_names: Mapping[str, str] | None = field(default=None, repr=False)
    offered: Mapping[str, OfferedAs] = field(default_factory=dict, repr=False)
    tabs: RunTabs | None = None
    new_sites: NewSites | None = None
    only_origins: tuple[str, ...] = ()
    run_workflow: RunWorkflow | None = field(default=None, repr=False)
    report: ReportProgress | None = field(default=None, repr=False)
    assist: bool = True
    ask_help: Callable[[Obstacle], Awaitable[str]] | None = field(default=None, repr=False)
    ask_step: Callable[[PendingCall], Awaitable[bool]] | None = field(default=None, repr=False)
    scout: Callable[[str], Awaitable[list[Candidate]]] | None = field(default=None, repr=False)
    notify: Callable[[], None] = lambda: None
    keep: Callable[[KeptRun], Awaitable[None]] | None = None
    forget: Callable[[], Awaitable[None]] | None = None
    masked_calls: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    person_messages: list[str] = field(default_factory=list)
    fork: Fork | None = None
    proposed: str = ""
    phase: Phase = "planning"
    progress: float | None = None
    planned: bool = False
    under_way: str = ""
    seen: BaseSnapshot | None = field(default=None, repr=False)
    found: dict[str, Node] = field(default_factory=dict, repr=False)
    image: ShownImage | None = field(default=None, repr=False)
    first_page: Any = field(init=False, repr=False)
    _known: dict[int, tuple[BaseSnapshot | None, dict[str, Node]]] = field(default_factory=dict, repr=False)
    _words: list[str] = field(default_factory=list)
    _tasks_edited: bool = False
    _counted: Cost = field(default_factory=Cost)
    _longest_answer: int = 0

    def __post_init__(self) -> None:
        self.tasks.on_edit = self._note_edit
        self.first_page = self.page

    def _note_edit(self) -> None:
        self._tasks_edited = True
        self.notify()

    def set_phase(self, phase: Phase) -> None:
        """Say what the run is busy with."""
        if phase != self.phase:
            self.phase = phase
            self.notify()

    def advance(self, progress: float) -> None:
        """Say how far the run is, 0 to 1; it never goes back."""
        self.progress = max(self.progress or 0.0, round(progress, 3))
        self.notify()

    def say(self, words: str) -> None:
        """Bring words of the person to the model before its next answer."""
        self.person_messages.append(words)
        self._words.append(f"The person says: {words}")

    def take_words(self) -> list[str]:
        """What the person said and edited since this was called last, as messages to the model."""
        words, self._words = self._words, []
        if self._tasks_edited:
            words.append(f"The person changed the task list. It is now:\n{self.tasks.text() or 'empty'}")
        self._tasks_edited = False
        return words

    def take_edit(self) -> bool:
        """Whether the person edited the task list since the model heard of it; it is taken as heard now."""
        edited, self._tasks_edited = self._tasks_edited, False
        return edited

    def remember(self, status: str, result: object) -> None:
        """Let later runs of the session know how this one ended."""
        self.session.note(
            PastRun(
                self.run_id,
                self.goal,
                status,
                "" if result is None else str(result),
                self.tasks.progress(),
                tuple(self.person_messages),
                self.page.url if self.page is not None else "",
            )
        )

    async def keep_call(self, call_id: str = "", action: PreparedAction | None = None) -> None:
        """Write down what a call was judged on, for a kernel that goes on with the run."""
        if self.keep is not None:
            await self.keep(KeptRun.of(self.goal, self.cost, call_id, action, self.journals))

    def approve(self, call_id: str, binding: Binding) -> None:
        """A person approved a call: keep the token that carries it out once."""
        self.approvals[call_id] = self.page.browser.gateway.approvals.issue(binding)

    def allow_sites(self, origins: Iterable[str]) -> None:
        """A person approved a call that says that it also allows these origins."""
        for origin in origins:
            policy = self.page.browser.gateway.policy
            (policy.allowed if self.new_sites == "act" else policy.visitable).add(origin)

    def take_approval(self) -> str | None:
        """The approval of the call that is being carried out, which can be taken once; None where no person decided."""
        return self.approvals.pop(self.call_id, None)

    def see(self, snapshot: BaseSnapshot) -> None:
        """The model knows the page as it is in a snapshot."""
        self.seen = snapshot
        self.found.clear()

    def work_in(self, page: Any) -> None:
        """Go on in another tab; what the model knows of each is kept apart, for refs are a tab's."""
        if page is self.page:
            return
        self._known[self.page.tab.id] = (self.seen, self.found)
        self.page = page
        self.seen, self.found = self._known.pop(page.tab.id, (None, {}))

    def find(self, nodes: Iterable[Node]) -> None:
        """The model, or the person in its place, was shown some nodes by themselves."""
        self.found |= {node.ref: node for node in nodes if node.ref}

    def saw(self, ref: str) -> Node | None:
        """A ref's node as the model saw it last; None if it never did."""
        if ref in self.found:
            return self.found[ref]
        return self.seen[ref] if self.seen is not None and ref in self.seen else None

    @property
    def latest(self) -> Snapshot | None:
        """The page as it was read last; None for a run without one."""
        return self.page.latest if self.page is not None else None

    async def read_if_stale(self) -> None:
        """Read the page if a person acted on it since it was read."""
        if self.page is not None:
            await self.page.read_if_stale()

    async def snapshot(self) -> Snapshot:
        """Read the page as a model may see it, once what was done in it is over."""
        if not self.page.rest.is_known:
            await self.page.settled("rest", ANSWER_SECONDS)
        snapshot: Snapshot = await self.page.snapshot()
        return self.visible_to_ai(snapshot)

    async def snapshot_for(self, *selectors: str, texts: bool = True) -> Snapshot:
        """The page now, as a model may see it, in a snapshot that answers selectors as the page does."""
        snapshot = await self.snapshot()
        if not looked_for(selectors, texts=texts):
            return snapshot
        found: Snapshot = await self.page.snapshot_for(*selectors, texts=texts)
        return self.visible_to_ai(found)

    def visible_to_ai(self, snapshot: AnySnapshot) -> AnySnapshot:
        """A snapshot of the page as a model may see it."""
        return ai_opt_out.visible_to_ai(self.page, snapshot)

    def may_upload(self) -> bool:
        """Whether there are files that the run may upload."""
        browser = getattr(self.page, "browser", None)
        return bool(self.files) or (browser is not None and browser.settings.uploads.is_dir())

    def stopping(self) -> Stopping | None:
        """What stops the commands of the run's browser; None without a browser."""
        browser = getattr(self.page, "browser", None)
        return browser.gateway.stopping if browser is not None else None

    @property
    def journals(self) -> tuple[str, ...]:
        """The folders whose journals have the run's calls: those of earlier kernels, and this browser's."""
        earlier = self.kept.journals if self.kept is not None else ()
        here = [] if self.page is None else [str(self.page.browser.journal.path.parent.absolute())]
        return tuple(dict.fromkeys([*earlier, *here]))

    def journal_key(self) -> str:
        """What names the call that is being carried out in the journal."""
        return self.key_of(self.call_id)

    def key_of(self, call_id: str) -> str:
        """What names a call in the journal."""
        return f"{self.run_id}#{call_id}"

    @property
    def only_failed(self) -> bool:
        """Whether steps were tried and not one of them worked, as far as anybody knows."""
        # What a person refused to have sent didn't fail.
        worked = (step.ok or step.error in {*NOBODY_KNOWS, NOT_SENT} for step in self.steps)
        return any(step.error for step in self.steps) and not any(worked)

    def lost_page(self) -> PageClosed | None:
        """The error that says that the run's page is gone; None while it has one.

        A window that opened meanwhile may close itself: then the run goes on in the page that it began with.
        """
        page, first = self.page, self.first_page or self.page
        if page is None or not page.closed:
            return None
        if first.closed:
            lost: PageClosed = page.gone("the run's page")
            return lost
        self.work_in(first)
        return None

    def check_page(self) -> None:
        """Raise `PageClosed` where the run's page is gone."""
        if (lost := self.lost_page()) is not None:
            raise lost

    def check_halt(self) -> None:
        """Raise `RunHalted` where the run is to stop."""
        if self.halt.is_set():
            raise RunHalted

    async def unless_halted(self, work: Awaitable[T]) -> T:
        """Await something that may be abandoned when the run is to stop."""
        self.check_halt()
        task = asyncio.ensure_future(work)
        halted = asyncio.ensure_future(self.halt.wait())
        try:
            await asyncio.wait({task, halted}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise RunHalted
        finally:
            halted.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def check_budget(self, input_tokens: int = 0) -> None:
        """Raise `BudgetExceeded` where steps are used up, or money or tokens would be.

        input_tokens: of the next request, estimated; its answer counts as the longest one so far.
        """
        spent, price = self.cost.usd, self.choice.price
        if self.budget_usd is not None and spent is not None and price is not None:
            next_usd = price.of(input_tokens, self._longest_answer)
            if spent >= self.budget_usd or spent + next_usd > self.budget_usd:
                raise BudgetExceeded(
                    f"The run cost ${spent:.4f} of its budget of ${self.budget_usd:.4f}, and the next answer would "
                    f"cost about ${next_usd:.4f}.",
                    hint="Set `run.budget_usd` higher; `run.start()` then goes on.",
                    spent=spent,
                )
        self._check_tokens(input_tokens + self._longest_answer)
        made = sum(step.decision != "person" for step in self.steps)
        if made >= self.max_steps:
            raise BudgetExceeded(
                f"The run made {made} tool calls, as many as it may.",
                hint="Set `run.max_steps` higher; `run.start()` then goes on.",
                steps=made,
            )

    def _check_tokens(self, expected: int) -> None:
        """Raise `BudgetExceeded` where the next answer would take more tokens than are left."""
        used, budget = self.cost.tokens, self.budget_tokens
        if budget is not None and (used >= budget or used + expected > budget):
            raise BudgetExceeded(
                f"The run took {used:,} tokens of its budget of {budget:,} tokens, and the next answer would take "
                f"about {expected:,}.",
                hint="Set `run.budget_tokens` higher; `run.start()` then goes on.",
                spent=used,
            )

    async def query_model(self, work: Awaitable[T], usage_of: Callable[[T], dict[str, int] | None]) -> T:
        """Await a model's answer: count its cost, and say clearly what a failure means."""
        try:
            answer = await self.unless_halted(work)
        except RunHalted:
            raise
        except Exception as error:
            raise as_model_error(error, self.choice.name) from error
        usage = usage_of(answer) or {}
        self._longest_answer = max(self._longest_answer, usage.get("output_tokens", 0))
        self.cost = self.cost.plus(
            usage.get("input_tokens", 0), usage.get("output_tokens", 0), self.choice.price
        )
        self.notify()
        return answer

    def add_step(self, record: StepRecord) -> StepRecord:
        """Number a step, charge it with the cost since the last one, and keep it."""
        record.index = len(self.steps) + 1
        record.tokens = self.cost.tokens - self._counted.tokens
        if self.cost.usd is None or self._counted.usd is None:
            record.cost = None
        else:
            record.cost = self.cost.usd - self._counted.usd
        self._counted = self.cost
        self.steps.append(record)
        self.notify()
        return record

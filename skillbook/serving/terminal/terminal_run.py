"""What one terminal does in the browser, judged and recorded as an agent whose model is whoever types; its verbs."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import uuid4

from skillbook.agents.state.question_queue import Place
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import FORM_ONLY_READS, CallNotes
from skillbook.agents.tools.command_tools import command_tools, tab_tools
from skillbook.agents.tools.data_tools import data_tools
from skillbook.agents.tools.observation_tools import observation_tools
from skillbook.errors import NotConnected, PageClosed
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.escape import clean, shorten_middle
from skillbook.protocol.asks.run_asks import CellView, DecideParams, Question, RunState, RunView, StepLine
from skillbook.serving.outputs import RunOutput
from skillbook.serving.runs.approved_calls import ApprovedCalls, NobodyApproved, require_approved
from skillbook.serving.terminal.terminal_socket import TerminalCall
from skillbook.serving.terminal.verb_parser import Shown
from skillbook.session.action import acting_name
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page.act_requests import ActRequests
from skillbook.session.page_driver import PageDriver
from skillbook.storage import expanded

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_LINE = 2_000


def question_lines(question: Question, title: str = "") -> list[str]:
    """The lines of a question.

    question: what a run waits for; its words may be the page's.
    """
    place = f" in {question.place}" if question.place else ""
    lines = [_on_one_line(": ".join(filter(None, [title, question.words])) + place)]
    if question.cell is not None:
        lines += _code(question.cell)
    if question.why:
        lines.append(_on_one_line(f"why this asks: {question.why}"))
    if question.form:
        lines.append(_on_one_line(f"with `skillbook approve --form` it asks no more: {question.form}"))
    return lines


def _code(cell: CellView) -> list[str]:
    """The cell's code, which the person decides on, with the line that waits marked."""
    texts = ("".join(piece.text for piece in line) for line in cell.lines)
    return [
        f"{'>' if number == cell.line else ' '}{number:>3}  {' ' * (len(text) - len(text.lstrip(' ')))}"
        f"{_on_one_line(text)}"
        for number, text in enumerate(texts, 1)
    ]


def _on_one_line(line: str) -> str:
    return shorten_middle(clean(line), _LONGEST_LINE)


T = TypeVar("T")
U = TypeVar("U")
ACTOR = "terminal"
_SHOWN_STEPS = 200


@dataclass
class NoPage:
    """Stands for the page while the terminal has none."""

    browser: BrowserDriver
    closed: bool = True
    url: str = ""
    latest: None = None
    tab: Any = field(default_factory=lambda: SimpleNamespace(id=None))


def run_tools(context: RunContext) -> dict[str, Any]:
    """The tools that a terminal's commands are made of, by name."""
    tools = [
        *observation_tools(context),
        *command_tools(context, allow_evaluate=False),
        *data_tools(context),
        *tab_tools(context),
    ]
    return {tool.name: tool for tool in tools}


class TerminalRun(ApprovedCalls):
    """The commands of one terminal, shown in the side panel as one run.

    name: the session's name, where several terminals work beside each other.
    """

    def __init__(self, driver: BrowserDriver, name: str = "") -> None:
        nowhere = cast(PageDriver, NoPage(driver))
        title = f"Commands of the terminal {name!r}" if name else "Commands of a terminal"
        super().__init__("workflow", title, name=ACTOR, inputs={}, driver=nowhere)
        self.browser = driver
        self.place = Place("in a terminal", self.id)
        name_of_calls = f"{ACTOR}-{uuid4().hex[:8]}"
        self.judge_calls(RunContext(name_of_calls, title, nowhere, cast(Any, None), "all"))
        self.tools = run_tools(self.context)
        self._turn = asyncio.Lock()
        self._call: TerminalCall | None = None
        self._deadline = 0.0
        self._steps: list[StepLine] = []
        self._leaving: asyncio.Task[None] | None = None

    # --- one command ---

    async def do(self, call: TerminalCall, seconds: float, work: Callable[[], Awaitable[T]]) -> T:
        """Carry one command out, after those before it.

        seconds: how long a person may take for an answer.
        Raises CancelledError: somebody stopped it in the side panel.
        """
        async with self._turn:
            if self._leaving is not None:
                self._leaving.cancel()
            acting_name.set(ACTOR)
            self._call, self._deadline = call, seconds
            self.context.call_id, self.context.notes = uuid4().hex[:8], CallNotes()
            self.ok, self.error, self._stopped = False, None, False
            task = asyncio.ensure_future(self._carry(work))
            self._task = cast("asyncio.Task[None]", task)
            self.changed()
            try:
                result = await task
                self.ok = self.context.notes.error is None
                return result
            except Exception as error:
                self.error = error
                raise
            finally:
                task.cancel()
                self._note(call)
                self._call = None
                self._leaving = asyncio.ensure_future(self._leave_later())
                self.changed()

    async def _carry(self, work: Callable[[], Awaitable[U]]) -> U:
        with self.browser.gateway.stopping.operation() as self._operation:
            return await work()

    def _note(self, call: TerminalCall) -> None:
        notes, error = self.context.notes, self.error_words()
        line = StepLine(
            number=len(self._steps) + 1, words=" ".join(call.words[:1]), ok=self.ok, error=error[0],
            hint=error[1], outcome=notes.summary, url=notes.url,
        )  # fmt: skip
        if notes.act is not None:
            notes.act.changed.append(partial(self._correct, line, notes.act))
        self._steps = [*self._steps, line][-_SHOWN_STEPS:]

    def _correct(self, line: StepLine, act: ActRequests) -> None:
        """More became known of the requests of a command that has ended."""
        corrected = line.model_copy(
            update={"ok": act.error is None, "outcome": self._with(line.outcome, act)}
        )
        self._steps = [corrected if each.number == line.number else each for each in self._steps]
        self.changed()

    @staticmethod
    def _with(outcome: str, act: ActRequests) -> str:
        return outcome if act.problem in outcome else f"{outcome}; {act.problem}"

    async def _leave_later(self) -> None:
        # So long after a command what the page still sends counts as caused by it.
        await asyncio.sleep(CAUSE_SECONDS)
        with suppress(Exception):  # the page or the browser may be gone
            await self.requests.leave()

    async def use_tab(self, tab: int | None) -> PageDriver:
        """Work in a tab; without a number in the one of the last command, else the only one.

        Raises NotConnected, PageClosed: there is no such tab, or no one to choose.
        """
        if self.browser.server.status.state != "connected":
            raise NotConnected(
                "no browser is connected to `skillbook serve`", hint="it prints a pairing link"
            )
        pages = self.browser.pages
        if tab is not None:
            if tab not in pages:
                raise PageClosed(f"there is no shared tab {tab}", hint="`skillbook tabs` lists them")
            self.context.page = pages[tab]
        elif self.context.page.closed:
            if not pages:
                hint = "`skillbook open URL` opens one, or share one in the side panel"
                raise PageClosed("no tab is shared", hint=hint)
            if len(pages) > 1:
                hint = "`skillbook tabs` lists them; choose with `skillbook switch` or --tab"
                raise PageClosed(f"{len(pages)} tabs are shared, and none was chosen", hint=hint)
            [self.context.page] = pages.values()
        found: PageDriver = self.context.page
        return found

    # --- a person's decisions ---

    async def decision(self, kind: Any, words: str, **more: Any) -> DecideParams:
        """Ask a person; gives back their decision if they approve.

        Raises NotAllowed: they reject it. NobodyApproved : nobody answered in time.
        """
        work = asyncio.ensure_future(self.ask(kind, words, **more))
        inline: asyncio.Future[Any] | None = None
        try:
            await asyncio.sleep(0)
            question = self.question
            call, seconds = self._call, self._deadline or CAUSE_SECONDS
            if call is not None and question is not None:
                self.note_shown(question.id, self.place)
                if call.has_person:
                    inline = asyncio.ensure_future(self._ask_here(call, question))
                else:
                    call.report_page("waits for a person:", words)
                    call.report(
                        f"answer with `skillbook approve` in a terminal, or in the side panel, within {seconds:g} s"
                    )
            decided = await asyncio.wait_for(work, seconds)
        except TimeoutError:
            raise NobodyApproved(words) from None
        finally:
            work.cancel()
            if inline is not None:
                inline.cancel()
        require_approved(decided)
        return decided

    async def _ask_here(self, call: TerminalCall, question: Question) -> None:
        yes = await call.ask(question_lines(question))
        with suppress(Exception):  # answered elsewhere meanwhile
            self.decide(decision_on(self.id, question, approve=yes), self.place)

    # --- as the side panel sees it ---

    @property
    def was_stopped(self) -> bool:
        """Whether a person stopped the last command."""
        return self._stopped

    @property
    def page(self) -> PageDriver | None:
        page = self.context.page
        return None if isinstance(page, NoPage) else page

    @property
    def state(self) -> RunState:
        if self.questions:
            return "awaiting_user"
        if self._task is not None and not self._task.done():
            return "executing"
        return "created" if not self._steps else "succeeded" if self.ok else "failed"

    def outputs(self) -> Sequence[RunOutput]:
        return []

    async def work(self) -> None:
        """Commands come one by one: see `do`."""

    def view(self) -> RunView:
        more = max(0, len(self.questions) - 1)
        return self.shown(steps=self._steps, more_questions=more, error="", hint="")


def decision_on(run: str, question: Question, *, approve: bool, only_reads: bool = False) -> DecideParams:
    """A person's answer, who saw the question as a whole."""
    word: Any = "approve" if approve else "reject"
    always: Any = FORM_ONLY_READS if approve and only_reads and question.form else ""
    return DecideParams(run=run, question=question.id, decision=word, confirmed=approve, always=always)


@dataclass
class Given:
    """One verb with its arguments.

    call: where the command came from.
    shown: the options that every verb has.
    """

    run: TerminalRun
    call: TerminalCall
    args: dict[str, Any]
    shown: Shown

    def path(self, name: str) -> Path:
        """A path as the terminal means it."""
        return self.call.folder / expanded(name)


@dataclass
class VerbAnswer:
    """What a verb gives.

    text: for people and models; page text in it is fenced.
    data: the same for programs.
    frame: rows, if it read any.
    notes: lines for the error output, such as why rows are missing.
    """

    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    frame: pd.DataFrame | None = None
    code: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Verb:
    """A word after `skillbook` that works in the browser that is served.

    arguments: adds its arguments to a parser.
    on_page: whether it needs a tab.
    waits_turn: whether it comes after the terminal's commands before it.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    work: Callable[[Given], Awaitable[VerbAnswer]]
    rows: bool = False
    on_page: bool = True
    waits_turn: bool = True

"""The browser's tools for a graph of one's own: `tools` is what users call as `sb.tools`.

Its calls are those of a run whose model is outside (`outside_run.py`), so they are judged, asked about and journaled as
all others. LangGraph runs an interrupted node again from its start: a call is known by its thread, checkpoint, position
and arguments, so that it isn't made twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.config import get_config
from langgraph.types import interrupt

from skillbook.agents.control.controller import without_model
from skillbook.agents.middleware.tool_calls import began_text, find_intents
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.outside_run import OutsideAnswer, OutsideCall, OutsideCalls, outside_run
from skillbook.agents.run.run_facts import check_autonomy
from skillbook.agents.run.run_words import to_decision
from skillbook.agents.state.question_queue import Place
from skillbook.agents.state.run_context import Autonomy, RunContext
from skillbook.agents.state.step_records import FINAL_STATUSES, PendingCall
from skillbook.agents.tools.offered import Offer, make_offer, make_tools
from skillbook.agents.tools.tool_base import effect_of, fields_of
from skillbook.errors import AgentError, ApprovalNeeded, InvalidParams
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.page_driver import PageDriver, driver_of

if TYPE_CHECKING:
    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page

T = TypeVar("T")
OnIo = Callable[[Coroutine[Any, Any, Any]], Awaitable[Any]]
_SCRATCHPAD, _CHECKPOINTER = "__pregel_scratchpad", "__pregel_checkpointer"
_KEPT = 1_000
_LEFT_OUT = frozenset({"plan", "request_assistance"})
"""Tools that a graph has itself."""
_ONE_AT_A_TIME = (
    "Not run: one call at a time, and another one waits for a person. Call again after its result."
)
_WORDS = {True: "approve", "yes": "approve", False: "reject", "no": "reject"}


def tools(
    page: Page | AioPage, *, autonomy: Autonomy = "ask", max_calls: int = 500, name: str = "Your graph"
) -> PageTools:
    """Make LangChain tools of a page, for a graph or an agent of your own; both `invoke` and `ainvoke` work.

    What may change something asks as it does for `sb.agent`: by LangGraph's `interrupt` if the graph has a
    checkpointer, else in the notebook's panel. Resume with `Command(resume="approve")`, "reject", or
    `{"type": "edit", "args": {...}}`. A node that is run again repeats no call: it gets the result of before.

    Parameters
    ----------
    page : Page or AioPage
        What `browser.open(url)` returned.
    autonomy : Autonomy
        `ask` before every call that acts, let `reads` pass, or let `all` pass; irreversible ones always ask.
    max_calls : int
        Calls that may be made in all.
    name : str
        What the questions and the journal call the graph.

    Returns
    -------
    list of BaseTool
        The tools; `tools.run` is the run with their calls, to trace, to save as a skill, to stop.

    Raises
    ------
    AgentError
        An unknown autonomy.

    Examples
    --------
    >>> from langchain.agents import create_agent  # doctest: +SKIP
    >>> agent = create_agent("openai:gpt-5-mini", sb.tools(page))  # doctest: +SKIP
    """
    return PageTools(GraphCalls(driver_of(page), check_autonomy(autonomy), max_calls, name))


class PageTools(list[BaseTool]):
    """The tools of a page."""

    def __init__(self, calls: GraphCalls) -> None:
        super().__init__(map(calls.tool, _offered()[1]))
        self._calls = calls

    @property
    def run(self) -> Run:
        """The run with the tools' calls."""
        return self._calls.run

    def __repr__(self) -> str:
        return f"<{len(self)} tools of {self._calls.page.url}: {', '.join(tool.name for tool in self)}>"


@dataclass
class _Asked:
    """A question that was put to the graph's person, and whether its answer counts."""

    id: str
    payload: dict[str, Any]
    counts: bool = True


@dataclass
class _KeptCall:
    """A call, over all the times that its node runs.

    key: what it is known by; empty without a checkpointer.
    superstep: the thread and step that it belongs to.
    """

    name: str
    args: dict[str, Any]
    key: str = ""
    superstep: tuple[str, int] = ("", 0)
    call: OutsideCall | None = None
    answer: OutsideAnswer | None = None
    asked: list[_Asked] = field(default_factory=list)


class GraphCalls:
    """The calls of one graph on one page."""

    def __init__(self, page: PageDriver, autonomy: Autonomy, max_calls: int, name: str) -> None:
        self.page = page
        self._place = Place(f"in {name}", secrets.token_hex(8))
        self._calls = OutsideCalls(name, "a LangGraph graph")
        self._kept: OrderedDict[str, _KeptCall] = OrderedDict()
        self._positions: OrderedDict[str, tuple[object, int]] = OrderedDict()
        self._changed = asyncio.Event()
        self._waiting: _KeptCall | None = None
        known, offer = _offered()[0], _offered()[2]
        shown = offer.shown({each: fields_of(tool) for each, tool in known.items()})
        self.run = outside_run(
            page, self._calls, None, autonomy=autonomy, max_calls=max_calls, cells=False, offered=shown,
            names={tool: each.name for tool, each in shown.items()},
        )  # fmt: skip
        self.run.on_progress.append(lambda _: io.call_soon(self._changed.set))

    def tool(self, schema: dict[str, Any]) -> BaseTool:
        """The tool of an offered schema."""
        name = schema["name"]

        def call(**args: Any) -> str:
            return _at_once(self._carry(name, args, _blocking))

        return StructuredTool.from_function(
            func=call, coroutine=partial(self._acall, name), name=name, description=schema["description"],
            args_schema=schema["parameters"], handle_tool_error=True, infer_schema=False,
        )  # fmt: skip

    async def _acall(self, name: str, /, **args: Any) -> str:
        return await self._carry(name, args, io.wait)

    async def _carry(self, name: str, args: dict[str, Any], on_io: OnIo) -> str:
        """Make a call, or take what came of it when its node ran before."""
        kept = self._known(
            *_offered()[2].to_run(name, {key: each for key, each in args.items() if each is not None})
        )
        for asked in list(kept.asked):
            decision = interrupt(asked.payload)
            if asked.counts:
                await on_io(self._decide(asked.id, decision))
        if self.run.status == "idle":
            self.run.start()
        while kept.answer is None:
            step = await on_io(self._next(kept))
            if isinstance(step, OutsideAnswer):
                kept.answer = step
            elif kept.key:
                await on_io(self._show(step))
                asked = _Asked(step.id, _payload(step))
                kept.asked.append(asked)
                interrupt(asked.payload)
                asked.counts = False  # an answer from before this question was shown is of another one
            elif hooks.running_cell() is not None and not hooks.clicks_blocked():
                await on_io(self._decided(step))
            else:
                await on_io(self._call_off(kept))
                raise ApprovalNeeded(f"{step.text} needs a person's approval, and nobody can be asked here.")
        if not kept.answer.ok:
            raise ToolException(kept.answer.text)
        return kept.answer.text

    # --- which call it is ---------------------------------------------------------------------------

    def _known(self, name: str, args: dict[str, Any]) -> _KeptCall:
        """The call as it is kept, by thread, checkpoint, position and arguments; a new one without a checkpointer."""
        try:
            config: Mapping[str, Any] = get_config().get("configurable", {})
        except RuntimeError:  # no graph
            config = {}
        thread = config.get("thread_id")
        if thread is None or not config.get(_CHECKPOINTER) or _SCRATCHPAD not in config:
            return _KeptCall(name, args)
        namespace = (
            f"{thread}|{config.get('checkpoint_ns', '')}"  # its last part is made from the checkpoint's id
        )
        pad = config[_SCRATCHPAD]
        before, position = self._positions.pop(namespace, (None, -1))
        position = position + 1 if before is pad else 0
        self._positions[namespace] = (pad, position)
        whole = json.dumps([namespace, position, name, args], sort_keys=True, default=str)
        key = f"call-{hashlib.sha256(whole.encode()).hexdigest()[:24]}"
        kept = self._kept.setdefault(key, _KeptCall(name, args, key, (str(thread), pad.step)))
        for known in (self._kept, self._positions):
            while len(known) > _KEPT:
                known.popitem(last=False)
        return kept

    # --- on the I/O thread --------------------------------------------------------------------------

    async def _next(self, kept: _KeptCall) -> OutsideAnswer | PendingCall:
        """Wait for the call's answer, or for a question that comes before it."""
        if kept.call is None:
            if (answer := await self._before(kept)) is not None:
                return answer
            kept.call = self._calls.put(kept.name, kept.args, kept.key)
        while True:
            self._changed.clear()
            if kept.call.answer.done():
                self._waiting = None if self._waiting is kept else self._waiting
                return kept.call.answer.result()
            question = self.run.first_question
            if question is not None:
                self._waiting = kept
                return question
            if self.run.status in FINAL_STATUSES:
                raise self.run.error or AgentError(
                    f"{self._calls.name} was stopped.", hint="`sb.tools` makes new ones."
                )
            changed: asyncio.Future[Any] = asyncio.ensure_future(self._changed.wait())
            answered: asyncio.Future[Any] = kept.call.answer
            await asyncio.wait({changed, answered}, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()

    async def _before(self, kept: _KeptCall) -> OutsideAnswer | None:
        """An answer without making the call: another one waits, or an earlier kernel made it."""
        waiting = self._waiting
        if waiting is not None and waiting is not kept:
            if waiting.superstep == kept.superstep and kept.key:
                return OutsideAnswer(_ONE_AT_A_TIME, False)
            await self._call_off(waiting)
        tool = _offered()[0].get(kept.name)
        if not kept.key or tool is None or effect_of(tool) == "read":
            return None
        folder = Path(self.page.browser.journal.path).parent
        began = await asyncio.to_thread(find_intents, [folder], f"#{kept.key}")
        return OutsideAnswer(*answer) if (answer := began_text(began)) is not None else None

    async def _show(self, question: PendingCall) -> None:
        self.run.note_shown(question.id, self._place)

    async def _decide(self, question: str, answer: Any) -> None:
        """Take a person's answer; one that was taken already changes nothing."""
        pending = self.run.first_question
        if pending is not None and pending.id == question:
            self.run.take_decision(question, _decision(answer), self._place)

    async def _decided(self, question: PendingCall) -> None:
        """Wait until a question is decided in a panel."""
        while (now := self.run.first_question) is not None and now.id == question.id:
            self._changed.clear()
            await self._changed.wait()

    async def _call_off(self, kept: _KeptCall) -> None:
        """Nobody waits for a call any more."""
        self._waiting = None
        if kept.call is None or kept.call.answer.done():
            return
        kept.call.called_off = True
        while (question := self.run.first_question) is not None:
            self.run.take_decision(question.id, _decision("reject"), None)
        self.run.call_off(kept.call.id)


async def _blocking(work: Coroutine[Any, Any, T]) -> T:
    return io.sync(work)


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """The value of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("it waited")


@cache
def _offered() -> tuple[Mapping[str, BaseTool], list[dict[str, Any]], Offer]:
    """An agent's tools, of which nothing is called, their schemas for a graph, and the offer that maps these."""
    known = make_tools(
        RunContext(run_id="", goal="", page=None, choice=without_model()), allow_evaluate=False
    )
    offer = make_offer(known.values(), files=False)
    schemas = [each["function"] for each in offer.schemas if each["function"]["name"] not in _LEFT_OUT]
    return known, schemas, offer


def _payload(question: PendingCall) -> dict[str, Any]:
    """A question as an interrupt has it; what a page wrote stays text."""
    return {
        "id": question.id, "question": question.text, "why": question.why, "tool": question.tool,
        "args": question.args, "effect": question.review.effect, "decisions": list(question.decisions),
    }  # fmt: skip


def _decision(answer: Any) -> dict[str, Any]:
    """A person's answer as the run takes it: a word, or what LangChain's middleware for people in the loop is given."""
    if isinstance(answer, Mapping) and answer.get("decisions"):
        answer = answer["decisions"][0]
    given = answer if isinstance(answer, Mapping) else {"type": answer}
    kind = given.get("type")
    kind = _WORDS.get(kind, kind) if isinstance(kind, str | bool) else kind
    if kind not in {"approve", "reject", "respond", "edit"}:
        raise InvalidParams(
            f"{answer!r} is no decision",
            hint='Command(resume="approve"), "reject", {"type": "edit", "args": {...}}',
        )
    args = given.get("args") or (given.get("edited_action") or {}).get("args") or {}
    return to_decision(kind, args, str(given.get("message") or ""), "")

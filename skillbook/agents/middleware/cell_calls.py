"""A cell's calls, made in the model's place one at a time: a model is queried again when its cell has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from skillbook.agents.fence import unfence
from skillbook.agents.middleware.run_middleware import AskModel, CallAnswer, CarryOut, ModelAnswer
from skillbook.agents.state.run_cells import (
    Cell,
    CellCall,
    RunCells,
    frame_of_cell,
    is_next,
    line_of,
    merge_cells,
    open_cell,
    without_inner,
)
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import masked_args, seal_typed
from skillbook.agents.state.step_records import RUN_CELL, SKIPPED, UNTRUE_CALLS, call_in_words
from skillbook.agents.tools.cell_tool import describe_end
from skillbook.cells.crossing import ActionResult, refs_of, to_plain, value_for_code
from skillbook.cells.foresight import foresee
from skillbook.cells.sandbox import CellEnd
from skillbook.errors import PageClosed, SkillbookError
from skillbook.policy.secrets import store
from skillbook.protocol.commands import ACTIONS
from skillbook.session.page.act_requests import NOT_SENT

if TYPE_CHECKING:
    import pandas as pd

_REQUESTS = "Requests of this call"
_DONE = "done"


class CellState(AgentState[Any]):
    """The graph's state with the cells in it, as plain data."""

    cells: NotRequired[Annotated[list[Cell], merge_cells]]


class CellsMiddleware(AgentMiddleware[CellState, Any, Any]):
    """Makes the calls of the cell under way, keeps their answers, and ends the cell with one message to the model."""

    state_schema = CellState

    def __init__(self, context: RunContext, cells: RunCells) -> None:
        super().__init__()
        self._context, self._cells = context, cells

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """If the cell under way has come to its end, its message gets what came of it."""
        self._cells.records = list(state.get("cells", []))
        step = await self._cells.advance()
        cell = open_cell(self._cells.records)
        if not isinstance(step, CellEnd) or cell is None:
            return None
        if self._cells.home is not None and not self._cells.home.closed:
            self._context.work_in(self._cells.home)
        text = await describe_end(self._context, cell, step)
        ended = {"lost": step.lost, "error": step.error}
        self._cells.records = merge_cells(self._cells.records, [{"id": cell["id"], "ended": ended}])
        await self._cells.note_variables()
        rows = self._keep_rows(step)
        self._cells.notes = []
        self._note_end(cell, step, text, rows)
        begun = [
            message
            for message in state["messages"]
            if isinstance(message, ToolMessage) and message.tool_call_id == cell["id"]
        ]
        replaced = [begun[-1].model_copy(update={"content": text})] if begun else []
        return {"messages": replaced, "cells": [{"id": cell["id"], "ended": ended}]}

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Answer for the model with the next call of its cell; else query it."""
        context = self._context
        state: Any = request.state
        self._cells.records = list(state.get("cells", []))
        step = await self._cells.advance()
        if isinstance(step, CellCall):
            context.check_halt()
            context.check_page()
            context.check_budget()
            tool, args = self._forked(step)
            await self._turn_to(step.host.tab)
            seal_typed(tool, args, context.latest)
            return ModelResponse(
                result=[AIMessage("", tool_calls=[{"name": tool, "args": args, "id": step.call_id}])]
            )
        shown = without_inner(request.messages, self._cells.records)
        response = await handler(request.override(messages=shown))
        for message in response.result:
            for call in message.tool_calls if isinstance(message, AIMessage) else ():
                if call["name"] == RUN_CELL:
                    self._seal(str(call["args"].get("code", "")))
        return response

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """A cell's begin and each answer to its calls go into the state with their messages."""
        cells, call_id = self._cells, str(request.tool_call["id"])
        cells.records = list(request.state.get("cells", []))
        inner = is_next(cells.records, call_id)
        if not inner and request.tool_call["name"] != RUN_CELL:
            return await handler(request)
        lost = await self._turn_to_next() if inner else None
        if lost is not None:
            result: ToolMessage | Command[Any] = ToolMessage(
                lost.message, name=request.tool_call["name"], tool_call_id=call_id, status="error"
            )
        else:
            result = await handler(request)
        if not isinstance(result, ToolMessage):
            return result
        if not inner:
            begun = cells.take_begun(call_id)
            if begun is not None and self._context.decisions.get(call_id, {}).get("type") == "edit":
                begun["edited"] = True
            return result if begun is None else Command(update={"messages": [result], "cells": [begun]})
        answer = (
            self._answer(call_id, str(request.tool_call["name"]), result)
            if lost is None
            else {"error": f"[{lost.code}] {lost.message}"}
        )
        number = len((open_cell(cells.records) or {"answers": []})["answers"])
        reply = result.model_copy(update={"content": _DONE if "value" in answer else answer["error"][:300]})
        cell_id = call_id.rpartition(".")[0]
        self._note_step(call_id)
        answer |= self._by_person(call_id)
        return Command(
            update={
                "messages": [reply],
                "cells": [{"id": cell_id, "number": number, "answer": answer}],
            }
        )

    async def _turn_to_next(self) -> PageClosed | None:
        """Work in the page of the cell's next call; the error of one that is gone."""
        step = await self._cells.advance()
        return await self._turn_to(step.host.tab) if isinstance(step, CellCall) else None

    async def _turn_to(self, tab: int) -> PageClosed | None:
        """Work in a page of the cell; the error of one that is gone."""
        context = self._context
        try:
            page = await self._cells.work_in(tab, context.page)
            if context.tabs is not None and page is not self._cells.home:
                context.tabs.check(page)
        except PageClosed as error:
            return error
        context.work_in(page)
        return None

    def _answer(self, call_id: str, tool: str, result: ToolMessage) -> dict[str, Any]:
        """What the code gets: a value, or an error that it may catch."""
        context, text = self._context, str(result.text)
        carried = context.call_id == call_id
        decided = context.decisions.get(call_id, {}).get("type")
        if _REQUESTS in text and carried:
            self._cells.notes.append(unfence(text[text.index(_REQUESTS) :]).partition("\n")[2])
        if SKIPPED in text and decided == "reject":
            return {"value": to_plain(ActionResult(False) if tool in ACTIONS else None)}
        untrue = context.notes.error if carried and context.notes.error in UNTRUE_CALLS else None
        if untrue == NOT_SENT:
            return {"error": f"[{NOT_SENT}] {context.notes.refused or context.notes.summary}"}
        if untrue is not None:  # as for a person's code: it was clicked, and the result says what failed
            self._cells.notes.append(context.notes.summary)
        elif result.status == "error":
            words = context.notes.words if carried and context.notes.words else f"[rejected] {unfence(text)}"
            return {"error": store.redact_kept(words)}
        if decided == "respond":
            return {"error": f"[answered] The person answers instead of this call: {text}"}
        if carried and tool not in ACTIONS:
            value = value_for_code(context.notes.value, self._cells.tab)
            self._cells.given_refs |= refs_of(value)
            return {"value": value}
        value = context.notes.value if carried else None
        return {"value": to_plain(ActionResult()) if value is None else value_for_code(value)}

    def _forked(self, step: CellCall) -> tuple[str, dict[str, Any]]:
        """The call as the code makes it, or what a person put in its place when they forked the run here."""
        fork = self._context.fork
        instead = fork.take_call() if fork is not None else None
        return instead if instead is not None else (step.tool, step.args)

    def _seal(self, code: str) -> None:
        """Seal what a cell types into fields that nobody may read, before it is on disk."""
        try:
            calls = foresee(code).calls
        except SkillbookError:
            return
        for call in calls:
            if call.args is not None:
                seal_typed(call.method.tool, call.args, self._context.latest)

    def _note_step(self, call_id: str) -> None:
        """The step knows its cell and its line."""
        last = self._context.steps[-1] if self._context.steps else None
        if last is not None and last.call_id == call_id:
            last.extra["cell"] = self._cells.number(call_id.rpartition(".")[0])
            last.extra["line"] = line_of(call_id)

    def _by_person(self, call_id: str) -> dict[str, Any]:
        """What a person made of a call, which neither the code nor what it gives says."""
        step = self._context.steps[-1] if self._context.steps else None
        if step is None or step.call_id != call_id or step.decided not in {"edit", "skip", "reject"}:
            return {}
        words = call_in_words(step.tool, "", step.args)
        if step.edited is not None:
            args = masked_args(step.tool, step.edited, self._context.latest, step.extra.get("node"))
            words = f"{call_in_words(step.tool, '', args)} instead of {words}"
        else:
            words = f"{'left out' if step.decided == 'skip' else 'refused'}: {words}"
        return {"by_person": store.redact_kept(f"line {line_of(call_id)}: {words}")}

    def _keep_rows(self, end: CellEnd) -> pd.DataFrame | None:
        """The rows that a cell ended with are the run's, if they were read."""
        frame = None if end.error else frame_of_cell(end.value, self._cells.records, self._context.steps)
        if frame is not None:
            self._context.frame = frame
        return frame

    def _note_end(self, cell: Cell, end: CellEnd, text: str, rows: pd.DataFrame | None) -> None:
        """The step that ran the cell has its outcome."""
        for step in reversed(self._context.steps):
            if step.call_id == cell["id"]:
                step.result = store.redact_kept(unfence(text))
                step.error = "cell_failed" if end.error else None
                step.extra["cell"] = self._cells.number(cell["id"])
                if rows is not None:
                    step.extra["cell_rows"] = rows
                break
        self._context.notify()

"""The tool `run_cell`: Python over the page, whose calls are made one by one after it."""

from __future__ import annotations

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import masked_args
from skillbook.agents.state.step_records import RUN_CELL
from skillbook.agents.tools.cell_check import foresee_on_page
from skillbook.agents.tools.tool_base import make_tool
from skillbook.cells.foresight import Forecast
from skillbook.policy.secrets import MASK


class CellArgs(BaseModel):
    """A cell's code."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(description="Python over page and sb; the last expression comes back.")


def cell_tool(context: RunContext) -> BaseTool:
    """The tool `run_cell` of a run that has cells."""

    async def run_cell(code: str) -> str:
        cells, call_id = context.cells, context.call_id
        assert cells is not None
        decided = context.decisions.get(call_id, {}).get("type")
        if decided == "edit" or call_id not in cells.forecasts:
            cells.forecasts[call_id] = await foresee_on_page(context, code)
        forecast = cells.forecasts[call_id]
        approved = decided in {"approve", "edit"}
        cells.begin(call_id, code, forecast, approved=approved, seen=context.seen, page=context.page)
        masked = _masked(context, code, forecast)
        if masked != code:
            context.masked_calls[call_id] = {"code": masked}
        context.notes.url = context.page.url
        context.notes.summary = forecast.text
        return "The cell runs."

    return make_tool(RUN_CELL, "Run Python over the page.", CellArgs, run_cell, effect="read", kind="cell")


def _masked(context: RunContext, code: str, forecast: Forecast) -> str:
    """The code without what it types where nobody may read it."""
    for call in forecast.calls:
        if call.args is None:
            continue
        masked = masked_args(call.method.tool, call.args, context.latest)
        for name, value in masked.items():
            if value == MASK and value != call.args[name]:
                code = code.replace(str(call.args[name]), MASK)
    return code

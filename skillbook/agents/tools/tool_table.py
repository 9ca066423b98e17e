"""Every tool an agent can call, in one table."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.cell_tool import cell_tool
from skillbook.agents.tools.command_tools import command_tools
from skillbook.agents.tools.data_tools import data_tools
from skillbook.agents.tools.exploration_tools import way_tools
from skillbook.agents.tools.note_tools import note_tools
from skillbook.agents.tools.observation_tools import count_tool, observation_tools
from skillbook.agents.tools.tab_tools import tab_tools
from skillbook.agents.tools.workflow_tool import workflow_tool


def make_tools(context: RunContext, *, allow_evaluate: bool, page_tools: bool = False) -> dict[str, BaseTool]:
    """Every tool by its name."""
    tools = [
        *observation_tools(context),
        *command_tools(context, allow_evaluate=allow_evaluate, page_tools=page_tools),
        *data_tools(context),
        *tab_tools(context),
        *way_tools(context),
        *note_tools(context),
        *([cell_tool(context), count_tool(context)] if context.cells is not None else []),
        *([workflow_tool(context, context.run_workflow)] if context.run_workflow is not None else []),
    ]
    return {tool.name: tool for tool in tools}

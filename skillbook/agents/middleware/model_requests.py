"""What goes into a request to the model, and what goes before it: prompt, tools, skills, tasks, room, images, cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NotRequired
from uuid import uuid4

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ContextEditingMiddleware,
    ModelRequest,
    ModelResponse,
    SummarizationMiddleware,
    hook_config,
)
from langchain.agents.middleware.context_editing import ContextEdit, TokenCounter
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately, get_buffer_string
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command

from skillbook.agents.control.controller import FirstAttempts
from skillbook.agents.fence import fence, is_fenced, is_whole_page, shorten_fenced
from skillbook.agents.middleware.run_middleware import (
    AskModel,
    CallAnswer,
    CarryOut,
    ModelAnswer,
    RunMiddleware,
)
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.prompts import load_prompt
from skillbook.agents.state.run_cells import open_cell
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import RUN_CELL, Review
from skillbook.agents.tools.formatting import CHANGES
from skillbook.agents.tools.offered import Offer
from skillbook.agents.tools.page_images import as_click_on_element, names_pixels, with_images
from skillbook.agents.tools.tool_base import fit_args, kind_of
from skillbook.cells.stubs import short_stubs
from skillbook.errors import BudgetExceeded, ConnectionLost, ModelUnreachable, SkillbookError
from skillbook.skill import Skill
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.library import skills

_PLAN = "plan"
_MOST_SKILLS = 24


def _cells_prompt() -> str:
    """How to write cells, with what they can call; of skills only names are said, which no file can fill with words."""
    known: list[Skill | Builtin] = [one for one in skills.saved if one.spec.replays]
    known += skills.builtin
    named = [f"{one.name}({', '.join(each.name for each in one.inputs)})" for one in known[:_MOST_SKILLS]]
    more = f" and {len(known) - _MOST_SKILLS} more" if len(known) > _MOST_SKILLS else ""
    prompt = load_prompt("cells").replace("{skills}", f"{', '.join(named)}{more}")
    return prompt.replace("{stubs}", short_stubs())


class PromptMiddleware(RunMiddleware):
    """Sets the system prompt. The plan is in the tool's answer, and where a summary took that away, a last message."""

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        whole = context.cells is None
        parts = [load_prompt("agent") if whole else _cells_prompt()]
        if context.skill_prompt:
            parts.append(f"The person asks you to follow this skill:\n\n{context.skill_prompt}")
        self._prompt = SystemMessage("\n\n".join(parts))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Query the model with the prompt before the conversation."""
        messages, tasks = request.messages, self._context.tasks
        planned = any(isinstance(message, ToolMessage) and message.name == _PLAN for message in messages)
        if tasks and not planned:
            messages = [*messages, HumanMessage(f"Your plan so far:\n{tasks.text()}")]
        return await handler(request.override(system_message=self._prompt, messages=messages))


class OfferedToolsMiddleware(AgentMiddleware[Any, Any, Any]):
    """Sends the offer's short schemas, and the conversation as a model with these tools would have had it."""

    def __init__(self, offer: Offer, tools: Iterable[BaseTool]) -> None:
        super().__init__()
        self._offer = offer
        self._tools = {tool.name: tool for tool in tools}

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Offer the tools; the calls in the answer become calls of the run's tools."""
        names: dict[str, str] = {}
        messages = [self._as_offered(message, names) for message in request.messages]
        response = await handler(request.override(tools=list(self._offer.schemas), messages=messages))
        response.result = [self._as_run(message) for message in response.result]
        return response

    def _as_offered(self, message: AnyMessage, names: dict[str, str]) -> AnyMessage:
        if isinstance(message, AIMessage) and message.tool_calls:
            calls = []
            for call in message.tool_calls:
                name, args = self._offer.to_model(call["name"], call["args"])
                names[str(call["id"])] = name
                calls.append({**call, "name": name, "args": args})
            return message.model_copy(update={"tool_calls": calls})
        if isinstance(message, ToolMessage):
            return message.model_copy(update={"name": names.get(message.tool_call_id, message.name)})
        return message

    def _as_run(self, message: BaseMessage) -> BaseMessage:
        if not isinstance(message, AIMessage) or not message.tool_calls:
            return message
        calls = []
        for call in message.tool_calls:
            name, args = self._offer.to_run(call["name"], call["args"])
            if (tool := self._tools.get(name)) is not None:
                args = fit_args(tool, args)
            calls.append({**call, "name": name, "args": args})
        return message.model_copy(update={"tool_calls": calls})


_ENDS = (BudgetExceeded, ConnectionLost, ModelUnreachable)


class KnownWaysMiddleware(RunMiddleware):
    """Answers for the model with a skill's calls, one at a time; what fails, is refused or isn't sure is the model's.

    has_schema: whether the result has a form, which only the model can give it.
    """

    def __init__(self, context: RunContext, *, has_schema: bool) -> None:
        super().__init__(context)
        self._has_schema = has_schema
        given = context.fork or context.kept or context.skill_prompt or context.plan_first or context.steps
        self._attempts = None if given else FirstAttempts(context)
        self._messages_known = len(context.person_messages)

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Query the model, unless a skill has the next call or was all of the goal."""
        if self._attempts is None or len(self._context.person_messages) > self._messages_known:
            self._attempts = None
            return await handler(request)
        answer, came = await self._next(self._attempts)
        if answer is not None:
            return ModelResponse(result=[answer])
        self._attempts = None
        if not came:
            return await handler(request)
        answered = await handler(request.override(messages=[*request.messages, HumanMessage(came)]))
        if any(isinstance(one, AIMessage) and one.tool_calls for one in answered.result):
            self._context.progress = None  # there is more to do than the skill did
        return answered

    async def _next(self, attempts: FirstAttempts) -> tuple[AIMessage | None, str]:
        """The next call or the run's result; else what the model is to know of the attempt."""
        self._context.check_halt()
        self._context.check_budget()
        try:
            answer = await attempts.answer()
        except _ENDS:
            raise
        except SkillbookError as error:
            if not attempts.skill:
                return None, ""
            self._context.progress = None
            return (
                None,
                f"The skill {attempts.skill} ended here; go on yourself. Why:\n{fence(error.message)}",
            )
        if answer.tool_calls or (attempts.is_saved and not self._has_schema):
            return answer, ""
        return None, (
            f"The skill {attempts.skill} did its part, and the page shows it. If the goal is reached, give your "
            "answer; else go on."
        )


# What is needed stays: the newest whole page and what changed since, whatever was read or found, errors, and each
# page's address and title. Pages are left out in batches, for every change of an early message makes providers read
# all that follows it anew at the full price.

_NOTE = "the page as it was, left out"
_BATCH = 1_000
"""Characters of pages that are out of date before they are left out.

Over the tasks of `benchmarks/agent_runs` effective tokens were 89 % of those without leaving out; with 8,000 characters
92 %, with 24,000 95 %, with 48,000 98 %: what follows an old page is mostly the new page, which is dear anyway.
"""


class LeaveOutOldPages(ContextEdit):
    """Replaces whole pages and changes from before the newest whole page; what was said around them stays.

    LangChain's own edit clears whole tool results, so the model would no longer know which calls failed and why,
    and it leaves the page in the first message.
    """

    def __init__(self, batch: int = _BATCH) -> None:
        self.batch = batch

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        """Edit a request's copy of the messages; the checkpoints keep them whole."""
        for index in self._left_out([message.content for message in messages]):
            message = messages[index]
            # What a cell printed and returned comes before its page, and nobody can read that anew.
            shortened = shorten_fenced(str(message.content), _NOTE, last=message.name == RUN_CELL)
            messages[index] = message.model_copy(update={"content": shortened})

    def _left_out(self, contents: list[object]) -> list[int]:
        """Which messages lose their page: the same ones from one batch to the next."""
        gone: list[int] = []
        waiting: list[int] = []
        current: list[int] = []
        for index, content in enumerate(contents):
            if not isinstance(content, str) or not is_fenced(content):
                continue
            if is_whole_page(content):
                waiting, current = [*waiting, *current], [index]
                if sum(len(str(contents[each])) for each in waiting) >= self.batch:
                    gone, waiting = [*gone, *waiting], []
            elif CHANGES in content:
                current.append(index)
        return gone


def make_context_trimming() -> ContextEditingMiddleware:
    """Make the middleware that leaves old pages out of each request."""
    return ContextEditingMiddleware(edits=[LeaveOutOldPages()])


def make_summary(
    context: RunContext, choice: ModelChoice, tokens: int, kept: int
) -> AgentMiddleware[Any, Any, Any]:
    """Make the middleware that condenses a conversation of more than `tokens` tokens, but for its last messages."""
    prompt = load_prompt("summary")

    async def summarize(messages: list[AnyMessage]) -> str:
        request = prompt.replace("{messages}", get_buffer_string(messages))
        answer = await context.query_model(choice.model.ainvoke(request), _usage_of_summary)
        return str(answer.text)

    return _BetweenCells(
        context, choice.model, trigger=("tokens", tokens), keep=("messages", kept), summarizer=summarize
    )


class _BetweenCells(SummarizationMiddleware):
    """Condenses only while no cell is under way, whose calls and answers belong together."""

    def __init__(self, context: RunContext, model: Any, **options: Any) -> None:
        super().__init__(model, **options)
        self._context = context

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Condense what is too long."""
        if self._context.cells is not None and open_cell(state.get("cells", [])) is not None:
            return None
        return await super().abefore_model(state, runtime)


def _usage_of_summary(answer: AIMessage) -> dict[str, int] | None:
    usage = answer.usage_metadata
    if usage is None:
        return None
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]}


class VisionMiddleware(RunMiddleware):
    """Puts the images of the last look beside its answer; the conversation itself has none.

    A click by pixels becomes one on the element there before anything judges it; a refused one stays as it was.
    """

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Query the model with the newest images."""
        response = await handler(request.override(messages=with_images(request.messages)))
        response.result = [await self._with_elements(message) for message in response.result]
        return response

    async def _with_elements(self, message: BaseMessage) -> BaseMessage:
        if not isinstance(message, AIMessage):
            return message
        calls: list[dict[str, Any]] = [dict(call) for call in message.tool_calls]
        for call in calls:
            if not names_pixels(call["name"], call["args"]):
                continue
            try:
                call["args"] = await as_click_on_element(self._context, call["args"])
            except SkillbookError as error:
                self._context.reviews[str(call["id"])] = Review(False, False, "write", refusal=error)
        return message.model_copy(update={"tool_calls": calls})


class MeteringMiddleware(RunMiddleware):
    """Counts tokens and money of each answer; a failed request becomes `ModelUnreachable`."""

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Query the model, unless the run is to stop, its page is gone or its budget is used up."""
        self._context.check_halt()
        self._context.check_page()
        self._context.set_phase("planning")
        tokens = 0
        if self._context.budget_usd is not None or self._context.budget_tokens is not None:
            system = [request.system_message] if request.system_message is not None else []
            tokens = count_tokens_approximately([*system, *request.messages], tools=list(request.tools))
        self._context.check_budget(tokens)
        return await self._context.query_model(handler(request), _usage)


def _usage(response: ModelResponse[Any]) -> dict[str, int] | None:
    total = {"input_tokens": 0, "output_tokens": 0}
    for message in response.result:
        if isinstance(message, AIMessage) and message.usage_metadata:
            total["input_tokens"] += message.usage_metadata["input_tokens"]
            total["output_tokens"] += message.usage_metadata["output_tokens"]
    return total


class ForkedCallMiddleware(RunMiddleware):
    """Answers once for the model, where the person said what a fork does instead."""

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Query the model, unless the fork's call is still to be made."""
        fork = self._context.fork
        call = fork.take_call() if fork is not None else None
        if call is None:
            return await handler(request)
        tool, args = call
        made = {"name": tool, "args": args, "id": f"fork-{uuid4().hex[:12]}"}
        return ModelResponse(result=[AIMessage("", tool_calls=[made])])


_UNFINISHED = "unfinished"


class TaskState(AgentState[Any]):
    """The graph's state with the task list in it, as plain data."""

    tasks: NotRequired[list[dict[str, Any]]]


class TaskListMiddleware(AgentMiddleware[TaskState, Any, Any]):
    """Keeps the task list in the checkpoints, and brings what the person said or edited to the model."""

    state_schema = TaskState

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Add what the person said since the last answer."""
        messages = [HumanMessage(words) for words in self._context.take_words()]
        tasks = self._context.tasks.to_json()
        update: dict[str, Any] = {"messages": messages} if messages else {}
        if tasks != state.get("tasks", []):
            update["tasks"] = tasks
        return update or None

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Where the model ends with tasks left that the person agreed to, remind it once."""
        messages, ready = state["messages"], self._context.tasks.ready
        last = messages[-1] if messages else None
        ends = isinstance(last, AIMessage) and not last.tool_calls and not last.invalid_tool_calls
        if (
            not ends
            or not ready
            or not self._context.plan_first
            or any(message.name == _UNFINISHED for message in messages)
        ):
            return None
        left = ", ".join(f"{task.id} ({task.title})" for task in ready)
        words = (
            f"Tasks of your plan are not finished: {left}. Go on with them, or call `plan` to mark what is completed, "
            "failed or dropped; then give your answer again."
        )
        return {"messages": [HumanMessage(words, name=_UNFINISHED)], "jump_to": "model"}

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """Mark which task is under way; a plan goes into the state with its answer."""
        context = self._context
        kind = kind_of(request.tool) if request.tool is not None else ""
        if kind not in {"note", "person", ""}:
            context.tasks.begin_next()
        result = await handler(request)
        if kind != "note" or not isinstance(result, ToolMessage):
            return result
        return Command(update={"messages": [result], "tasks": context.tasks.to_json()})

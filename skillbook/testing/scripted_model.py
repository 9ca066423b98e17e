"""A chat model whose answers are a script: agents in tests, demos and notebooks without a network."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from skillbook.errors import ScriptMismatch

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool that the scripted model makes.

    Parameters
    ----------
    name: the tool's name.
    args: its arguments; a string stands for raw arguments as a model sent them (possibly broken JSON).
    text: what the model says beside the call.
    """

    name: str
    args: dict[str, Any] | str = field(default_factory=dict)
    text: str = ""


Step = AIMessage | ToolCall | str | Exception | Callable[[list[BaseMessage]], "Step"]
"""One answer: a message, a tool call, final text, an error to raise, or a function of the messages so far."""


class Script:
    """Answers handed out in order, one for each request; safe to use from several threads.

    steps: the answers in order, or one function of the messages that gives every answer.
    """

    def __init__(self, steps: Sequence[Step] | Callable[[list[BaseMessage]], Step]) -> None:
        self._answer_all = steps if callable(steps) else None
        self._steps: list[Step] = [] if callable(steps) else list(steps)
        self._used = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        total = "∞" if self._answer_all else str(len(self._steps))
        return f"Script({self._used} of {total} answers used)"

    @property
    def used(self) -> int:
        """How many answers were handed out."""
        return self._used

    @property
    def left(self) -> int | None:
        """How many answers are left; None for a script that is one function."""
        return None if self._answer_all else len(self._steps) - self._used

    def extend(self, steps: Iterable[Step]) -> None:
        """Add answers at the end."""
        with self._lock:
            self._steps.extend(steps)

    def next(self, messages: list[BaseMessage]) -> AIMessage:
        """Give the next answer to these messages.

        Raises ScriptMismatch: when no answer is left; also any exception that the script lists as a step.
        """
        with self._lock:
            if self._answer_all is not None:
                step: Step = self._answer_all
            elif self._used < len(self._steps):
                step = self._steps[self._used]
            else:
                last = _text_of(messages[-1])[:300] if messages else "nothing"
                raise ScriptMismatch(
                    f"The script has no answer left: all {len(self._steps)} were used. "
                    f"The last message to the model was: {last}",
                    hint="Add a step to the script, or end it with a final text so that the run ends.",
                )
            self._used += 1
        while not isinstance(step, (AIMessage, ToolCall, str, Exception)):
            step = step(messages)
        if isinstance(step, Exception):
            raise step
        return _as_message(step, messages)


def ref_of(messages: Sequence[BaseMessage], element: str, nth: int = 0) -> str:
    """Find the ref of an element in the newest page text that names it.

    Parameters
    ----------
    messages: the conversation so far.
    element: role and name as a role selector writes them, such as `button 'Next'`.
    nth: which of several matches in that page text, from 0; -1 is the last.

    Returns
    -------
    The ref, such as `e12`, or `f2e3` inside a frame.

    Raises
    ------
    ScriptMismatch: when no message holds such an element.
    """
    found = find_ref(messages, element, nth)
    if found is None:
        raise ScriptMismatch(
            f"No page text so far has a line with {element} and a ref.",
            hint="Look at the last tool message; the page may differ from what the script expects.",
        )
    return found


def find_ref(messages: Sequence[BaseMessage], element: str, nth: int = 0) -> str | None:
    """Like `ref_of`, but None where no message holds such an element, or only older pages do."""
    wanted = re.escape(re.sub(r"'([^']*)'", r'"\1"', element)).replace(r"\ ", r"\s+")
    pattern = re.compile(rf"{wanted}(?:(?!\[ref=)[^\n])*?\[ref=((?:f\d+)?e\d+)\]")
    for message in reversed(messages):
        refs = pattern.findall(_text_of(message))
        if refs:
            return str(refs[nth]) if -len(refs) <= nth < len(refs) else None
    return None


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text (four characters a token, at least one)."""
    return max(1, len(text) // _CHARACTERS_PER_TOKEN)


def _text_of(message: BaseMessage) -> str:
    return str(message.text)


def _as_message(step: AIMessage | ToolCall | str, messages: list[BaseMessage]) -> AIMessage:
    read = sum(estimate_tokens(_text_of(message)) for message in messages)
    if isinstance(step, AIMessage):
        answer = step.model_copy(deep=True)
    elif isinstance(step, str):
        answer = AIMessage(content=step)
    else:
        answer = _as_call(step)
    if answer.usage_metadata is None:
        written = estimate_tokens(_text_of(answer) + json.dumps([call["args"] for call in answer.tool_calls]))
        answer.usage_metadata = UsageMetadata(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
    return answer


def _as_call(step: ToolCall) -> AIMessage:
    call_id = f"call_{uuid4().hex[:12]}"
    if isinstance(step.args, dict):
        call = {"name": step.name, "args": step.args, "id": call_id, "type": "tool_call"}
        return AIMessage(content=step.text, tool_calls=[call])
    try:
        args = json.loads(step.args)
    except ValueError as error:
        broken = {"name": step.name, "args": step.args, "id": call_id, "error": str(error)}
        return AIMessage(content=step.text, invalid_tool_calls=[broken | {"type": "invalid_tool_call"}])
    return _as_call(ToolCall(step.name, args, step.text))


__all__ = ["ModelRequest", "Script", "ScriptedModel", "Step", "ToolCall", "find_ref", "ref_of"]


@dataclass(frozen=True)
class ModelRequest:
    """A request to the model: the messages, the names of the tools bound, other settings."""

    messages: list[BaseMessage]
    tools: list[str]
    settings: dict[str, Any]


class ScriptedModel(BaseChatModel):
    """A chat model that answers from a script and records each request.

    Parameters
    ----------
    steps: a `Script`, a list of answers (text, `ToolCall`, `AIMessage`, exception, or a function of the
        messages), or one function of the messages that gives every answer.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    script: Script
    requests: list[ModelRequest] = Field(default_factory=list)

    def __init__(
        self, steps: Script | Sequence[Step] | Callable[[list[BaseMessage]], Step], **settings: Any
    ) -> None:
        super().__init__(script=steps if isinstance(steps, Script) else Script(steps), **settings)

    @property
    def _llm_type(self) -> str:
        return "skillbook-scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": "scripted"}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools as OpenAI's wire format describes them; the script may also call others."""
        described = [convert_to_openai_tool(tool) for tool in tools]
        settings = {"tool_choice": tool_choice, "parallel_tool_calls": parallel_tool_calls, **kwargs}
        return self.bind(tools=described, **settings)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        tools = [tool["function"]["name"] for tool in kwargs.pop("tools", None) or []]
        self.requests.append(ModelRequest(list(messages), tools, kwargs))
        message = self.script.next(list(messages))
        message.response_metadata.setdefault("model_name", "scripted")
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

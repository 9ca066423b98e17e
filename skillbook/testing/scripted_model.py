"""A chat model whose answers are a script: agents in tests, demos and notebooks without a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from skillbook.testing.script import Script, Step, ToolCall, find_ref, ref_of

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

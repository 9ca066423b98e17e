"""A model whose answers a cassette records, or which answers from one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from skillbook.errors import InternalError
from skillbook.session.cassette import Cassette

_NONCE = re.compile(r"\bnonce=[0-9a-f]{12}\b")


class RecordedModel(BaseChatModel):
    """Stands between an agent and its model while a cassette runs.

    Parameters
    ----------
    cassette: records the answers, or has them.
    model_name: the model's name.
    inner: the model; None where the cassette answers.
    """

    cassette: Any
    model_name: str
    inner: BaseChatModel | None = None

    @property
    def _llm_type(self) -> str:
        return "skillbook-recorded"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **options: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools, in the form that a cassette keeps."""
        choice = {} if tool_choice is None else {"tool_choice": tool_choice}
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **choice, **options)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        raise InternalError("a cassette's model is awaited", hint="")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        cassette: Cassette = self.cassette
        request = {
            "model": self.model_name,
            "messages": [_steady(_plain(message)) for message in messages],
            "options": {name: value for name, value in sorted(options.items()) if value is not None},
        }
        if self.inner is None:
            answer = _answer(cassette.model.replay(request))
        else:
            tools = options.pop("tools", None)
            bound = self.inner.bind_tools(tools, **options) if tools else self.inner.bind(**options)
            answer = await bound.ainvoke(messages, stop=stop)
            cassette.model.record(request, _plain_answer(answer))
        return ChatResult(generations=[ChatGeneration(message=answer)])


def _steady(data: Any) -> Any:
    """Without the numbers that fences around page text get at random."""
    if isinstance(data, str):
        return _NONCE.sub("nonce=…", data)
    if isinstance(data, dict):
        return {name: _steady(value) for name, value in data.items()}
    return [_steady(each) for each in data] if isinstance(data, list) else data


def _plain(message: BaseMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.type, "content": message.content}
    for name in ("name", "tool_call_id", "status"):
        if value := getattr(message, name, None):
            plain[name] = value
    if isinstance(message, AIMessage):
        plain |= _calls(message)
    return plain


def _calls(message: AIMessage) -> dict[str, Any]:
    calls = [{name: call[name] for name in ("name", "args", "id")} for call in message.tool_calls]
    bad = [{name: call.get(name) for name in ("name", "args", "id")} for call in message.invalid_tool_calls]
    return {name: value for name, value in (("tool_calls", calls), ("invalid_tool_calls", bad)) if value}


def _plain_answer(answer: AIMessage) -> dict[str, Any]:
    usage = answer.usage_metadata
    return {
        "content": answer.content,
        **_calls(answer),
        **(
            {"usage": {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]}}
            if usage
            else {}
        ),
    }


def _answer(plain: dict[str, Any]) -> AIMessage:
    usage = plain.get("usage")
    return AIMessage(
        content=plain["content"],
        tool_calls=[{**call, "type": "tool_call"} for call in plain.get("tool_calls", [])],
        invalid_tool_calls=[
            {**call, "error": None, "type": "invalid_tool_call"}
            for call in plain.get("invalid_tool_calls", [])
        ],
        usage_metadata=UsageMetadata(
            input_tokens=usage["input_tokens"],
            output_tokens=usage["output_tokens"],
            total_tokens=usage["input_tokens"] + usage["output_tokens"],
        )
        if usage
        else None,
    )

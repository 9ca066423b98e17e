"""Finding the model that an agent talks to, recording its answers, and trying it with one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool

from skillbook.agents.models.pricing import Price, price_of
from skillbook.config import Settings
from skillbook.errors import InternalError, ModelNotConfigured, ModelUnreachable, SkillbookError
from skillbook.session.cassette import Cassette, current

_NONCE = re.compile(r"\bnonce=[0-9a-f]{12}\b")


class RecordedModel(BaseChatModel):
    """Stands between an agent and its model while a cassette runs.

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


@dataclass(frozen=True)
class ModelChoice:
    """A model ready to use, its name, and its price where that is known."""

    model: BaseChatModel
    name: str
    price: Price | None

    @property
    def sees(self) -> bool:
        """Whether it is known to take images."""
        return bool((self.model.profile or {}).get("image_inputs"))


def choose_model(wanted: str | BaseChatModel | None, settings: Settings) -> ModelChoice:
    """Make the model that is wanted, or the configured one.

    wanted: a LangChain chat model, a name such as `openai:gpt-5-mini` or `anthropic:claude-sonnet-4-5`, or None for
        `SKILLBOOK_MODEL`. With `SKILLBOOK_BASE_URL` set, names without a provider and OpenAI's go to that server.
    Raises ModelNotConfigured: no name, no key, an unknown provider, or its package is missing.
    """
    cassette = current()
    if cassette is None:
        return _choose(wanted, settings)
    if not cassette.replaying:
        choice = _choose(wanted, settings)
        recorded = RecordedModel(cassette=cassette, model_name=choice.name, inner=choice.model)
        return ModelChoice(recorded, choice.name, choice.price)
    # It answers itself: no key, package or server is needed.
    name = (
        name_of(wanted)
        if isinstance(wanted, BaseChatModel)
        else wanted or settings.model or cassette.model.model
    )
    return ModelChoice(RecordedModel(cassette=cassette, model_name=name), name, price_of(name, settings))


def _choose(wanted: str | BaseChatModel | None, settings: Settings) -> ModelChoice:
    if isinstance(wanted, BaseChatModel):
        name = name_of(wanted)
        return ModelChoice(wanted, name, price_of(name, settings))
    name = wanted or settings.model or ""
    if not name:
        where = f" for the server at {settings.base_url}" if settings.base_url else ""
        raise ModelNotConfigured(f"No model was given{where}, and SKILLBOOK_MODEL isn't set.")
    provider, _, bare = name.rpartition(":")
    if provider in {"", "openai"} and (settings.base_url or provider or _looks_like_openai(bare)):
        return ModelChoice(_openai(bare, settings), name, price_of(name, settings))
    return ModelChoice(_by_langchain(name, settings), name, price_of(name, settings))


def name_of(model: BaseChatModel) -> str:
    """The name a model goes by."""
    for attribute in ("model_name", "model", "model_id"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return str(model._identifying_params.get("model_name", type(model).__name__))


def as_model_error(error: Exception, name: str) -> SkillbookError:
    """Say what a failed request to a model means; a `SkillbookError` stays as it is."""
    if isinstance(error, SkillbookError):
        return error
    status = getattr(error, "status_code", None)
    kind = type(error).__name__
    hints = {
        401: "Check the API key.",
        403: "Check what the API key is allowed to use.",
        404: "Check the model's name and the base URL.",
        429: "Wait a little, or check the account's quota; `run.start()` then goes on.",
    }
    reason = " ".join(str(error).split())[:300]
    hint = hints.get(status) if isinstance(status, int) else None
    if "tool" in reason.lower() and "support" in reason.lower():
        hint = "This model, or its server, doesn't call tools: choose one that does."
    return ModelUnreachable(
        f"The model {name} gave no usable answer: {kind}: {reason}",
        hint=hint,
        status=status,
    )


def _looks_like_openai(name: str) -> bool:
    return name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt"))


def _openai(name: str, settings: Settings) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    key = settings.api_key.get_secret_value() if settings.api_key else None
    if settings.base_url is None and not key:
        raise ModelNotConfigured(f"The model openai:{name} needs a key, and OPENAI_API_KEY isn't set.")
    options: dict[str, Any] = {"timeout": settings.model_timeout, "max_retries": settings.model_retries}
    if settings.base_url is not None:
        options |= {"base_url": settings.base_url, "use_responses_api": False}
    return ChatOpenAI(model=name, api_key=key or "none", **options)


def _by_langchain(name: str, settings: Settings) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        return init_chat_model(name, timeout=settings.model_timeout, max_retries=settings.model_retries)
    except ImportError as error:
        raise ModelNotConfigured(
            f"The model {name} needs a package that isn't installed: {error}",
            hint="Install the package that the message names, or use an `openai:` model.",
        ) from None
    except Exception as error:  # every provider has other exceptions for a bad name or a missing key
        raise ModelNotConfigured(f"The model {name} can't be used: {error}") from error


_UNREACHABLE = re.compile(r"Connect|Timeout")
"""In the name of whatever exception a provider's client raises for a server that doesn't answer."""
_PROMPT = "Call the tool `press` with the target `button 'Save'`. Answer with the call alone."


@tool
def press(target: str) -> str:
    """Press an element of the page."""
    return target


def try_tool_call(name: str, settings: Settings) -> str:
    """Have a model call a tool; returns what it did, in words.

    Raises ModelNotConfigured: no such model, or no key. ModelUnreachable: no answer, or none that calls the tool.
    """
    choice = choose_model(name or None, settings)
    try:
        answer = choice.model.bind_tools([press]).invoke([HumanMessage(_PROMPT)])
    except Exception as error:
        raise _explain(error, choice.name, settings) from error
    calls = answer.tool_calls
    if not calls or calls[0]["name"] != press.name or not calls[0]["args"].get("target"):
        raise ModelUnreachable(
            f"The model {choice.name} answered, but didn't call the tool that it was offered.",
            hint="Choose a model that calls tools, or switch tool calling on at its server.",
        )
    return f"{choice.name} called a tool"


def _explain(error: Exception, name: str, settings: Settings) -> SkillbookError:
    found = as_model_error(error, name)
    if isinstance(found, ModelNotConfigured):
        return found
    if getattr(error, "status_code", None) is None and _UNREACHABLE.search(type(error).__name__):
        where = settings.base_url or "its provider"
        return ModelUnreachable(
            f"The model {name} can't be reached at {where}.",
            hint="Check SKILLBOOK_BASE_URL and the network, and that the server is running.",
        )
    if getattr(error, "status_code", None) in {401, 403}:
        return ModelUnreachable(
            f"The server refused the key for the model {name}.", hint=found.hint or "Check the API key."
        )
    return found

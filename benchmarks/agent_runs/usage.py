"""What requests to a model cost, where the provider gives back a discount for a prefix that it has read before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.figures import tokens

_CACHED_PRICE = 0.1
_LEAST_CACHED, _CACHED_BLOCK = 1024, 128
"""Tokens from which on prefixes are cached, and in what steps: OpenAI's guide "Prompt caching"."""


@dataclass(frozen=True)
class Usage:
    """Model calls, tokens of all their inputs, those tokens with cached ones at a tenth, and tokens of schemas."""

    calls: int = 0
    input: int = 0
    effective: int = 0
    schemas: int = 0
    output: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input + other.input,
            self.effective + other.effective,
            self.schemas + other.schemas,
            self.output + other.output,
        )


def usage_of(requests: Iterable[Mapping[str, Any]], output: int = 0) -> Usage:
    """The usage of the requests of one run, each of which may be cached from the one before."""
    total, before = Usage(output=output), ""
    for request in requests:
        schemas = json.dumps(request["tools"], ensure_ascii=False)
        text = "\n".join([schemas, *map(_written, request["messages"])])
        count = tokens(text)
        cached = tokens(_shared_beginning(before, text))
        cached = cached // _CACHED_BLOCK * _CACHED_BLOCK if cached >= _LEAST_CACHED else 0
        effective = round(count - cached * (1 - _CACHED_PRICE))
        total += Usage(1, count, effective, tokens(schemas))
        before = text
    return total


def _shared_beginning(one: str, other: str) -> str:
    pairs = enumerate(zip(one, other, strict=False))
    return other[: next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))]


def _written(message: Mapping[str, Any]) -> str:
    calls: Sequence[Mapping[str, Any]] = message.get("tool_calls") or ()
    said = [f"{call['function']['name']} {call['function']['arguments']}" for call in calls]
    return "\n".join([message["role"], str(message.get("content") or ""), *said])

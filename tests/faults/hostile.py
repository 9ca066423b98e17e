"""Frames that no honest peer sends: broken JSON, wrong types, forged ids, names from JavaScript's own objects."""

from __future__ import annotations

import json
import random
from typing import Any

_VALUES: list[Any] = [
    None, True, 0, -1, 2**53, 1e308, "", "x" * 3000, "\x00", "\ud800".encode("utf-8", "surrogatepass").hex(),
    [], {}, [[]], {"__proto__": {"polluted": 1}}, {"constructor": {"prototype": {"polluted": 1}}},
    "javascript:alert(1)", "file:///etc/passwd", "chrome://settings", "e1", "f1e1", "../../x", "<img src=x onerror=1>",
]  # fmt: skip
_COMMANDS = [
    "click", "fill", "type", "goto", "evaluate", "tabs_open", "tabs_close", "tabs_list", "snapshot", "upload",
    "download", "handle_dialog", "__proto__", "constructor", "toString", "hasOwnProperty", "", "x" * 500, "tabs_open ",
]  # fmt: skip
_BROKEN = [
    "",
    "{",
    "null",
    "[1]",
    '"x"',
    "NaN",
    '{"v":1',
    '{"v":1}',
    '{"v":2,"type":"request"}',
    "[" * 20_000,
    "\x00",
]
_TYPES = [
    "hello",
    "auth",
    "challenge",
    "welcome",
    "response",
    "event",
    "ping",
    "pong",
    "bye?",
    "pair",
    "nothing",
    "",
]


def to_extension(seed: int) -> str:
    """A request that names no shared tab, in a form that may not be one."""
    pick = random.Random(seed)
    params = {
        pick.choice(["ref", "url", "text", "files", "what", "x"]): pick.choice(_VALUES) for _ in range(3)
    }
    request: dict[str, Any] = {
        "v": 1,
        "type": "request",
        "id": pick.choice([seed + 10_000, -seed, 1, seed + 0.5]),
        "command": pick.choice(_COMMANDS),
        # A tab that is nobody's, or no tab at all: nothing of the user's may move.
        "tab": pick.choice([None, -1, 0, 10**9, 2**40]),
        "params": pick.choice([params, params, params, *_VALUES]),
        "deadline_ms": pick.choice([500, 500, 0, -5, 1]),
    }
    if request["command"].startswith("tabs_open"):
        request["params"] = {
            "url": pick.choice(["javascript:1", "file:///etc/passwd", "chrome://settings", 5, None])
        }
    return json.dumps(request)


def broken(seed: int) -> str:
    """A frame that can't be read at all, or is of another protocol."""
    frames = [frame for frame in _BROKEN if frame != '{"v":1}']
    return frames[seed % len(frames)]


def to_kernel(seed: int) -> str | bytes:
    """Anything that a program which found the port may send."""
    pick = random.Random(seed)
    kind = pick.randrange(4)
    if kind == 0:
        return pick.choice(_BROKEN)
    if kind == 1:
        return pick.randbytes(pick.randint(1, 400))
    message = {"v": pick.choice([1, 1, 1, 2, "1"]), "type": pick.choice(_TYPES)}
    fields = [
        "id",
        "seq",
        "nonce",
        "proof",
        "result",
        "error",
        "tab",
        "data",
        "event",
        "protocol",
        "kernel",
        "n",
    ]
    message |= {pick.choice(fields): pick.choice(_VALUES) for _ in range(pick.randint(0, 6))}
    text = json.dumps(message)
    return text if kind == 2 else text[: pick.randrange(len(text))]

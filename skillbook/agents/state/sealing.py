"""What went into fields that nobody may read has a stand-in on disk; only this process knows what for.

A run that waits for a person is on disk with the call that waits. In this process the value comes back as the run goes
on. In another one the stand-in stays, and the call is refused: the value has to be given again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from secrets import choice
from typing import Any

from skillbook.errors import AgentError, SkillbookError
from skillbook.perception.focus import focus_in
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.secrets import MASK, Secret
from skillbook.protocol.commands import COMMANDS
from skillbook.session.actions.targets import known_node

_SIGNS = range(0xE000, 0xF900)
"""Code points for private use: three bytes each, and no language's letters."""
_SIGN_BYTES = 3
_SHORT = 6
"""Bytes below which a value may be a part of other texts by chance; it counts only if it is all of one."""
_TEXT_HEAD = 0xA0
"""What msgpack writes before a short text, its length added."""


class Seal:
    """Values and their stand-ins, of the same length in bytes; a cipher for LangGraph's `EncryptedSerializer`."""

    def __init__(self) -> None:
        self._stand_ins: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        return len(self._stand_ins)

    def add(self, text: str) -> None:
        """Seal a text from now on, however JSON writes it; one below three bytes stays."""
        for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
            raw = form.encode()
            if len(raw) >= _SIGN_BYTES and raw not in self._stand_ins:
                self._stand_ins[raw] = _stand_in(len(raw))
        longest_first = sorted(self._stand_ins.items(), key=lambda pair: -len(pair[0]))
        self._stand_ins = dict(longest_first)

    def close(self, data: bytes) -> bytes:
        """The data with stand-ins."""
        for value, stand_in in self._stand_ins.items():
            data = _replace(data, value, stand_in)
        return data

    def open(self, data: bytes) -> bytes:
        """What `close` was given, as far as this process sealed it."""
        for value, stand_in in self._stand_ins.items():
            data = _replace(data, stand_in, value)
        return data

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """A checkpoint as it is on disk, and what reads it."""
        return "seal", self.close(plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """A checkpoint from disk."""
        return self.open(ciphertext)


def _stand_in(size: int) -> bytes:
    signs, rest = divmod(size, _SIGN_BYTES)
    return "".join(chr(choice(_SIGNS)) for _ in range(signs)).encode() + b"." * rest


def _replace(data: bytes, old: bytes, new: bytes) -> bytes:
    if len(old) >= _SHORT:
        return data.replace(old, new)
    for head, tail in ((bytes([_TEXT_HEAD + len(old)]), b""), (b'"', b'"'), (b'\\"', b'\\"')):
        data = data.replace(head + old + tail, head + new + tail)
    return data


def is_sealed(text: Any) -> bool:
    """Whether a text is, or has in it, a stand-in whose value another process knew."""
    return isinstance(text, str) and any(ord(char) in _SIGNS for char in text)


seal = Seal()


def seal_typed(tool: str, args: Mapping[str, Any], snapshot: Snapshot | None) -> None:
    """Seal what a call types, unless it is certain that it goes into a field that everybody may read.

    tool, args: the call; one that types nothing is passed over.
    snapshot: the page as the model knows it.
    """
    typed, node = _typed_into(tool, args, snapshot)
    if typed and (node is None or "secret" in node.states):
        seal.add(str(args[typed]))


def masked_args(
    tool: str, args: Mapping[str, Any], snapshot: Snapshot | None, node: Node | None = None
) -> dict[str, Any]:
    """A call's arguments as its record has them: masked where it is known that nobody may read the field.

    snapshot: the page before it.
    """
    typed, found = _typed_into(tool, args, snapshot)
    field = node or found
    return {**args, typed: MASK} if typed and field is not None and "secret" in field.states else dict(args)


def _typed_into(tool: str, args: Mapping[str, Any], snapshot: Snapshot | None) -> tuple[str, Node | None]:
    """The argument with the text that a call types, "" without one, and the field as far as the page is known."""
    spec = COMMANDS.get(tool)
    typed = spec.typed_in(args) if spec is not None else None
    # A number is typed as its digits.
    if typed is None or not isinstance(args[typed], str | int) or Secret.masked(str(args[typed])) != MASK:
        return "", None
    try:
        return typed, (
            known_node(snapshot, str(args["target"])) if args.get("target") else focus_in(snapshot)[1]
        )
    except SkillbookError:
        return typed, None


def refuse_sealed(tool: str, args: Mapping[str, Any]) -> None:
    """Refuse a call whose text to type stayed in the kernel that ended.

    Raises AgentError: it is such a call.
    """
    spec = COMMANDS.get(tool)
    typed = spec.typed_in(args) if spec is not None else None
    if typed is not None and is_sealed(args[typed]):
        raise AgentError(
            "What is to be typed is a secret that an earlier kernel did not write down.",
            hint="Call again with the text, or ask the person with `request_assistance`.",
        )

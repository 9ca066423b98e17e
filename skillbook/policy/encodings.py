"""What a text may say to whoever decodes it: addresses, HTML, JSON, base64 and hexadecimal, one inside the other."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

_DEPTH = 4
_MOST_CHARACTERS = 4_000_000
"""All readings together; those that come later are left out."""
_ESCAPE = re.compile(r"\\u\{?0*([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})", re.I)
_PLAIN_ESCAPE = re.compile(r"\\(.)")
_BASE64 = re.compile(r"[A-Za-z0-9+_-]{6,}")
_BASE64_WITH_SLASHES = re.compile(r"[A-Za-z0-9+/]{6,}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){4,}", re.I)


def readings(text: str) -> list[str]:
    """A text and all that it decodes to, until nothing changes, in one case."""
    found = {text: None}
    newest = [text]
    characters = len(text)
    for _ in range(_DEPTH):
        decoded = dict.fromkeys(one for each in newest for one in _decoded(each))
        newest = []
        for one in decoded:
            if one not in found and characters + len(one) < _MOST_CHARACTERS:
                characters += len(one)
                found[one] = None
                newest.append(one)
    return list({one.casefold() for one in found})


def _decoded(text: str) -> Iterator[str]:
    yield unquote(text)
    yield unquote(text.replace("+", " "))
    yield unescape(text)
    yield _ESCAPE.sub(_char, text)
    yield _PLAIN_ESCAPE.sub(r"\1", text)
    yield "\n".join(bytes.fromhex(token).decode(errors="replace") for token in _HEX.findall(text))
    for pattern in (_BASE64, _BASE64_WITH_SLASHES):
        tokens = [token.translate(_URL_SAFE) for token in pattern.findall(text)]
        for start in range(4):  # it may follow other letters
            yield "\n".join(_bytes(token[start:]) for token in tokens)


_URL_SAFE = str.maketrans("-_", "+/")


def _char(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 else match[0]


def _bytes(token: str) -> str:
    whole = token[:-1] if len(token) % 4 == 1 else token
    return b64decode(whole + "=" * (-len(whole) % 4)).decode(errors="replace")

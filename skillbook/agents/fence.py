"""Fencing page text, so that a model can distinguish it from the words of the user."""

from __future__ import annotations

import re
import secrets

_TAG = re.compile(r"<(?=\s*/?\s*page-content)", re.IGNORECASE)
_FENCED = re.compile(r"<page-content untrusted nonce=(\w+)>\n(.*?)\n</page-content nonce=\1>", re.DOTALL)
_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])


def fence(text: str) -> str:
    """Put page text between marks that the page can't forge.

    The closing mark carries a random number, new for every text, and whatever looks like a mark inside is
    defused. Zero-width and bidirectional control characters, which hide words from people, are dropped.
    """
    nonce = secrets.token_hex(6)
    inside = _TAG.sub("‹", text.translate(_INVISIBLE))
    return f"<page-content untrusted nonce={nonce}>\n{inside}\n</page-content nonce={nonce}>"


def unfence(text: str) -> str:
    """The text with the marks taken off, for people."""
    return _FENCED.sub(lambda match: match.group(2), text)


def shorten_fenced(text: str, note: str) -> str:
    """The text with the content of every fence replaced by a note."""
    return _FENCED.sub(f"[{note}]", text)


def is_fenced(text: str) -> bool:
    """Whether the text holds fenced page text."""
    return _FENCED.search(text) is not None

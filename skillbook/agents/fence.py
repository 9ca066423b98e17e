"""Fencing page text, so that a model can distinguish it from the words of the user."""

from __future__ import annotations

import re
import secrets

from skillbook.errors import SkillbookError
from skillbook.lexicon.table import without_unseen
from skillbook.policy.secrets import literal, plain

_TAG = re.compile(r"<(?=\s*/?\s*page-content)", re.IGNORECASE)
_FENCED = re.compile(r"<page-content untrusted nonce=(\w+)>\n(.*?)\n</page-content nonce=\1>", re.DOTALL)
_HEAD = re.compile(r"URL: [^\n]*\nTitle: [^\n]*")


def fence(text: str) -> str:
    """Put page text between marks that the page can't forge.

    The closing mark carries a random number, new for every text, and whatever looks like a mark inside is
    defused. Characters that nobody sees are dropped: a model reads what is written in them. What reads
    like a secret's placeholder is written as `skillbook.policy.secrets.literal` writes it, so that a model which
    quotes it types that text and no secret.
    """
    nonce = secrets.token_hex(6)
    inside = literal(_TAG.sub("‹", without_unseen(text)))
    return _open(nonce, inside)


def fence_error(error: SkillbookError, words: str, tip: str) -> str:
    """An error's words and what to try, of which only those stand between marks that may be the page's.

    words, tip: its message and hint, in the words of whoever made the call.
    """
    try_that = f"\nTry: {tip}" if tip else ""
    if not error.quotes_page:
        return words + try_that
    return fence(words) + try_that if error.hint == error.default_hint else fence(words + try_that)


def unfence(text: str) -> str:
    """The text with the marks taken off, for people."""
    return _FENCED.sub(lambda match: plain(match.group(2)), text)


def shorten_fenced(text: str, note: str, *, last: bool = False) -> str:
    """The text with the content of fences replaced by a note; of a whole page address and title stay fenced.

    last: only the last fence, where those before it hold no page.
    """

    def shorten(match: re.Match[str]) -> str:
        head = _HEAD.match(match[2])
        return _open(match[1], f"{head[0]}\n[{note}]") if head else f"[{note}]"

    fences = list(_FENCED.finditer(text))
    if last and fences:
        return f"{text[: fences[-1].start()]}{shorten(fences[-1])}{text[fences[-1].end() :]}"
    return _FENCED.sub(shorten, text)


def longest_fence(text: str) -> tuple[int, int, str] | None:
    """Where the longest fence of a text begins and ends, and the page text in it; None where there is none."""
    found = max(_FENCED.finditer(text), key=lambda match: len(match[2]), default=None)
    return None if found is None else (found.start(), found.end(), plain(found[2]))


def is_whole_page(text: str) -> bool:
    """Whether the text holds a whole page, as `fence_page` makes it."""
    return any(_HEAD.match(match[2]) for match in _FENCED.finditer(text))


def fence_page(url: str, title: str, text: str) -> str:
    """Fence a whole page: its address, its title and its text."""
    return fence(f"URL: {url}\nTitle: {title}\n{text}")


def _open(nonce: str, inside: str) -> str:
    return f"<page-content untrusted nonce={nonce}>\n{inside}\n</page-content nonce={nonce}>"


def is_fenced(text: str) -> bool:
    """Whether the text holds fenced page text."""
    return _FENCED.search(text) is not None

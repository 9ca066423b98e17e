"""Refs: `e12` in a page's main document, `f3e5` in the third child document seen in that tab.

A number is never given out twice in a tab, also not after a navigation, so a ref of an old document can't name an
element of a new one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbook.protocol.model import REF_PATTERN

_REF = re.compile(REF_PATTERN)


class RefParts(NamedTuple):
    """A ref taken apart: `frame` is 0 for the main document."""

    frame: int
    number: int


def is_ref(text: str) -> bool:
    """Whether a string has the form of a ref."""
    return _REF.match(text) is not None


def split_ref(ref: str) -> RefParts:
    """Take a ref apart.

    Raises
    ------
    ValueError : the string isn't a ref.
    """
    if not is_ref(ref):
        raise ValueError(f"not a ref: {ref!r}")
    frame, _, number = ref.rpartition("e")
    return RefParts(int(frame[1:] or 0) if frame else 0, int(number))


def make_ref(frame: int, number: int) -> str:
    """Put a ref together; frame 0 is the main document."""
    return f"f{frame}e{number}" if frame else f"e{number}"

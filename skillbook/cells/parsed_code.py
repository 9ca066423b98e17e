"""The tree of a Python text, whatever other threads parse meanwhile."""

from __future__ import annotations

import ast

MOST_TRIES = 20


def parsed(code: str) -> ast.Module:
    """The tree of a text.

    CPython before 3.11.9 and 3.12.3 counts the depth of all threads' trees together, and raises SystemError where
    another thread builds one at the same moment: https://github.com/python/cpython/issues/106905.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError : as `ast.parse` does.
    """
    for _ in range(MOST_TRIES):
        try:
            return ast.parse(code)
        except SystemError:
            continue
    return ast.parse(code)

"""Trees of Python texts, whatever other threads do."""

from __future__ import annotations

import ast

import pytest

from skillbook.cells import parsed_code
from skillbook.cells.parsed_code import parsed


def test_a_text_is_parsed_again_where_another_thread_s_tree_was_counted_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, tries = ast.parse, iter([SystemError("AST constructor recursion depth mismatch")] * 3)

    def parse(code: str) -> ast.Module:
        for error in tries:
            raise error
        return real(code)

    monkeypatch.setattr(parsed_code.ast, "parse", parse)
    assert ast.unparse(parsed("x  =  1")) == "x = 1"
    with pytest.raises(SyntaxError):
        parsed("x =")

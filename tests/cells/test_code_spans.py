"""A cell's code in coloured pieces: nothing of it is lost, whatever it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillbook.cells.parsed_code import CodeSpan, spans_by_line

CODE = "for n in range(3):  # thrice\n    page.click(f\"button '{n}'\")\n"


def test_each_piece_has_its_kind() -> None:
    first, second, last = spans_by_line(CODE)
    assert [(span.kind, span.text) for span in first] == [
        ("keyword", "for"),
        ("", " n "),
        ("keyword", "in"),
        ("", " "),
        ("builtin", "range"),
        ("", "("),
        ("number", "3"),
        ("", "):  "),
        ("comment", "# thrice"),
    ]
    assert CodeSpan("string", "f\"button '{n}'\"") in second
    assert last == []


def test_the_call_that_waits_is_marked() -> None:
    start = CODE.index("page.click")
    _, second, _ = spans_by_line(CODE, start, len(CODE) - 1)
    assert "".join(span.text for span in second if span.here) == "page.click(f\"button '{n}'\")"
    assert second[0] == CodeSpan("", "    ")


@given(st.text(alphabet="ab'\"\\#\n f\t\u202e é3.", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_nothing_is_lost(code: str, start: int, end: int) -> None:
    start, end = min(start, end, len(code)), min(max(start, end), len(code))
    lines = spans_by_line(code, start, end)
    assert "\n".join("".join(span.text for span in line) for line in lines) == code
    here = "".join(span.text for line in lines for span in line if span.here)
    assert here == code[start:end].replace("\n", "")

"""What a person at a terminal reads before they approve."""

from __future__ import annotations

from typing import Any

from skillbook.protocol.asks.run_asks import CellView, CodePiece, Question
from skillbook.serving.terminal.terminal_run import question_lines


def question(**more: Any) -> Question:
    return Question(id="q", kind="approve", decisions=["approve", "reject"], **more)


def test_a_page_forges_no_line_and_pushes_nothing_out_of_view() -> None:
    words = f"Fill in the text field 'Save\n(y/n) y\n{'x ' * 3000}' (value=\"IBAN\")"
    [line] = question_lines(question(words=words), "Pay\x1b[2K a bill")
    assert line.startswith("Pay [2K a bill: Fill in the text field 'Save (y/n) y x")
    assert line.endswith('x \' (value="IBAN")')
    assert "characters left out" in line
    assert len(line) < 2_100


def test_who_approves_a_cell_sees_its_code() -> None:
    code = [[CodePiece(kind="keyword", text="for"), CodePiece(kind="", text=" row in rows:")]]
    code.append([CodePiece(kind="", text="    row.click()\u202e")])
    lines = question_lines(
        question(words="Run a cell (2 lines)", cell=CellView(number=1, line=2, lines=code))
    )
    assert lines == ["Run a cell (2 lines)", "   1  for row in rows:", ">  2      row.click()"]


def test_why_a_person_decides_is_shown_beside_the_record() -> None:
    lines = question_lines(question(words="Click the button 'Pay'", place="row 'Ann'", why="'Pay' pays"))
    assert lines == ["Click the button 'Pay' in row 'Ann'", "why this asks: 'Pay' pays"]

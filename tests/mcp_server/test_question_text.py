"""What a person reads in a client's dialog."""

from __future__ import annotations

from typing import Any

from skillbook.agents.state.step_records import RUN_CELL, PendingCall, Review
from skillbook.mcp_server.person_questions import question_text


def asked(tool: str, args: dict[str, Any], **review: Any) -> list[str]:
    """The lines of a question about a call."""
    pending = PendingCall("q", "c", tool, args, "", Review(True, True, "write", **review), {}, ("approve",))
    return question_text(pending, "Tester").split("\n")


def test_who_approves_a_cell_sees_its_code_line_by_line() -> None:
    code = "for row in page.rows:\n    page.click('button')\n" + "\n".join(f"x = {n}" for n in range(90))
    lines = asked(RUN_CELL, {"code": code}, reason="it does this: 1 write: click (line 2)")
    assert lines[:4] == [
        "Run a cell (92 lines)",
        "The code:",
        "  1  for row in page.rows:",
        "  2      page.click('button')",
    ]
    assert "… and 32 more lines" in lines
    assert lines[-2] == "Why this asks: it does this: 1 write: click (line 2)."


def test_a_long_name_hides_neither_the_values_nor_why_it_asks() -> None:
    name = f"Save {'x ' * 2000}the draft"
    reason = f"'{name}' deletes, which can't be undone"
    first, why, _ = asked(
        "fill", {"target": "e1", "value": "IBAN"}, target=f"textbox {name!r}", reason=reason
    )
    assert first.endswith('the draft\' (value="IBAN")')
    assert why.endswith("deletes, which can't be undone.")
    assert all("characters left out" in line for line in (first, why))


def test_a_question_says_once_that_it_is_final_and_where_its_quotes_are_from() -> None:
    reason = "'Pay' pays, which can't be undone"
    lines = asked("click", {"target": "e1"}, target="button 'Pay'", reason=reason, strict=True)
    assert lines == [
        "Click the button 'Pay'",
        f"Why this asks: {reason}.",
        "Tester wants it. Words in '…' come from the page.",
    ]
    plain = asked("goto", {"url": "https://a.test"}, target="https://a.test", reason="it is new")
    assert plain == ["Go to https://a.test", "Why this asks: it is new.", "Tester wants it."]

"""A journal's table names what a terminal would obey."""

from __future__ import annotations

import re

from skillbook.extraction.frames.journal_frames import journal_frame
from skillbook.journal import JournalStep, Outcome


def test_a_journal_that_is_printed_commands_no_terminal() -> None:
    hostile = "Buy\x1b]0;title\x07\x1b[2J\x9b31m\r\x00"
    step = JournalStep(
        id=1, session="s", command="click", actor="agent", effect="write", verdict="allow", intent_time=0.0, tab=1,
        run=None, url=f"http://x/{hostile}", params={"a": [hostile]}, target={"role": "button", "name": hostile},
        outcome=Outcome.OK, outcome_time=1.0, elapsed_ms=1.0, result={hostile: hostile},
        error={"code": "x", "message": hostile},
    )  # fmt: skip
    frame = journal_frame([step], [])
    for text in (frame.to_string(), repr(frame), str(frame.iloc[0].to_dict())):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]|\\\\x[01]", text)
    assert frame["name"].iloc[0].startswith("Buy␛]0;title␇")
    assert step.target["name"] == hostile

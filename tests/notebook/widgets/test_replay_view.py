"""A run gone through step by step, from its record."""

from __future__ import annotations

import pytest

from skillbook.agents.run.run_trace import Replay
from skillbook.agents.state.step_records import StepRecord
from skillbook.notebook.widgets.panel import ReplayWidget, replay_html
from tests.trees import snapshot

FORM = snapshot('main\n  textbox "Name" + ref=e2\n  button "Save" + ref=e3')
SAVED = snapshot('main\n  textbox "Name" + ref=e2\n  button "Save" + ref=e3\n  status "Saved"')
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def replay() -> Replay:
    fill = {"target": "e2", "value": "tea"}
    steps = [
        StepRecord(1, "fill", fill, "c1", "write", "edit", {**fill, "value": "ink"}, before=FORM, after=FORM),
        StepRecord(2, "click", {"target": "e3"}, "c2", "write", said="I save it.", before=FORM, after=SAVED),
        StepRecord(3, "get", {"target": "e9"}, "c3", result=HOSTILE, error="stale_ref"),
    ]
    return Replay("Save ink", "succeeded", steps, "Saved.")


def test_the_text_has_every_step_with_call_decision_and_outcome(replay: Replay) -> None:
    text = repr(replay)
    assert text.splitlines()[0] == "Replay of 'Save ink': succeeded, 3 steps"
    assert '1  fill e2 (value="ink")' in text
    assert 'decision: edit, proposed: {"target": "e2", "value": "tea"}' in text
    assert "the model said: I save it." in text
    assert f"outcome: stale_ref: {HOSTILE}" in text
    assert text.endswith("result: Saved.")


def test_a_step_has_the_page_before_it_and_what_changed(replay: Replay) -> None:
    assert "Saved" not in replay[1].page
    assert "Saved" in replay[1].changes
    assert "Saved" in replay[2].page
    assert replay[2].changes == ""


def test_the_record_is_escaped(replay: Replay) -> None:
    assert HOSTILE not in replay_html(replay)
    assert "&lt;script&gt;" in replay_html(replay)


def test_the_viewer_goes_from_step_to_step(replay: Replay) -> None:
    widget = ReplayWidget(replay)
    assert (widget.state["at"], widget.state["steps"], widget.state["target"]) == (0, 3, "e2")
    for at, shown in [(2, 2), (3, 2), (-1, 2), ("1", 2), (1, 1)]:
        widget._take({"type": "show", "at": at})
        assert widget._at == shown
    widget._render()
    assert (widget.state["target"], widget.state["call"]) == ("e3", "click e3")
    assert ["What changed", replay[1].changes] in [list(fact) for fact in widget.state["facts"]]
    assert [row[2] for row in widget.view["rows"] if row[1] == "button"] == ["Save"]

"""A call that waits for a person, in the words of the panel's cards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillbook.policy import Binding
from skillbook.serving.runs.approved_calls import call_words


def bound(command: str, params: dict[str, Any], **more: Any) -> Binding:
    """What an approval of a call would be for."""
    return Binding(command, "terminal", 1, params=json.dumps(params), **more)


@pytest.mark.parametrize(
    ("binding", "words"),
    [
        (
            bound("tabs_open", {"url": "https://a.test", "active": True, "wait": "load"}),
            "Open https://a.test",
        ),
        (bound("goto", {"url": "https://a.test", "wait": "dom"}), 'Go to https://a.test (wait="dom")'),
        (
            bound("click", {"button": "left", "modifiers": []}, role="button", label="Pay"),
            "Click the button 'Pay'",
        ),
        (
            bound("fill", {"value": "Ann"}, role="textbox", label="Name"),
            "Fill in the text field 'Name' (value=\"Ann\")",
        ),
        (bound("reload", {}), "Load the page again"),
        (
            bound("call_page_tool", {"name": "pay", "args": {"sum": 3}, "frame": ""}),
            'Call the page\'s own tool (name="pay", args={"sum": 3})',
        ),
    ],
)
def test_a_call_is_named_without_its_usual_arguments(binding: Binding, words: str) -> None:
    assert call_words(binding) == words


def test_a_long_value_is_shortened() -> None:
    words = call_words(bound("fill", {"value": "x" * 5_000}, role="textbox", label="Name"))
    assert len(words) < 400
    assert words.endswith('x…")')

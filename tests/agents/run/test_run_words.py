"""A run in words: the side panel and the notebook's panel say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbook.agents.run.run_words import HELP_WORDS, STATE_WORDS, sentence_of
from skillbook.agents.state.step_records import call_in_words
from skillbook.agents.state.tasks import TaskState


def test_the_panel_has_the_same_words_for_help() -> None:
    source = (Path(__file__).parents[3] / "extension/src/ui/panel/words.ts").read_text(encoding="utf-8")
    table = source.partition("export const HELP")[2].partition("\n};")[0]
    assert dict(re.findall(r'^  (\w+): "(.*)",$', table, re.MULTILINE)) == HELP_WORDS


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("click button 'Save'", "Click the button 'Save'"),
        ("fill searchbox 'Name' (value=\"tea\")", "Fill in the search field 'Name' (value=\"tea\")"),
        ('goto (url="https://shop.test")', 'Go to (url="https://shop.test")'),
        ("look", "look"),
        ('press (key="Tab")', 'Press a key (key="Tab")'),
        ("press textbox 'Name' (key=\"Tab\")", "Press a key on the text field 'Name' (key=\"Tab\")"),
        ("tabs_close", "Close a tab"),
        ('explore (query="lamps")', 'Look through this site in background tabs (query="lamps")'),
        ("click link 'A\nB' in row 'Ann'", "Click the link 'A\nB' in row 'Ann'"),
    ],
)
def test_a_call_becomes_a_sentence(call: str, sentence: str) -> None:
    assert sentence_of(call) == sentence


def test_the_address_that_a_call_goes_to_is_named_once() -> None:
    assert call_in_words("goto", "https://a.test", {"url": "https://a.test"}) == "goto https://a.test"


def test_each_state_has_words() -> None:
    assert set(STATE_WORDS) == set(TaskState.__args__)  # type: ignore[attr-defined]

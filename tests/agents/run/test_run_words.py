"""A run in words: the side panel and the notebook's panel say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import skillbook
from skillbook.agents.run.run_words import HELP_WORDS, PHRASES, ROLES, STATE_WORDS, sentence_of
from skillbook.agents.state.task_states import TaskState

STATIC = Path(skillbook.__file__).parent / "notebook" / "static"


@pytest.mark.parametrize(
    ("file", "name", "table"),
    [("words.js", "PHRASES", PHRASES), ("words.js", "ROLES", ROLES), ("help.js", "HELP", HELP_WORDS)],
)
def test_the_notebooks_panel_has_the_same_words(file: str, name: str, table: dict[str, str]) -> None:
    text = (STATIC / file).read_text("utf-8")
    body = text[text.index(f"const {name} = {{") :].partition("};")[0]
    assert dict(re.findall(r'(\w+): "([^"]*)"', body)) == table


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("click button 'Save'", "Click the button 'Save'"),
        ("fill searchbox 'Name' (value=\"tea\")", "Fill in the search field 'Name' (value=\"tea\")"),
        ('goto (url="https://shop.test")', 'Go to (url="https://shop.test")'),
        ("look", "look"),
        ("click link 'A\nB' in row 'Ann'", "Click the link 'A\nB' in row 'Ann'"),
    ],
)
def test_a_call_becomes_a_sentence(call: str, sentence: str) -> None:
    assert sentence_of(call) == sentence


def test_each_state_has_words() -> None:
    assert set(STATE_WORDS) == set(TaskState.__args__)  # type: ignore[attr-defined]

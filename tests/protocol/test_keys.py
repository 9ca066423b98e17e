from __future__ import annotations

import pytest

from skillbook.policy.effects import danger, key_of
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import KEY_ALIASES, canonical_keys, final_key, pastes, types_character


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Enter", "Enter"),
        ("return", "Enter"),
        ("NumpadEnter", "Enter"),
        (" ", " "),
        ("Spacebar", " "),
        ("ctrl+shift+arrowleft", "Control+Shift+ArrowLeft"),
        ("Control + Return", "Control+Enter"),
        ("Control++", "Control++"),
        ("Ctrl+Plus", "Control++"),
        ("+", "+"),
        ("Shift+a", "Shift+a"),
        ("f5", "F5"),
        ("F25", "F25"),
        ("Nonsense", "Nonsense"),
        ("", ""),
    ],
)
def test_keys_have_one_name(written: str, key: str) -> None:
    assert canonical_keys(written) == key
    assert canonical_keys(key) == key


def test_the_wire_carries_the_one_name() -> None:
    assert COMMANDS["press"].params(key="ctrl+Return").key == "Control+Enter"


def test_the_final_key_is_the_one_that_acts() -> None:
    assert [final_key(text) for text in ("Control+Return", "Shift+ ", "Control++", "+")] == [
        "Enter",
        " ",
        "+",
        "+",
    ]


@pytest.mark.parametrize("modifier", ["", "Shift+", "ctrl+"])
@pytest.mark.parametrize("alias", sorted({"Enter", " ", *KEY_ALIASES}))
def test_fault_31_every_spelling_is_judged_like_its_key(alias: str, modifier: str) -> None:
    for spelled in (alias, alias.upper(), alias.title()):
        key = key_of("press", {"key": modifier + spelled})
        asks = danger("press", role="button", label="Delete account", key=key) == "delete"
        assert asks == (final_key(key) in {"Enter", " ", "Delete", "Backspace"}), spelled


@pytest.mark.parametrize("text", [" ", "\n", "a b", "x\r"])
def test_fault_31_typed_text_presses_what_is_no_field(text: str) -> None:
    key = key_of("type", {"text": text})
    assert danger("type", role="button", label="Delete account", key=key) == "delete"
    assert danger("type", role="textbox", label="Delete account", key=key_of("type", {"text": "a b"})) is None


def test_keys_that_type_a_character() -> None:
    assert all(map(types_character, ("7", "Shift+A", "Shift-a", "+", "é", "Space", "-")))
    assert not any(map(types_character, ("Enter", "Control+A", "Control++", "Alt+1", "Shift+Tab")))


def test_keys_that_paste_are_known_however_they_are_written() -> None:
    assert all(map(pastes, ["Control+v", "ctrl-V", "Cmd+V", "Control+Shift+v", "shift+insert"]))
    assert not any(map(pastes, ["v", "Control+c", "Insert", "Alt+v", "Shift+V", "Control++", ""]))

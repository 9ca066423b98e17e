"""Every spelling of a key that people and models use, pressed in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import InvalidParams
from skillbook.io_thread import io
from skillbook.protocol.refs import KEY_ALIASES
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

KEYS = """<input aria-label=Field><script>
window.keys = [];
const field = document.querySelector('input');
field.addEventListener('keydown', event => {
  event.preventDefault();
  const held = ['ctrlKey', 'altKey', 'metaKey', 'shiftKey'].filter(name => event[name]).map(name => name[0]);
  keys.push([...held, event.key].join('+'));
});</script>"""
SPELLINGS = sorted(
    {*KEY_ALIASES, "Enter", "ESC", "Del", "Page Down", "page_up", "Arrow-Left", "UpArrow", "F5"}
)
COMBINATIONS = {
    "Ctrl+A": ["c+Control", "c+a"],
    "ctrl+shift+Left": ["c+Control", "c+s+Shift", "c+s+ArrowLeft"],
    "Cmd+C": ["m+Meta", "m+c"],
    "Option+X": ["a+Alt", "a+x"],
    "Ctrl-End": ["c+Control", "c+End"],
    "Control + Return": ["c+Control", "c+Enter"],
    "shift+tab": ["s+Shift", "s+Tab"],
}


def _pressed(page: Page) -> list[str]:
    pressed: list[str] = page.evaluate("window.keys.splice(0)")
    return pressed


def test_every_spelling_of_a_key_presses_it(show_html: Serve) -> None:
    page = show_html(KEYS)
    page.focus("textbox 'Field'")
    wrong = {}
    for spelling in SPELLINGS:
        if spelling.strip() != spelling:
            continue  # whitespace stands for typed text
        page.press(spelling)
        name = KEY_ALIASES.get(spelling.casefold())
        pressed = _pressed(page)
        # A US keyboard types a plus with Shift.
        if not pressed or (name is not None and pressed[-1].removeprefix("s+") != name):
            wrong[spelling] = pressed
    assert wrong == {}


@pytest.mark.parametrize("actor", ["person", "agent"])
def test_combinations_are_pressed_for_people_and_agents(show_html: Serve, actor: str) -> None:
    page = show_html(KEYS)
    page.focus("textbox 'Field'")
    for written, keys in COMBINATIONS.items():
        args = {"key": written, "target": "textbox 'Field'"}
        io.sync(page.driver.perform("press", args, actor=actor))
        assert _pressed(page) == keys, written


def test_what_is_no_key_is_refused_by_name(show_html: Serve) -> None:
    page = show_html(KEYS)
    for wrong in ("Strg+A", "Control+Nonsense", "well-known"):
        with pytest.raises(InvalidParams, match="called"):
            page.press(wrong, "textbox 'Field'")
    assert _pressed(page) == []

"""A dialog that fades away shows its buttons until it is gone: they are no candidates beside the page's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch
from skillbook.session.sync import Page

FADING = """<button onclick="pressed.push('page')">Save</button><div role=dialog aria-label=Rename
  onclick="setTimeout(() => this.remove(), 300)"><button onclick="pressed.push('dialog')">Save</button></div>
<script>const pressed = [];</script>"""


def test_once_it_is_gone_the_other_button_is_pressed(show_html: Callable[[str], Page]) -> None:
    page = show_html(FADING)
    page.click("button 'Save' in dialog 'Rename'")
    page.click("button 'Save'")
    assert page.evaluate("pressed") == ["dialog", "page"]


def test_while_it_stays_both_are_candidates(show_html: Callable[[str], Page]) -> None:
    page = show_html(FADING)
    with pytest.raises(AmbiguousMatch, match="2 elements match button 'Save'"):
        page.click("button 'Save'")
    assert page.evaluate("pressed") == []

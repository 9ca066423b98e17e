"""Hints in the words of the door that shows them."""

from __future__ import annotations

import pytest

from skillbook.agents.tools.formatting import without_code


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("go there as before: fill in the form, or page.back()", "go there as before: fill in the form"),
        ("open that page first, or call browser.allow(origin)", "open that page first"),
        ("Open its page, then `sb.resume('r1', page)`.", ""),
        ("set it where the kernel runs; give sb.secret('name')", "set it where the kernel runs"),
        ("call page.popup(); look at the list of tabs", "look at the list of tabs"),
        ("write `@sb.workflow` over a function", ""),
        ("open https://shop.test/page.html; look at it", "open https://shop.test/page.html; look at it"),
        ("press Approve once more", "press Approve once more"),
        ("", ""),
    ],
)
def test_where_nobody_writes_code_a_hint_has_none(hint: str, shown: str) -> None:
    assert without_code(hint) == shown

"""The call that runs a skill, as a cell gets it."""

from __future__ import annotations

import ast

from skillbook.skill.model.call_text import call_text, insert_button
from skillbook.skill.model.values import SkillInput


def test_inputs_stand_with_their_values_or_wait_for_one_and_the_page_gives_its_own() -> None:
    inputs = [
        SkillInput(name="site", default="http://127.0.0.1:8000", from_page="origin"),
        SkillInput(name="query"),
        SkillInput(name="order", choices=["price", "name"]),
        SkillInput(name="most", type="int", default=5),
        SkillInput(name="note", required=False),
    ]
    call = call_text("search", inputs)
    assert call == "sb.load_skill('search').run(page, query=..., order='price', most=5)"
    ast.parse(call)


def test_markup_in_a_default_stays_text() -> None:
    button = insert_button("search", [SkillInput(name="query", default='"><script>alert(1)</script>')])
    assert "<script>" not in button
    assert button.count('"') == 10

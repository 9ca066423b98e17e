"""A skill's inputs as a form's fields."""

from __future__ import annotations

from typing import Any

import skillbook as sb
from skillbook.serving.panel_cards import skill_form, take_inputs


def test_what_the_page_gives_is_left_out_of_what_a_form_sends() -> None:
    skill: Any = sb.load_skill("skills/search-products", approve=True)
    form = {field.name: field for field in skill_form(skill)}
    assert form["site"].default is None
    assert not form["site"].required
    assert form["query"].default == "lamp"
    assert take_inputs(form.values(), {"site": "", "query": "chair"}) == {"query": "chair"}

"""The line of Python that runs a skill, and the button that JupyterLab's extension turns it into a cell with."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from skillbook.skill.model.values import SkillInput


def call_text(name: str, inputs: Sequence[SkillInput]) -> str:
    """The call that runs a skill on `page`, with `...` where a value is missing; what the page gives is left out."""
    wanted = [one for one in inputs if not one.from_page and (one.required or one.default is not None)]
    given = "".join(f", {one.name}={_value_of(one)}" for one in wanted)
    return f"sb.load_skill({name!r}).run(page{given})"


def insert_button(name: str, inputs: Sequence[SkillInput]) -> str:
    """A button as HTML; it shows only where skillbook's extension of JupyterLab can write a cell."""
    code = escape(call_text(name, inputs))
    return (
        f'<button type="button" class="skillbook-insert" style="display:none" data-code="{code}" title="{code}">'
        "Insert as cell</button>"
    )


def _value_of(one: SkillInput) -> str:
    if one.default is not None:
        return repr(one.default)
    return repr(one.choices[0]) if one.choices else "..."

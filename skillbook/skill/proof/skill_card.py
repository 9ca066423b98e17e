"""A skill's card: how a notebook shows it where it is a cell's result."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from skillbook.skill.model import SkillSpec, SkillStep
from skillbook.skill.model.call_text import insert_button
from skillbook.skill.model.inputs import describe_inputs
from skillbook.skill.proof.skill_proof import Proof


def skill_card(spec: SkillSpec, dropped_steps: Sequence[str], proof: Proof | None) -> str:
    """A skill as HTML: its inputs, its steps or prompt, what was left out, and what replaying it gave last."""
    body = _steps(spec.steps) if spec.steps else f"<pre>{escape(spec.body)}</pre>"
    items = "".join(f"<li>{escape(one)}</li>" for one in dropped_steps)
    left_out = f"<details><summary>left out: {len(dropped_steps)}</summary><ul>{items}</ul></details>"
    head = f"<b>{escape(spec.name)}</b> ({escape(describe_inputs(spec))}) {insert_button(spec.name, spec.inputs)}"
    return (
        f"{head}<p>{escape(spec.description)}</p>{body}"
        f"{left_out if dropped_steps else ''}{f'<p>{escape(str(proof))}</p>' if proof else ''}"
    )


def _steps(steps: Sequence[SkillStep]) -> str:
    items = []
    for step in steps:
        said = step.note or (step.skill.name if step.skill else step.command)
        items.append(f"<li>{escape(said)}{_steps(step.steps) if step.steps else ''}</li>")
    return f"<ol>{''.join(items)}</ol>"

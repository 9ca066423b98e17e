"""A card for a skill that nobody has approved: what it wants, and a button that approves exactly this version."""

from __future__ import annotations

from typing import Any

from skillbook.notebook.html.page_and_run import skill_html


def show_skill_card(skill: Any) -> None:
    """Show the card in the current cell.

    Parameters
    ----------
    skill : a `Skill`.
    """
    from IPython.display import HTML, display

    wants = skill.wants
    display(HTML(skill_html(wants.name, wants.place, wants.lines)), approve_button(skill))


def approve_button(skill: Any) -> Any:
    """A button that approves the version of a skill that it was made for, and no other."""
    from ipywidgets import Button

    shown = skill.digest
    button = Button(description="Approve this version", layout={"width": "auto"})

    def approve(_: Any) -> None:
        button.disabled = True
        if skill.digest == shown:
            skill.approve()
            button.description = "Approved: run the cell again"
        else:
            button.description = "The skill changed: run the cell again"

    button.on_click(approve)
    return button

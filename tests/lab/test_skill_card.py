"""A skill that nobody has approved, in a real notebook: its card, and the button that approves it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook

PREPARE = """
import skillbook as sb
from skillbook.testing.site import serve_site
shop = serve_site("shop")
browser = sb.launch(headless=True)
page = browser.open(shop.url)
"""
FOREIGN = """
from pathlib import Path
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
step = SkillStep(command="click", target=StepTarget(selectors=["button 'Delete <b>all</b>'"]))
write_skill(SkillSpec(name="tidy-up", description="x", origins=[shop.url], steps=[step]), Path("foreign"))
skill = sb.load_skill("foreign/tidy-up")
skill.run(page)
"""


def test_fault_28_the_card_shows_what_a_foreign_skill_wants(lab: Callable[..., LabNotebook]) -> None:
    notebook = lab(PREPARE.strip(), FOREIGN.strip(), "")
    notebook.run(0)
    notebook.start(1)
    card = notebook.page.locator(".jp-OutputArea .sbp-skill")
    expect(card).to_contain_text("Nobody has approved this version")
    expect(card).to_contain_text("Delete <b>all</b>")
    assert violations(notebook.page, ".jp-OutputArea .sbp-skill") == []
    card.get_by_role("button", name="Approve this version").click()
    expect(card.locator(".sbp-status")).to_have_text("Approved")
    expect(card).to_contain_text("Run the cell again.")
    assert notebook.evaluate(2, "skill.approved") == "True"
    notebook.evaluate(2, "browser.close(); shop.close()")

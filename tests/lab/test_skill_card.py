"""A skill that nobody has approved, in a real notebook: its card, and the button that approves it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook

PREPARE = """
from pathlib import Path
import skillbook as sb
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from skillbook.testing.site import serve_site
shop = serve_site("shop")
browser = sb.launch(headless=True)
page = browser.open(shop.url)
step = SkillStep(command="click", target=StepTarget(selectors=["button 'Delete <b>all</b>'"]))
write_skill(SkillSpec(name="tidy-up", description="x", origins=[shop.url], steps=[step]), Path("foreign"))
skill = sb.load_skill("foreign/tidy-up")
"""


def test_fault_28_the_card_shows_what_a_foreign_skill_wants(lab: Callable[..., LabNotebook]) -> None:
    notebook = lab(PREPARE.strip(), "skill.run(page)", "")
    notebook.run(0)
    notebook.start(1)
    card = notebook.page.locator(".skb-static", has_text="Nobody has approved this version")
    expect(card).to_be_visible(timeout=60_000)
    expect(card).to_contain_text("Delete <b>all</b>")
    notebook.page.get_by_role("button", name="Approve this version").click()
    expect(notebook.page.get_by_role("button", name="Approved: run the cell again")).to_be_visible()
    assert notebook.evaluate(2, "skill.approved") == "True"
    notebook.evaluate(2, "browser.close(); shop.close()")

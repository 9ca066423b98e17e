"""The magics from a notebook to a page: open, look, run an agent, replay its skill."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook

MODEL = """
import shutil
shutil.rmtree("skills/find-products", ignore_errors=True)  # an earlier try may have saved it
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of
from skillbook.testing.site import serve_site
shop = serve_site("shop")
script = ScriptedModel([
    lambda seen: ToolCall("fill", {"target": ref_of(seen, "searchbox 'Search products'"), "value": "lamp"}),
    lambda seen: ToolCall("click", {"target": ref_of(seen, "button 'Search'")}),
    ToolCall("extract", {"fields": {"name": "heading"}, "within": "list 'Products'", "next": "link 'Next'"}),
    "done",
])
%load_ext skillbook
"""
AGENT = "%%sb_agent --model script --autonomy all --max-steps 9\nRead the names of all products for 'lamp'"

Open = Callable[..., LabNotebook]


@pytest.mark.timeout(300)
def test_magics_do_the_whole_job(lab: Open) -> None:
    notebook = lab(MODEL.strip(), "%sb_open {shop.url}", "snapshot = %sb_snap\nsnapshot", AGENT, "")
    notebook.run(0)
    *_, opened = notebook.run(1)  # a launch that lasts shows itself
    assert "".join(opened["data"]["text/plain"]).startswith("<Page 'Home")
    notebook.run(2)
    views = notebook.page.locator(".jp-OutputArea .sbp")
    expect(views.locator(".sbp-status")).to_have_text(["Still", "Live"])
    expect(views.last.locator(".sbp-shot img")).to_be_visible()
    notebook.run(3)
    panel = views.last
    expect(panel.locator(".sbp-status")).to_have_text("Done")
    expect(panel.locator(".sbp-step")).to_have_text(
        [re.compile(tool) for tool in ("fill|Fill", "click|Click", "extract|Read")]
    )
    assert notebook.evaluate(4, "run.max_steps, len(run.frame)") == "(9, 12)"
    saved = notebook.evaluate(4, "print(run.save_skill('find-products').spec.model_dump_json())")
    assert '"query"' in saved, saved
    shown = notebook.evaluate(4, '%sb_run_skill find-products query="desk"')
    assert re.search(
        "Skill find-products: 3/3|<SkillResult find-products ok, 3 steps, frame 9 × 1>", shown
    ), shown
    assert notebook.evaluate(4, "page.url.endswith('q=desk&page=2')") == "True"
    notebook.evaluate(4, "browser.close(); shop.close()")

from __future__ import annotations

from skillbook.notebook.html.object_views import patch_html
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.replay.skill_result import Change, Patch

EVIL = "button '<img src=x onerror=alert(1)>'"


def test_a_patch_from_a_hostile_page_stays_text() -> None:
    old, new = StepTarget(selectors=["button 'Save'"]), StepTarget(selectors=[EVIL])
    change = Change(2, "to", old, new, f"the likeliest is {EVIL}", 0.875, b"", b"\x89PNG\r\n")
    html = patch_html(Patch("<b>", "0", (change,)))
    assert "<img src=x" not in html
    assert "<b><b>" not in html
    assert "88% alike" in html
    assert html.count("no screenshot") == 1
    assert 'data-code="skill = skill.apply(result.patch)' in html
    assert html.count("data:image/png;base64,iVBORw0K") == 1


def test_what_a_person_chose_has_no_figure() -> None:
    target = StepTarget(selectors=["button 'Save'"])
    patch = Patch("keep", "0", (Change(1, "target", target, target, "a person pointed"),))
    assert "chosen" in patch_html(patch)
    assert "(chosen)" in repr(patch)

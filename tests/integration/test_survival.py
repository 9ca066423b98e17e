"""How a skill fares on pages that change between two of its runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillbook.errors import InvalidInput, InvalidSkill
from skillbook.session.sync import Page
from skillbook.skill import Skill, load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from skillbook.skill.proof.provable_skill import GONE, KINDS, Survival, Trial
from skillbook.testing.site import serve_site
from tests.integration.test_skill_replay import EXAMPLES

LOOKS_AT_LAMPS = """\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
rows = sb.extract(page, fields={"title": "heading"}, within="listitem in list 'Products'")
for row in rows[:1]:
    page.click(f"link '{row['title']}'")
    page.back()
[row["title"] for row in rows]
"""


def test_a_good_skill_is_found_again_and_never_takes_another(open_page: Callable[[str], Page]) -> None:
    with serve_site() as shop:
        page = open_page(shop.url)
        skill = load_skill("search-products", EXAMPLES, approve=True)
        survival = skill.survive(page, n=36)
    assert survival.error is None, survival.error
    frame = survival.frame
    assert set(frame["kind"]) >= set(KINDS) - {"row"}
    assert set(frame["step"]) == {1, 2}
    assert survival.wrong == []
    assert survival.survived >= 0.9, frame.to_string()
    assert (
        frame.loc[frame["kind"] == GONE, "refused"].sum() == frame.loc[frame["kind"] == GONE, "pages"].sum()
    )
    assert "<svg" in survival._repr_mimebundle_()["text/html"]


def test_a_bad_locator_is_found_out(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<h1>People</h1><button>Add person</button><p>End</p>")
    step = SkillStep(command="click", target=StepTarget(selectors=["button nth 1"]))
    origin = page.url.rsplit("/", 1)[0]
    spec = SkillSpec(name="add", description="x", start=page.url, origins=[origin], steps=[step])
    survival = Skill(spec).survive(page, n=24, kinds=["replaced", "lookalike", "banner"])
    assert survival.error is None
    assert {trial.kind for trial in survival.wrong} == {"replaced", "lookalike", "banner"}
    with pytest.raises(InvalidInput, match="'moved' is no change") as refused:
        Skill(spec).survive(page, kinds=["ids", "moved"])
    assert "reordered" in refused.value.hint
    with pytest.raises(InvalidSkill, match="no step"):
        Skill(spec.model_copy(update={"steps": [SkillStep(command="reload")]})).survive(page)


def test_a_skill_that_is_code_is_tried_at_each_of_its_targets(
    start_cells: Callable[..., Any], open_page: Callable[[str], Page]
) -> None:
    with serve_site() as shop:
        run = start_cells(LOOKS_AT_LAMPS, page=open_page(shop.url), autonomy="all")
        run.run()
        assert not run.records[0].error, run.records[0].result
        skill = run.save_skill("look-at-lamps", prove=False)
        survival = skill.survive(open_page(shop.url), n=9, kinds=["ids", "reordered", GONE])
    assert survival.error is None, survival.error
    frame = survival.frame
    tried = [skill.spec.steps[at - 1] for at in sorted(set(frame["step"]))]
    assert [(step.command, step.line - tried[0].line) for step in tried] == [
        ("fill", 0),
        ("click", 1),
        ("click", 4),
    ]
    assert set(frame["kind"]) == {"ids", "reordered", GONE}
    assert survival.wrong == []
    assert survival.survived >= 0.9, frame.to_string()


def test_refusing_is_right_only_where_the_target_is_gone() -> None:
    trials = [Trial(1, "click", GONE, 0, "refused"), Trial(1, "click", "ids", 0, "refused")]
    assert [trial.right for trial in trials] == [True, False]
    survival = Survival("x", trials)
    assert survival.survived == 0
    assert survival.wrong == []
    assert list(survival.frame["refused"]) == [1, 1]

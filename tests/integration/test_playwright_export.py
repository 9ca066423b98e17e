"""Skills as Playwright scripts: the script is run by Playwright itself and gives what the skill gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from skillbook.errors import InvalidSkill
from skillbook.launcher import find_chromium
from skillbook.session.sync import Page
from skillbook.skill import Skill, load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from skillbook.testing.site import serve_site
from tests.integration.test_skill_replay import EXAMPLES


def module(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec", dont_inherit=True), names)
    return names


async def run_script(function: Callable[..., Any], **inputs: Any) -> Any:
    def work() -> Any:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=str(find_chromium().path), args=["--no-sandbox"]
            )
            try:
                return function(browser.new_page(), **inputs)
            finally:
                browser.close()

    return await asyncio.to_thread(work)


async def test_the_exported_script_gives_the_skills_rows(
    open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    with serve_site() as shop:
        skill = load_skill("search-products", EXAMPLES, approve=True)
        page = await asyncio.to_thread(open_page, shop.url)
        frame = (await skill.arun(page, query="desk")).raise_for_error().frame
        text = skill.to_playwright(tmp_path / "search.py")
        assert (tmp_path / "search.py").read_text(encoding="utf-8") == text
        rows = await run_script(module(text)["search_products"], site=shop.url, query="desk")
    assert [row["name"] for row in rows] == list(frame["name"])
    assert [row["url"] for row in rows] == list(frame["url"])
    assert len(rows) > 1


HOSTILE = 'x"""\n${$}{input:a} \\" {evil} import os'


def test_a_hostile_skill_stays_text() -> None:
    click = SkillStep(
        command="click", target=StepTarget(selectors=["button 'a\\'); print(1); (\\'{b}'"]), note=HOSTILE
    )
    fill = SkillStep(
        command="fill",
        target=StepTarget(selectors=["textbox"]),
        params={"value": 'q"{0}" ${input:class} \\'},
    )
    inputs = [SkillInput(name="class", default='"); raise SystemExit #')]
    spec = SkillSpec(
        name="evil", description=HOSTILE, inputs=inputs, start="http://x.test/", steps=[click, fill]
    )
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    class Recorder:
        def __getattr__(self, name: str) -> Any:
            return lambda *args, **options: (calls.append((name, args, options)), self)[1]

    module(Skill(spec).to_playwright())["evil"](Recorder())
    assert calls[0] == ("goto", ("http://x.test/",), {})
    assert calls[1][2]["name"] == "a'); print(1); ('{b}"
    assert calls[-1] == ("fill", ('q"{0}" "); raise SystemExit # \\',), {})


def test_what_playwright_hasnt_is_refused_by_its_step() -> None:
    fact = SkillStep(
        command="get",
        params={"what": "box"},
        target=StepTarget(selectors=["heading"]),
        output=SkillOutput(name="box"),
    )
    with pytest.raises(InvalidSkill, match="step 1 of boxes can't be exported: it reads box"):
        Skill(SkillSpec(name="boxes", description="x", steps=[fact])).to_playwright()
    with pytest.raises(InvalidSkill, match="is a prompt"):
        Skill(SkillSpec(name="say", description="x", body="Say.")).to_playwright()

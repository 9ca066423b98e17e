"""Skills that are code as Playwright scripts: Playwright itself runs the script, which gives what the skill gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from skillbook.errors import InvalidSkill
from skillbook.extraction.frames.dtypes import convert
from skillbook.launcher import find_chromium
from skillbook.session.sync import Page
from skillbook.skill import Skill
from skillbook.skill.model.spec import SkillSpec, calls_of
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import EXTRACT, Extract, SkillStep
from skillbook.skill.playwright_export.code_helpers import helpers_of
from skillbook.testing.site import Site, serve_site
from tests.integration.test_playwright_export import module, run_script

SEARCH = """\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
rows = sb.extract(page, fields={"title": "heading", "url": "link@href"}, within="listitem in list 'Products'")
first = page.find("heading")[0]
facts = [first.role, first.name, page.count("LINK 'next'"), page.count("heading 'nothing'"), page.title]
try:
    page.click("button 'Not there'")
except RuntimeError:
    facts.append("caught")
for row in rows[:2]:  # two of them
    page.click(f"link '{row['title']}'")
    facts.append(page.text("heading nth 1"))
    page.back()
[*facts, rows[0]["title"], len(rows), page.url.split("?")[1]]
"""


def code_skill(body: str, *, inputs: dict[str, str] | None = None, start: str | None = None) -> Skill:
    """A skill of a function's body, its steps made as its calls need them."""
    given = "".join(f", {name}: str = {value!r}" for name, value in (inputs or {}).items())
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"from skillbook.cells.in_kernel import sb\n\n\ndef run(page{', *' if given else ''}{given}):\n{lines}"
    steps = [
        SkillStep(
            command=call.method.tool,
            line=call.line,
            extract=Extract() if call.method.tool == EXTRACT else None,
        )
        for call in calls_of(code)
    ]
    named = [SkillInput(name=name, default=value) for name, value in (inputs or {}).items()]
    return Skill(SkillSpec(name="coded", description="x", inputs=named, start=start, steps=steps, code=code))


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.mark.more
async def test_a_runs_skill_gives_the_same_in_playwright(
    start_cells: Callable[..., Any], shop: Site, open_page: Callable[[str], Page]
) -> None:
    def saved() -> tuple[str, Any, Any]:
        run = start_cells(SEARCH, page=open_page(shop.url), autonomy="all")
        run.run()
        assert not run.records[0].error, run.records[0].result
        skill = run.save_skill("find-lamps", prove=False)
        found = skill.run(open_page(shop.url), query="chair").raise_for_error()
        return skill.to_playwright(), found.value, found.frame

    text, value, frame = await asyncio.to_thread(saved)
    exported = module(text)
    assert "for row in rows[:2]:  # two of them" in text
    rows = await run_script(exported["find_lamps"], query="chair")
    assert rows == value
    assert exported["READ"] == frame.to_dict("records")
    assert len(exported["READ"]) > 1


TABLE = """<table aria-label=Stock><tr><th>Name<th>Count<th>Price
<tr><td>Bolt<td>12<td>&euro;1.50<tr><td>Nut<td>&mdash;<td>&euro;0.25</table>"""


async def test_tables_have_the_skills_types_and_the_script_is_a_program(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = await asyncio.to_thread(serve_html, TABLE)
    skill = code_skill("return sb.extract(page, within=\"table 'Stock'\")", start=page.url)
    rows = (await skill.arun(page)).raise_for_error().value
    assert rows == [
        {"Name": "Bolt", "Count": 12, "Price": 1.5},
        {"Name": "Nut", "Count": None, "Price": 0.25},
    ]

    @contextmanager
    def started() -> Iterator[Any]:
        with sync_playwright() as playwright:
            launch = partial(
                playwright.chromium.launch, executable_path=str(find_chromium().path), args=["--no-sandbox"]
            )
            yield SimpleNamespace(chromium=SimpleNamespace(launch=launch))

    monkeypatch.setattr("playwright.sync_api.sync_playwright", started)
    program = compile(skill.to_playwright(), "exported.py", "exec", dont_inherit=True)
    await asyncio.to_thread(exec, program, {"__name__": "__main__"})
    assert capsys.readouterr().out.splitlines() == [str(row) for row in rows]


@pytest.mark.parametrize(
    "said",
    [
        *(["12", "3"], ["€12.50", "€3.00"], ["$5", "$7"], ["50%", "20%"], ["007", "012"], ["-3", "4"]),
        *(["", "4"], ["—", "4"], ["1.9", "1.10"], ["5 kg", "3 kg"], ["(3)", "4"], ["3 May 2024", "4 May 2024"]),
        *(["12/03/2024", "13/03/2024"], ["1,234", "2"], ["1.234", "2.345"], ["Lamp 1", "Lamp 2"], ["12:30"]),
        *(["1.234", "980"], ["+3", "2"], ["USD 5"], ["1 of 5", "2 of 5"], ["0.5", "0"], ["12.50 €", "3"]),
        *(["1234567", "7654321"], ["n/a", "-"], ["1.5K", "2K"], ["5551234", "5554321"]),
    ],
)  # fmt: skip
def test_types_are_those_of_frames_or_are_refused(said: list[str]) -> None:
    typed = module(f"import re\n{helpers_of('typed(')}")["typed"]
    values = convert("x", said).values.to_frame("x").to_json(orient="records", date_format="iso")
    try:
        rows, refused = typed([{"x": text} for text in said]), ""
    except ValueError as error:
        rows, refused = [], str(error)
    assert "may be numbers, dates or codes" in refused or rows == json.loads(values)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("page.click(\"card 'Lamp'\")", "line 5 .*no locator for"),
        ("x = 1\npage.query('buy')", "line 6 .*page.query has no counterpart"),
        ("page.markdown()", "page.markdown has no counterpart"),
        ("where = \"button 'Go'\"\npage.click(where)", "line 6 .*where is no selector that is written out"),
        ("done = page.click(\"button 'Go'\")", "it uses what page.click returns"),
        ("press = page.click", "page.click is named and not called"),
        ("page.find('two words')", "is no selector"),
        ("sb.extract(page, scroll=True)", "scrolls a list"),
        ("f = page\nf.url", "it passes 'page' on"),
        ("steady = 1", "it makes the name 'steady'"),
        ("page.count(\"text 'a'\")", "finds other elements by text"),
        ("print(f'{page.url}')", "within a formatted text"),
        ("page.click(f\"{'button'} 'Go'\")", "is no selector|is computed"),
        ("'[stale_ref]'", "error's code"),
    ],
)
def test_what_playwright_has_nothing_like_is_refused_with_its_line(body: str, why: str) -> None:
    with pytest.raises(InvalidSkill, match=why):
        code_skill(f"{body}\npage.reload()").to_playwright()


ASKS = """<h1>Rooms</h1><button onclick="ask.showModal()">Rename</button><p id="out"></p>
<dialog id="ask" aria-label="Rename"><input aria-label="Name"><button onclick="ask.close()">Cancel</button></dialog>"""


@pytest.mark.usefixtures("hasty")
def test_fault_94_code_that_fails_leaves_no_modal_dialog_open(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(ASKS)
    skill = code_skill("page.click(\"button 'Rename'\")\npage.click(\"button 'Save'\")", start=page.url)
    skill = Skill(skill.spec.model_copy(update={"origins": [page.url.rsplit("/", 1)[0]], "sends": []}))
    result = skill.run(page)
    assert not result.ok
    assert page.evaluate("ask.open") is False

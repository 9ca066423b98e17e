"""Cells of a run as a skill and as a notebook, in a real browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import InvalidSkill
from skillbook.notebook.page.run_source import offers_of
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_site
from tests.integration.test_cells import SEARCH, Start, shop, start
from tests.shown import after_reading

__all__ = ["shop", "start"]

ROOT = Path(__file__).parents[2]
LOOP = (
    SEARCH
    + """\
for row in rows[:2]:
    page.click(f"link '{row['title']}'")
    page.back()
"""
)


def test_cells_are_a_skill_that_is_code(start: Start, shop: Site, open_page: Callable[[str], Page]) -> None:
    picked = "[row['title'] for row in rows if 'Desk' in row['title']]"
    run = start('page.find("searchbox")', LOOP, picked, autonomy="all")
    run.run()
    assert run.status == "succeeded", run.error
    skill = run.save_skill("find-lamps")
    assert skill.dropped_steps == ("cell 1",)
    assert skill.proof is not None
    assert skill.proof.status == "passed", skill.proof
    text = (Path("skills") / "find-lamps" / "skill.py").read_text()
    assert "def run(page, *, query: str = 'lamp'):\n    # cell 2\n    page.fill(" in text
    assert f"    return {picked}\n" in text
    assert skill.test(open_page(shop.url), inputs={"query": "desk"}).status == "passed"
    found = sb.skills["find-lamps"].run(open_page(shop.url), query="desk")
    assert found.ok, found.error
    assert found.value
    assert set(found.value) <= set(found.frame["title"]), (
        "titles are no rows: these are the ones that it read"
    )
    found = sb.skills["find-lamps"].run(open_page(shop.url), query="chair")
    assert found.ok, found.error
    assert found.value == []
    assert list(found.frame) == ["title"]
    assert found.frame.empty, "of the rows that it read it returned none"
    assert [outcome.command for outcome in found.outcomes] == [
        "fill", "click", "extract", "click", "back", "click", "back"
    ]  # fmt: skip


MOVED = """<h1>Notes</h1><form onsubmit="event.preventDefault(); said.textContent = 'found ' + q.value;
if (n > 3) fetch('/log', {method: 'POST', body: 'x=1'})"><input id=q aria-label="Query">
<button id=go>Save</button></form>
<p role="status" id="said"></p><script>var n = localStorage.n = Number(localStorage.n || 0) + 1;
if (n > 1) document.querySelector('button').textContent = 'Store'</script>"""
QUERY = """\
page.fill("textbox 'Query'", "lamp")
try:
    page.click("button 'Save'")
except RuntimeError:
    pass
page.text("status")
"""


def test_a_skill_that_is_code_heals_and_refuses(start: Start, serve_html: Callable[[str], Page]) -> None:
    page = serve_html(MOVED)
    run = start(QUERY, page=page, autonomy="all")
    run.run()
    skill = run.save_skill("find", prove=False)
    healed = skill.run(page, query="desk", start="always")
    assert (healed.ok, healed.value) == (True, "found desk"), healed.outcomes
    assert [outcome.command for outcome in healed.healed] == ["click"]
    assert healed.patch is not None
    mended = skill.apply(healed.patch)
    again = mended.run(page, query="desk", start="always")
    assert (again.value, again.healed) == ("found desk", [])
    refused = mended.run(page, query="desk", start="always")  # the page sends what the skill doesn't list
    assert refused.error is not None
    assert refused.error.code == "not_allowed"
    place = Path("skills") / "find" / "skill.py"
    place.write_text(place.read_text().replace("page.text(", "page.press('Enter'); page.text("))
    with pytest.raises(InvalidSkill, match="press in line"):
        sb.skills["find"]


def test_what_a_person_changed_within_a_cell_is_no_skill(start: Start) -> None:
    run = start(SEARCH)
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve(stepping=True)
    after_reading(run).edit(value="chair")
    run.step(until="end")
    with pytest.raises(InvalidSkill, match="line 1 of cell 1 says fill"):
        run.save_skill("find-lamps")


NOTEBOOK = (
    LOOP
    + """\
first = page.find("heading")[0]
facts = (first.role, len(sb.tables(page)) > 0, rows[0]["title"], len(rows))
"""
)


def test_the_same_text_runs_in_a_notebook(start: Start, shop: Site, open_page: Callable[[str], Page]) -> None:
    run = start(NOTEBOOK, "facts", autonomy="all")
    run.run()
    assert run.status == "succeeded", run.error
    _, begin, *cells, close = json.loads(run.to_notebook("lamps.ipynb").read_text())["cells"]
    assert (begin["source"].splitlines()[-1], close["source"]) == (
        f"page = browser.open({shop.url + '/'!r})",
        "browser.close()",
    )
    known: dict[str, Any] = {"page": open_page(shop.url)}
    inserted = offers_of(run)["Insert as cells"]
    for cell in inserted:  # what the panel inserts is the same, from where the run began
        exec(cell, known)
    assert list(inserted[1:]) == [cell["source"] for cell in cells]
    in_cell = {name: each.value for name, each in zip(run.variables.index, run.cell_variables, strict=True)}
    assert list(known["facts"]) == in_cell["facts"]
    assert known["rows"] == in_cell["rows"]


@pytest.mark.soak
def test_nbval_passes_on_a_notebook_of_cells_whose_site_is_gone(
    start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    with serve_site("shop") as site:
        run = start(NOTEBOOK, "facts", page=open_page(site.url), autonomy="all")
        run.run()
        path = run.to_notebook(tmp_path / "lamps.ipynb", cassette="lamps")
        _nbval(path, "record")
    _nbval(path, "replay")


def _nbval(path: Path, cassettes: str) -> None:
    options = ["-q", "--nbval", "-p", "no:cacheprovider", "-c", os.devnull]
    command = [sys.executable, "-m", "pytest", *options, str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SKILLBOOK_CASSETTES": cassettes}
    done = subprocess.run(command, env=env, cwd=path.parent, capture_output=True, text=True, timeout=240)
    assert "4 passed" in done.stdout, done.stdout[-3000:]

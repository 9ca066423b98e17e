"""Skills and searches by purpose in cells, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_code import cell_view
from skillbook.cells import in_kernel
from skillbook.errors import InvalidSkill
from skillbook.journal import read_journal
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_site
from tests.shown import after_reading

Start = Callable[..., Run]
FIND_LAMPS = """\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
rows = sb.extract(page, fields={"title": "heading", "price": "css '.price'"}, within="listitem in list 'Products'")
"""
RENAMED = '[{"lamp": row["title"], "price": row["price"]} for row in rows]'
RUN = """\
first = sb.run_skill(page, "find-lamps", query="desk")
print(first.value[0]["lamp"] == first.rows[0]["lamp"])
[{"desk": row["lamp"]} for row in first.rows if "Desk" in row["lamp"]]
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


def waiting(run: Run) -> Run:
    run.start()
    run._do(run._stepper.settled())
    return run


def test_a_cell_runs_a_saved_skill_whose_rows_keep_their_sources(
    start_cells: Start, shop: Site, open_page: Callable[[str], Page]
) -> None:
    made = start_cells(FIND_LAMPS, RENAMED, page=open_page(shop.url), autonomy="all")
    made.run()
    assert made.frame is not None
    assert list(made.frame.columns) == ["lamp", "price"]
    skill = made.save_skill("find-lamps")
    assert skill.proof is not None
    assert skill.proof.status == "passed", skill.proof
    assert '{"lamp": row["title"]' in skill.spec.code  # a key names a column, whatever the input is
    wrong = ['sb.run_skill(page, "find-lamp")', 'sb.run_skill(page, "find-lamps", queri="desk")']
    run = start_cells(*wrong, RUN, page=open_page(shop.url), goal="Which are desks?", autonomy="all")
    run.run()
    assert run.status == "succeeded", run.error
    first, second, third, called = run.records
    assert "there is no skill 'find-lamp'" in first.result
    assert "    sb.run_skill(page" in first.result
    assert "has no input 'queri'; its inputs are: query" in second.result
    assert "True" in third.result
    assert "The cell ended, after 1 call." in third.result
    assert (called.tool, called.extra["cell"], called.extra["line"]) == ("run_skill", 1, 1)
    assert run.frame is not None
    assert list(run.frame.columns) == ["desk"]
    assert len(run.frame)
    assert run.frame["desk"].str.contains("Desk").all()
    source = run.frame.skillbook.source(0, "desk")
    assert (source.text, "q=desk" in source.url) == (run.frame["desk"][0], True)
    journal = read_journal(run._context.page.browser.journal.path)
    steps = [
        step for step in journal if str(step.run).startswith(f"{run.id}#") and ".0L1/replay-" in str(step.run)
    ]
    assert [step.command for step in steps if step.command in {"fill", "click"}] == ["fill", "click"]
    assert {step.actor for step in steps} == {"replay"}
    with pytest.raises(InvalidSkill, match="a cell runs a skill"):
        run.save_skill("twice")
    page = open_page(shop.url)
    known = in_kernel.sb.run_skill(page, "find-lamps", query="desk")
    assert [row["lamp"] for row in known.rows if "Desk" in row["lamp"]] == list(run.frame["desk"])
    kept = skill.run(page, query="desk")
    assert list(kept.frame.columns) == ["lamp", "price"]
    assert kept.frame.skillbook.source(0, "lamp").text == kept.frame["lamp"][0]
    assert (len(kept.frame), list(kept.frames[0].columns)) == (len(kept.frames[0]), ["title", "price"])


ORDERS = """<h1>Orders</h1><form onsubmit="event.preventDefault(); fetch('/orders', {method: 'POST', body: 'x=1'})
.then(() => document.title = 'sent')"><label>Name <input name=who></label><label>City <input name=city></label>
<button>Save the entry</button></form><button onclick="document.title = 'gone'">Delete account</button>"""


def test_a_run_that_needed_no_cell_for_its_goal_is_saved_as_steps(
    start_cells: Start, shop: Site, open_page: Callable[[str], Page]
) -> None:
    run = start_cells(
        "page.click('nothing here')", page=open_page(shop.url), goal="Search for 'lamp'", autonomy="all"
    )
    run.run()
    assert run.status == "succeeded", run.error
    skill = run.save_skill("search", prove=False)
    assert [step.command for step in skill.spec.steps] == ["fill", "click"]
    assert skill.spec.code == ""


def test_a_skill_asks_at_its_line_for_what_it_sends(
    start_cells: Start, serve_html: Callable[[str], Page]
) -> None:
    page = serve_html(ORDERS)
    code = """\
where = page.query("save the entry")
print(where[0].role, where[0].name)
sb.run_skill(page, "fill_form", values={"Name": "Ann"}, submit=True)
"""
    run = waiting(start_cells(code, page=page))
    assert run.pending is not None
    assert run.pending.cell is not None
    assert run.pending.cell.forecast == "reads; 1 write: run_skill fill_form (line 3)"
    after_reading(run).approve()
    pending = run.pending
    assert pending is not None
    assert pending.request is not None
    assert pending.cell is not None
    assert (pending.cell.number, pending.cell.line) == (1, 3)
    assert "→   3  sb.run_skill" in pending.cell.marked
    view = cell_view(pending)
    assert view is not None
    assert (view.line, view.steps) == (3, [])
    after_reading(run).reject("not yet")
    assert run.status == "succeeded", run.error
    assert page.title == "Test"
    assert "button Save the entry" in run.records[0].result
    assert "The cell stopped at line 3" in run.records[0].result
    node = page.query("save the entry")[0]
    assert (node.role, node.label) == ("button", "Save the entry")


CLEAR = """\
try:
    sb.run_skill(page, "clear")
except RuntimeError as error:
    print("caught", error)
"""


def test_a_step_that_can_not_be_undone_waits_at_the_cells_line(
    start_cells: Start, serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(ORDERS)
    folder = tmp_path / "skills" / "clear"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: clear\ndescription: Delete the account.\n---\n")
    (folder / "replay.yaml").write_text(
        f"version: 2\norigins: ['{page.url}']\nsends: []\nsteps:\n- command: click\n"
        "  target: {selectors: [\"button 'Delete account'\"]}\n"
    )
    run = waiting(start_cells(CLEAR, CLEAR, page=page, autonomy="all"))
    asked = run.pending
    assert asked is not None
    assert (asked.tool, asked.skill, asked.decisions) == ("run_skill", "clear", ("approve", "reject"))
    assert "nobody" not in asked.review.reason
    assert "click" in asked.review.reason
    after_reading(run).approve()
    step = run.pending
    assert step is not None
    assert (step.tool, step.skill, step.review.effect) == ("click", "clear", "irreversible")
    assert step.cell is not None
    assert step.cell.line == 2
    assert "a step of the skill clear" in repr(step)
    after_reading(run).reject("keep it")
    assert page.title == "Test"
    assert run.pending is not None  # the second cell asks at the step alone: this version was approved
    assert run.pending.tool == "click"
    after_reading(run).approve()
    assert run.status == "succeeded", run.error
    assert "caught [approval_required]" in run.records[0].result
    assert page.title == "gone"

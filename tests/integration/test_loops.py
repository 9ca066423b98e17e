"""Skills that do the same for each row of a list, on pages in Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillbook.errors import ReplayFailed
from skillbook.session.sync import Page
from skillbook.skill import Skill, load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Extract, SkillStep
from skillbook.skill.replay.skill_result import SkillResult
from tests.integration.test_playwright_export import module, run_script

ORDERS = """
<h1>Orders</h1>
<table><thead><tr><th>Order</th><th>Total</th><th>Do</th></tr></thead><tbody></tbody></table>
<p role=status></p><button id=next>Next page</button>
<script>
const all = %s, size = 3, log = [];
let page = 0, removing = %s;
const body = document.querySelector('tbody');
function show() {
  body.replaceChildren(...all.slice(page * size, page * size + size).map((order) => {
    const row = document.createElement('tr');
    row.innerHTML = `<td></td><td class=total></td><td><button>Approve</button></td>`;
    row.cells[0].textContent = order; row.cells[1].textContent = `${order.length * 7}`;
    row.querySelector('button').onclick = () => {
      log.push(order);
      const broken = document.documentElement.lang === order;
      document.querySelector('p').textContent = broken ? 'Broken' : `Approved ${order}`;
      document.title = log.join(',');
      if (removing) { all.splice(all.indexOf(order), 1); show(); }
    };
    return row;
  }));
  document.querySelector('#next').disabled = (page + 1) * size >= all.length;
}
document.querySelector('#next').onclick = () => { page++; show(); };
show();
</script>
"""
SKILL = """---
name: approve-orders
description: Approves every order
---

Approve every order
"""
REPLAY = """version: 2
start: {url}
origins: ['{origin}']
sends: []
steps:
- command: for_each
  note: For each order of every page
  loop:
    items: row in table
    key: cell nth 1
    name: order
    next: button 'Next page'
{more}  steps:
  - command: get
    note: Read its total
    params: {{what: text}}
    target:
      selectors: ["cell nth 2 in row '${{input:order}}'"]
    output: {{name: total, type: int}}
  - command: click
    note: Approve the order
    target:
      selectors: ["button 'Approve' in row '${{input:order}}'"]
    expect:
    - text: Approved ${{input:order}}
      within: 2
"""
Serve = Callable[[str], Page]


def orders(*names: str, removing: bool = False) -> str:
    return ORDERS % (list(names), str(removing).lower())


def skill_for(page: Page, folder: Path, more: str = "") -> Skill:
    place = folder / "approve-orders"
    place.mkdir(exist_ok=True)
    (place / "SKILL.md").write_text(SKILL, encoding="utf-8")
    origin = "/".join(page.url.split("/")[:3])
    text = REPLAY.format(url=page.url, origin=origin, more=more)
    (place / "replay.yaml").write_text(text, encoding="utf-8")
    return load_skill("approve-orders", folder, approve=True)


def run(page: Page, folder: Path, more: str = "") -> SkillResult:
    return skill_for(page, folder, more).run(page)


NAMES = ("A-1", "A-10", "B-200", "C-3", "D-44", "E-5", "F-600")


@pytest.mark.parametrize("removing", [False, True])
def test_every_row_of_every_page_is_done_once(serve_html: Serve, tmp_path: Path, removing: bool) -> None:
    page = serve_html(orders(*NAMES, removing=removing))
    result = run(page, tmp_path)
    assert result.ok, result.error
    assert page.title.split(",") == list(NAMES)
    assert result.frame.to_dict("list") == {"order": list(NAMES), "total": [len(name) * 7 for name in NAMES]}
    assert [outcome.item for outcome in result.outcomes if outcome.command == "click"] == list(NAMES)
    assert result.outcomes[-1].rows == len(NAMES)
    assert set(result.steps["command"]) == {"get", "click", "for_each"}


def test_so_many_at_most(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(orders(*NAMES))
    assert run(page, tmp_path, "    max_items: 4\n").ok
    assert page.title.split(",") == list(NAMES[:4])


@pytest.mark.parametrize(
    ("names", "why"),
    [(("A", "B", "A"), "namesake, such as 'A'"), (("A", "", "B"), "no cell nth 1 that says which it is")],
)
def test_items_that_cant_be_told_apart_are_refused_before_anything_is_done(
    serve_html: Serve, tmp_path: Path, names: tuple[str, ...], why: str
) -> None:
    page = serve_html(orders(*names))
    before = page.title
    result = run(page, tmp_path)
    assert not result.ok
    assert why in str(result.error)
    assert page.title == before


def test_a_namesake_on_a_later_page_ends_the_run(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(orders("A", "B", "C", "A", "D"))
    result = run(page, tmp_path)
    assert "'A' was done already and is on the next page again" in str(result.error)
    assert page.title == "A,B,C"


def test_no_items_are_a_failure_unless_the_skill_says_otherwise(
    serve_html: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbook.skill.replay.looping.CAUSE_SECONDS", 0.5)
    page = serve_html(orders())
    assert isinstance(run(page, tmp_path).error, ReplayFailed)
    assert run(page, tmp_path, "    may_be_empty: true\n").ok


def test_a_run_goes_on_at_the_item_that_failed(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(f"{orders(*NAMES)}<script>document.documentElement.lang = 'C-3'</script>")
    result = run(page, tmp_path)
    assert "step 3 of 3 (Approve the order)" in str(result.error)
    assert result.outcomes[-1].item == "C-3"
    assert list(result.frame["order"]) == list(NAMES[:3])
    page.evaluate("document.querySelector('p').textContent = 'Approved C-3'")
    result.resume()
    assert result.ok, result.error
    assert page.title.split(",") == list(NAMES)
    assert list(result.frame["order"]) == list(NAMES)
    assert sum(map(len, result.frames)) == len(NAMES)


async def test_the_exported_script_does_the_same(serve_html: Serve, tmp_path: Path) -> None:
    page = await asyncio.to_thread(serve_html, orders(*NAMES, removing=True))
    text = skill_for(page, tmp_path).to_playwright()
    rows: list[dict[str, Any]] = await run_script(module(text)["approve_orders"])
    assert [row["order"] for row in rows] == list(NAMES)
    assert [row["total"] for row in rows] == [len(name) * 7 for name in NAMES]


GONE = """
<h1>Orders</h1><table><caption>Orders</caption><tbody>
<tr><td>A</td><td>7</td><td><button>Approve</button></td></tr>
<tr><td>B</td><td>7</td><td><button>Approve</button></td></tr></tbody></table><p role=status></p>
<script>
const log = [];
document.querySelector('table').onclick = (event) => {
  const order = event.target.closest('tr')?.cells[0].textContent;
  log.push(order);
  document.title = log.join(',');
  document.querySelector('p').textContent = `Approved ${order}`;
  document.querySelector('table').remove();
};
</script>
"""


def test_a_list_that_is_gone_in_the_middle_ends_the_run_and_what_was_done_is_kept(
    serve_html: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbook.skill.replay.step_targets.CAUSE_SECONDS", 0.5)
    page = serve_html(GONE)
    result = run(page, tmp_path)
    assert not result.ok
    assert "nothing matches cell nth 2 in row 'B'" in str(result.error)
    assert page.title == "A"
    assert result.frame.to_dict("list") == {"order": ["A"], "total": [7]}


@pytest.mark.parametrize("fields", [None, {"order": "cell nth 1"}])
def test_a_collection_that_is_gone_is_an_error_and_no_empty_frame(
    serve_html: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str] | None
) -> None:
    monkeypatch.setattr("skillbook.skill.replay.step_outputs.CAUSE_SECONDS", 0.5)
    page = serve_html(GONE)
    step = SkillStep(command="extract", extract=Extract(within="table 'Orders'", fields=fields))
    skill = Skill(SkillSpec(name="read-orders", description="x", steps=[step]))
    before = skill.run(page)
    assert before.ok, before.error
    assert len(before.frame) == 2
    page.evaluate("document.querySelector('table').remove()")
    result = skill.run(page)
    assert not result.ok
    assert "table 'Orders'" in str(result.error)
    assert not result.frames


MOVING = """
<h1>Orders</h1><table><thead><tr><th>Order<th>Total<th>Do</thead><tbody></tbody></table><p role=status></p>
<button id=next disabled>Next page</button><script>
const all = %s, log = [];
const body = document.querySelector('tbody');
for (const order of all) body.insertAdjacentHTML('beforeend', '<tr><td><td><td><button>Approve</button>');
function show() {  // the rows' nodes stay, and what is in them moves on
  [...body.rows].forEach((row, place) => {
    row.cells[0].textContent = all[place]; row.cells[1].textContent = all[place].length * 7;
  });
}
function move() { all.push(all.shift()); show(); }
body.onclick = (event) => {
  if (event.target.localName !== 'button') return;
  const order = event.target.closest('tr').cells[0].textContent;
  log.push(order);
  document.title = log.join(',');
  document.querySelector('p').textContent = `Approved ${order}`;
  %s
};
let left = %d;
body.addEventListener("mouseenter", (event) => {
  if (event.target.localName === "button" && left-- > 0) move();
}, true);
show();
</script>
"""


@pytest.mark.parametrize(
    ("after", "under_mouse"), [("move()", 0), ("all.reverse(); show()", 0), ("", 2), ("move()", 2)]
)
def test_rows_that_move_between_two_items_or_under_the_mouse_are_each_done_once(
    serve_html: Serve, tmp_path: Path, after: str, under_mouse: int
) -> None:
    page = serve_html(MOVING % (list(NAMES), after, under_mouse))
    result = run(page, tmp_path)
    done = page.title.split(",")
    assert done == list(NAMES)[: len(done)]
    clicked = [
        outcome.item for outcome in result.outcomes if outcome.command == "click" and outcome.status == "ok"
    ]
    assert clicked == done
    if not under_mouse:
        assert result.ok, result.error
        assert result.frame.to_dict("list") == {
            "order": list(NAMES),
            "total": [len(name) * 7 for name in NAMES],
        }

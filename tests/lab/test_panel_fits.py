"""Whatever a page says, nothing of the panel is cut or pushed away, and its answers stay in their place."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook
from tests.lab.panel import shown

__all__ = ["shown"]

WIDTHS = (240, 270, 360, 560, 700, 846, 1100)
STATES = """
from skillbook.agents.state.tasks import TaskList
from skillbook.protocol.asks.run_asks import TaskView
from skillbook.agents.run.run_code import cell_view, variable_views
from skillbook.agents.state.run_cells import Variable
from skillbook.agents.state.step_records import CellPlace, PendingCall, Review
PARTS = ["x" * 240, "مصباح السرير " * 9, "<b><img src=x onerror=pwned>$a^2$</b>" * 4]
def done(n, text):
    error = "" if n % 2 == 0 else text
    return step(n, words=text, outcome=text, error=error, ok=not error, decision="edit", said=text, url=text, args=text)
def asked(text, **more):
    card = call("w", target=text, value=text)
    shown = replace(card.call, tool=text, target=text)
    texts = dict(call=shown, words=text, place=text, why=text, said=text, learn=f"click on {text}")
    return replace(card, **texts, always=["session", "always"], **more)
def cell(text, line=0):
    code, tool = f"for n in range(3):\\n    page.click({text!r})\\nrows", "click" if line else "run_cell"
    place = CellPlace(1, code, line, 23 if line else 0, 40 if line else 0, "" if line else text)
    waits = PendingCall("c", "c", tool, {}, "", Review(True, True, "write"), {}, (), cell=place)
    args, shown = {"target": text} if line else {"code": code}, cell_view(waits)
    schema = {"properties": {name: {"type": "string"} for name in args}, "required": [*args]}
    return replace(call(f"c{line}", tool, schema, **args), said=text, cell=shown, words=text)
def left(text):
    rows = Variable("rows", "list", 40, [{"title": text, text[:50]: n} for n in range(40)])
    return variable_views([rows, Variable("n", "str", len(text), text)])
def states(text):
    start = replace(source.state, title=text, visited=text, model=text, question=None)
    tasks = TaskList()
    tasks.add(text, parameters={text: text})
    steps = [done(n, text) for n in range(1, 41)]
    write = replace(start, status="waiting", question=asked(text), tasks=[TaskView(**task) for task in tasks.to_json()])
    irreversible = replace(asked(text), id="i", risk="irreversible", second_press=True)
    question = help_wanted("h", "question", text, choices=[text, text[:30], "yes"])
    yield "idle", replace(start, status="idle")
    yield "thinking", replace(start, status="running")
    yield "write", write
    yield "refused", replace(write, question=asked(text, refusal=text))
    yield "under way", replace(start, status="running", under_way=f"click {text}", steps=steps[:3])
    yield "irreversible", replace(start, status="waiting", question=irreversible, steps=steps)
    yield "cell", replace(start, status="waiting", question=cell(text), variables=left(text))
    yield "line of a cell", replace(start, status="waiting", question=cell(text, 2), steps=steps[:3])
    yield "paused", replace(start, status="paused", steps=steps[:9])
    yield "question", replace(start, status="waiting", question=question)
    yield "help", replace(start, status="waiting", question=help_wanted("l", "login", text))
    yield "done", replace(start, status="succeeded", result=text, steps=steps)
    offers = {label: (text,) for label in ("Save as skill…", "Insert as cells", "Run again", "Export")}
    yield "failed", replace(start, status="failed", error=text, warning=text, steps=steps, offers=offers)
source.view = replace(view, rows=make_rows(PARTS), url="https://x.test/" + "y" * 300, title=PARTS[0])
latin, arabic = (list(states(" ".join(PARTS[at:] + PARTS[:at]))) for at in (0, 1))
every = [(latin, arabic)[n % 2][n] for n in range(len(latin))] + [arabic[2]]
"""
MEASURE = """(panel, widths) => {
  const cut = [], places = {};
  const seen = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
  const name = (each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 20)}`;
  for (const [width, way] of widths.flatMap((each) => [[each, "ltr"], [each, "rtl"]])) {
    panel.style.width = `${width}px`;
    panel.dir = way;
    for (const each of panel.querySelectorAll("details")) each.open = true;
    const outer = panel.getBoundingClientRect();
    for (const box of [panel, ...panel.querySelectorAll(
      ".sbp-header, .sbp-lead, .sbp-actions, .sbp-body, .sbp-side, .sbp-card, .sbp-page, .sbp-pane, .sbp-bar, " +
      ".sbp-tree, .sbp-steps, .sbp-result, .sbp-tasks, .sbp-cell, .sbp-code, .sbp-variables"
    )])
      if (seen(box) && box.scrollWidth > box.clientWidth)
        cut.push([width, way, name(box), box.scrollWidth - box.clientWidth]);
    for (const each of panel.querySelectorAll("button, input, select, textarea")) {
      if (!seen(each) || each.closest(".sbp-boxes")) continue;
      const box = each.getBoundingClientRect();
      const pane = (each.closest(".sbp-side > *, .sbp-pane") ?? panel).getBoundingClientRect();
      if (box.left < pane.left - 0.5 || box.right > pane.right + 0.5 || box.width < 12)
        cut.push([width, way, name(each), "aside"]);
    }
    for (const each of panel.querySelectorAll(".sbp-actions > button"))
      if (seen(each) && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight))
        cut.push([width, way, name(each), "text"]);
    const lead = panel.querySelector(".sbp-lead").getBoundingClientRect();
    for (const each of panel.querySelectorAll(".sbp-lead button"))
      if (seen(each) && each.getBoundingClientRect().bottom > lead.bottom + 1)
        cut.push([width, way, name(each), "below"]);
    const bar = panel.querySelector(".sbp-actions").getBoundingClientRect();
    const filter = panel.querySelector(".sbp-filter").getBoundingClientRect();
    places[`${width} ${way}`] = [bar.top - outer.top, bar.height, filter.width, outer.height].map(Math.round).join();
  }
  panel.style.width = panel.dir = "";
  return { cut, places };
}"""


def measure(notebook: LabNotebook) -> tuple[list[Any], dict[str, str]]:
    found = notebook.panel.evaluate(MEASURE, list(WIDTHS))
    return found["cut"], found["places"]


def show(notebook: LabNotebook, index: int) -> str:
    """Show one of the states; its name, once the panel has it."""
    name = notebook.evaluate(
        1, f"name, source.state = every[{index}]\nsource.state = replace(source.state, max_steps=1000 + {index})\n"
        "source.notify(); print(name)"
    )  # fmt: skip
    expect(notebook.panel.locator(".sbp-facts")).to_contain_text(f"/ {1000 + index}")
    return name


def test_nothing_is_cut_and_nothing_moves_in_any_state(shown: LabNotebook) -> None:
    count = int(shown.evaluate(1, STATES.strip() + "\nlen(every)"))
    places: dict[str, dict[str, str]] = {}
    wrong: dict[str, Any] = {}
    for index in range(count):
        name = show(shown, index)
        cut, places[name] = measure(shown)
        if name == "write":
            shown.panel.get_by_role("button", name="Reject…").click()
            more, places[name + " replying"] = measure(shown)
            shown.panel.get_by_label("What to tell the agent").press("Escape")
            shown.panel.get_by_label("note", exact=True).fill("edited")
            edited, places[name + " edited"] = measure(shown)
            cut += more + edited
        if name == "cell":
            shown.panel.get_by_role("button", name="Edit", exact=True).click()
            more, places["cell edited"] = measure(shown)
            cut += more
        if name == "irreversible":
            shown.panel.get_by_role("button", name="Approve", exact=True).click()
            more, places[name + " again"] = measure(shown)
            cut += more
        cut += violations(shown.page, ".jp-OutputArea .sbp-run")
        if cut:
            wrong[name] = cut
    lines = {str(each) for cut in wrong.values() for each in cut}
    assert not wrong, "\n".join([*wrong, *sorted(lines)])
    first = next(iter(places.values()))
    assert {name: place for name, place in places.items() if place != first} == {}


@pytest.mark.parametrize("button", ["Approve", "Auto"])
def test_after_a_click_with_the_mouse_the_keys_still_work(shown: LabNotebook, button: str) -> None:
    shown.evaluate(
        1,
        "def go_on(n, until):\n"
        "    source.state = replace(source.state, question=None, status='running'); source.notify()\n"
        "source.go_on = go_on",
    )
    shown.panel.get_by_role("button", name=button, exact=True).click()
    if button == "Auto":
        expect(shown.panel.locator(".sbp-waits")).to_contain_text("Waiting for")
    else:
        expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    expect(shown.panel).to_be_focused()


def test_while_a_call_runs_its_words_what_is_awaited_and_the_seconds_show(shown: LabNotebook) -> None:
    shown.evaluate(
        1,
        "import time\nsource.state = replace(source.state, question=None, status='running', steps=[],"
        " since=time.time() - 5, under_way=\"Click the button 'Save'\")\nsource.notify()",
    )
    card = shown.panel.locator(".sbp-card")
    expect(card).to_contain_text("Click the button 'Save'")
    expect(card).to_contain_text("Waiting for the page · 5 s")
    expect(card).to_contain_text("Waiting for the page · 8 s")
    expect(shown.panel.locator(".sbp-waits")).to_contain_text("Waiting for the page")

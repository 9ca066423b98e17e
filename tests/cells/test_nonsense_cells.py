"""A model that writes nonsense, valid and invalid, breaks nothing: cells end, and a rerun of them is the same."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from skillbook.agents.run.run_code import variable_views
from skillbook.agents.state import run_cells
from skillbook.agents.state.run_cells import Cell, CellCall, RunCells, frame_of_cell, merge_cells
from skillbook.agents.state.step_records import StepRecord
from skillbook.cells.crossing import ActionResult, Node, to_plain
from skillbook.cells.foresight import foresee
from skillbook.cells.parsed_code import show_faults, spans_by_line
from skillbook.cells.sandbox import CellEnd, Sandbox
from skillbook.errors import InvalidCell

CELLS = 20
VALUES = [
    "page", "sb", "rows", "x", "y", "f", "None", "True", "1", "-1", "0.5", "10**30", "'lamp'", "'Ω\u202e'",
    "b'a'", "[]", "{}", "{1}", "[1, 'a', None]", "{'a': 1, 2: [3]}", "(1,)", "f'{x}'", "lambda r: r", "x.y",
    "x[0]", "rows[0]['a']", "[r for r in rows]", "page.find('row')", "page.find('row')[0].ref",
    "page.text('heading')", "page.count('row')", "page.url", "page.title", "page.is_visible('e1')",
    "page.click", "sb.extract(page)", "sb.extract(page, fields={'a': 'heading'})", "sb.tables(page)",
    "sb.secret('gh')", "sb.secret('../x')", "page.fill('e1', x)", "page.click('e1')", "page.click(y)",
    "page.clik('e1')", "page.wait_for(text='a')", "page.goto(x)", "int(x)", "len(x)",
    "sorted(rows, key=lambda r: r['a'])", "{**rows[0], 'c': y}", "x + y", "x == y", "not x", "x if y else 1",
    "str(x)", "dict(rows[0], b=x)", "print(x)", "open('/etc/passwd')", "__import__('os')", "x.__class__",
    "float('nan')", "float('inf')", "'a' * 3000", "[0] * 3000", "[[[[[[[[x]]]]]]]]",
]  # fmt: skip
LINES = [
    "{0}", "x = {0}", "y = {0}", "rows = sb.extract(page)", "rows = [{{'a': {0}, 'b': {1}}}]",
    "x, y = {0}, {1}", "print({0})", "for x in {0}:\n    y = {1}",
    "for n in range(3):\n    page.click(f'e{{n}}')", "try:\n    {0}\nexcept RuntimeError as e:\n    print(e)",
    "try:\n    {0}\nfinally:\n    y = {1}", "if {0}:\n    {1}", "def f(a):\n    return {0}", "x = f({0})",
    "assert {0}", "raise ValueError({0})", "del x", "x += {0}", "rows[0]['a'] = {0}",
    "import json\nx = json.dumps({0})", "import os", "from re import *", "return {0}", "yield {0}",
    "async def g(): await {0}", "class A:\n    x = {0}", "global x\nx = {0}", "1 / 0", "x = = {0}", "(((",
    "'''", "\x00", "\ufeffx = 1", "# {0}", "", "   {0}", "\tx = 1", "page = {0}", "sb = {0}", "print = {0}",
    "[r for r in rows if {0}]",
]  # fmt: skip
ANSWERS: list[Any] = [
    ActionResult(True, "u"), [Node("e1", "row"), Node("e2", "row", "Ω")], [], "text", None, 3, True,
    [{"a": "Aurora", "b": 1}, {"a": "Beacon", "b": None}], [{"kind": "table", "name": "T", "rows": 2, "fields": ["a"]}],
]  # fmt: skip


SENSE = [
    "rows = sb.extract(page)\n[r for r in rows if r['a']]", "for n in page.find('row'):\n    page.click(n)",
    "rows = sb.extract(page, fields={'a': 'heading'})\n[{'c': r['a'], 'd': 1} for r in rows]",
    "page.text('heading')", "try:\n    page.click('e1')\nexcept RuntimeError as e:\n    print(e)",
    "found = page.find('row')[0]\nfound.ref", "def g(a: int) -> int:\n    return a * a\ng(12)",
    "page.url + page.title", "sorted(sb.tables(page), key=lambda t: t['name'])",
    "for k in range(3):\n    page.fill('e1', str(k))\n    rows = sb.extract(page)\nrows",
    "made = [{'a': 1}, {'b': None}]\nmade", "late = page.count('row')\n1 // (late - late)\nnever = 2",
    "page.fill('e1', sb.secret('gh')).changed", "try:\n    page.click('e1')\nfinally:\n    page.back()",
    "import json\njson.loads(page.text('heading'))", "p = page\np.reload()",
    "deep = []\nfor k in range(200):\n    deep = [deep]\ndeep", "print('a' * 200_000)",
]  # fmt: skip


LOSING = [
    "while True: pass", "text = 'a' * 10**10", "for k in range(30):\n    page.press('Enter')",
    "n = 0\nwhile page.is_visible('e1') or True:\n    n += 1",
]  # fmt: skip


def nonsense(dice: random.Random) -> str:
    """A cell: most of them Python over the page, whose answers won't fit; others lines without sense."""
    kind = dice.random()
    if kind < 0.02:
        return dice.choice(LOSING)
    if kind < 0.5:
        return "\n".join(dice.sample(SENSE, dice.randint(1, 2)))
    count = dice.randint(1, 4)
    code = "\n".join(
        dice.choice(LINES).format(dice.choice(VALUES), dice.choice(VALUES)) for _ in range(count)
    )
    if code and dice.random() < 0.1:
        at = dice.randrange(len(code))
        code = code[:at] + dice.choice("()[]'\"=:\n\\é") + code[at + 1 :]
    return code


async def carry_out(cells: RunCells, dice: random.Random, steps: list[StepRecord]) -> CellEnd:
    """Answer the calls of the cell under way until it ends, each by a value or an error."""
    while isinstance(step := await cells.advance(), CellCall):
        steps.append(StepRecord(len(steps) + 1, step.tool, step.args, step.call_id))
        answer = (
            {"error": "[no_match] none"}
            if dice.random() < 0.15
            else {"value": to_plain(dice.choice(ANSWERS))}
        )
        cell = cells.records[-1]
        change = {"id": cell["id"], "number": len(cell["answers"]), "answer": answer}
        cells.records = merge_cells(cells.records, [change])
    assert step is not None
    return step


@pytest.mark.parametrize("runs", [3, pytest.param(10, marks=pytest.mark.more)])
async def test_cells_of_nonsense_break_nothing(runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cells, "MOST_CALLS", 12)
    monkeypatch.setattr(run_cells, "Sandbox", partial(Sandbox, seconds=0.3))
    dice = random.Random(20261126)
    ends: list[CellEnd] = []
    calls = 0
    for _ in range(runs):
        cells, steps = RunCells(), list[StepRecord]()
        try:
            for number in range(CELLS):
                end = await write_cell(cells, f"c{number}", nonsense(dice), dice, steps)
                ends += [] if end is None else [end]
            calls += len(steps)
        finally:
            await cells.close()
    counts = [
        runs * CELLS - len(ends),
        sum(not end.error for end in ends),
        sum(bool(end.error) for end in ends),
    ]
    assert min(*counts, calls) > 2 * runs, counts
    assert any(end.lost for end in ends)
    assert await values_after(cells.records) == await values_after(cells.records)


async def write_cell(
    cells: RunCells, cell_id: str, code: str, dice: random.Random, steps: list[StepRecord]
) -> CellEnd | None:
    """What is done with a cell that a model writes; None if it isn't run."""
    spans_by_line(code)
    try:
        forecast = foresee(code)
    except InvalidCell:
        return None
    if faults := await cells.check(code):
        assert show_faults(faults, code)
        return None
    cells.begin(cell_id, code, forecast, approved=True, seen=None, page=None)
    begun = cells.take_begun(cell_id)
    assert begun is not None
    cells.records = merge_cells(cells.records, [begun])
    end = await carry_out(cells, dice, steps)
    frame_of_cell(end.value, cells.records, steps)
    done = {"lost": end.lost, "error": end.error}
    cells.records = merge_cells(cells.records, [{"id": cell_id, "ended": done}])
    await cells.note_variables()
    variable_views(cells.variables)
    return end


async def values_after(records: list[Cell]) -> list[str]:
    """The variables that a new kernel has, and that it computes still."""
    again = RunCells(records)
    try:
        code = "40 + 2"
        assert await again.check(code) == []
        await again.note_variables()
        found = [f"{each.name} {each.type} {each.value!r}" for each in again.variables]
        again.begin("last", code, foresee(code), approved=True, seen=None, page=None)
        begun = again.take_begun("last")
        assert begun is not None
        again.records = merge_cells(again.records, [begun])
        assert await again.advance() == CellEnd("", 42)
        return found
    finally:
        await again.close()

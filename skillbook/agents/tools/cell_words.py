"""What a model gets of a cell that has ended: what it printed, its value, and what changed, once for the whole cell."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from skillbook.agents.fence import fence
from skillbook.agents.tools.formatting import CHANGES, page_text
from skillbook.cells.crossing import ActionResult
from skillbook.cells.surface import POPUP
from skillbook.errors import SkillbookError
from skillbook.perception.diff import compare
from skillbook.perception.text.named_refs import named_refs, without_named_refs

if TYPE_CHECKING:
    from skillbook.agents.state.cell_history import Cell
    from skillbook.agents.state.run_context import RunContext
    from skillbook.cells.sandbox import CellEnd

_PRINTED = 4_000
_VALUE = 4_000
_CHANGES = 6_000
_NOTES = 2_000
_PRINTED_NODE = re.compile(
    r"""(?P<said>Node\(ref='\w+', role='[^'\\]*', name=(?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")), """
    r"""value=None, text=(?P=name), tab=0\)"""
)


async def describe_end(context: RunContext, cell: Cell, end: CellEnd) -> str:
    """A cell's end in words; all that may quote a page is fenced."""
    calls = len(cell["answers"])
    made = f"after {calls} call{'s' * (calls != 1)}"
    if end.error:
        line = f" at line {end.error_line}" if end.error_line else ""
        parts = [
            f"The cell stopped{line}, {made}:",
            fence(f"{end.error}{_line(cell['code'], end.error_line)}"),
        ]
    else:
        parts = [f"The cell ended, {made}."]
    parts += _by_person(context, cell, end)
    if end.lost:
        parts.append("Its variables are lost; those of earlier cells are kept.")
    if end.printed:
        parts.append(f"It printed:\n{fence(_cut(printed_in_short(end.printed), _PRINTED))}")
    if (value := _said_of(end.value) if calls else end.value) is not None:
        parts.append(f"Its value:\n{fence(_cut(in_short(value), _VALUE))}")
    if context.cells is not None and context.cells.notes:
        parts.append(f"Requests of its calls:\n{fence(_cut('; '.join(context.cells.notes), _NOTES))}")
    if calls:
        parts += [await _changes(context, cell), *await _other_tabs(context, cell)]
    return "\n".join(filter(None, parts))


def _by_person(context: RunContext, cell: Cell, end: CellEnd) -> list[str]:
    """What a person changed: the model knows its own code, and takes what that says for what was done."""
    parts = []
    if cell.get("edited"):
        masked = context.masked_calls.get(str(cell["id"]), {})
        code = str(masked.get("code", cell["code"])).rstrip("\n")
        parts.append(
            f"The person replaced your code on purpose. What ran is:\n{code}\nDon't run your own again."
        )
    made = [answer["by_person"] for answer in cell["answers"] if "by_person" in answer]
    if made and not (len(made) == 1 and end.error and "[rejected]" in end.error):
        calls = fence(_cut("\n".join(made), _NOTES))
        parts.append(f"The person decided otherwise than your code, so report only what was done:\n{calls}")
    return parts


def _said_of(value: Any) -> Any:
    """What is worth saying of a cell's value: of an action's result only a file, for what changed is said anyway."""
    return value.path if isinstance(value, ActionResult) else value


def printed_in_short(text: str) -> str:
    """What a cell printed, without what an element says twice of itself: the sandbox prints all that there is of it."""
    return _PRINTED_NODE.sub(r"\g<said>)", text)


def in_short(value: Any) -> str:
    """A value as text; of rows, one a line."""
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        rows = "\n".join(json.dumps(each, ensure_ascii=False, default=str) for each in value)
        return f"{len(value)} rows\n{rows}"
    return value if isinstance(value, str) else repr(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n… and {len(text) - most:,} more characters"


def _line(code: str, line: int) -> str:
    lines = code.split("\n")
    return f"\n    {lines[line - 1].strip()}" if 1 <= line <= len(lines) else ""


async def _changes(context: RunContext, cell: Cell) -> str:
    """What changed on the page since the model saw it."""
    before = context.cells.seen.get(cell["id"]) if context.cells is not None else None
    try:
        now = await context.snapshot()
    except SkillbookError as error:
        return f"The page can't be read at the moment: {fence(error.message)}"
    if before is None or before.main.key != now.main.key:
        return f"The page is now:\n{page_text(context, now)}"
    changes = compare(before, now)
    if changes.empty:
        context.see(now)
        return "Nothing on the page has changed since you saw it."
    text = without_named_refs(changes.text(), named_refs(now))
    if len(text) > _CHANGES:
        return f"Much of the page changed. It is now:\n{page_text(context, now)}"
    context.see(now)
    return f"{CHANGES}{fence(text)}"


async def _other_tabs(context: RunContext, cell: Cell) -> list[str]:
    """The other tab that the cell worked in last, as it is now, and a tab that opened without its taking it."""
    cells, home = context.cells, context.page
    if cells is None or home.closed:
        return []
    parts = []
    if (open_ones := [page for page in cells.beside if not page.closed]) and open_ones[-1] is not home:
        context.work_in(open_ones[-1])
        try:
            shown = page_text(context, await context.snapshot())
            parts.append(f"In another tab, where the cell worked last, the page is now:\n{shown}")
        except SkillbookError as error:
            parts.append(f"The other tab can't be read at the moment: {fence(error.message)}")
        finally:
            context.work_in(home)
    last = [step for step in context.steps if step.extra.get("cell") == cells.number(cell["id"])]
    opened = list(last[-1].extra.get("opened_tabs", ())) if last else []
    if opened and last[-1].tool != POPUP and home.browser.opened_by(home) is not None:
        parts.append("It opened a tab, which `page.popup()` gives.")
    return parts

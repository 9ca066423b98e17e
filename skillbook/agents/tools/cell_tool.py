"""The tool `run_cell`: how a cell is checked before it runs, the call, and what a model gets of one that has ended."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.fence import fence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import masked_args
from skillbook.agents.state.step_records import RUN_CELL
from skillbook.agents.tools.formatting import CHANGES, page_text
from skillbook.agents.tools.tool_base import make_tool
from skillbook.cells.crossing import ActionResult
from skillbook.cells.foresight import Forecast, ForeseenCall, foresee
from skillbook.cells.parsed_code import Fault, show_faults
from skillbook.cells.surface import POPUP, RUN_SKILL
from skillbook.errors import AmbiguousMatch, InvalidCell, SelectorError, SelectorSyntaxError, SkillbookError
from skillbook.perception.diff import compare
from skillbook.perception.selectors import looked_for
from skillbook.perception.text.omissions import named_refs, without_named_refs
from skillbook.policy import Verdict
from skillbook.policy.secrets import MASK
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.skill.library import skills

if TYPE_CHECKING:
    from skillbook.agents.state.run_cells import Cell
    from skillbook.agents.state.run_context import RunContext
    from skillbook.cells.sandbox import CellEnd
    from skillbook.perception.snapshot import Snapshot


Judge = Callable[[str, dict[str, Any]], Awaitable[tuple[Verdict | None, str]]]
"""What the policy says of a call, and its target in words."""
_QUESTIONS = frozenset({"find", "count", "wait_for"})
"""Methods that may well name nothing: that is what they ask."""


async def foresee_on_page(context: RunContext, code: str, judge: Judge | None = None) -> Forecast:
    """What a cell is going to do on the page as it is now.

    Raises InvalidCell: it can't be run; the message has each line with marks. Nothing of it was carried out.
    """
    assert context.cells is not None
    forecast = foresee(code, context.cells.earlier)
    if faults := await context.cells.check(code):
        raise InvalidCell(show_faults(faults, code))
    snapshot = await context.snapshot()
    early = [id(call) for call in forecast.before_writes() if not call.elsewhere]
    known: dict[int, ForeseenCall] = {}
    for at, call in enumerate(forecast.calls):
        fault = _selector_fault(call, snapshot, now=id(call) in early) or _skill_fault(call)
        if fault is None and judge is not None and call.args is not None:
            judged = await _judged(call, judge, now=id(call) in early)
            fault, known[at] = (judged, call) if isinstance(judged, Fault) else (None, judged)
        if fault is not None:
            faults.append(fault)
    if faults:
        raise InvalidCell(show_faults(faults, code))
    return forecast.with_verdicts(known)


def _selector_fault(call: ForeseenCall, snapshot: Snapshot, *, now: bool) -> Fault | None:
    """What is wrong with a selector that is written out: always its form, and what it names if nothing comes before."""
    targets = [call.args[name] for name in ("target", "to") if call.args and call.args.get(name)]
    for target in targets:
        if is_ref(str(target)):
            if now and target not in snapshot:
                return _fault(call, f"there is no element {target} on the page now")
            continue
        try:
            if not looked_for([str(target)], texts=False):  # only the page answers CSS
                snapshot.find(str(target))
        except SelectorSyntaxError as error:
            return _fault(call, error.message)
        except AmbiguousMatch as error:
            if now and call.method.name not in _QUESTIONS and call.method.effect != "read":
                return _fault(call, error.message)
        except SelectorError as error:
            if now and call.method.name not in _QUESTIONS and not call.method.name.startswith("is_"):
                return _fault(call, f"{error.message}. {error.hint}".strip())
    return None


def _skill_fault(call: ForeseenCall) -> Fault | None:
    """What is wrong with a skill's name or its inputs' names, where they are written out."""
    if call.method.tool != RUN_SKILL or call.args is None:
        return None
    try:
        skill = skills.load(str(call.args["name"]))
    except SkillbookError as error:
        return _fault(call, f"{error.message}; {error.hint}")
    known = {one.name for one in skill.inputs}
    for name in call.args.get("inputs", {}):
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            return _fault(call, f"{skill.name} has no input {name!r}; its inputs are: {listed}")
    return None


async def _judged(call: ForeseenCall, judge: Judge, *, now: bool) -> ForeseenCall | Fault:
    """The call with its target in words and what the policy says of it, as far as that can be known before it runs."""
    command = COMMANDS.get(call.method.tool)
    if command is None or not (command.destination or (now and call.method.effect != "read")):
        return call
    assert call.args is not None
    try:
        verdict, target = await judge(call.method.tool, call.args)
    except SkillbookError as error:
        return _fault(call, error.message)
    if verdict is not None and verdict.action == "refuse":
        return _fault(call, f"refused: {verdict.reason}")
    asks = verdict is not None and (verdict.action == "ask" or verdict.effect.value == "irreversible")
    return replace(call, target=target or call.target, verdict="asks again" if asks else "")


def _fault(call: ForeseenCall, message: str) -> Fault:
    return Fault(call.line, call.column, call.line, call.end_column, message)


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


class CellArgs(BaseModel):
    """A cell's code."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(description="Python over page and sb; the last expression comes back.")


def cell_tool(context: RunContext) -> BaseTool:
    """The tool `run_cell` of a run that has cells."""

    async def run_cell(code: str) -> str:
        cells, call_id = context.cells, context.call_id
        assert cells is not None
        decided = context.decisions.get(call_id, {}).get("type")
        if decided == "edit" or call_id not in cells.forecasts:
            cells.forecasts[call_id] = await foresee_on_page(context, code)
        forecast = cells.forecasts[call_id]
        approved = decided in {"approve", "edit"}
        cells.begin(call_id, code, forecast, approved=approved, seen=context.seen, page=context.page)
        masked = _masked(context, code, forecast)
        if masked != code:
            context.masked_calls[call_id] = {"code": masked}
        context.notes.url = context.page.url
        context.notes.summary = forecast.text
        return "The cell runs."

    return make_tool(RUN_CELL, "Run Python over the page.", CellArgs, run_cell, effect="read", kind="cell")


def _masked(context: RunContext, code: str, forecast: Forecast) -> str:
    """The code without what it types where nobody may read it."""
    for call in forecast.calls:
        if call.args is None:
            continue
        masked = masked_args(call.method.tool, call.args, context.latest)
        for name, value in masked.items():
            if value == MASK and value != call.args[name]:
                code = code.replace(str(call.args[name]), MASK)
    return code

"""A run as code: its calls as lines for a cell, its cells as a panel shows them and as a notebook file."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from skillbook.agents.state.step_records import RUN_CELL, PendingCall, StepRecord
from skillbook.cells.parsed_code import spans_by_line
from skillbook.cells.written_secrets import spelled_out
from skillbook.errors import InvalidSkill, SkillbookError
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import build_locator
from skillbook.policy.secrets import Secret
from skillbook.protocol.asks.run_asks import CellView, CodePiece, StepOffer, VariableView
from skillbook.protocol.refs import is_ref
from skillbook.session.sync import Page
from skillbook.skill.model.spec import FIRST_LINE
from skillbook.skill.recording.recorded_steps import RecordedStep

if TYPE_CHECKING:
    from skillbook.agents.state.run_cells import Variable
    from skillbook.agents.state.run_context import RunContext


_EXTRACT = ("fields", "within", "scroll", "next", "max_pages")
_TARGETS = ("target", "to")


def code_of(step: StepRecord) -> str:
    """The cell, or the call that does the same from one, with selectors in the place of refs; empty where none does."""
    if step.tool == RUN_CELL:
        return spelled_out(str(step.final_args.get("code", "")))
    node = step.extra.get("node")
    args = dict(step.final_args)
    if isinstance(node, Node) and is_ref(str(args.get("target", ""))):
        args["target"] = selector_of(node)
    return _code_of_call(step.tool, args)


def code_of_recorded(step: RecordedStep) -> str:
    """The call that does the same as a recorded step; empty where none does."""
    args = dict(step.params)
    for name, node, named in (("target", step.node, step.named), ("to", step.to_node, step.to_named)):
        if node is not None or named:
            args[name] = named or (selector_of(node) if node else "")
    return _code_of_call(step.command, args)


def _code_of_call(command: str, given: dict[str, Any]) -> str:
    args = {name: value for name, value in given.items() if value not in (None, [], {})}
    if command == "extract":
        known = {name: value for name, value in args.items() if name in _EXTRACT}
        return "" if _has_ref(known) else _call("df = sb.extract", ["page"], known)
    method = getattr(Page, command, None)
    if method is None or not callable(method):
        return ""
    parameters = inspect.signature(method).parameters
    if _has_ref(args) or not args.keys() <= parameters.keys():
        return ""
    positional = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    first = []
    for name in positional[1:]:
        if name not in args:
            break
        first.append(_written(args.pop(name)))
    return _call(f"page.{command}", first, args)


def code_for(node: Node) -> str:
    """What one most likely does with an element: fill a field, click anything else."""
    selector = selector_of(node)
    if not selector:
        return ""
    fills = node.role in {"textbox", "searchbox", "spinbutton"}
    return f'page.fill({selector!r}, "")' if fills else f"page.click({selector!r})"


def selector_of(node: Node) -> str:
    """The selector that names an element; empty where none does it alone."""
    try:
        return str(build_locator(node))
    except SkillbookError:
        return ""


def _has_ref(args: dict[str, Any]) -> bool:
    return any(not args[name] or is_ref(str(args[name])) for name in _TARGETS if name in args)


def _call(name: str, first: list[str], args: dict[str, Any]) -> str:
    given = [*first, *(f"{key}={_written(value)}" for key, value in args.items())]
    return f"{name}({', '.join(given)})"


def _written(value: Any) -> str:
    if isinstance(value, Secret) and len(value.names) == 1:
        return f"sb.secret({min(value.names)!r})"
    return repr(value)


_WHOLE = (("call", "Step into"), ("write", "To the first write"))
_INNER = (
    ("call", "Step"),
    ("line", "To the next line"),
    ("write", "To the next write"),
    ("end", "To the end"),
)
_MOST_ROWS = 20
_MOST_COLUMNS = 8
_MOST_VARIABLES = 30
_TEXT_LENGTH = 300
_FIELD_LENGTH = 80


def cell_view(pending: PendingCall) -> CellView | None:
    """The cell of a call that waits; None where it has none. What can't be undone has no steps."""
    place = pending.cell
    if place is None:
        return None
    offers = _WHOLE if pending.tool == RUN_CELL else _INNER
    return CellView(
        number=place.number,
        line=place.line,
        forecast=place.forecast,
        lines=[
            [CodePiece(**asdict(span)) for span in line]
            for line in spans_by_line(place.code.rstrip("\n"), place.start, place.end)
        ],
        steps=[StepOffer.model_validate({"until": until, "words": words}) for until, words in offers]
        if can_step(pending)
        else [],
    )


def can_step(pending: PendingCall) -> bool:
    """Whether a call may be approved with the words how far its cell goes on."""
    return pending.cell is not None and pending.is_call and pending.review.effect != "irreversible"


def variable_views(variables: Sequence[Variable]) -> list[VariableView]:
    """Variables as plain data, cut to what can be looked at."""
    return [_variable_view(each) for each in variables[:_MOST_VARIABLES]]


def _variable_view(variable: Variable) -> VariableView:
    value = variable.value
    facts: dict[str, Any] = {"name": variable.name, "type": variable.type, "size": variable.size}
    if isinstance(value, list) and value and all(isinstance(row, Mapping) and row for row in value):
        columns = list(dict.fromkeys(str(key) for row in value for key in row))[:_MOST_COLUMNS]
        rows = [[_short(row.get(name), _FIELD_LENGTH) for name in columns] for row in value[:_MOST_ROWS]]
        return VariableView(**facts, columns=columns, rows=rows)
    return VariableView(**facts, text=_short(value if isinstance(value, str) else repr(value), _TEXT_LENGTH))


def _short(value: Any, length: int) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= length else f"{text[: length - 1]}…"


_IGNORED = {"tags": ["nbval-ignore-output"]}
"""A page is another one each time; nbval still sees an error."""


def text_cell(source: str) -> dict[str, Any]:
    """A cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source: str, *, checked: bool = True) -> dict[str, Any]:
    """A cell of code that hasn't run; nbval compares no outputs of one that isn't `checked`."""
    metadata = {} if checked else _IGNORED
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def notebook_text(cells: Sequence[Mapping[str, Any]]) -> str:
    """What a notebook's file holds."""
    notebook = {
        "cells": [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def cells_for_kernel(url: str, cells: Sequence[str]) -> tuple[str, ...]:
    """A run's cells as ones that run in a kernel that has the page as `page`, from where the run began."""
    return f"{FIRST_LINE}\n\npage.goto({url!r})", *(cell.strip("\n") for cell in cells)


def notebook_of_cells(goal: str, url: str, cells: Sequence[str], cassette: str = "") -> str:
    """A notebook in which a run's cells run as they are: `page` and `sb` are what they know.

    cassette: the name of the cassette that it records, and replays from then on; empty for none.
    """
    begin = f"import skillbook\n{FIRST_LINE}\n\nbrowser = skillbook.launch()\npage = browser.open({url!r})"
    end = "browser.close()"
    if cassette:
        begin = begin.replace("\n\n", f"\n\ntape = skillbook.cassette({cassette!r})\n", 1)
        end = f"tape.stop()\n{end}"
    code = [begin, *(cell.strip("\n") for cell in cells), end]
    return notebook_text([text_cell(f"# {goal}"), *(code_cell(each, checked=False) for each in code)])


_OTHERWISE = {"edit", "reject", "respond"}


def ended_cells(context: RunContext) -> dict[int, str]:
    """The code of each cell that ended without an error, by its number.

    Raises InvalidSkill: a person decided otherwise on a call of one, so that its code isn't what was done.
    """
    assert context.cells is not None
    ended = {
        number: spelled_out(str(cell["code"]))
        for number, cell in enumerate(context.cells.records, 1)
        if cell.get("ended") is not None and not cell["ended"]["error"]
    }
    for step in context.steps:
        number, line = step.extra.get("cell"), step.extra.get("line")
        if number in ended and line is not None and step.decision in _OTHERWISE:
            raise InvalidSkill(
                f"line {line} of cell {number} says {step.tool}, and a person decided otherwise ({step.decided}): "
                "its code isn't what was done",
                hint="let a cell run whose code says what you want: run.edit(code=…) changes it",
            )
    return ended


def began_at(context: RunContext) -> str:
    """The address at which a run began."""
    return next((step.before.url for step in context.steps if step.before is not None), "about:blank")


def cells_to_insert(context: RunContext, records: Sequence[StepRecord]) -> tuple[str, ...]:
    """What a run did, as cells of the notebook that shows it: its own, or one with its calls that came to something.

    None for cells of which a person changed what they did.
    """
    if context.cells is None:
        calls = [code for step in records if step.ok and (code := code_of(step))]
        return ("\n".join(calls),) if calls else ()
    try:
        cells = list(ended_cells(context).values())
    except InvalidSkill:
        return ()
    return cells_for_kernel(began_at(context), cells) if cells else ()

"""From a run that wrote cells to a skill that is code: a function of the cells that counted, a step for each call."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skillbook.cells.foresight import ForeseenCall, foresee
from skillbook.cells.parsed_code import parsed
from skillbook.cells.surface import TAB_TOOLS
from skillbook.errors import InvalidSkill
from skillbook.perception.selectors import parse_selector
from skillbook.protocol.refs import is_ref
from skillbook.skill.authoring.skill_writer import literals_of, send_of, start_url, write_spec, write_step
from skillbook.skill.consent.send_allowlist import new_ids
from skillbook.skill.facade import Skill
from skillbook.skill.model.skill_prose import text_of
from skillbook.skill.model.spec import FIRST_LINE, calls_of
from skillbook.skill.model.spec_base import SkillInput, SkillOutput, check_name
from skillbook.skill.model.spec_steps import EXTRACT, RUN_SKILL, Extract, Send, SkillStep, StepTarget
from skillbook.skill.model.templates import placeholders, unescape, write_selector
from skillbook.skill.proof.skill_proof import RecordedResults
from skillbook.skill.recording.expected_checks import failed_shapes
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording, leftover_of

_INDENT = "    "
_PIECE = re.compile(r"(\$\{(?:input|secret):[^}]*\})")
_TYPES = {"int": "int", "float": "float", "bool": "bool"}


@dataclass(frozen=True)
class WrittenCode:
    """The text of skill.py.

    lines: the line in it of each cell's first line, by the cell's number; cells that are left out have none.
    inputs: the names of the inputs that it uses.
    """

    text: str
    lines: Mapping[int, int]
    inputs: frozenset[str]


def cells_that_count(cells: Mapping[int, str]) -> list[int]:
    """The numbers of the cells that act, read rows, end the run, or make a name that one of those needs."""
    kept: list[int] = []
    wanted: set[str] = set()
    for number, code in reversed(list(cells.items())):
        forecast, tree = foresee(code), parsed(code)
        does = any(call.method.effect != "read" or call.method.tool == "extract" for call in forecast.calls)
        is_last = number == max(cells) and bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
        if does or is_last or wanted & set(forecast.names):
            kept.append(number)
            wanted |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return sorted(kept)


def write_code(cells: Mapping[int, str], goal: str, literals: Literals) -> WrittenCode:
    """Write the function.

    cells: the code of those that count, by their numbers.
    """
    used: set[str] = set()
    bodies: dict[int, list[str]] = {}
    for number, code in cells.items():
        text = _with_inputs(code.strip("\n"), literals, used, returns=number == max(cells))
        bodies[number] = _indented(text)
    inputs = [one for one in literals.inputs if one.name in used]
    head = [*_docstring(goal), "", FIRST_LINE, "", "", _signature(inputs)]
    lines, firsts = list(head), {}
    for number, body in bodies.items():
        lines.append(f"{_INDENT}# cell {number}")
        left_out = len(cells[number]) - len(cells[number].lstrip("\n"))
        firsts[number] = len(lines) + 1 - left_out
        lines += body
    return WrittenCode("\n".join(lines) + "\n", firsts, frozenset(used))


def _docstring(goal: str) -> list[str]:
    text = " ".join(goal.split()).replace("\\", "\\\\").replace('"""', "'''")
    return [f'"""{text.rstrip(chr(34))}"""']


def _signature(inputs: Sequence[SkillInput]) -> str:
    named = [
        f"{one.name}: {_TYPES.get(one.type, 'str')}"
        + ("" if one.default is None else f" = {one.default if one.type in _TYPES else str(one.default)!r}")
        for one in inputs
    ]
    return f"def run(page{', *, ' if named else ''}{', '.join(named)}):"


def _indented(code: str) -> list[str]:
    """A cell's lines in a function; those that begin inside of a text stay as they are."""
    inside = {
        line
        for node in ast.walk(parsed(code))
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    return [
        line if number in inside or not line.strip() else f"{_INDENT}{line}"
        for number, line in enumerate(code.split("\n"), 1)
    ]


def _with_inputs(code: str, literals: Literals, used: set[str], *, returns: bool) -> str:
    """The code with inputs in place of the texts that they were, and its last expression returned."""
    tree = parsed(code)
    lines = [line.encode() for line in code.split("\n")]
    changes: list[tuple[int, int, int, str]] = []
    for node in _texts(tree):
        written = _expression(str(node.value), literals, used)
        if written is not None and node.end_lineno == node.lineno and node.end_col_offset is not None:
            changes.append((node.lineno, node.col_offset, node.end_col_offset, written))
    last = tree.body[-1] if tree.body else None
    if returns and isinstance(last, ast.Expr):
        changes.append((last.lineno, last.col_offset, last.col_offset, "return "))
    for line, start, end, written in sorted(changes, reverse=True):
        lines[line - 1] = lines[line - 1][:start] + written.encode() + lines[line - 1][end:]
    return b"\n".join(lines).decode()


def _texts(node: ast.AST) -> Iterator[ast.Constant]:
    """The texts that are values; a key names a column, and those within formatted texts have no place of their own."""
    keys = (
        node.keys if isinstance(node, ast.Dict) else [node.slice] if isinstance(node, ast.Subscript) else []
    )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant) and child in keys:
            continue
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "sb.secret":
            continue  # an input that names a secret would let anybody choose one
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child
        elif not isinstance(child, ast.JoinedStr):
            yield from _texts(child)


def _expression(text: str, literals: Literals, used: set[str]) -> str | None:
    """A text as an expression over inputs; None where it has none."""
    template = literals.template(text)
    found = list(placeholders(template))
    if not found:
        return None
    used |= {one.name for one in found if one.kind == "input"}
    one = found[0]
    if _PIECE.fullmatch(template):
        if one.kind == "secret":
            return f"sb.secret({one.name!r})"
        kind = next((each.type for each in literals.inputs if each.name == one.name), "str")
        return f"str({one.name})" if kind in _TYPES else one.name
    if any(one.kind == "secret" for one in found):
        return None
    parts = [_part(piece) for piece in _PIECE.split(template) if piece]
    return ast.unparse(ast.fix_missing_locations(ast.JoinedStr(parts)))


def _part(piece: str) -> ast.expr:
    name = next((one.name for one in placeholders(piece)), None)
    if name is None:
        return ast.Constant(unescape(piece))
    return ast.FormattedValue(ast.Name(name, ast.Load()), conversion=-1)


Place = tuple[int, str]
"""A line of skill.py, and the command that it calls."""
_COMPARED = 8
_LOOPS = (ast.For, ast.While, ast.comprehension)


def skill_from_cells(
    recording: Recording,
    cells: Mapping[int, str],
    name: str,
    description: str | None = None,
    *,
    outputs: Iterable[str] = (),
) -> Skill:
    """Make a skill of a run's cells; it is not saved yet. Cells that did nothing that is needed are left out.

    recording: the run's calls, with the cell and line of each.
    cells: the code of the cells that came to their end, by their numbers.
    Raises InvalidSkillName. InvalidSkill: nothing was done that could be done again.
    """
    check_name(name)
    kept = {number: cells[number] for number in cells_that_count(cells)} if cells else {}
    done = [step for step in recording.steps if step.cell in kept]
    if not kept or not done:
        raise InvalidSkill(
            "nothing was done that could be done again", hint="let a cell act or extract first"
        )
    _refuse_skills(done)
    start = start_url(done)
    literals = literals_of(recording.goal, start, done)
    _refuse_tabs(kept.values())
    code = write_code(kept, recording.goal, literals)
    _keep_used(literals, code.inputs)
    by_place = _by_place(done, code)
    chosen_on = start if _chooses(code) else ""
    steps = [
        _step_of(call, by_place.get((call.line, call.method.tool), []), literals, chosen_on)
        for call in calls_of(code.text)
    ]
    spec = write_spec(
        recording,
        literals,
        start,
        done,
        name=name,
        description=description,
        outputs=_outputs(outputs, done),
        sends=_sends(done, steps, code, literals, start) if recording.held else None,
        steps=steps,
        code=code.text,
    )
    spec = spec.model_copy(update={"body": text_of(literals.template(recording.goal), spec)})
    dropped = tuple(f"cell {number}" for number in cells if number not in kept)
    return Skill(spec, dropped_steps=dropped, recorded=RecordedResults.of(done))


def _refuse_skills(done: Sequence[RecordedStep]) -> None:
    if any(step.command == RUN_SKILL for step in done):
        raise InvalidSkill(
            "a cell runs a skill, and a skill that is code can't run another",
            hint="run.to_notebook(…) keeps the cells; or save a run whose cells do the steps themselves",
        )


def _refuse_tabs(cells: Iterable[str]) -> None:
    if any(call.method.tool in TAB_TOOLS for code in cells for call in foresee(code).calls):
        raise InvalidSkill(
            "a cell works in another tab, and a skill that is code works in one",
            hint="run.to_notebook(…) keeps the cells; or let a cell go to the address with page.goto",
        )


def _outputs(names: Iterable[str], done: Sequence[RecordedStep]) -> list[SkillOutput]:
    """The columns that a replay's frames have; those that the code names are in what the function returns."""
    read = {str(name) for step in done if step.frame is not None for name in step.frame.columns}
    return [SkillOutput(name=one) for one in names if not read or one in read]


def _keep_used(literals: Literals, used: Collection[str]) -> None:
    """What the code doesn't take is no input: another value of it would change nothing."""
    kept = {*used, "site"}
    literals.inputs[:] = [one for one in literals.inputs if one.name in kept]
    for text in [text for text, name in literals.texts.items() if name not in kept]:
        del literals.texts[text]
    literals.given.clear()


def _by_place(done: Sequence[RecordedStep], code: WrittenCode) -> dict[Place, list[RecordedStep]]:
    found: dict[Place, list[RecordedStep]] = {}
    for step in done:
        found.setdefault(_place_of(step, code), []).append(step)
    return found


def _place_of(step: RecordedStep, code: WrittenCode) -> Place:
    return code.lines[step.cell] + step.line - 1, step.command


def _step_of(
    call: ForeseenCall, done: Sequence[RecordedStep], literals: Literals, chosen_on: str
) -> SkillStep:
    """The step of a line: as it was recorded if it was done to one element, else just that it is called."""
    command = call.method.tool
    bare = SkillStep(
        command=command,
        line=call.line,
        note=f"{command} {call.target}".strip(),
        extract=Extract(leftover=sorted({law for step in done for law in leftover_of(step)}))
        if command == EXTRACT
        else None,
        irreversible=any(step.irreversible for step in done),
        fails=[shape for step in done for shape in failed_shapes(step.failed, literals)],
    )
    names = {step.named for step in done}
    if len(names) != 1 or len({str(step.params) for step in done}) > 1:
        return bare
    (named,) = names
    if is_ref(named):
        return bare
    written = write_step(
        replace(done[0], until={}, presses=1), done[0].after, literals, _seen(done), chosen_on
    )
    more: dict[str, Any] = {"line": call.line, "irreversible": bare.irreversible, "fails": bare.fails}
    if named:
        more["named"] = write_selector(parse_selector(named), literals.template)
    if len(done) > 1:
        others = [
            write_step(replace(step, until={}, presses=1), step.after, literals, [], chosen_on)
            for step in _few(done)
        ]
        more["expect"] = []
        if any(one.confirms != written.confirms for one in others):
            more["confirms"] = None  # each of its records has another
        more["target"] = _of_all(written.target, [one.target for one in others])
        more["to"] = _of_all(written.to, [one.to for one in others])
    return written.model_copy(update=more)


def _few(done: Sequence[RecordedStep]) -> Sequence[RecordedStep]:
    """Some of the times that a line was done, over all of them."""
    return done[1 :: max(len(done) // _COMPARED, 1)]


def _of_all(first: StepTarget | None, others: Sequence[StepTarget | None]) -> StepTarget | None:
    """What a line's targets have in common: in a loop, the heading over a field is another one each time."""
    known = [one for one in others if one is not None]
    if first is None or len(known) < len(others):
        return first
    selectors = [one for one in first.selectors if all(one in other.selectors for other in known)]
    same = {
        name: value
        for name, value in first.fingerprint.items()
        if all(other.fingerprint.get(name) == value for other in known)
    }
    return StepTarget(selectors=selectors or first.selectors, fingerprint=same)


def _seen(done: Sequence[RecordedStep]) -> list[Any]:
    return [one for step in done for one in (step.before, step.after) if one is not None]


def _chooses(code: WrittenCode) -> bool:
    """Whether inputs or loops decide which records the code opens."""
    return bool(code.inputs) or any(isinstance(node, _LOOPS) for node in ast.walk(ast.parse(code.text)))


def _sends(
    done: Sequence[RecordedStep],
    steps: Sequence[SkillStep],
    code: WrittenCode,
    literals: Literals,
    start: str,
) -> list[Send]:
    """What each line sent, and how often at most when it was called once.

    Where inputs or loops decide which records the code opens, an id that the page's address got since the start is
    that of such a record.
    """
    chooses = _chooses(code)
    numbers = {(step.line, step.command): number for number, step in enumerate(steps, 1)}
    most: dict[str, Send] = {}
    last = 1
    for step in done:
        last = numbers.get(_place_of(step, code), last)
        places = new_ids(step.url_before, start) if chooses else {}
        sends = [send_of(fact, last, literals, places) for fact in step.sent]
        for key, count in Counter(send.model_dump_json() for send in sends).items():
            before = most[key].count if key in most else 0
            most[key] = Send.model_validate_json(key).model_copy(update={"count": max(count, before)})
    return list(most.values())

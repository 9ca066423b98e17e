"""Checking a cell before it runs: its text, its types, what it names on the page, and what the policy says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillbook.cells.foresight import Forecast, ForeseenCall, foresee
from skillbook.cells.parsed_code import Fault, show_faults
from skillbook.cells.surface import RUN_SKILL
from skillbook.errors import AmbiguousMatch, InvalidCell, SelectorError, SelectorSyntaxError, SkillbookError
from skillbook.policy import Verdict
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.skill.library import skills

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext
    from skillbook.perception.snapshot import Snapshot

Judge = Callable[[str, dict[str, Any]], Awaitable[tuple[Verdict | None, str]]]
"""What the policy says of a call, and its target in words."""
_QUESTIONS = frozenset({"find", "count", "wait_for"})
"""Methods that may well name nothing: that is what they ask."""


async def foresee_on_page(context: RunContext, code: str, judge: Judge | None = None) -> Forecast:
    """What a cell is going to do on the page as it is now.

    Raises
    ------
    InvalidCell : it can't be run; the message has each line with marks. Nothing of it was carried out.
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

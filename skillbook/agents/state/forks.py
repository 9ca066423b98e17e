"""What a fork takes over from its run: the call that it begins with, and what it can't undo. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillbook.agents.fence import fence
from skillbook.agents.state.step_records import NOBODY_KNOWS, UNTRUE_CALLS, StepRecord
from skillbook.errors import SkillbookError
from skillbook.perception.selectors import build_locator
from skillbook.protocol.commands import CALL_NAMES, COMMANDS


@dataclass(frozen=True)
class LastingEffect:
    """What a step did that can't be undone.

    step: its number in the run that did it.
    words: the call and why it lasts; page text.
    """

    step: int
    words: str

    def __str__(self) -> str:
        return f"step {self.step}, {self.words}"


@dataclass
class Fork:
    """Where a run was forked from.

    run_id, at: the run, and the number of the step that the fork does in another way.
    call: tool and arguments that the fork begins with; None once it is made, or where the model answers.
    """

    run_id: str
    at: int
    lasting: tuple[LastingEffect, ...] = ()
    call: tuple[str, dict[str, Any]] | None = None

    def take_call(self) -> tuple[str, dict[str, Any]] | None:
        """The call to begin with, once."""
        call, self.call = self.call, None
        return call

    @property
    def text(self) -> str:
        """What can't be undone, on one line."""
        return "; ".join(map(str, self.lasting))

    @property
    def warning(self) -> str:
        """What can't be undone, for the person; empty where there is nothing."""
        lines = [f"- {effect}" for effect in self.lasting]
        return (
            "\n".join(["Can't be undone; the run that this was forked from did it:", *lines]) if lines else ""
        )

    def for_model(self) -> str:
        """What can't be undone, for the model; empty where there is nothing."""
        if not self.lasting:
            return ""
        return f"What was done after this point was not undone, so don't do it again:\n{fence(self.text)}\n"


def make_fork(
    run_id: str,
    steps: Sequence[StepRecord],
    at: int,
    instead: Mapping[str, Any] | None,
    *,
    held: bool,
) -> Fork:
    """Make what a fork takes over.

    at: number of the step that the fork does in another way.
    instead: arguments in the place of that step's; None lets the model answer.
    held: whether the run's requests were held, so that it is known what its steps sent.
    """
    lasting = tuple(
        LastingEffect(step.index, words) for step in steps[at - 1 :] if (words := _lasting(step, held))
    )
    changed = steps[at - 1]
    call = None if instead is None else (changed.tool, {**_without_refs(changed), **instead})
    return Fork(run_id, at, lasting, call)


def _without_refs(step: StepRecord) -> dict[str, Any]:
    """A step's arguments with selectors in the place of refs, which name nothing on a page that was loaded again."""
    args, command = dict(step.final_args), COMMANDS.get(step.tool)
    for name in (CALL_NAMES[field] for field in command.ref_fields) if command is not None else ():
        try:
            args[name] = str(build_locator(step.before[args[name]]))
        except (SkillbookError, KeyError, TypeError):
            continue  # no ref, or nothing names the element alone: the page decides
    return args


def _lasting(step: StepRecord, held: bool) -> str:
    """What a step did that can't be undone, in words; empty for nothing."""
    if step.decision in {"reject", "respond"} or step.effect in {"read", "none"}:
        return ""
    unsure = step.error in NOBODY_KNOWS
    sent = [str(fact) for fact in step.extra.get("sent", ()) if fact.changes]
    if step.error is not None and not unsure and not (step.error in UNTRUE_CALLS and sent):
        return ""
    doubt = ", perhaps: nobody knows whether it happened" if unsure else ""
    if sent:
        return f"{words_of(step)}: sent {', '.join(sent)}{doubt}"
    if step.effect == "irreversible":
        return f"{words_of(step)}: irreversible{doubt}"
    if unsure or not held or step.after is None:
        return f"{words_of(step)}: it isn't known what it sent{doubt}"
    return ""


def words_of(step: StepRecord) -> str:
    """A step's call with its target in words, such as `click button 'Save'`; page text."""
    node = step.extra.get("node")
    if node is not None:
        return f"{step.tool} {node.role} {node.label!r}"
    target = step.final_args.get("target")
    return f"{step.tool} {target}" if target else step.tool

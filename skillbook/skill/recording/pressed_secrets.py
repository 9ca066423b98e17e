"""Keys that were pressed one by one into fields that nobody may read: a skill types the field's secret instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from skillbook.policy.secrets import MASK, Secret
from skillbook.protocol.refs import types_character
from skillbook.protocol.snapshot import State
from skillbook.skill.recording.literals import secret_name
from skillbook.skill.recording.recorded_steps import RecordedStep, same_element, with_requests_of

WHY = "it pressed a key of a secret that is typed as a whole"


def without_pressed_secrets(
    steps: Sequence[RecordedStep], drop: Callable[[RecordedStep, str], bool]
) -> list[RecordedStep]:
    """The steps with each run of such keys as one step that types the secret."""
    found: list[RecordedStep] = []
    for step in steps:
        if not _presses_secret(step):
            found.append(step)
            continue
        last = found[-1] if found else None
        typed = {"text": Secret(secret_name(step.node or (last.node if last is not None else None)))}
        same = last is not None and (step.node is None or same_element(last, step))
        if last is not None and same and last.command == "type" and last.params == typed:
            drop(step, WHY)
            whole = with_requests_of(step, last)
            found[-1] = replace(whole, after=step.after, url_after=step.url_after)
        else:
            found.append(replace(step, command="type", params=typed))
    return found


def _presses_secret(step: RecordedStep) -> bool:
    key = str(step.params.get("key", ""))
    hidden = step.node is not None and bool(step.node.flags & State.SECRET)
    return step.command == "press" and (key == MASK or (hidden and types_character(key)))

"""From everything that was done to what is worth doing again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillbook.skill.model import EXTRACT
from skillbook.skill.recording import RecordedStep

_FIELDS = {"textbox", "searchbox", "spinbutton", "combobox"}


def clean_steps(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Drop reads, detours and what a later step makes needless; fold page-by-page reading into one step."""
    kept = [step for step in steps if _matters(step)]
    return fold_pages(_without_repeats(_without_detours(kept)))


def _matters(step: RecordedStep) -> bool:
    if step.command == "scroll":
        return step.node is None
    return step.spec is None or step.spec.replayed or not step.spec.reads


def _without_detours(steps: list[RecordedStep]) -> list[RecordedStep]:
    """A link followed and at once gone back from leaves nothing behind."""
    kept: list[RecordedStep] = []
    for step in steps:
        last = kept[-1] if kept else None
        if (
            step.command == "back"
            and last is not None
            and _led_away(last)
            and step.url_after == last.url_before
        ):
            kept.pop()
        else:
            kept.append(step)
    return kept


def _led_away(step: RecordedStep) -> bool:
    return step.spec is not None and step.spec.undone_by_back and step.url_before != step.url_after


def _without_repeats(steps: list[RecordedStep]) -> list[RecordedStep]:
    kept: list[RecordedStep] = []
    for step in steps:
        while kept and _needless(kept[-1], step):
            kept.pop()
        kept.append(step)
    return kept


def _needless(earlier: RecordedStep, later: RecordedStep) -> bool:
    first, then, again = earlier.spec, later.spec, earlier.command == later.command
    if first is None or then is None:
        return False
    if first.destination and again:
        return True
    if not same_target(earlier, later):
        return False
    if first.only_prepares:
        return then.takes_focus or again
    if earlier.command == "click" and earlier.role in _FIELDS:
        return then.edits_text and earlier.url_before == earlier.url_after
    replaces_text = first.edits_text and then.edits_text
    return first.sets_value and then.sets_value and (again or replaces_text)


def same_target(one: RecordedStep, other: RecordedStep) -> bool:
    """Whether two steps were done to the same element of the same document."""
    if one.node is None or other.node is None or one.url_before != other.url_before:
        return False
    return one.node.ref == other.node.ref


def fold_pages(steps: list[RecordedStep]) -> list[RecordedStep]:
    """Extract, next page, extract, next page … becomes one extract step that knows the way to the next page."""
    folded: list[RecordedStep] = []
    at = 0
    while at < len(steps):
        step = steps[at]
        end = at
        if step.command == EXTRACT and "next" not in step.params:
            while (
                end + 2 < len(steps)
                and _turns_page(steps[end + 1], steps[at + 1])
                and steps[end + 2].command == EXTRACT
                and _same_rows(steps[end + 2], step)
            ):
                end += 2
        if end > at:
            turn = steps[at + 1]
            params = {key: value for key, value in step.params.items() if key != "allow_partial"}
            step = replace(step, params=params | {"next": turn.node}, url_after=steps[end].url_after)
            end += end + 1 < len(steps) and _turns_page(steps[end + 1], turn)
        folded.append(step)
        at = end + 1
    return folded


def _same_rows(later: RecordedStep, first: RecordedStep) -> bool:
    aside = {"append": None, "allow_partial": None}
    return {**later.params, **aside} == {**first.params, **aside}


def _turns_page(step: RecordedStep, first: RecordedStep) -> bool:
    if step.command != "click" or step.node is None or first.node is None:
        return False
    return (step.role, step.label) == (first.role, first.label)

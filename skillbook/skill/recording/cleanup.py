"""From everything that was done to what is worth doing again; the rest is dropped, with why.

Only what certainly had no effect is dropped: nobody sent anything, and document and address are as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from skillbook.errors import InvalidInput
from skillbook.perception.nodes import BaseSnapshot
from skillbook.policy.secrets import MASK, Secret
from skillbook.protocol.refs import pastes, types_character
from skillbook.protocol.snapshot import State
from skillbook.skill.model.spec_steps import EXTRACT
from skillbook.skill.recording.literals import secret_name
from skillbook.skill.recording.recorded_steps import RecordedStep, joined_rows, same_element, with_requests_of

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


_FIELDS = {"textbox", "searchbox", "spinbutton", "combobox"}
_UNREADABLE = {"canvas", "img", "graphics-document", "application", "iframe"}
_LASTING = ~int(State.OFFSCREEN | State.INLINE | State.OBSCURED)
_TICKED = {"checkbox", "switch"}

Drop = Callable[[RecordedStep, str], bool]
"""Notes that a step is dropped and why; False where a person wants to keep it."""


@dataclass(frozen=True)
class DroppedStep:
    """A step that was left out of a skill; `save_skill(keep=[number])` keeps it."""

    step: RecordedStep
    why: str

    @property
    def number(self) -> int:
        """Its number in what was recorded."""
        return self.step.number


@dataclass(frozen=True)
class Cleaned:
    """The steps worth doing again, and those that were dropped."""

    steps: list[RecordedStep]
    dropped_steps: list[DroppedStep]


def clean(
    steps: Sequence[RecordedStep], *, held: bool = False, run: bool = False, keep: Collection[int] = ()
) -> Cleaned:
    """Fold away reads, detours, dead ends and what a later step makes needless; page-by-page reading is one step.

    steps: everything that was done.
    held: whether requests were held: only then is it certain that a step sent nothing, and did nothing.
    run: whether an agent did it, whose later reads take the place of earlier ones.
    keep: numbers of steps that stay, whatever they seem to do.
    Raises InvalidInput: `keep` names a step that doesn't exist, or that only looked at the page.
    """
    numbered = [replace(step, number=step.number or place) for place, step in enumerate(steps, 1)]
    _check_kept(numbered, keep)
    why: dict[int, str] = {}

    def drop(step: RecordedStep, reason: str) -> bool:
        if step.number in keep:
            return False
        why[step.number] = reason
        return True

    kept = without_pressed_secrets(numbered, drop)
    kept = [step for step in kept if _matters(step) or not drop(step, "it only looked")]
    for stage in (_without_detours, _without_superseded_reads, _without_repeats):
        kept = stage(kept, drop)
    if held:
        kept = _without_dead_ends(kept, drop)
    pages = fold_pages(kept, keep)
    if run:
        pages = [
            step
            for step in pages
            if not (_is_replaced(step, pages) and drop(step, "a later read replaces it"))
        ]
    for step in kept:
        if step.number not in {one.number for one in pages} and step.number not in why:
            drop(step, "reading every page is one step")
    dropped = [DroppedStep(step, why[step.number]) for step in numbered if step.number in why]
    return Cleaned(pages, [one for one in dropped if _is_shown(one.step)])


def _check_kept(steps: Sequence[RecordedStep], keep: Collection[int]) -> None:
    known = {step.number: step for step in steps}
    for number in keep:
        step = known.get(number)
        if step is None or (step.spec is not None and step.spec.reads and not step.spec.replayed):
            raise InvalidInput(
                f"step {number} can't be kept: {'it only looked' if step else 'there is no such step'}",
                hint="`dropped_steps` lists the steps that were left out, with their numbers",
            )


def _is_shown(step: RecordedStep) -> bool:
    """Whether a person may want to know that it was left out: looking at the page is no step to anybody."""
    return step.spec is None or not step.spec.reads


def _matters(step: RecordedStep) -> bool:
    if step.command == "scroll":
        return step.node is None
    return bool(step.output) or step.spec is None or step.spec.replayed or not step.spec.reads


def _without_detours(steps: list[RecordedStep], drop: Drop) -> list[RecordedStep]:
    """A link followed and at once gone back from leaves nothing behind."""
    kept: list[RecordedStep] = []
    for step in steps:
        last = kept[-1] if kept else None
        leads_back = step.command == "back" and last is not None and step.url_after == last.url_before
        if last is not None and leads_back and _led_away(last) and drop(last, "a detour, gone back from"):
            kept.pop()
            if drop(step, "it went back from a detour"):
                continue
        kept.append(step)
    return kept


def _led_away(step: RecordedStep) -> bool:
    return step.spec is not None and step.spec.undone_by_back and step.url_before != step.url_after


def _without_superseded_reads(steps: list[RecordedStep], drop: Drop) -> list[RecordedStep]:
    """Rows that were read again from the same page, whole or with more columns, are read once."""
    kept: list[RecordedStep] = []
    for step in steps:
        last = kept[-1] if kept else None
        if last is not None and _reads_more(last, step) and drop(last, "the next step reads this and more"):
            kept.pop()
        kept.append(step)
    return kept


def _reads_more(first: RecordedStep, then: RecordedStep) -> bool:
    if first.command != EXTRACT or then.command != EXTRACT or then.params.get("append"):
        return False
    if first.params.get("append") or "next" in first.params or first.url_before != then.url_before:
        return False
    same_page = first.before is None or then.before is None or is_as_before(first.before, then.before)
    fields, more = first.params.get("fields"), then.params.get("fields")
    covers = fields == more
    if isinstance(fields, dict) and isinstance(more, dict):
        covers = fields.items() <= more.items()
    return same_page and covers and first.params.get("within") == then.params.get("within")


def _is_replaced(step: RecordedStep, steps: Sequence[RecordedStep]) -> bool:
    """Whether a run's frame has nothing of a read: the same rows were read again from that address, not added."""
    later = steps[steps.index(step) + 1 :] if step.command == EXTRACT else []
    return any(
        one.command == EXTRACT
        and not one.params.get("append")
        and one.url_before == step.url_before
        and one.params.get("within") == step.params.get("within")
        for one in later
    )


def _without_repeats(steps: list[RecordedStep], drop: Drop) -> list[RecordedStep]:
    kept: list[RecordedStep] = []
    for step in steps:
        while kept and _needless(kept[-1], step) and drop(kept[-1], "the next step makes it needless"):
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


def _without_dead_ends(steps: list[RecordedStep], drop: Drop) -> list[RecordedStep]:
    """Steps after which the page is as it was before them did nothing: idle clicks, a menu opened and closed.

    That can be known of a run's steps only: what it sent is known, and the page was read before each step. What a
    person did by hand had changed the page when it was read.
    """
    kept: list[RecordedStep] = []
    at = 0
    while at < len(steps):
        end = next((end for end in _ends(steps, at) if _came_to_nothing(steps, at, end)), None)
        whole = end is not None and not kept and end == len(steps)
        if end is None or whole:
            kept.append(steps[at])
            at += 1
            continue
        reason = "it changed nothing" if end == at + 1 else "the page was then as it had been before"
        kept += [step for step in steps[at:end] if not drop(step, reason)]
        at = end
    return kept


def _ends(steps: list[RecordedStep], at: int) -> Iterator[int]:
    """Where a stretch of steps that begins at one may end, the longest first."""
    end = at
    while end < len(steps) and _may_be_idle(steps[end]):
        end += 1
    yield from range(end, at, -1)


def _may_be_idle(step: RecordedStep) -> bool:
    """Whether a step may have had no effect, as far as it says itself."""
    spec = step.spec
    if spec is None or spec.reads or spec.runs_script or spec.file_param or spec.navigates:
        return False
    if step.irreversible or step.sent or step.opened or step.output or step.input or step.by_hand:
        return False
    unseen = step.node is None or step.node.role in _UNREADABLE
    return not unseen and step.url_before == (step.url_after or step.url_before)


def _came_to_nothing(steps: list[RecordedStep], at: int, end: int) -> bool:
    """Whether steps `at` to `end` certainly had no effect together."""
    done, following = steps[at:end], steps[end] if end < len(steps) else None
    if following is not None and (
        following.sent or (following.node is None and following.command == "press")
    ):
        return False  # what was sent late may be theirs; keys go where the focus is
    if any(pastes(str(step.params.get("key", ""))) for step in steps[at:]):
        return False  # the clipboard is no part of a page
    before = done[0].before
    after = following.before if following is not None and following.before is not None else done[-1].after
    if before is None or after is None or not is_as_before(before, after):
        return False
    if end == at + 1 and not (
        _sets_field(done[0]) or done[0].changed is False or _moved_focus(before, after)
    ):
        return False  # something changed that no snapshot has
    last = {step.node.ref: step for step in done if step.node is not None}
    return all(_leaves(step, before) for step in last.values())


def _sets_field(step: RecordedStep) -> bool:
    return step.role in _TICKED or (step.spec is not None and step.spec.sets_value)


def _leaves(step: RecordedStep, before: BaseSnapshot) -> bool:
    """Whether a step leaves its field as the page showed it before; a field that shows nothing is no proof."""
    spec, ref = step.spec, step.node.ref if step.node is not None else None
    if spec is None or not (spec.sets_value or spec.edits_text):
        return True
    if ref is None or ref not in before or before[ref].flags & State.SECRET:
        return False
    node = before[ref]
    given = step.params.get(spec.text_param or "values", "")
    one = given[0] if isinstance(given, list) and len(given) == 1 else given
    return isinstance(one, str) and spec.sets_value and node.value == one


def is_as_before(before: BaseSnapshot, after: BaseSnapshot) -> bool:
    """Whether a page is in every respect that a snapshot has, but focus and place on screen, as it was.

    The same snapshot twice is no proof: nobody looked in between.
    """
    if before is after:
        return False
    a, b = before.columns, after.columns
    if (before.url, before.title, before.main.key) != (after.url, after.title, after.main.key):
        return False
    if (a.number, a.role, a.depth, a.name, a.extra) != (b.number, b.role, b.depth, b.name, b.extra):
        return False
    mask = _LASTING & ~int(State.FOCUSED)
    return all(one & mask == other & mask for one, other in zip(a.flags, b.flags, strict=True))


def _moved_focus(before: BaseSnapshot, after: BaseSnapshot) -> bool:
    bit = int(State.FOCUSED)
    return [one & bit for one in before.columns.flags] != [one & bit for one in after.columns.flags]


def fold_pages(steps: list[RecordedStep], keep: Collection[int] = ()) -> list[RecordedStep]:
    """Extract, next page, extract, next page … becomes one extract step that knows the way to the next page."""
    folded: list[RecordedStep] = []
    at = 0
    while at < len(steps):
        step = steps[at]
        end = at
        if step.command == EXTRACT and "next" not in step.params:
            while (
                end + 2 < len(steps)
                and not {one.number for one in steps[end + 1 : end + 3]} & set(keep)
                and _turns_page(steps[end + 1], steps[at + 1])
                and steps[end + 2].command == EXTRACT
                and _same_rows(steps[end + 2], step)
            ):
                end += 2
        if end > at:
            turn = steps[at + 1]
            frame = joined_rows([one.frame for one in steps[at : end + 1 : 2]])
            step = replace(
                step, params=step.params | {"next": turn.node}, url_after=steps[end].url_after, frame=frame
            )
            end += end + 1 < len(steps) and _turns_page(steps[end + 1], turn)
        folded.append(step)
        at = end + 1
    return folded


def _same_rows(later: RecordedStep, first: RecordedStep) -> bool:
    aside = {"append": None}
    return {**later.params, **aside} == {**first.params, **aside}


def _turns_page(step: RecordedStep, first: RecordedStep) -> bool:
    """Whether a step leads to the next page as the first one did; a filter or a reload changes the rows, too."""
    from skillbook.extraction.walking.pagers import leads_forward

    if step.command != "click" or step.node is None or first.node is None or not leads_forward(step.node):
        return False
    return (step.role, step.label) == (first.role, first.label)

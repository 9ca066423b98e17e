"""What was done on a page, before it becomes a skill: by an agent's run or by a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from skillbook.errors import SkillbookError
from skillbook.extraction.frames.evidence import Law
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.selectors.hinted_names import find_named
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.secrets import Secret, read_literal
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.protocol.refs import is_ref
from skillbook.session.page.act_requests import REQUEST_FAILED, FailedRequest
from skillbook.skill.model.spec_steps import EXTRACT, RUN_SKILL, STEP_COMMANDS
from skillbook.skill.model.templates import unescape
from skillbook.skill.targets.surroundings import holds, switched

_TARGETS = ("target", "to")


class RunStep(Protocol):
    """The part of an agent run's step that a skill is made of."""

    tool: str
    url: str
    before: Any
    after: Any
    extra: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether it was carried out and did not fail."""

    @property
    def final_args(self) -> dict[str, Any]:
        """The arguments that were carried out."""


@dataclass(frozen=True)
class RecordedStep:
    """One thing done.

    command: a command's name, or `extract`.
    params: its parameters, without targets.
    named, to_named: the role selectors that the call named them by, where the nodes aren't known.
    url_before, url_after: the page's address.
    before, after: the page as it was and became, where that is known.
    irreversible: whether the policy took it for something that can't be undone.
    sent: the requests of it that may change something.
    input: the name of the input that what was typed or chosen is; "" leaves that to the goal.
    number: its number as the person knows it, from 1; 0 where that is its place.
    changed: whether page or address changed, as the browser reported it; None where that isn't known.
    opened: whether it opened a tab or a dialog, or downloaded something.
    output: the name of the fact that it reads; "" where nobody asked for it.
    frame: the rows that an `extract` step read; None where they aren't known.
    by_hand: whether a person did it; the page was read when it was done already.
    under_mouse: what its element is called while the mouse is there, where that is another name.
    around: where no node is known, what is known of the element and its record, as a fingerprint has it.
    cell, line: the cell and its line that made the call; 0 where none did.
    dialog: what a JavaScript dialog said that it opened.
    is_part: whether a person pressed a small part of its element that has no words, so that nothing names it.
    until, presses: the state that clicks on one element switched it to, and how many they were.
    """

    command: str
    params: dict[str, Any] = field(default_factory=dict)
    node: Node | None = None
    to_node: Node | None = None
    named: str = ""
    to_named: str = ""
    url_before: str = ""
    url_after: str = ""
    before: BaseSnapshot | None = None
    after: Snapshot | None = None
    irreversible: bool = False
    sent: tuple[RequestFact, ...] = ()
    failed: tuple[FailedRequest, ...] = ()
    input: str = ""
    number: int = 0
    changed: bool | None = None
    opened: bool = False
    output: str = ""
    read: Any = None
    frame: Any = field(default=None, compare=False, repr=False)
    by_hand: bool = False
    until: Mapping[str, str] = field(default_factory=dict)
    presses: int = 1
    under_mouse: str = ""
    is_part: bool = False
    dialog: str = ""
    cell: int = 0
    line: int = 0
    around: Mapping[str, str] = field(default_factory=dict)

    @property
    def spec(self) -> Command | None:
        """The command's entry in the table; None for `extract`."""
        return COMMANDS.get(self.command)

    @property
    def label(self) -> str:
        """The target's label."""
        return self.node.label if self.node else ""

    @property
    def role(self) -> str:
        """The target's role."""
        return self.node.role if self.node else ""

    @property
    def called(self) -> str:
        """The target's label; its name as the page found it, where its node isn't known."""
        return self.label or unescape(self.around.get("name", ""))

    @property
    def called_role(self) -> str:
        """The target's role, as the page found it where its node isn't known."""
        return self.role or self.around.get("role", "")


@dataclass(frozen=True)
class Recording:
    """Everything done towards one goal, in order; `held` where requests were, so that it is known what was sent.

    `answer` is what the run answered: what it read and answered with are the skill's outputs. `by_hand`: a person did
    it, and meant each step. `device` is what the page was shown as on, by name. `opening` is what failed when the page
    was opened. `in_the_middle`: somebody had acted on the page before. `free` has texts that may be others in a run.
    `approved`: a person did or approved each step, for exactly this to be done again.
    """

    goal: str
    steps: tuple[RecordedStep, ...]
    held: bool = False
    answer: Any = None
    by_hand: bool = False
    device: str = ""
    opening: tuple[FailedRequest, ...] = ()
    in_the_middle: bool = False
    free: tuple[str, ...] = ()
    approved: bool = True

    def __repr__(self) -> str:
        count = len(self.steps)
        return f"<Recording {self.goal!r}: {count} step{'' if count == 1 else 's'}>"


def fold_in(steps: list[RecordedStep], step: RecordedStep, *, by_hand: bool = False) -> None:
    """Add a step; what only continues the one before takes its place.

    A page reports by itself that a person has left a field, as a press of Tab in it (`by_hand`). What is done to
    another element next leaves the field, too.
    """
    last = steps[-1] if steps else None
    if by_hand and last is not None and _leaves_field(last) and _takes_focus(step):
        step = with_requests_of(steps.pop(), step)
        last = steps[-1] if steps else None
    if last is None or last.command != step.command or not same_element(last, step):
        steps.append(step)
        return
    if step.command == "scroll":
        moved = {key: int(last.params.get(key, 0)) + int(step.params.get(key, 0)) for key in ("dx", "dy")}
        steps[-1] = replace(last, params=moved)
    elif step.spec is not None and step.spec.sets_value:
        steps[-1] = replace(last, params=step.params, irreversible=last.irreversible or step.irreversible)
    else:
        steps.append(step)


def with_requests_of(earlier: RecordedStep, step: RecordedStep) -> RecordedStep:
    """A step that takes another one's place, with what that one sent."""
    return replace(step, sent=(*earlier.sent, *step.sent), failed=(*earlier.failed, *step.failed))


def joined_rows(frames: Iterable[Any]) -> Any:
    """The rows of several frames in one; None where one of them isn't known."""
    known = list(frames)
    if any(frame is None for frame in known):
        return None
    import pandas as pd

    return pd.concat([frame for frame in known if frame is not None], ignore_index=True)


def leftover_of(step: RecordedStep) -> list[Law]:
    """Laws that the rows of a reading broke; that there are more pages is none where the recording turned to them."""
    if step.frame is None:
        return []
    broken = {check.law for check in step.frame.skillbook.evidence.broken}
    return sorted(broken - {"count"} if isinstance(step.params.get("next"), Node) else broken)


def with_positions(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Take keys that moved a slider for what they came to: another run may find it elsewhere."""
    found: list[RecordedStep] = []
    for place, step in enumerate(steps):
        following = steps[place + 1].before if place + 1 < len(steps) else None
        moved_to = _moved_to(step, following or step.after)
        if moved_to is None:
            found.append(step)
            continue
        last = found[-1] if found else None
        goes_on = last is not None and last.command == "fill" and same_element(last, step)
        first = found.pop() if goes_on else step
        params = {"value": f"{moved_to:g}"}
        found.append(
            with_requests_of(first, replace(step, command="fill", params=params, before=first.before))
            if goes_on
            else replace(step, command="fill", params=params)
        )
    return found


def _moved_to(step: RecordedStep, after: BaseSnapshot | None) -> float | None:
    """Where a key moved a slider; None where it moved none."""
    node = step.node
    if step.command != "press" or node is None or node.role != "slider" or node.ref is None:
        return None
    now = after[node.ref].extra.get("valuenow") if after is not None and node.ref in after else None
    was = node.extra.get("valuenow")
    return float(now) if now is not None and now != was else None


def with_choices(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Take the press of a list and the press of what it offered for the choice that they came to.

    What lies over such a list is its value, which is another one in another run.
    """
    found: list[RecordedStep] = []
    for place, step in enumerate(steps):
        following = steps[place + 1].before if place + 1 < len(steps) else None
        chosen_from = _chosen_from(found[-1], step, following or step.after) if found else None
        if chosen_from is None:
            found.append(step)
            continue
        opened = found.pop()
        choice = replace(step, command="select", params={"values": [clean(step.label)]}, node=chosen_from)
        found.append(with_requests_of(opened, replace(choice, before=opened.before, is_part=False)))
    return found


def _chosen_from(opened: RecordedStep, step: RecordedStep, after: BaseSnapshot | None) -> Node | None:
    """The list that two clicks opened and chose from, by what it shows then; None for anything else."""
    box, option = opened.node, step.node
    if (opened.command, step.command) != ("click", "click") or box is None or option is None or after is None:
        return None
    if box.role not in {"combobox", "generic"} or option.role not in {"option", "generic"} or not option.ref:
        return None
    nodes, inside = box.snapshot.nodes, range(box.index, box.snapshot.ends[box.index])
    fields = [
        nodes[at]
        for at in inside
        if (nodes[at].actionable and nodes[at] != box) or nodes[at].role == "combobox"
    ]
    if len(fields) != 1 or fields[0].role != "combobox" or "collapsed" not in fields[0].states:
        return None
    (field,) = fields
    if option.ref in box.snapshot or box.ref is None or field.ref is None:
        return None
    if box.ref not in after or field.ref not in after:
        return None
    now = after[box.ref]
    shown = [after.nodes[at].label for at in range(now.index, after.ends[now.index])]
    says = {clean(text) for text in (*shown, after[field.ref].value or "") if text}
    return field if clean(option.label) in says else None


def with_switches(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Say of each click what state it switched its target to; several on one target become one that reaches the last.

    Clicks that bring it back to where it was stay apart: each is for what shows in between.
    """
    found: list[RecordedStep] = []
    for place, step in enumerate(steps):
        following = steps[place + 1].before if place + 1 < len(steps) else None
        until = _switched(step, following or step.after)
        last = found[-1] if found else None
        again = last is not None and last.until.keys() == until.keys() and same_element(last, step)
        if until and again and last and last.node is not None and not holds(until, last.node):
            found[-1] = replace(
                last,
                after=step.after,
                url_after=step.url_after,
                sent=(*last.sent, *step.sent),
                failed=(*last.failed, *step.failed),
                until=until,
                presses=last.presses + 1,
            )
            continue
        found.append(replace(step, until=until))
    return found


def _switched(step: RecordedStep, after: BaseSnapshot | None) -> dict[str, str]:
    if step.command != "click" or step.node is None or step.node.ref is None or after is None:
        return {}
    return switched(step.node, after[step.node.ref]) if step.node.ref in after else {}


def _leaves_field(step: RecordedStep) -> bool:
    return step.command == "press" and step.params == {"key": "Tab"}


def _takes_focus(step: RecordedStep) -> bool:
    return step.node is not None and step.spec is not None and (step.spec.takes_focus or step.spec.activates)


def same_element(one: RecordedStep, other: RecordedStep) -> bool:
    """Whether two steps were done to one element, or to no element of one page."""
    if one.node is None or other.node is None:
        return (one.node, one.named, one.url_before) == (other.node, other.named, other.url_before)
    return one.node.ref == other.node.ref and one.url_before == other.url_before


def recording_of_run(
    goal: str, steps: Iterable[RunStep], *, held: bool = False, answer: Any = None, device: str = ""
) -> Recording:
    """What a run did, without what failed, was refused, or is no command of a page; see `Recording`."""
    recorded: list[RecordedStep] = []
    last_url = ""
    for step in steps:
        before: BaseSnapshot | None = step.before if isinstance(step.before, Snapshot) else None
        after = step.after if isinstance(step.after, Snapshot) else None
        url_before = before.url if before else last_url
        last_url = step.url or (after.url if after else last_url)
        # What failed may belong to it: the page refused a value, and was given another one.
        done = step.ok or getattr(step, "error", None) == REQUEST_FAILED
        if not done or (step.tool not in STEP_COMMANDS and step.tool != "tables"):
            continue
        args = {name: value for name, value in step.final_args.items() if value is not None}
        # A model's own placeholders count; what a person typed is text, unless it was a `Secret`.
        by_model = getattr(step, "decision", "") != "person"
        own = _as_secret if by_model else _as_it_is
        if step.tool == RUN_SKILL:
            args = {"inputs": {}, "start": "auto", **args}
        node = _node(step.extra, "node", args.get("target"), before)
        if node is not None:
            before, url_before = node.snapshot, node.snapshot.url
        recorded.append(
            RecordedStep(
                EXTRACT if step.tool == "tables" else step.tool,
                {name: own(value) for name, value in args.items() if name not in _TARGETS},
                node,
                _node(step.extra, "to_node", args.get("to"), before),
                str(args.get("target", "")),
                str(args.get("to", "")),
                url_before,
                last_url,
                before,
                after,
                getattr(step, "effect", "") == "irreversible",
                tuple(step.extra.get("sent", ())),
                tuple(step.extra.get("failed", ())),
                number=getattr(step, "index", 0),
                changed=getattr(step, "changed", None),
                opened=any(step.extra.get(name) for name in ("opened_tabs", "dialog", "path")),
                dialog=getattr(step.extra.get("dialog"), "message", ""),
                by_hand=getattr(step, "decision", "") == "person",
                read=getattr(step, "result", None),
                frame=step.extra.get("frame"),
                cell=int(step.extra.get("cell") or 0),
                line=int(step.extra.get("line") or 0),
            )
        )
    return Recording(goal, tuple(recorded), held, answer, device=device)


def _as_secret(value: Any) -> Any:
    return read_literal(value) if isinstance(value, str) else value


def _as_it_is(value: Any) -> Any:
    return value


def _node(extra: Mapping[str, Any], key: str, named: object, before: BaseSnapshot | None) -> Node | None:
    known = extra.get(key)
    if isinstance(known, Node):
        return known
    if not isinstance(named, str) or before is None:
        return None
    try:
        return before[named] if is_ref(named) else find_named(before, named)
    except SkillbookError:
        return None


def leads_to(typed: RecordedStep, chosen: RecordedStep) -> bool:
    """Whether what was typed only led to a list of which an option was chosen: it is that option's name, or in it.

    An option that was there before is one of a list that stands in the page, whatever is typed beside it.
    """
    text = _typed_text(typed)
    name = clean(chosen.called).casefold()
    if not text.strip() or (chosen.command, chosen.called_role) != ("click", "option"):
        return False
    there = typed.before.nodes if typed.before is not None else ()
    was_there = any(node.role == "option" and clean(node.label).casefold() == name for node in there)
    return clean(text).casefold() in name and not was_there


def with_suggestions(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Make one input of a text and of the option that it led to, where one of them is marked: the option's name.

    Another option is in the list only if it is typed as well. And a text alone would choose the recorded option
    whatever a run gives. Where both are marked, each is what the person calls it.
    """
    found = list(steps)
    for place, step in enumerate(found):
        typed = next((at for at in range(place - 1, -1, -1) if found[at].command != "wait_for"), None)
        if typed is None or not leads_to(found[typed], step):
            continue
        first = found[typed]
        if bool(first.input) is bool(step.input) or first.spec is None:
            continue
        named, key = first.input or step.input, str(first.spec.text_param)
        found[typed] = replace(first, params={**first.params, key: step.called}, input=named, after=None)
        found[place] = replace(step, input=named)
    return found


def _typed_text(step: RecordedStep) -> str:
    spec = step.spec
    text = step.params.get(spec.text_param or "") if spec is not None and spec.edits_text else None
    return "" if not isinstance(text, str) or isinstance(text, Secret) else text

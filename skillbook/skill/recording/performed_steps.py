"""What calls did on a page as recorded steps."""

from __future__ import annotations

from typing import Any

from skillbook.perception.nodes import Node
from skillbook.perception.records import compare, record_of
from skillbook.perception.records.same_record import kept_record
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.secrets import MASK, Secret
from skillbook.session.actions.result import PerformedCall
from skillbook.skill.model.templates import escape
from skillbook.skill.recording.literals import secret_name
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.surroundings import kept_around

_REFS = {"ref", "to_ref"}


def step_of_call(done: PerformedCall, after: Snapshot | None, url: str) -> RecordedStep:
    """A call as a step.

    Where the page itself found the target, it is looked up as the page was read last. Where it isn't there as it was
    found, the step names it as the call did: what stands around it isn't known, but for its record.

    url: where the page is, where the call doesn't say.
    """
    result, found = done.result, done.found
    in_part = found is not None and found.selector is not None
    node = _as_read(done) if in_part else result.target if result else None
    in_part = in_part and node is None
    before = None if done.behind else done.before
    onto = str(done.params.get("to_ref", ""))
    return RecordedStep(
        done.command,
        {name: _kept(value, node) for name, value in done.params.items() if name not in _REFS and value is not None},
        node,
        before[onto] if before is not None and onto in before else None,
        named=str(found.selector) if found is not None and in_part else "",
        around=_around(done) if in_part else {},
        url_before=before.url if before else url,
        url_after=result.url if result else url,
        before=before,
        after=after if after is not before else None,
        irreversible=bool(result and result.effect == "irreversible"),
        frame=done.frame,
        dialog=result.dialog.message if result and result.dialog else "",
    )  # fmt: skip


def _as_read(done: PerformedCall) -> Node | None:
    """The element in the page as it was read last before the call; None where it was another, or in another record."""
    found, before = done.found, done.before
    if found is None or found.node is None or before is None or found.ref not in before:
        return None
    node = before[found.ref]
    if (node.role, node.name) != (found.node.role, found.node.name):
        return None
    then, now = record_of(found.around) if found.around is not None else None, record_of(node)
    if then is None or now is None:
        return node if then is now else None
    return node if compare(then, now).is_same else None


def _kept(value: Any, node: Any) -> Any:
    return Secret(secret_name(node)) if value == MASK and not isinstance(value, Secret) else value


def _around(done: PerformedCall) -> dict[str, str]:
    """What is known of an element that the page found, and of its record, as a fingerprint has it."""
    found = done.found
    if found is None or found.selector is None or found.node is None:
        return {}
    around = {"role": found.node.role, "name": escape(found.node.name)}
    if found.around is not None:
        around |= kept_around(kept_record(found.around, in_part=True), escape)
    return {key: text for key, text in around.items() if text}

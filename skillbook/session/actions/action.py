"""From what somebody asks for to the one call that the policy judges, an approval binds and the wire carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from skillbook.errors import InvalidParams, SelectorError
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy import Binding, Call
from skillbook.policy.effects import key_of
from skillbook.policy.rules import Actor
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.refs import make_ref, split_ref
from skillbook.protocol.snapshot import State
from skillbook.session.actions.targets import Resolved, Target
from skillbook.session.gateway import validated
from skillbook.session.page.ai_opt_out import visible_to_ai

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver

_PLACEHOLDER = "${secret:"


@dataclass(frozen=True)
class PreparedAction:
    """One call, ready to be judged.

    Parameters
    ----------
    target : the element, found.
    wire : the parameters as the wire has them, secrets as placeholders.
    call : what the policy judges.
    binding : what an approval of it is for.
    """

    target: Resolved | None
    wire: dict[str, Any]
    call: Call
    binding: Binding


def split_call(command: str, args: Mapping[str, Any]) -> tuple[Target | None, Target | None, dict[str, Any]]:
    """Take the target, and what to drop on, out of a call's arguments; the rest is as the wire has it, with defaults.

    Raises
    ------
    InvalidParams : they don't fit the command.
    """
    spec = COMMANDS[command]
    values = validated(command, spec.call_model, args).model_dump(exclude_none=True)
    target = values.pop("target", None) if "ref" in spec.ref_fields else None
    drop = values.pop("to", None) if "to_ref" in spec.ref_fields else None
    return target, drop, values


async def prepare(
    page: PageDriver,
    command: str,
    target: Target | None,
    params: Mapping[str, Any],
    *,
    drop_on: Target | None = None,
    actor: Actor = "person",
    asked: bool = False,
) -> PreparedAction:
    """Find the target, and ask the page for what the policy has to know of it.

    Parameters
    ----------
    page : where.
    command, target, drop_on, params : what; params as the wire has them.
    actor : who wants it.
    asked : whether a person is, or was, asked about it: then everything that an approval binds is looked up.

    Raises
    ------
    UnknownRef, StaleRef, NoMatch, AmbiguousMatch, SelectorSyntaxError, NotAllowed (an address that is refused).
    """
    spec = COMMANDS[command]
    activates = actor != "person" and (not spec.reads or spec.reads_element)
    by_focus = spec.presses_keys and target is None and (asked or activates)
    if by_focus or (asked and target is not None):
        await page.snapshot()  # a ref's words, and where the focus is, have to be those of this moment
    resolved = await _find(page, target, actor) if target is not None else None
    wire = dict(params)
    if resolved:
        wire["ref"] = resolved.ref
    if drop_on is not None:
        wire["to_ref"] = (await _find(page, drop_on, actor)).ref
    if spec.destination:
        wire[spec.destination] = screen_url(wire[spec.destination])
    described = resolved or (_focused(page.latest) if by_focus else None)
    with_secret = any(_PLACEHOLDER in value for value in wire.values() if isinstance(value, str))
    facts = None
    if described is not None and (asked or activates or with_secret):
        data = await page.run("describe", {"ref": described.ref}, target=described)
        facts = DescribeResult.model_validate(data)
    call = call_of(page, command, wire, target=resolved, actor=actor, facts=facts, with_secret=with_secret)
    if by_focus:
        call = _on_focus(call, page.latest, described)
    return PreparedAction(resolved, wire, call, Binding.of(call, wire, page.tab.id))


def call_of(
    page: PageDriver,
    command: str,
    params: Mapping[str, Any],
    *,
    target: Resolved | None = None,
    actor: Actor = "person",
    facts: DescribeResult | None = None,
    with_secret: bool = False,
) -> Call:
    """The call that the policy judges, from what is known already."""
    spec = COMMANDS[command]
    node = target.node if target else None
    live = facts is not None and facts.role is not None
    return Call(
        command,
        actor=actor,
        url=page.url,
        frame_url=frame_url(page.latest, target.ref) if target else None,
        destination=params[spec.destination] if spec.destination else None,
        role=(facts.role or "") if facts and live else (node.role if node else ""),
        label=(facts.name or "") if facts and live else (node.name if node else ""),
        facts=facts,
        key=key_of(command, params),
        document=_document(page.latest, target.ref) if target else "",
        covered=bool(facts and facts.covered_by),
        with_secret=with_secret or bool(node and "secret" in node.states),
        no_ai=facts is None and _asks_no_ai(page),
    )


def frame_url(snapshot: Snapshot | None, ref: str) -> str | None:
    """The address that gives a ref's document its origin; None where that is the page's own.

    A document without an address of its own (`about:blank`, `srcdoc`) has its parent's origin.
    """
    frame = split_ref(ref).frame
    if not frame or snapshot is None:
        return None
    document = next((doc for doc in snapshot.documents if doc.frame == frame), None)
    while document is not None and document.url.startswith("about:"):
        if document.owner is None:
            return None
        document = snapshot.columns.document_at(document.owner)
    return None if document is None or document.frame == 0 else document.url


async def _find(page: PageDriver, target: Target, actor: Actor) -> Resolved:
    """Find a target; what an agent isn't shown is neither among the candidates nor in the way of another match."""
    try:
        return await page.resolve(target)
    except SelectorError:
        if (
            actor == "person"
            or page.latest is None
            or (seen := visible_to_ai(page, page.latest)) is page.latest
        ):
            raise
    node = seen.find(str(target))
    if node.ref is None:
        raise InvalidParams(f"{target!r} matches plain text", hint="name the element that contains it")
    return Resolved(node.ref, node)


def _asks_no_ai(page: PageDriver) -> bool:
    seen = page.latest
    return seen is not None and seen.url == page.url and seen.main.no_ai


def _document(snapshot: Snapshot | None, ref: str) -> str:
    frame = split_ref(ref).frame
    documents = snapshot.documents if snapshot is not None else ()
    return next((doc.key for doc in documents if doc.frame == frame), "")


def _focused(snapshot: Snapshot | None) -> Resolved | None:
    """The element that a key without a target goes to; None where that is a document itself."""
    _, node = _holder(snapshot)
    return Resolved(node.ref, node) if node is not None and node.ref else None


def _on_focus(call: Call, snapshot: Snapshot | None, described: Resolved | None) -> Call:
    """A call without a target, bound to what has the keyboard focus."""
    frame, _ = _holder(snapshot)
    focused = described.ref if described else f"f{frame}" if frame else ""
    ref = make_ref(frame, 1)
    url = frame_url(snapshot, ref)
    return replace(call, focused=focused, frame_url=url, document=_document(snapshot, ref))


def _holder(snapshot: Snapshot | None) -> tuple[int, Node | None]:
    """The document with the focus, and its focused node; every document has one, whether or not keys go to it."""
    frame, holder = 0, None
    if snapshot is None:
        return frame, holder
    flags, bit = snapshot.columns.flags, int(State.FOCUSED)
    focused = [snapshot.nodes[at] for at in range(len(flags)) if flags[at] & bit]
    while True:
        holder = next((node for node in focused if node.frame == frame), None)
        inner = holder and next((each.frame for each in holder.children if each.frame != frame), None)
        if not inner:
            return frame, holder
        frame = inner

"""From what somebody wants done to the one action that is judged, approved and sent, once its record is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Unpack

from skillbook.errors import InvalidParams, NotAllowed, SelectorError
from skillbook.limits import ANSWER_SECONDS, SHOWN_SECONDS
from skillbook.perception.focus import focus_in
from skillbook.perception.selectors import parse_selector, seen_counts, seen_parts
from skillbook.policy.rules import Actor
from skillbook.policy.secrets import MASK, Secret, read_literal
from skillbook.policy.urls import origin_of, screen_url
from skillbook.protocol.commands import COMMANDS, Command, Effect
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.refs import is_ref, make_ref, pastes
from skillbook.session.action import ActionOptions, PreparedAction, Resolved, reading_within, validated
from skillbook.session.actions.local_files import absolute_files, files_to_ask_about
from skillbook.session.actions.page_search import find_in_page
from skillbook.session.actions.shown_page import visible_to_ai
from skillbook.session.actions.targets import Target, resolve
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.seen_page import Seen, ShownControls, document_key, frame_url, seen_of


def split_call(command: str, args: Mapping[str, Any]) -> tuple[Target | None, Target | None, dict[str, Any]]:
    """Take the target, and what to drop on, out of a call's arguments; the rest is as the wire has it, with defaults.

    Raises InvalidParams: they don't fit the command.
    """
    spec = COMMANDS[command]
    values = validated(command, spec.call_model, args).model_dump(exclude_none=True)
    target = values.pop("target", None) if "ref" in spec.ref_fields else None
    drop = values.pop("to", None) if "to_ref" in spec.ref_fields else None
    return target, drop, values


async def prepare(
    page: PageReader,
    command: str,
    target: Target | None,
    params: Mapping[str, Any],
    *,
    drop_on: Target | None = None,
    actor: Actor = "person",
    approval: str | None = None,
    for_approval: bool = False,
    given_files: Collection[str] = (),
    questions: Sequence[str] = (),
    seen: Seen | None = None,
    lazy: bool = False,
    **options: Unpack[ActionOptions],
) -> PreparedAction:
    """Find the target, and query the page for what the policy has to know of it.

    approval: the token of a person's approval; it is used up.
    for_approval: whether a person is to approve it: then everything that an approval binds is looked up.
    given_files: files that the person gave, which an agent or a skill may upload without asking.
    questions: more of what a person has to answer before an agent or a skill does this.
    seen: gives a ref's node as an agent saw it last; of a person it is known what they were shown.
    lazy: whether the page may look for the target by itself.
    options: more of `PreparedAction`: `run`, and `timeout`, within which targets have to appear and the action to end.
    Raises InvalidParams: a file that isn't there.
    Raises ApprovalRequired: the approval is of no use, or the action isn't what the person saw.
    """
    spec = COMMANDS[command]
    if actor == "agent":  # it writes placeholders as text, and quotes page text as the fence wrote it
        params = _read_literals(params)
    options["secret"] = secret = _secret(spec, params)
    # Taken before the page is read anew: that is what the caller chose by. What a person saw is no matter to others.
    shown = page.shown.frozen(page.latest, seen if seen or actor == "person" else _nothing)
    bound = for_approval or approval is not None
    judged = actor != "person" and (not spec.reads or spec.reads_element)
    types = spec.typed_in(params) is not None
    by_focus = spec.presses_keys and target is None and (bound or judged)
    pressed = spec.presses_keys and target is None and types
    if by_focus or pressed or (bound and target is not None):
        await page.snapshot()  # a ref's words, and where the focus is, have to be those of this moment
    left = _deadline(options.get("timeout"))
    await _once_answered(page, spec, left())
    resolved = await _find(page, target, actor, left(), lazy=lazy) if target is not None else None
    if resolved is not None and (spec.effect is Effect.READ or spec.only_prepares):
        resolved = await _as_it_is(page, resolved)
    elif resolved is not None:
        resolved = _seen(resolved, target, shown, page.shown if actor == "person" and not seen else None)
    dropped_on = await _find(page, drop_on, actor, left()) if drop_on is not None else None
    dropped_on = dropped_on and _seen(dropped_on, drop_on, shown)
    wire = _on_wire(spec, params, resolved, dropped_on)
    described = resolved or (_focused(page) if by_focus or pressed else None)
    facts = None
    if described is not None and (
        bound or judged or secret is not None or (types and described.node is None)
    ):
        facts = await _describe(page, described)
    if (seconds := left()) is not None:
        # What appeared at the last moment still gets time to be acted on: cut short, its outcome would be unknown.
        options["timeout"] = max(seconds, SHOWN_SECONDS)
    action = page.action(command, wire, target=resolved, actor=actor, facts=facts, **options)
    action = replace(action, onto=dropped_on)
    if pressed and described is not None and described.node is not None and "secret" in described.node.states:
        action = replace(action, call=replace(action.call, with_secret=True))
    if dropped_on and (bound or judged):
        onto = (await _describe(page, dropped_on)).name or ""
        action = replace(action, call=replace(action.call, chosen=(onto,)))
    if by_focus:
        action = _on_focus(action, page, described)
    if actor != "person":
        action = _with_questions(page, action, given_files, questions)
    return action if approval is None else page.browser.gateway.redeem(approval, action)


def _nothing(_ref: str) -> None:
    return None


async def _as_it_is(page: PageReader, found: Resolved) -> Resolved:
    """A target, read anew if it was named by its ref and actions came since: the result says what it is called now.

    Where a press is guarded, it comes only to what is called as before.
    """
    if found.selector is not None or page.read_after == page.actions:
        return found
    await page.parts_if_readable([found.ref])
    return replace(found, node=page.node(found.ref))


def _seen(
    found: Resolved, target: Target | None, shown: Seen, by_person: ShownControls | None = None
) -> Resolved:
    """What was found, with what its caller saw of it; what the page found by itself has that already."""
    renamed = by_person.renamed(found.ref) if by_person is not None else None
    seen = seen_of(target, found, shown, renamed) if found.seen is None else found.seen
    if seen is not None and isinstance(target, str) and not is_ref(target):
        selector = parse_selector(target)
        parts = seen_parts(found.node, selector) if found.node is not None else []
        counts = seen_counts(found.node, selector) if found.node is not None else []
        counted = [part for count in counts for part in (*count.before, *count.others, *count.inside)]
        if not any(MASK in part.name + part.text for part in (*parts, *counted)):
            seen = seen.model_copy(
                update={"css": selector.css or "", "parts": [*seen.parts, *parts], "counts": counts}
            )
    return replace(found, seen=seen)


def _on_wire(
    spec: Command, params: Mapping[str, Any], target: Resolved | None, drop_on: Resolved | None
) -> dict[str, Any]:
    """The parameters as they are sent: refs of what was found, addresses and files that may be."""
    wire = dict(params)
    if target:
        wire["ref"] = target.ref
    if drop_on:
        wire["to_ref"] = drop_on.ref
    if spec.destination:
        wire[spec.destination] = screen_url(wire[spec.destination])
    if spec.file_param:
        wire[spec.file_param] = absolute_files(wire[spec.file_param])
    return wire


def _secret(spec: Command, params: Mapping[str, Any]) -> Secret | None:
    """The text to be typed, if it is a `Secret`."""
    for name, text in params.items():
        if not isinstance(text, Secret):
            continue
        if name != spec.text_param:
            raise NotAllowed(
                f"the secret {min(text.names)!r} can only be typed into a field", hint="use fill or type"
            )
        return text
    return None


def _deadline(seconds: float | None) -> Callable[[], float | None]:
    """What is left of so many seconds from now on; None where there is no limit."""
    started = monotonic()
    return lambda: None if seconds is None else max(0.0, seconds - (monotonic() - started))


def _with_questions(
    page: PageReader, action: PreparedAction, given_files: Collection[str], more: Sequence[str]
) -> PreparedAction:
    """An action with what a person has to answer before an agent or a skill does it: secrets, files and more."""
    call, wire, gateway = action.call, action.wire, page.browser.gateway
    questions = tuple(more)
    if action.secret is not None:
        questions += gateway.secrets.questions(
            action.secret,
            origin=origin_of(call.frame_url or call.url),
            field=call.label,
            takes_secrets=call.facts is not None and call.facts.secret,
        )
    if pastes(call.key):
        questions = (*questions, "it pastes what your clipboard holds, for the page to read")
    if call.spec.page_tools and not call.spec.reads:
        call = replace(
            call, label=wire["name"], declared=page.danger_of_tool(wire["name"], wire.get("frame", ""))
        )
        arguments = json.dumps(wire.get("args", {}), ensure_ascii=False, default=str)[:200]
        frame = f" of the frame {wire['frame']}" if wire.get("frame") else ""
        questions = (
            *questions,
            f"the page's tool {wire['name']!r}{frame} runs the page's own code with {arguments}",
        )
    if call.spec.file_param:
        # A skill has no folder: what it uploads is what it was given.
        folder = page.browser.settings.uploads if call.actor == "agent" else None
        if files := files_to_ask_about(wire[call.spec.file_param], folder, given_files):
            where = f"not in {folder.absolute()}, and " if folder is not None else ""
            questions = (*questions, f"it would upload {files}: {where}nobody gave it that file")
    return replace(action, call=replace(call, questions=questions))


def _read_literals(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: read_literal(value) if isinstance(value, str) else value for name, value in params.items()}


async def _once_answered(page: PageReader, spec: Command, seconds: float | None) -> None:
    """Wait, before anything is done, for the record that the last act brings, or the load of the document.

    "Next" brings another record under the same "Approve", and a form is there before its record. What is filled in
    after a fill is of the same record.
    """
    fills = spec.sets_value or spec.edits_text
    if (
        spec.under_dialog
        or spec.navigates
        or page.dialogs.open is not None
        or page.rest.is_known
        or (fills and page.filled_last)
    ):
        return
    await page.settled("rest", ANSWER_SECONDS if seconds is None else min(seconds, ANSWER_SECONDS))


async def _find(
    page: PageReader, target: Target, actor: Actor, seconds: float | None, *, lazy: bool = False
) -> Resolved:
    """Find a target; what an agent can't see is neither among the candidates nor in the way of another match."""
    find = partial(find_in_page, acts=True) if lazy else None
    try:
        with reading_within(seconds):
            if not lazy:
                await page.read_if_stale()
            return await resolve(page, target, timeout=seconds, find=find)
    except SelectorError:
        if actor == "person" or page.latest is None:
            raise
        snapshot = await page.snapshot_for(str(target))
        seen = visible_to_ai(page, snapshot)
        if seen is snapshot:
            raise
    node = seen.find(str(target))
    if node.ref is None:
        raise InvalidParams(f"{target!r} matches plain text", hint="name the element that contains it")
    return Resolved(node.ref, node)


async def _describe(page: PageReader, target: Resolved) -> DescribeResult:
    data = await page.run("describe", {"ref": target.ref}, target=target)
    return DescribeResult.model_validate(data)


def _focused(page: PageReader) -> Resolved | None:
    """The element that a key without a target goes to; None where that is a document itself."""
    _, node = focus_in(page.latest)
    return Resolved(node.ref, node) if node is not None and node.ref else None


def _on_focus(action: PreparedAction, page: PageReader, described: Resolved | None) -> PreparedAction:
    """An action without a target, bound to what has the keyboard focus."""
    frame, _ = focus_in(page.latest)
    focused = described.ref if described else f"f{frame}" if frame else ""
    ref = make_ref(frame, 1)
    url, document = frame_url(page.latest, ref), document_key(page.latest, ref)
    return replace(action, call=replace(action.call, focused=focused, frame_url=url, document=document))

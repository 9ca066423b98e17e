"""What calls and a person's gestures did on a page as recorded steps, and what the page sends meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.records import compare, record_of
from skillbook.perception.records.record_table import is_record
from skillbook.perception.records.same_record import kept_record
from skillbook.perception.roles import IMAGES, INTERACTIVE
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.secrets import MASK, Secret
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.events import Gesture
from skillbook.protocol.refs import split_ref
from skillbook.protocol.snapshot import State
from skillbook.session.action import Resolved
from skillbook.session.actions.result import PerformedCall
from skillbook.session.page.seen_page import pointed_at
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.templates import escape
from skillbook.skill.recording.literals import secret_name
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.surroundings import kept_around, said_around

_BOXES = frozenset({"checkbox", "switch", "radio"})


@dataclass
class GestureSteps:
    """Makes steps of the gestures that a page reports.

    used: the ref of what was used last: the mouse may still be there.
    urls: the addresses at which steps were done, in order; they tell the way back from the way forward.
    idle: the last press, while it is one on what can't be acted on: what the page does then says whether it is a step.
    """

    driver: PageDriver
    urls: list[str] = field(default_factory=list)
    used: str | None = None
    idle: RecordedStep | None = None
    _documents: dict[str, Snapshot] = field(default_factory=dict)

    def begin(self) -> None:
        """Note where the page is, where nothing was done yet."""
        self.urls = self.urls or [self.driver.url]

    def note_url(self, url: str) -> None:
        """Note where a step was done."""
        if url and (not self.urls or self.urls[-1] != url):
            self.urls.append(url)

    def steps_of(self, gesture: Gesture, number: int = 0) -> list[RecordedStep]:
        """The step that a gesture is, if it is one, after the press before it, if that turns out to be one.

        number: the gesture's number, which its step has.
        Raises SkillbookError: the page may not be read.
        """
        earlier, self.idle = self.idle, None
        step = self._step_of(gesture)
        switched = _switch_of(earlier, self._documents.get(gesture.key)) if earlier is not None else None
        node = step.node if step is not None else None
        if COMMANDS[gesture.command].activates and gesture.path and (node is None or not node.actionable):
            idle = step or RecordedStep(gesture.command, url_before=gesture.url)
            self.idle, step = replace(idle, number=number, before=self._documents.get(gesture.key)), None
        steps = [switched, replace(step, number=number) if step is not None else None]
        return [one for one in steps if one is not None]

    def ended(self, after: Snapshot | None) -> list[RecordedStep]:
        """The step that the last press is, by how the page is now, if nothing that can be acted on was pressed."""
        earlier, self.idle = self.idle, None
        step = _switch_of(earlier, after) if earlier is not None else None
        return [step] if step is not None else []

    def _step_of(self, gesture: Gesture) -> RecordedStep | None:
        driver, spec = self.driver, COMMANDS[gesture.command]
        url = driver.url if gesture.frame else gesture.url
        if spec.navigates:
            return self._navigation(gesture)
        snapshot = self._snapshot(gesture)
        node = pointed_at(snapshot, gesture.frame, gesture.path, wants_control=spec.activates)
        if gesture.frame:
            # A frame's document alone doesn't say which frame of the page it is.
            latest = pointed_at(driver.latest, gesture.frame, gesture.path, wants_control=spec.activates)
            node = latest or node
            snapshot = None
        if node is None and spec.ref_fields and gesture.path:
            return None
        pressed, node = node, self._as_at_rest(node)
        self.used = node.ref if node is not None else None
        params: dict[str, Any] = driver.browser.gateway.secrets.redact_data(dict(gesture.params))
        if gesture.secret:
            params[spec.text_param or "value"] = Secret(secret_name(node))
        if gesture.at is not None and node is not None and node.role in IMAGES:
            params["at"] = list(gesture.at)
        seen = node.snapshot if node is not None else None
        onto = pointed_at(seen, gesture.frame, gesture.to_path, wants_control=False)
        return RecordedStep(
            gesture.command,
            params,
            node,
            onto,
            url_before=url,
            before=snapshot,
            irreversible=self._is_irreversible(gesture, params, node),
            under_mouse=pressed.label if pressed is not None and pressed is not node else "",
            is_part=_is_part(gesture, node),
        )

    def _as_at_rest(self, node: Node | None) -> Node | None:
        """The element as it was before the mouse came to it, where the mouse changed what it is called.

        It did if it only added words, or if nothing else on the page has another name but what was used before, where
        the mouse was.
        """
        latest = self.driver.latest
        if node is None or node.ref is None or latest is None or node.ref not in latest:
            return node
        before = latest[node.ref]
        if before.role != node.role or not before.label or clean(before.label) == clean(node.label):
            return node
        if _only_adds(before, node):
            return before
        inside = range(node.index, node.snapshot.ends[node.index])
        others = [
            (one.ref, one)
            for one in node.snapshot.elements
            if one.index not in inside and one.frame == node.frame and one.ref != self.used
        ]
        same = all(
            ref and ref in latest and clean(latest[ref].label) == clean(one.label) for ref, one in others
        )
        around_is_same = said_around(before) == said_around(node) or _texts_beside(before) == _texts_beside(
            node
        )
        return before if same and around_is_same else node

    def _navigation(self, gesture: Gesture) -> RecordedStep:
        """Where a person went by the browser's own means: forward, where that is not where they came from."""
        command = gesture.command
        if not gesture.params and gesture.url != self.urls[-1]:
            back = len(self.urls) > 1 and gesture.url == self.urls[-2]
            command = "back" if back else "forward"
        return RecordedStep(command, dict(gesture.params), url_before=self.urls[-1], url_after=gesture.url)

    def _snapshot(self, gesture: Gesture) -> Snapshot | None:
        """The document before the gesture: as it came along, or as it came with the gesture before."""
        if gesture.tree is None:
            return self._documents.get(gesture.key)
        data = {"documents": [json.loads(gesture.tree)], "missing": [], "took_ms": 0.0}
        found = Snapshot.from_wire(self.driver.browser.gateway.without_forbidden(data), earlier={})
        self._documents[gesture.key] = found
        return found

    def _is_irreversible(self, gesture: Gesture, params: Mapping[str, Any], node: Node | None) -> bool:
        """Whether the policy would query a person before an agent or a skill did it."""
        target = Resolved(node.ref, node) if node is not None and node.ref is not None else None
        action = self.driver.action(gesture.command, params, target=target, actor="agent")
        return self.driver.browser.gateway.judge(action.call).effect.value == "irreversible"


def _switch_of(press: RecordedStep, after: Snapshot | None) -> RecordedStep | None:
    """A press on what can't be acted on as a step on the one box that it ticked or unticked; None if it switched none.

    Where it switched more of them it is a step on what was pressed.
    """
    before = press.before
    if before is None or after is None or before is after:
        return None
    boxes = [one for one in before.elements if one.role in _BOXES and one.ref and one.ref in after]
    switched = [one for one in boxes if (one.flags ^ after[str(one.ref)].flags) & State.CHECKED]
    chosen = [one for one in switched if one.role != "radio" or not one.flags & State.CHECKED]
    if len(chosen) != 1:
        return press if chosen and press.node is not None else None
    (box,) = chosen
    is_on = not box.flags & State.CHECKED
    return replace(press, command="check" if is_on else "uncheck", params={}, node=box, is_part=False)


def _is_part(gesture: Gesture, node: Node | None) -> bool:
    """Whether what was pressed is a small part without words of something large that isn't pressed as a whole."""
    if node is None or node.ref is None or node.role in INTERACTIVE or is_record(node):
        return False
    is_placed = gesture.at is not None and node.role in IMAGES
    return not is_placed and split_ref(node.ref).number in gesture.wide


def _texts_beside(node: Node) -> list[str]:
    """All that the page says but for an element; what tells it from namesakes is known only while there are some."""
    inside = range(node.index, node.snapshot.ends[node.index])
    texts = [one for one in node.snapshot.nodes if one.role == "text" and one.index not in inside]
    return [clean(one.name) for one in texts]


def _only_adds(rest: Node, under_mouse: Node) -> bool:
    """Whether the mouse only adds words to a name."""
    return clean(under_mouse.label).startswith(f"{clean(rest.label)} ")


class SentRequests:
    """Notes what a page sends: a `skillbook.session.page.act_requests.RequestWatcher`.

    is_known_otherwise: whether what is sent now is known without this: a skill's file says it.
    known: whether everything that was sent was seen.
    early: what was sent before the first step.
    inside: what was sent while something is done that is recorded as one step.
    """

    def __init__(self, note: Callable[[RequestFact], None], is_known_otherwise: Callable[[], bool]) -> None:
        self.known = True
        self.early: list[RequestFact] = []
        self.inside: list[RequestFact] = []
        self._note = note
        self._is_known_otherwise = is_known_otherwise

    def sent(self, fact: RequestFact) -> None:
        """A request that may change something went."""
        self._note(fact)

    def take_inside(self) -> tuple[RequestFact, ...]:
        """What was sent within the step that ends now."""
        sent, self.inside = tuple(self.inside), []
        return sent

    def missed_requests(self) -> None:
        """What is sent isn't known any more."""
        self.known = self.known and self._is_known_otherwise()


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

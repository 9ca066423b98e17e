"""What only a person gets past, and their help in the page for a run: it becomes steps, its end is noticed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

from skillbook import lexicon
from skillbook.agents.state.step_records import Obstacle, ObstacleKind, StepRecord
from skillbook.errors import SkillbookError
from skillbook.perception.nodes import AnySnapshot, Node
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.snapshot import State
from skillbook.session.page.act_requests import NOT_SENT
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.recording.recorded_steps import RecordedStep

# Each rule is a few lines over a snapshot: roles, the lexicon's words, hosts of known frames. A rule that fires on
# an ordinary page stops a run for nothing, so a page has to be about the obstacle: a sign-in form in a header is
# none.

SMALL_PAGE = 25
"""Elements to act on; a page that is about one obstacle has no more."""
_FAILED = 6
_CAPTCHA_FRAME = re.compile(
    r"^https?://([^/]+\.)?(recaptcha\.net|google\.com/recaptcha|gstatic\.com/recaptcha|hcaptcha\.com|"
    r"challenges\.cloudflare\.com|arkoselabs\.com|funcaptcha\.com|captcha-delivery\.com|friendlycaptcha\.com|"
    r"mtcaptcha\.com|geetest\.com)(/|$|\?)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"size=invisible|/enterprise/anchor\?.*invisible", re.IGNORECASE)


_SECRETS = re.compile(r"\b(?:secret|credentials?)\b", re.IGNORECASE)
_NEAR = 40
"""Characters between the device that a dialog names and what it wants with it."""
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_DIALOGS = frozenset({"dialog", "alertdialog"})


def find_obstacle(snapshot: AnySnapshot, goal: str = "") -> Obstacle | None:
    """What on a page only a person gets past; None where there is nothing of the kind.

    goal: what is to be done: where it speaks of signing in, a sign-in page is no obstacle.
    """
    for rule in _RULES:
        node = rule(snapshot)
        if node is not None and not (rule is _login and _says_login(goal)):
            kind, message = _MEANING[rule]
            return Obstacle(kind, message, node.ref or "")
    return None


def find_failures(steps: Sequence[StepRecord]) -> Obstacle | None:
    """Whether a run's latest calls all failed, so that a person should look; refusing them was a person's own doing."""
    last = steps[-_FAILED:]
    if len(last) < _FAILED or any(step.error in {None, NOT_SENT} for step in last):
        return None
    tools = ", ".join(dict.fromkeys(step.tool for step in last))
    words = f"The last {_FAILED} calls failed ({tools}). Look at the page, do what is in the way, or say what to do."
    return Obstacle("failure", words)


def _captcha(snapshot: AnySnapshot) -> Node | None:
    small = len(snapshot.elements) <= SMALL_PAGE
    for node in snapshot.nodes:
        if node.src and _CAPTCHA_FRAME.search(node.src) and not _UNSEEN.search(node.src) and _is_seen(node):
            if small or node.box.height > 200:
                return node
        elif lexicon.matches("human_check", node.name):
            unticked = node.role == "checkbox" and _is_seen(node) and not node.flags & State.CHECKED
            if unticked or (small and node.role in {"heading", "iframe", "img"}):
                return node
    return None


def _login(snapshot: AnySnapshot) -> Node | None:
    if len(snapshot.elements) > SMALL_PAGE:
        return None
    fields = [node for node in snapshot.elements if node.role in _FIELDS and _is_seen(node)]
    passwords = [node for node in fields if node.type == "password"]
    heads = any(lexicon.matches("login", node.name) for node in snapshot.nodes if node.role == "heading")
    buttons = (node.name for node in snapshot.nodes if node.role == "button")
    says = heads or any(lexicon.matches("login", text) for text in (*buttons, snapshot.title))
    if len(passwords) == 1 and len(fields) <= 3 and says:
        return passwords[0]
    first = fields[0] if len(fields) == 1 else None
    if first is None or not heads:
        return None
    names_account = first.type == "email" or lexicon.meanings(first.label) & {"email", "username"}
    return first if names_account else None


def _two_factor(snapshot: AnySnapshot) -> Node | None:
    if len(snapshot.elements) > SMALL_PAGE:
        return None
    for node in snapshot.elements:
        words = f"{node.label} {node.placeholder or ''} {node.description or ''}"
        if node.role in _FIELDS and _is_seen(node) and lexicon.matches("one_time_code", words):
            return node
    return None


def _cookies(snapshot: AnySnapshot) -> Node | None:
    for node in snapshot.nodes:
        if node.role in _DIALOGS and lexicon.matches("cookie_notice", f"{node.name} {node.text[:600]}"):
            buttons = [each for each in snapshot.elements if each.role == "button" and _is_in(each, node)]
            if any(lexicon.matches("accept", each.name) for each in buttons) and _shuts_off(snapshot, node):
                return node
    return None


def _permission(snapshot: AnySnapshot) -> Node | None:
    for node in snapshot.nodes:
        if node.role in _DIALOGS and _wants_device(f"{node.name} {node.text[:300]}") and _is_seen(node):
            return node
    return None


def _wants_device(text: str) -> bool:
    """Whether a text names a camera, a location or the like, and near it what is wanted with it."""
    hits = lexicon.find(text)
    devices = [hit for hit in hits if hit.meaning == "device"]
    wants = [hit for hit in hits if hit.meaning in {"use", "accept"}]
    return any(abs(one.start - other.start) <= _NEAR for one in devices for other in wants)


def _says_login(goal: str) -> bool:
    """Whether a goal speaks of signing in."""
    words = re.sub(r"[_:{}$]", " ", goal)
    return not lexicon.meanings(words).isdisjoint({"login", "password"}) or bool(_SECRETS.search(words))


def _is_seen(node: Node) -> bool:
    return node.box.width > 0 and node.box.height > 0


def _is_in(node: Node, outer: Node) -> bool:
    return any(each == outer for each in node.ancestors)


def _shuts_off(snapshot: AnySnapshot, dialog: Node) -> bool:
    """Whether a dialog keeps the person from the page behind it."""
    if dialog.flags & State.MODAL:
        return True
    behind = [
        node for node in snapshot.elements if not _is_in(node, dialog) and not node.flags & State.OFFSCREEN
    ]
    covered = sum(bool(node.flags & State.OBSCURED) for node in behind)
    return bool(behind) and covered * 2 > len(behind)


Rule = Callable[[Any], Node | None]
_RULES: tuple[Rule, ...] = (_captcha, _two_factor, _cookies, _permission, _login)
_MEANING: dict[Rule, tuple[ObstacleKind, str]] = {
    _captcha: ("captcha", "The page wants to know whether a person is there. Please solve its captcha."),
    _two_factor: ("two_factor", "The page wants a one-time code. Please enter the one that you were sent."),
    _cookies: ("cookies", "A cookie notice covers the page. Please choose what you agree to."),
    _permission: ("permission", "The page wants a permission. Please allow or refuse it."),
    _login: ("login", "The page wants you to sign in. Please do so; what you type isn't shown to the model."),
}


_FAILURES = 3
"""Looks in a row at a page that can't be read; then the next thing that the person does looks again."""
_BADGE = "The agent waits for you: do it here, then press Done in the notebook"


class _HelpRecording(Demonstration):
    """A demonstration that begins and ends on the I/O thread and shows what the agent waits for."""

    _after_input = True

    def _badge(self) -> str:
        return _BADGE


class PersonHelp:
    """Watches a page while a person helps. Used on the I/O thread only.

    changed: called when it seems to be done.
    """

    def __init__(self, page: Any, goal: str, changed: Callable[[], None]) -> None:
        self.noticed = False
        self._page = page
        self._goal = goal
        self._changed = changed
        self._recording: _HelpRecording | None = None
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        latest = page.latest
        self._obstacle = find_obstacle(latest, goal) if latest is not None else None

    async def begin(self) -> None:
        """Record what the person does, where nobody records the page already."""
        if self._page.on_gesture is not None or self._page.on_done is not None:
            return
        recording = _HelpRecording(self._page)
        try:
            await recording.begin()
        except SkillbookError:
            return  # a page that can't be read is no reason not to help
        recording.on_change.append(self.look)
        self._recording = recording

    def look(self) -> None:
        """The person did something: see soon whether what was in the way is gone."""
        if self._obstacle is None:
            return
        self._again = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        """Look until nothing was done meanwhile: the last thing that a person does is what matters."""
        failures = 0
        while self._again and failures < _FAILURES:
            self._again = False
            try:
                await self._page.settled("rest")
                snapshot = await self._page.snapshot()
            except SkillbookError:
                # The page is on its way elsewhere, or gone.
                self._again, failures = True, failures + 1
                continue
            noticed = find_obstacle(snapshot, self._goal) is None
            if noticed is not self.noticed:
                self.noticed = noticed
                self._changed()

    async def end(self) -> list[StepRecord]:
        """Stop watching; returns what the person did, as steps of the run."""
        if self._looking is not None:
            self._looking.cancel()
        if self._recording is None:
            return []
        recording, self._recording = self._recording, None
        recording.on_change.clear()
        try:
            await recording.finish()
        except SkillbookError:
            pass  # what was recorded until the page went away stays
        done = recording.recording
        return [step_of(step, known=done.held) for step in done.steps]


def step_of(step: RecordedStep, *, known: bool = False) -> StepRecord:
    """Something that a person did, as a step of a run; `known` where it was seen what it sent."""
    args = dict(step.params)
    for name, node in (("target", step.node), ("to", step.to_node)):
        if node is not None and node.ref is not None:
            args[name] = node.ref
    command = COMMANDS.get(step.command)
    effect = "irreversible" if step.irreversible else command.effect.value if command is not None else "read"
    label = f" {step.role} {step.label!r}" if step.node is not None else ""
    return StepRecord(
        index=0,
        tool=step.command,
        args=args,
        call_id="",
        effect=effect,
        decision="person",
        result=f"the person did it:{label}" if label else "the person did it",
        url=step.url_after or step.url_before,
        before=step.before,
        after=step.after,
        extra={
            "node": step.node,
            "to_node": step.to_node,
            "sent": list(step.sent),
            "failed": list(step.failed),
            "sent_known": known,
        },
    )

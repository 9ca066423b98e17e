"""What an action returns, what is read of it when somebody looks, and what the journal gets to know of it."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from skillbook.errors import SkillbookError, ThreadError
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import READ_SECONDS
from skillbook.perception.diff import SnapshotDiff
from skillbook.perception.nodes import Node
from skillbook.perception.records.same_record import kept_record
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.commands.act import ActionOutcome, DialogSeen
from skillbook.protocol.commands.tabs import NavigationResult
from skillbook.session.action import Resolved
from skillbook.session.gateway import Gateway
from skillbook.session.page.act_requests import ActRequests, FailedRequest, RequestOutcome
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Settled
from skillbook.session.page.request_log import NetworkRequest

if TYPE_CHECKING:
    from skillbook.session.page.page_reader import PageReader


Metrics = dict[str, float | None]
_NAMES = {"lcp": "LCP", "cls": "CLS", "inp": "INP", "fcp": "FCP", "ttfb": "TTFB"}


async def measure(page: PageReader, *, timeout: float | None = None) -> Metrics:
    """What the browser has measured of a page, by the names that people use; None for what isn't known."""
    found = await page.run("metrics", {}, timeout=timeout)
    return {_NAMES.get(name, name): value for name, value in found.items()}


async def measure_if_possible(page: PageReader) -> Metrics | None:
    """The same beside an action, which goes on without it: None if a dialog or a missing debugger forbids it."""
    if page.closed or page.dialogs.open is not None:
        return None
    try:
        return await measure(page, timeout=READ_SECONDS)
    except SkillbookError:
        return None


@dataclass
class LaterLook:
    """Reads a page once, for the result of an action that was done on it.

    unseen: how many actions came after that reading, before this one.
    settled: whether what the action caused was over when the page was read.
    """

    page: PageReader
    before: Snapshot
    unseen: int
    number: int
    _diff: SnapshotDiff | None = None
    _later: int | None = field(default=None, init=False)
    settled: Settled | None = field(default=None, init=False)

    @property
    def diff(self) -> SnapshotDiff | None:
        """What is different now, or was when this was first asked for; None where the page can't be read."""
        if self._later is None:
            if io.inside:
                raise ThreadError(
                    "what an action changed can't be read here: nobody else could be served meanwhile",
                    hint="set SKILLBOOK_LOOK_AT_ONCE: actions then read the page by themselves",
                )
            io.sync(self.read())
        return self._diff

    def answered(self) -> None:
        """Wait until what the last action requested is answered, where that can be waited for."""
        if not io.inside and not self.page.closed:
            io.sync(self.page.settled("answers"))

    async def read(self) -> None:
        """Read the page now, for good, once it shows what the last action requested."""
        later = self.page.actions - self.number
        self.settled = None if self.page.closed else await self.page.settled("rest")
        now = None if self.page.closed else await self.page.snapshot_if_readable()
        self._later = later
        self._diff = None if now is None else replace(now.diff(self.before), note=self.when)

    def is_its_own(self) -> bool:
        """Whether what differs can only be of this action, or of the page itself."""
        return not self.unseen and not (
            self.page.actions - self.number if self._later is None else self._later
        )

    @property
    def when(self) -> str:
        """Between which moments the differences lie."""
        parts = []
        if self.unseen:
            parts.append(f"with what {_actions(self.unseen)} before it changed")
        if self._later:
            parts.append(f"read after {_actions(self._later)} more")
        return ", ".join(parts)


def _actions(count: int) -> str:
    return "1 action" if count == 1 else f"{count} actions"


@dataclass(frozen=True)
class ActionResult:
    """What an action did.

    Attributes
    ----------
    command : the command's name.
    changed : whether the page changed or went elsewhere.
    diff : what changed in the snapshot; None where a dialog holds the page, or the page is gone. After a person's
        action the page is read when this is first asked for: it says what is different by then; see `when`.
    url : the address after the action, as the browser committed it.
    elapsed_ms : milliseconds from the call to the answer, without the snapshots around it.
    navigated : whether the main document is another one now.
    dialog : a JavaScript dialog that opened, and waits for `page.handle_dialog()` unless a rule answered it.
    opened_tabs : ids of tabs that the action opened.
    closed : whether it closed the page, as a window does in which one chooses something.
    settled : whether what it caused was over when the page was read, and what wasn't; None if nobody waited for it.
    target : the element as it was before.
    effect : what the policy took the action for.
    data : more, by command: "input", "status", "title"; of a download "path", "name", "bytes", "mime" and "url" of the
        first file, and "files" with these of each; of a page's tool "answer" (text or JSON text), "value" (the same
        as dict, list, text or number) and "waits"; "answered" where a dialog came: whether a rule answered it.
    requests : what the page requested meanwhile, if its network is watched or an agent acts: method, url, status, time.
    act : what its requests came to, also those that are known later: `failed` and `refused` say it.
    measured : what the browser had measured before and after, if the page is observed so; `metrics` has it as a table.
    notes : fields that were filled before, and that the page changed to something else meanwhile; a file of which
        nothing shows once its field is empty again.

    Examples
    --------
    >>> result = page.click("button 'Save'")  # doctest: +SKIP
    >>> result.changed, result.diff  # doctest: +SKIP
    """

    command: str
    changed: bool
    diff: SnapshotDiff | None
    url: str
    elapsed_ms: float
    navigated: bool = False
    dialog: DialogSeen | None = None
    opened_tabs: tuple[int, ...] = ()
    closed: bool = False
    settled: Settled | None = None
    target: Node | None = None
    effect: str = "write"
    data: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    requests: tuple[NetworkRequest, ...] = ()
    measured: tuple[Metrics | None, Metrics | None] | None = None
    act: ActRequests | None = field(default=None, repr=False, compare=False)
    look: LaterLook | None = field(default=None, repr=False, compare=False)

    def __getattr__(self, name: str) -> Any:
        """What nobody has looked at yet: those two aren't there until then."""
        look: LaterLook | None = self.__dict__.get("look")
        if look is None or name not in {"diff", "changed"}:
            raise AttributeError(f"ActionResult has no {name!r}")
        if name == "diff":
            return look.diff
        # Where other actions changed the page as well, only the browser knows what this one did.
        if not look.is_its_own():
            return False
        diff = look.diff
        return look.is_its_own() and diff is not None and not diff.empty

    def seen_later(self, look: LaterLook) -> ActionResult:
        """The same result, whose differences are read when somebody looks."""
        result = replace(self, look=look)
        del result.__dict__["diff"]
        if not self.changed:
            del result.__dict__["changed"]
        return result

    @property
    def when(self) -> str:
        """Of which other actions `diff` has changes too, because nobody looked in between; empty for none."""
        return self.look.when if self.look is not None else ""

    @property
    def waits_for(self) -> str:
        """What the page still waited for when it was read, in a few words; empty for nothing."""
        settled = self.settled if self.look is None else self.look.settled
        return "" if settled is None or settled.is_over else settled.words or "an answer"

    @property
    def refused(self) -> tuple[RequestOutcome, ...]:
        """Requests of it that weren't sent, since a person, a rule or a skill's file refused them."""
        return () if self.act is None else tuple(self.act.refused)

    @property
    def failed(self) -> tuple[FailedRequest, ...]:
        """Requests of it to the page's own site that were answered with an error, or broke.

        After a person's action this waits until what the action requested is answered.
        """
        if self.look is not None:
            self.look.answered()
        return () if self.act is None else tuple(self.act.failed)

    @property
    def problem(self) -> str:
        """What was refused of it and what failed, in words; empty where nothing was."""
        return "" if self.act is None else self.act.problem

    @property
    def metrics(self) -> Any:
        """What the browser measured, as a DataFrame: `before`, `after` and the `change`.

        A row for each figure of `page.metrics()`. If the action led to another document, there is no change to speak
        of: its column is empty. None unless the page was opened with `observe="metrics"`.
        """
        return None if self.measured is None else hooks.tabulate_metrics(*self.measured, self.navigated)

    @property
    def path(self) -> Path | None:
        """Where a downloaded file is; of several the first."""
        return Path(self.data["path"]) if "path" in self.data else None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where all downloaded files are."""
        return tuple(Path(file["path"]) for file in self.data.get("files", ()))

    def __repr__(self) -> str:
        return f"<ActionResult {self}>"

    def __str__(self) -> str:
        what = f"{self.command} {self.target.role} {self.target.name!r}" if self.target else self.command
        if self.paths:
            size = sum(file["bytes"] for file in self.data["files"])
            state = f"saved {', '.join(path.name for path in self.paths)} ({size:,} bytes)"
        elif self.dialog:
            state = f"{self.dialog.kind} dialog: {self.dialog.message!r}"
        elif self.closed:
            state = "done; the page closed"
        elif self.navigated:
            state = f"went to {self.url}"
        else:
            state = "changed" if self.changed else "no change"
            if self.when and not self.changed:
                state = "no change that the browser saw"
        waits = f"the page still waits for {self.waits_for}" if self.waits_for else ""
        return "; ".join([f"{what}: {state}", *filter(None, [waits, self.problem]), *self.notes])


def result_of(command: str, data: Any, node: Node | None, elapsed_ms: float, effect: str) -> ActionResult:
    """The result of an action or navigation, from the wire's data; the diff comes later."""
    if COMMANDS[command].navigates:
        went = NavigationResult.model_validate(data)
        facts = {"status": went.status, "title": went.title}
        return ActionResult(
            command, True, None, went.url, elapsed_ms, navigated=True, target=node, effect=effect, data=facts
        )
    more = {"answered", "files", "answer", "value", "waits"}
    seen = ActionOutcome.model_validate({name: value for name, value in data.items() if name not in more})
    facts = {"input": seen.input}
    if files := data.get("files"):
        facts |= {**files[0], "files": files}
    facts |= {name: data[name] for name in ("answer", "value", "waits") if name in data}
    if seen.dialog:
        facts["answered"] = bool(data.get("answered"))
    return ActionResult(
        command, seen.changed, None, seen.url, elapsed_ms, navigated=seen.navigated, dialog=seen.dialog,
        opened_tabs=tuple(seen.opened_tabs), closed=seen.closed, target=node, effect=effect,
        data=facts,
    )  # fmt: skip


@dataclass
class PerformedCall:
    """Something that a Python call did on a page.

    command, params: what, as the wire has it; or `extract` with its arguments, or `run_skill` with name and inputs.
    result: what came of an action.
    failed: whether it came to nothing, as only what is recorded as one can.
    behind: whether the page wasn't read again since earlier acts, so that `before` isn't how it was.
    fresh: whether nobody had acted on the page before, since it was loaded.
    hides: whether what was typed is a secret.
    """

    command: str
    params: Mapping[str, Any]
    result: ActionResult | None
    before: Snapshot | None
    failed: bool = False
    frame: Any = None
    actor: Actor = "person"
    found: Resolved | None = None
    behind: bool = False
    fresh: bool = False
    hides: bool = False


_LINES = 400
"""Tokens of the diff that the journal keeps."""
_LARGEST = 100_000
"""Nodes; on larger pages looking for a locator would hold the next action up."""
_MOMENT_S = 0.25
_PAUSE_S = 0.01
_QUALITY = 60
_WIDTH = 320
"""Pixels of a thumbnail."""
_waiting: WeakKeyDictionary[Gateway, asyncio.TimerHandle] = WeakKeyDictionary()
_tasks: set[asyncio.Task[None]] = set()
_log = logging.getLogger("skillbook.session")


def log_step(
    page: PageReader,
    result: ActionResult,
    before: Snapshot | None,
    actor: Actor,
    target: Resolved | None = None,
    *,
    unread: bool = False,
) -> None:
    """Add to the action's step where its element is found again and what came of it.

    `target` is the element as it was found; `unread` says that the page wasn't read after the action.
    """
    gateway = page.browser.gateway
    intent = gateway.take_intent(page.tab.id, result.command)
    if intent is None:
        return
    gateway.journal.later(partial(_note_seen, gateway, intent, result, before, target, unread))
    if result.act is not None:
        result.act.journaled(gateway.journal, intent)
    wanted = page.browser.settings.thumbnails
    if wanted == "all" or (wanted == "agents" and actor == "agent"):
        task = asyncio.ensure_future(_take_thumbnail(page, intent))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


def _note_seen(
    gateway: Gateway,
    intent: int,
    result: ActionResult,
    before: Snapshot | None,
    target: Resolved | None,
    unread: bool,
) -> None:
    node, locator, in_part = result.target, None, False
    if target is not None and target.selector is not None:  # the page found it, and read what is around it
        locator, node, in_part = target.selector, target.around, True
    elif node is not None and before is not None and len(before.columns.number) <= _LARGEST:
        locator = str(build_locator(node))
    if locator is not None:
        gateway.journal.note(intent, "locator", gateway.secrets.redact(locator))
        if node is not None and (kept := kept_record(node, in_part=in_part)):
            data = gateway.secrets.redact_data(kept)
            gateway.journal.note(intent, "record", json.dumps(data, ensure_ascii=False))
    seen: dict[str, object] = {"url": result.url, "navigated": result.navigated}
    if result.changed or not unread:
        seen["changed"] = result.changed
    if result.dialog is not None:
        seen["dialog"] = result.dialog.message
    if result.diff is not None:
        seen["diff"] = result.diff.text(_LINES)
    gateway.journal.note(
        intent, "observation", json.dumps(gateway.secrets.redact_data(seen), ensure_ascii=False)
    )


def put_off(gateway: Gateway) -> None:
    """Note nothing more meanwhile: an action begins, and finding things out would hold it up."""
    if (waiting := _waiting.pop(gateway, None)) is not None:
        waiting.cancel()


def catch_up_soon(gateway: Gateway) -> None:
    """Note what was put off once nothing has been done for a moment."""
    put_off(gateway)
    _waiting[gateway] = asyncio.get_running_loop().call_later(_MOMENT_S, _catch_up, gateway)


def _catch_up(gateway: Gateway) -> None:
    """Note one step, and the next after whatever else waits for this thread, such as an action that begins."""
    if gateway.journal.note_next():
        _waiting[gateway] = asyncio.get_running_loop().call_later(_PAUSE_S, _catch_up, gateway)


async def _take_thumbnail(page: PageReader, intent: int) -> None:
    """Take a small screenshot in the background; where that fails, the step has none."""
    gateway = page.browser.gateway
    try:
        options = {"format": "jpeg", "quality": _QUALITY, "max_width": _WIDTH}
        data = await gateway.run(page.action("screenshot", options, quiet=True))
        gateway.journal.note(intent, "thumbnail", base64.b64decode(data["data"]))
    except SkillbookError as error:
        _log.debug("no thumbnail of step %s: %s", intent, error)

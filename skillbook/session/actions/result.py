"""What an action returns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from skillbook.hooks import hooks
from skillbook.perception.diff import SnapshotDiff
from skillbook.perception.nodes import Node
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.commands.act import ActionOutcome, DialogSeen
from skillbook.protocol.commands.tabs import NavigationResult
from skillbook.session.actions.later_look import LaterLook
from skillbook.session.page.act_requests import ActRequests, FailedRequest
from skillbook.session.page.page_metrics import Metrics
from skillbook.session.page.request_decisions import RequestOutcome
from skillbook.session.page.request_log import NetworkRequest


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
    busy : whether the page still waits for an answer that the action requested; known of agents' and skills' actions.
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
    busy: bool = False
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
        return "; ".join([f"{what}: {state}", *filter(None, [self.problem]), *self.notes])


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
        opened_tabs=tuple(seen.opened_tabs), closed=seen.closed, busy=seen.busy, target=node, effect=effect,
        data=facts,
    )  # fmt: skip

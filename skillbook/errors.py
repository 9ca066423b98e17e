"""Every error skillbook raises, as one tree.

SkillbookError
├── ConfigError                 a setting that can't be used
├── LaunchError             a browser can't be started
│   ├── BrowserNotFound         no usable Chromium on this machine
│   ├── ExtensionNotBuilt       the extension's built folder is missing
│   └── LaunchFailed            Chromium started and ended, or never dialled in
├── BridgeError             something is wrong with the connection to the browser
│   ├── PortInUse               the wanted port belongs to another process
│   ├── ServeRunning            `skillbook serve` runs already for this user
│   ├── PairingFailed           wrong, used or expired pairing code
│   ├── AuthFailed              wrong token, wrong Origin, wrong Host
│   ├── VersionMismatch         extension and kernel can't talk to each other
│   ├── ProtocolError           a malformed, oversized or unknown message
│   ├── NotConnected            no browser is connected
│   │   └── BrowserEnded            the browser that was started here has ended
│   └── ConnectionLost          the connection dropped while a command was pending
├── CommandError                the browser refused or failed a command
│   ├── UnknownCommand          no such command on the other side
│   ├── InvalidParams           the command's parameters don't validate
│   ├── CommandTimeout          the deadline passed
│   ├── PageClosed              the tab is gone
│   ├── PageNavigated           the document went away during the command
│   ├── PageUnreachable         the URL didn't load, scripts can't run there, or its input is lost
│   ├── UnknownRef              a ref that was never given out
│   ├── StaleRef                a ref whose element or document is gone
│   ├── NotActionable           hidden, disabled, moving, or covered by something else
│   ├── DebuggerUnavailable     trusted input isn't available on this tab
│   ├── DialogBlocked           a JavaScript dialog holds the page
│   ├── EvaluateRefused         evaluate wasn't allowed at launch or connect
│   ├── Stopped                 the user pressed stop during the command
│   └── InternalError           the other side failed in a way it didn't foresee
├── SelectorError           a role selector that doesn't lead to one element
│   ├── SelectorSyntaxError     the role selector can't be parsed
│   ├── NoMatch                 nothing on the page matches
│   └── AmbiguousMatch          more than one element matches
├── PolicyError             the policy forbids it
│   ├── NotAllowed              the policy forbids this command here
│   ├── OriginChanged           the page went to another origin before the command could be carried out
│   └── ApprovalRequired        a person has to approve this command first
├── ThreadError                 a blocking call on the thread that must not block
├── AgentError              an agent's run can't continue
│   ├── ModelNotConfigured      no model given and none in the settings
│   ├── ModelUnreachable        the model's server can't be reached or refuses
│   ├── ApprovalPending         a call waits for a decision
│   ├── NothingPending          a decision was given and no call waits
│   ├── GoalBlocked             neither skills nor exploration reach the goal without a model
│   ├── BudgetExceeded          steps, money or tokens are used up
│   ├── InvalidCell             a cell's code can't be run as it is
│   ├── SandboxMissing          the sandbox for cells isn't installed
│   └── ScriptMismatch          a scripted model has no answer that fits
├── SkillError              a skill can't be used in this way
│   ├── SkillNotFound           no skill of that name
│   ├── InvalidSkill            a skill file that can't be read
│   ├── InvalidSkillName        a name that can't be a skill's
│   ├── SkillNotApproved        a skill from elsewhere that nobody has approved in this version
│   ├── CannotBind              a built-in skill is not sure which controls of a page it means
│   ├── MissingInput            an input without value
│   ├── InvalidInput            an input that the skill doesn't have, or of another type
│   └── ReplayFailed            a step found no single sure target, or its check failed
├── ClusterError            a skill can't be mapped on these machines
│   ├── HostUnfit               a host can't run rows
│   ├── ClusterLost             the scheduler, or whoever grants claims, doesn't answer
│   └── RowNotGranted           a row was claimed before, or its map was stopped
├── WorkflowError           a workflow can't be used in this way
│   ├── WorkflowNotFound        no workflow of that name, or a file that defines none
│   └── InvalidWorkflow         a function that can't be one
├── CassetteError           a cassette can't be used in this way
│   ├── CassetteNotFound        there is none to replay, or it can't be read
│   └── CassetteMismatch        what happens isn't what was recorded
├── EvalError               an evaluation can't be made or compared
│   └── InvalidTask             a task that can't be read, or can't be carried out in this way
└── ExtractionError             nothing to extract, or fields that don't fit
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

DOCS_URL = ""
"""The address of the documentation, ending in a slash: `[project.urls]` has the same. Empty while there is none."""


def docs_page(name: str) -> str:
    """Where a reader finds a page of the documentation: its address if it has one, else its name."""
    return f"{DOCS_URL}docs/{name}.html" if DOCS_URL else f"the page {name!r} of the documentation"


class SkillbookError(Exception):
    """The base of every error that skillbook raises.

    Parameters
    ----------
    message : str
        What happened, one sentence.
    hint : str, optional
        What to try, one sentence; the class's hint by default.
    **data : object
        Facts a program may want (JSON values only).

    Attributes
    ----------
    retryable : bool
        Whether the same call may succeed if it is simply made again; a write that may have happened isn't.

    Examples
    --------
    >>> try:  # doctest: +SKIP
    ...     page.click("button 'Save'")
    ... except sb.SkillbookError as error:
    ...     print(error.code, error.hint)
    """

    code: ClassVar[str] = "skillbook_error"
    retryable: bool = False
    default_hint: ClassVar[str] = ""
    _render_traceback_: ClassVar[Callable[[Any], list[str]]]  # set where IPython runs, which calls it

    def __init__(self, message: str, *, hint: str | None = None, **data: Any) -> None:
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.data = data
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]" + (f"\n  Try: {self.hint}" if self.hint else "")

    def to_wire(self) -> dict[str, Any]:
        """The error as the wire carries it: code, message, hint, data, and whether it is retryable."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "data": self.data,
            "retryable": self.retryable,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.data, self.retryable)


def _rebuild(
    cls: type[SkillbookError], message: str, hint: str, data: dict[str, Any], retryable: bool
) -> SkillbookError:
    error = cls(message, hint=hint, **data)
    error.retryable = retryable
    return error


def error_from_wire(
    code: str,
    message: str,
    hint: str = "",
    data: dict[str, Any] | None = None,
    retryable: bool | None = None,
) -> SkillbookError:
    """Make the error that a wire message names; an unknown code becomes `CommandError`."""
    cls = error_classes().get(code, CommandError)
    facts = {key: value for key, value in (data or {}).items() if key not in {"self", "message", "hint"}}
    error = cls(message, hint=hint or None, **facts)
    error.retryable = cls.retryable if retryable is None else retryable
    return error


def error_classes() -> dict[str, type[SkillbookError]]:
    """Every error class by its code."""
    found: dict[str, type[SkillbookError]] = {}
    todo: list[type[SkillbookError]] = [SkillbookError]
    while todo:
        cls = todo.pop()
        found[cls.code] = cls
        todo.extend(cls.__subclasses__())
    return found


class ConfigError(SkillbookError):
    code = "config"
    default_hint = "check the SKILLBOOK_* environment variables and the .env file"


class LaunchError(SkillbookError):
    code = "launch"
    default_hint = "run `skillbook doctor`"


class BrowserNotFound(LaunchError):
    code = "browser_not_found"
    default_hint = "install Chromium, or name one with SKILLBOOK_CHROMIUM; `skillbook doctor` reports more"


class ExtensionNotBuilt(LaunchError):
    code = "extension_not_built"
    default_hint = "from a checkout run `make build`; an installed wheel contains it, so reinstall skillbook"


class LaunchFailed(LaunchError):
    code = "launch_failed"
    default_hint = "run `skillbook doctor`; as root or in a container Chromium may need args=['--no-sandbox']"


class BridgeError(SkillbookError):
    code = "bridge"
    default_hint = "look at `browser.status`, or start again with `sb.launch()` or `sb.connect()`"


class PortInUse(BridgeError):
    code = "port_in_use"
    default_hint = "leave the port out to get a free one; skillbook never ends the process that owns it"


class ServeRunning(BridgeError):
    code = "serve_running"
    default_hint = "use that one, or end it first"


class PairingFailed(BridgeError):
    code = "pairing_failed"
    default_hint = "open the pairing link again; each link works once and for a short time"


class AuthFailed(BridgeError):
    code = "auth_failed"
    default_hint = "pair again: `sb.connect()` shows a new link"


class VersionMismatch(BridgeError):
    code = "version_mismatch"
    default_hint = "update the extension: `skillbook extension` prints the folder to load"


class ProtocolError(BridgeError):
    code = "protocol"
    default_hint = "update skillbook and its extension to the same version"


class NotConnected(BridgeError):
    code = "not_connected"
    retryable = True
    default_hint = (
        "start a browser with `sb.launch()`, pair yours with `sb.connect()`, or again with `browser.pair()`"
    )


class BrowserEnded(NotConnected):
    code = "browser_ended"
    retryable = False
    default_hint = "`browser.relaunch()` starts it again, without its tabs"


class ConnectionLost(BridgeError):
    code = "connection_lost"
    default_hint = "look at the page before you try again: the command may have happened"


class CommandError(SkillbookError):
    code = "command"
    default_hint = "look at the page with `page.snapshot()`"


class UnknownCommand(CommandError):
    code = "unknown_command"
    default_hint = "update the extension: `skillbook extension` prints the folder to load"


class InvalidParams(CommandError):
    code = "invalid_params"
    default_hint = f"see `help(page)`, or {docs_page('commands')}"


class CommandTimeout(CommandError):
    code = "timeout"
    default_hint = "give a longer timeout, or look at the page with `page.snapshot()`"


class PageClosed(CommandError):
    code = "page_closed"
    default_hint = "open it again with `browser.open(url)`"


class PageNavigated(CommandError):
    code = "page_navigated"
    retryable = True
    default_hint = "take a new snapshot: the page went elsewhere during the command"


class PageUnreachable(CommandError):
    code = "page_unreachable"
    retryable = True
    default_hint = "check the address, and that its server runs"


class UnknownRef(CommandError):
    code = "unknown_ref"
    default_hint = "take a snapshot and use a ref from it, or a role selector such as \"button 'Save'\""


class StaleRef(CommandError):
    code = "stale_ref"
    default_hint = "take a new snapshot: the element, or its document, is gone"


class NotActionable(CommandError):
    code = "not_actionable"
    default_hint = "look at the page with `page.snapshot()`: something hides, disables, moves or covers it"


class DebuggerUnavailable(CommandError):
    code = "debugger_unavailable"
    default_hint = "close DevTools on that tab, or use input='synthetic'"


class DialogBlocked(CommandError):
    code = "dialog_blocked"
    default_hint = "answer it with `page.handle_dialog(accept=True)`"


class EvaluateRefused(CommandError):
    code = "evaluate_refused"
    default_hint = "allow it with `sb.launch(allow_evaluate=True)` or `sb.connect(allow_evaluate=True)`"


class Stopped(CommandError):
    code = "stopped"
    default_hint = "look at the page with `page.snapshot()` before going on: the command may have had effects"


class InternalError(CommandError):
    code = "internal"
    default_hint = "this is a fault of skillbook's: please report it with the message"


class SelectorError(SkillbookError):
    code = "selector"
    default_hint = "see `page.snapshot()` for the roles and names on the page"


class SelectorSyntaxError(SelectorError):
    code = "selector_syntax"
    default_hint = (
        "write a role and a name, such as \"button 'Save'\" or \"link ~'next' in main\"; "
        f"{docs_page('selectors')} shows every form"
    )


class NoMatch(SelectorError):
    code = "no_match"
    default_hint = (
        "take a snapshot and look what it is called now, or wait with `page.wait_for(selector=...)`"
    )


class AmbiguousMatch(SelectorError):
    code = "ambiguous_match"
    default_hint = f"add 'in LANDMARK' or 'nth N' ({docs_page('selectors')}), or use a ref"


class PolicyError(SkillbookError):
    code = "policy"
    default_hint = (
        "the message names the rule; `browser.allow(origin)` and `browser.rules` change what may happen"
    )


class NotAllowed(PolicyError):
    code = "not_allowed"
    default_hint = "allow the origin with `browser.allow(origin)`"


class OriginChanged(PolicyError):
    code = "origin_changed"
    default_hint = (
        "look at the page with `page.snapshot()`; `browser.allow(origin)` lets you act where it is now"
    )


class ApprovalRequired(PolicyError):
    """`binding` is what an approval has to be for; None where nothing can be approved."""

    code = "approval_required"
    default_hint = (
        "approve it in the panel or with `run.approve()`; what can't be undone needs one every time"
    )
    binding: Any = None


class ThreadError(SkillbookError):
    code = "thread"
    default_hint = "use the awaitable API (`sb.aio`) there"


class AgentError(SkillbookError):
    code = "agent"
    default_hint = "see `run.error` and `run.steps`; `run.start()` goes on"


class RunInterrupted(KeyboardInterrupt):
    """A person interrupted a call that waited for a run; the run is stopped."""

    _render_traceback_: ClassVar[Callable[[Any], list[str]]]  # as that of `SkillbookError`


class ModelNotConfigured(AgentError):
    code = "model_not_configured"
    default_hint = "give model='openai:NAME', or set SKILLBOOK_MODEL and OPENAI_API_KEY"


class ModelUnreachable(AgentError):
    code = "model_unreachable"
    default_hint = "check the key, the address and the network; `run.start()` goes on from here"


class ApprovalPending(AgentError):
    code = "approval_pending"
    default_hint = (
        "see `run.pending`, then run.approve(), run.edit(...), run.reject('why') or run.respond('text')"
    )


class NothingPending(AgentError):
    code = "nothing_pending"
    default_hint = "`run.start()` or `run.step()` goes on to the next call"


class GoalBlocked(AgentError):
    code = "goal_blocked"
    default_hint = "do it by hand and go on with `run.start()`, or give the agent a model"


class BudgetExceeded(AgentError):
    code = "budget_exceeded"
    default_hint = (
        "set `run.max_steps`, `run.budget_usd` or `run.budget_tokens` higher; `run.start()` then goes on"
    )


class InvalidCell(AgentError):
    code = "invalid_cell"
    default_hint = "mend the lines that are marked; nothing of the cell was carried out"


class SandboxMissing(AgentError):
    code = "sandbox_missing"
    default_hint = 'install it with `pip install "skillbook[cells]"`'


class ScriptMismatch(AgentError):
    code = "script_mismatch"
    default_hint = "read what the scripted model was sent, and give it an answer for that"


class SkillError(SkillbookError):
    code = "skill"
    default_hint = "see `sb.skills`, and the skill's SKILL.md and replay.yaml"


class SkillNotFound(SkillError):
    code = "skill_not_found"
    default_hint = "`sb.skills` lists them"


class InvalidSkill(SkillError):
    code = "invalid_skill"
    default_hint = "mend the file that the message names, or save the skill again"


class InvalidSkillName(SkillError):
    code = "invalid_skill_name"
    default_hint = "use 1 to 64 lowercase letters, digits and single hyphens"


class SkillNotApproved(SkillError):
    code = "skill_not_approved"
    default_hint = (
        "read what it wants, then call `skill.approve()`, or load it with `sb.load_skill(name, approve=True)`"
    )


class CannotBind(SkillError):
    """`data["candidates"]` has what a part may be, best first."""

    code = "cannot_bind"
    default_hint = "choose one with `choose={slot: ref}`, open the page that has it, or do it yourself"


class MissingInput(SkillError):
    code = "missing_input"
    default_hint = "give the input by name: `skill.run(page, name=value)`; `skill.inputs` lists them"


class InvalidInput(SkillError):
    code = "invalid_input"
    default_hint = "`skill.inputs` lists the inputs with their types"


class ReplayFailed(SkillError):
    code = "replay_failed"
    default_hint = "see `result.steps`; give a model to heal it, or record the step again"


class EvalError(SkillbookError):
    code = "eval"
    default_hint = f"see {docs_page('evals')}"


class InvalidTask(EvalError):
    code = "invalid_task"
    default_hint = "correct the task"


class ExtractionError(SkillbookError):
    code = "extraction"
    default_hint = "look at `sb.tables(page)`, or name the fields with `sb.extract(page, fields={...})`"


class ClusterError(SkillbookError):
    code = "cluster"
    default_hint = f"see {DOCS_URL}scaling.html"


class HostUnfit(ClusterError):
    code = "host_unfit"
    default_hint = (
        "mend the host that the message names, or leave its worker out; `skillbook doctor` helps there"
    )


class ClusterLost(ClusterError):
    code = "cluster_lost"
    default_hint = "start the scheduler again; with the same `folder` the map goes on"


class RowNotGranted(ClusterError):
    code = "row_not_granted"
    default_hint = "look at the site whether it was done; another `folder` maps every row anew"


class WorkflowError(SkillbookError):
    code = "workflow"
    default_hint = "`sb.workflows` lists them"


class WorkflowNotFound(WorkflowError):
    code = "workflow_not_found"
    default_hint = "`sb.workflows` lists them; `sb.workflows.load(file)` makes those of a file known"


class InvalidWorkflow(WorkflowError):
    code = "invalid_workflow"
    default_hint = "the function takes the page first, then its inputs: def stores(page, *, city: str)"


class CassetteError(SkillbookError):
    code = "cassette"
    default_hint = f"see {docs_page('cassettes')}"


class CassetteNotFound(CassetteError):
    code = "cassette_not_found"
    default_hint = "record it: `sb.cassette(name, mode='record')`"


class CassetteMismatch(CassetteError):
    code = "cassette_mismatch"
    default_hint = "undo the change, or record the cassette anew: `sb.cassette(name, mode='record')`"

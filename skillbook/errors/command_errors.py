"""What all errors have, and those of one command on a page, of this machine, and of the connection between the two."""

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
    quotes_page: ClassVar[bool] = True
    """Whether its message may have words of a page in it."""
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
    cls = error_classes().get(code) or error_classes()["command"]
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
    quotes_page = False
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


class ConfigError(SkillbookError):
    code = "config"
    quotes_page = False
    default_hint = "check the SKILLBOOK_* environment variables and the .env file"


class StorageError(SkillbookError):
    """`data` has the `path`, and the `setting` that chooses it where there is one."""

    code = "storage"
    quotes_page = False
    default_hint = "free some disk space, or choose a folder that you can write to"


class LaunchError(SkillbookError):
    code = "launch"
    quotes_page = False
    default_hint = "run `skillbook doctor`"


class BrowserNotFound(LaunchError):
    code = "browser_not_found"
    default_hint = "install Chromium, or name one with SKILLBOOK_CHROMIUM; `skillbook doctor` reports more"


class ExtensionNotBuilt(LaunchError):
    code = "extension_not_built"
    default_hint = "from a checkout run `make build`; an installed wheel contains it, so reinstall skillbook"


class LaunchFailed(LaunchError):
    code = "launch_failed"
    default_hint = "run `skillbook doctor`: it says what the browser wrote"


class ProfileInUse(LaunchError):
    code = "profile_in_use"
    default_hint = "close the browser that has it, or use another profile"


class BridgeError(SkillbookError):
    code = "bridge"
    quotes_page = False
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
    quotes_page = True
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


class ThreadError(SkillbookError):
    code = "thread"
    quotes_page = False
    default_hint = "use the awaitable API (`sb.aio`) there"

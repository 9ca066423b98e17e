"""Errors of one command on a page: what the browser answers, selectors, the policy."""

from __future__ import annotations

from typing import Any

from skillbook.errors.error_base import SkillbookError, docs_page


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

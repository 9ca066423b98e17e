"""What becomes of a page's JavaScript dialogs: left to the caller, or answered by a rule."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

from skillbook.errors import InvalidParams, SkillbookError
from skillbook.protocol.events import DialogOpened

Answer: TypeAlias = bool | str | None
DialogRule: TypeAlias = (
    Literal["ask", "accept", "dismiss"] | Callable[[DialogOpened], Answer | Awaitable[Answer]]
)
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
_log = logging.getLogger(__name__)


def checked_rule(rule: Any) -> DialogRule:
    """The rule itself.

    Raises InvalidParams: it is neither "ask", "accept", "dismiss" nor a function.
    """
    if rule in ("ask", "accept", "dismiss") or callable(rule):
        return rule  # type: ignore[no-any-return]
    raise InvalidParams(
        f"{rule!r} is no rule for dialogs", hint="give 'ask', 'accept', 'dismiss' or a function"
    )


class PageDialogs:
    """Answers one page's dialogs.

    answer: answers the open dialog with these parameters of `handle_dialog`; returns the outcome.
    default_rule: the browser's rule, for a page without one.
    open: the dialog that opened last; None before the first.
    """

    def __init__(self, answer: Send, default_rule: Callable[[], DialogRule]) -> None:
        self._send = answer
        self._default_rule = default_rule
        self._rule: DialogRule | None = None
        self._answering: asyncio.Task[dict[str, Any] | None] | None = None
        self.open: DialogOpened | None = None

    def set(self, rule: DialogRule | None) -> None:
        """Answer by this rule from now on; None for the browser's rule."""
        self._rule = None if rule is None else checked_rule(rule)

    def opened(self, dialog: DialogOpened) -> None:
        """A dialog opened: answer it by the rule, unless it is the caller's to answer."""
        self.open = dialog
        rule = self._rule or self._default_rule()
        if rule != "ask":
            self._answering = asyncio.ensure_future(self._answer(dialog, rule))

    async def settled(self) -> dict[str, Any] | None:
        """Wait until dialogs that a rule answers are answered; the last answer's outcome, or None."""
        outcome = None
        while self._answering is not None:
            task, self._answering = self._answering, None
            outcome = await task or outcome
        return outcome

    async def _answer(self, dialog: DialogOpened, rule: DialogRule) -> dict[str, Any] | None:
        try:
            answer = await _decide(rule, dialog)
            if answer is None:
                return None
            params: dict[str, Any] = {"accept": answer is not False}
            if isinstance(answer, str):
                params["text"] = answer
            return await self._send(params)
        except SkillbookError as error:
            _log.warning("a %s dialog could not be answered: %s", dialog.kind, error)
        except Exception:
            _log.exception("the function that answers dialogs failed; the dialog stays open")
        return None


async def _decide(rule: DialogRule, dialog: DialogOpened) -> Answer:
    if isinstance(rule, str):
        return rule == "accept"
    if inspect.iscoroutinefunction(rule):
        answer: Answer = await rule(dialog)
        return answer
    # In a thread of its own, where it may take its time and use blocking calls.
    found = await asyncio.to_thread(rule, dialog)
    return await found if inspect.isawaitable(found) else found

"""The gate: which calls wait for a person."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool

from skillbook.agents.context import RunContext
from skillbook.agents.records import Review
from skillbook.agents.tools.base import check_args, effect_of, kind_of
from skillbook.agents.tools.commands import split_targets
from skillbook.errors import ApprovalRequired, SkillbookError
from skillbook.policy import Call, Verdict
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands import COMMANDS

_ACTIVATING = {"click", "dblclick", "press", "submit"}


class Gate:
    """Reviews calls by the run's autonomy and the session's policy, once for each call."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def review(self, call_id: str, tool: BaseTool, args: dict[str, Any]) -> Review:
        """The review of a call; the same for the same call, however often it is asked for."""
        known = self._context.reviews.get(call_id)
        if known is None:
            known = self._context.reviews[call_id] = await self._review(tool, args)
        return known

    async def _review(self, tool: BaseTool, args: dict[str, Any]) -> Review:
        effect, kind = effect_of(tool), kind_of(tool)
        try:
            check_args(tool, args)
            if kind == "person":
                return Review(True, True, effect, strict=True, reason=str(args.get("message", "")))
            if kind == "note":
                return Review(self._context.pausing, False, effect)
            verdict, target, bound_to = await self._judge(tool, args)
        except SkillbookError as error:
            return Review(False, False, effect, refusal=error)
        if verdict is not None:
            effect = verdict.effect.value
        if kind == "extract" and args.get("next"):
            effect = "write"  # it turns pages by clicking
        strict = effect == "irreversible" or (verdict is not None and verdict.action == "ask")
        # What the policy refuses is refused again when it is carried out; asking a person first would be idle.
        refused = verdict is not None and verdict.action == "refuse"
        autonomy = self._context.autonomy
        asks = not refused and (
            strict or autonomy == "ask" or (autonomy == "reads" and effect not in {"read", "none"})
        )
        reason = (verdict.reason if verdict is not None else "") or f"every {effect} step asks in this run"
        return Review(
            ask=asks or (self._context.pausing and not refused),
            needs_person=asks,
            effect=effect,
            strict=strict,
            reason=reason if asks else "",
            target=target,
            bound_to=bound_to,
        )

    async def check_unchanged(self, call_id: str, tool: BaseTool, args: dict[str, Any]) -> None:
        """Check that an approved call still means what the person saw.

        Raises
        ------
        ApprovalRequired: the element, its words, its form or its document is another one now.
        """
        review = self._context.reviews.get(call_id)
        if review is None or not review.bound_to:
            return
        await self._context.page.snapshot()
        _, target, bound_to = await self._judge(tool, args)
        if bound_to != review.bound_to:
            del self._context.reviews[call_id]
            raise ApprovalRequired(
                f"The page changed after the approval: it was for {review.target}, and now it is {target}.",
                hint="Look at the page again; a new call asks again.",
            )

    async def _judge(
        self, tool: BaseTool, args: dict[str, Any]
    ) -> tuple[Verdict | None, str, tuple[object, ...]]:
        page, kind = self._context.page, kind_of(tool)
        if kind == "open":
            call = Call(tool.name, actor="agent", url="", destination=screen_url(str(args["url"])))
            return page.browser.gateway.judge(call), call.destination or "", ()
        if kind != "command":
            return None, "", ()
        command = COMMANDS[tool.name]
        target, _, params = split_targets(command, args)
        if "url" in params:
            params["url"] = screen_url(str(params["url"]))
        resolved = await page.resolve(target) if target is not None else None
        facts = await page.describe(resolved.ref) if resolved and command.name in _ACTIVATING else None
        call = page.call(command.name, params, target=resolved, actor="agent", facts=facts)
        verdict = page.browser.gateway.judge(call)
        if resolved is None:
            return verdict, str(params.get("url", "")), ()
        form = facts.form.action if facts and facts.form else None
        bound_to = (page.tab.id, resolved.ref, call.role, call.label, call.frame_url, form)
        return verdict, f"{call.role} {call.label!r}".strip(), bound_to

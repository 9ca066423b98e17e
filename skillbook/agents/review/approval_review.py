"""Which calls wait for a person, also those of a run that another kernel began."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from skillbook.agents.state.checkpoints import KeptRun
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import refuse_sealed
from skillbook.agents.state.step_records import Review, is_question
from skillbook.agents.tools.cell_tool import foresee_on_page
from skillbook.agents.tools.command_tools import open_action
from skillbook.agents.tools.formatting import page_text
from skillbook.agents.tools.note_tools import PlanArgs, facts_of
from skillbook.agents.tools.tool_base import check_args, effect_of, kind_of, why_of
from skillbook.errors import AgentError, SkillbookError, StaleRef
from skillbook.perception.escape import shorten_middle
from skillbook.perception.selectors import place_of
from skillbook.policy import Call, Rule, Verdict, learnable_kind
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.request_rules import (
    RequestRule,
    announced_by,
    button_of,
    form_rule,
    is_reading_step,
    unshown_values,
)
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.session.action import PreparedAction
from skillbook.session.actions.prepare import prepare, split_call
from skillbook.session.gateway import Gateway
from skillbook.session.rule_book import RuleBook

# Refs count from one in every document, so `e13` of an earlier kernel is any element here. A call is inherited where
# the model made it before this kernel showed it the page, or where it names a ref that this kernel has not shown.

_MARK = "resumed"
_INTRODUCTION = (
    "The work goes on in another session. Every ref and tab number from before this message is void. "
    "The page is now:"
)


class ResumeMiddleware(AgentMiddleware[Any, Any, Any]):
    """Shows the model of a resumed run the page of this kernel before it answers."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Add the page to the conversation, once in each kernel."""
        context = self._context
        if not context.resumed or context.page_shown:
            return None
        text = f"{_INTRODUCTION}\n{page_text(context, await context.snapshot())}"
        context.page_shown = True
        return {"messages": [HumanMessage(text, name=_MARK)]}


def is_inherited(context: RunContext, messages: Sequence[AnyMessage], args: Mapping[str, Any]) -> bool:
    """Whether a call rests on what an earlier kernel showed the model."""
    if not context.resumed:
        return False
    if not context.page_shown:
        return True
    marks = [place for place, message in enumerate(messages) if message.name == _MARK]
    # Where the mark is gone, all before it was condensed into a summary, which leaves refs out.
    shown = [
        message.text
        for message in messages[marks[-1] if marks else 0 :]
        if not isinstance(message, AIMessage)
    ]
    return any(not re.search(rf"\b{ref}\b", text) for ref in refs_in(args) for text in ["\n".join(shown)])


def check_inherited(
    kept: KeptRun | None, call_id: str, args: Mapping[str, Any], action: PreparedAction | None
) -> str:
    """Compare what an inherited call was judged on with what it would act on here.

    kept: what the earlier kernel kept.
    action: what it would do here; None for a call that no policy judges.
    Raises StaleRef: it names an element or a tab by a number that means something else here.
    """
    numbered = "tab" in args or any(refs_in(args))
    before = kept.binding if kept is not None and kept.call_id == call_id else None
    if action is None or before is None or kept is None:
        if numbered:
            raise _stale("nobody wrote down what it was made for")
        return "This call was made in an earlier kernel, before it was judged" if action is not None else ""
    now = replace(action.binding, tab=before.tab, document=before.document)
    differences = before.differences(now)
    if kept.url != (action.call.url or ""):
        differences.insert(0, f"the address was {kept.url} and is {action.call.url}")
    if differences and numbered:
        raise _stale("; ".join(differences))
    if differences:
        return f"This call was made in an earlier kernel: {'; '.join(differences)}"
    if action.binding.document != before.document:
        return "The page was opened anew since this call was made"
    return ""


def _stale(why: str) -> StaleRef:
    return StaleRef(
        f"This call was made in an earlier kernel, and names what it means by a number: {why}.",
        hint="Read the page with `snapshot`, then call again if it is still needed.",
    )


def refs_in(value: Any) -> Iterator[str]:
    """Every ref in a call's arguments."""
    if isinstance(value, str):
        if is_ref(value):
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from refs_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from refs_in(each)


_LONGEST_VALUE = 60
_MOST_VALUES = 12
_UNHELD = "what it sends can't be held on this tab, so every step that may send something asks"


class ApprovalReview:
    """Reviews calls by the run's autonomy and the session's policy, once for each call."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def review(
        self, call_id: str, tool: BaseTool, args: dict[str, Any], *, inherited: bool = False
    ) -> Review:
        """The review of a call; a call is reviewed once, however often this is called.

        One that is `inherited` from an earlier kernel is asked anew, unless it meets what it was made for.
        """
        known = self._context.reviews.get(call_id)
        if known is None:
            if self._context.requests is not None:
                await self._context.requests.join()
            known = self._context.reviews[call_id] = await self._review(call_id, tool, args, inherited)
        return known

    async def _review(self, call_id: str, tool: BaseTool, args: dict[str, Any], inherited: bool) -> Review:
        effect, kind = effect_of(tool), kind_of(tool)
        try:
            check_args(tool, args, self._context.offered.get(tool.name))
            refuse_sealed(tool.name, args)
            if kind == "person":
                return self._review_request(args)
            if kind == "note":
                return self._review_plan(call_id, args)
            self._check_planned()
            if kind == "cell":
                return await self._review_cell(call_id, str(args["code"]))
            verdict, target, action = await self._judge(tool, args)
            sites = self._new_sites(tool, args, action)
            anew = check_inherited(self._context.kept, call_id, args, action) if inherited else ""
        except SkillbookError as error:
            self._note_unsent(call_id, tool, args, error)
            return Review(False, False, effect, refusal=error)
        await self._context.keep_call(call_id, action)
        call = action.call if action is not None else None
        effect = verdict.effect.value if verdict is not None else effect
        if kind == "extract" and args.get("next"):
            effect = "write"  # it turns pages by clicking
        is_asked = verdict is not None and verdict.action == "ask"
        strict = bool(anew) or effect == "irreversible" or bool(sites) or is_asked
        # What the policy refuses is refused again when it is carried out; asking a person first would be idle.
        refused = self._is_refused(kind, effect, verdict)
        rule = self._rule_for(call) if call is not None and not strict else None
        announced = announced_by(call) if call is not None else None
        pauses = self._context.page is not None and self._context.page.requests.available
        unheld = call is not None and effect not in {"read", "none"} and not pauses
        # What they send is paused and asked about, so these steps needn't be.
        reading = pauses and (self._reads(call, announced) if call is not None else kind == "extract")
        covered = self._context.cells is not None and self._context.cells.covers(call_id, tool.name)
        looks = effect == "read" and kind in {"look", "command"}
        passes = rule is not None or covered or looks
        by_autonomy = not passes and self._asks_by_autonomy(effect, reading)
        asks = not refused and (strict or unheld or by_autonomy)
        learn = asks and effect != "irreversible" and call is not None
        why = verdict.reason if verdict is not None else why_of(tool)
        why = why or ("" if sites else f"every {effect} step asks in this run")
        sends = f"it sends {announced}" if announced is not None and announced.changes else ""
        reasons = [anew, self._words_of_sites(sites), _UNHELD if unheld else why, sends]
        return Review(
            waits=asks or (self._context.pausing and not refused),
            needs_person=asks,
            effect=effect,
            strict=strict,
            reason="; ".join(filter(None, reasons)) if asks else "",
            unshown=self._words_of_unshown(call) if asks and sends and call is not None else "",
            target=target,
            place=_place_of(action),
            binding=action.binding if action is not None else None,
            learn=learnable_kind(call) if learn and call is not None else None,
            form=self._form_rule(call, announced) if learn else None,
            rule=rule.id if rule is not None else "",
            sites=tuple(sites),
        )

    def _words_of_unshown(self, call: Call) -> str:
        """The values that an approval would let go and the person can't see on the page."""
        values = [f"{name}={shorten_middle(value, _LONGEST_VALUE)!r}" for name, value in unshown_values(call)]
        if not values:
            return ""
        more = f" and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
        words = f"not shown on the page: {', '.join(values[:_MOST_VALUES])}{more}"
        gateway: Gateway = self._context.page.browser.gateway
        return gateway.secrets.redact_kept(words)

    def _is_refused(self, kind: str, effect: str, verdict: Verdict | None) -> bool:
        page = self._context.page
        out_of_reach = page is not None and page.requests.unreachable > 0
        acts = kind == "command" and effect not in {"read", "none"}
        return (acts and out_of_reach) or (verdict is not None and verdict.action == "refuse")

    def _form_rule(self, call: Call | None, sends: RequestFact | None) -> RequestRule | None:
        """The rule that a call's form only reads, if it may send something that changes something."""
        if call is None or call.facts is None or sends is None or not sends.changes:
            return None
        return form_rule(sends, call.facts.shown, button_of(call))

    def _reads(self, call: Call, sends: RequestFact | None) -> bool:
        """Whether a step only reads, or sends a form of which the person said that; another request asks by itself."""
        if is_reading_step(call, sends):
            return True
        rules: RuleBook = self._context.page.browser.gateway.rules
        known = sends is not None and rules.only_reads(sends.origin, button_of(call))
        return known and is_reading_step(call, None)

    def _note_unsent(self, call_id: str, tool: BaseTool, args: dict[str, Any], error: SkillbookError) -> None:
        browser = getattr(self._context.page, "browser", None)
        if kind_of(tool) == "command" and browser is not None:
            page, run = self._context.page, self._context.key_of(call_id)
            browser.gateway.note_unsent(tool.name, args, error, tab=page.tab.id, url=page.url, run=run)

    def _rule_for(self, call: Call) -> Rule | None:
        rules: RuleBook = self._context.page.browser.gateway.rules
        return rules.match(call)

    def _new_sites(self, tool: BaseTool, args: dict[str, Any], action: PreparedAction | None) -> list[str]:
        """The origins that a call needs and that aren't on the list, in a run whose person may allow them."""
        context = self._context
        if context.new_sites is None:
            return []
        policy = context.page.browser.gateway.policy
        if action is not None:
            return list(policy.missing_origins(action.call))
        turns_pages = kind_of(tool) == "extract" and args.get("next")
        return (
            list(policy.missing_origins(Call("click", actor="agent", url=context.page.url)))
            if turns_pages
            else []
        )

    def _words_of_sites(self, sites: list[str]) -> str:
        if not sites:
            return ""
        those = f"{' and '.join(sites)} {'is' if len(sites) == 1 else 'are'}n't allowed yet"
        acts = self._context.new_sites == "act"
        return f"{those}; if you approve, {'every program may act' if acts else 'programs may go'} there from now on"

    def _judge_action(self, action: PreparedAction) -> Verdict:
        """What the policy says, apart from origins that the question about the call is about already."""
        gateway: Gateway = self._context.page.browser.gateway
        new = self._context.new_sites is not None
        return gateway.judge(action.call, allowing=gateway.policy.missing_origins(action.call) if new else ())

    def _asks_by_autonomy(self, effect: str, reading: bool) -> bool:
        """Whether the run's autonomy wants a person asked before a step; `reading` ones only look."""
        autonomy = self._context.autonomy
        return autonomy == "ask" or (autonomy == "reads" and effect not in {"read", "none"} and not reading)

    async def _review_cell(self, call_id: str, code: str) -> Review:
        """A cell waits as a whole by what it is going to do; what can't be undone waits again when it comes to that."""
        context = self._context
        assert context.cells is not None

        async def judge(tool: str, args: dict[str, Any]) -> tuple[Verdict | None, str]:
            verdict, target, action = await self._judge_command(tool, args)
            asks = context.new_sites and context.page.browser.gateway.policy.missing_origins(action.call)
            return replace(verdict, action="ask") if asks and verdict.action == "allow" else verdict, target

        forecast = await foresee_on_page(context, code, judge)
        context.cells.forecasts[call_id] = forecast
        await context.keep_call(call_id)
        asks = self._asks_by_autonomy(forecast.effect, False)
        reason = f"it does this: {forecast.text}" if asks else ""
        return Review(asks or context.pausing, asks, forecast.effect, reason=reason)

    def _review_request(self, args: dict[str, Any]) -> Review:
        """Every request for help waits, but one question is enough before anything happened."""
        last = self._context.steps[-1] if self._context.steps else None
        if args["type"] == "question" and last is not None and is_question(last.tool, last.args):
            raise AgentError(
                "The person answered a question just now.",
                hint="Go on with what you know, and say what you assumed.",
            )
        return Review(True, True, "read", strict=True, reason=str(args.get("message", "")))

    def _review_plan(self, call_id: str, args: dict[str, Any]) -> Review:
        """A task list is shown; where the person wants to see it first, it waits."""
        context = self._context
        if not context.plan_first or context.planned or (context.tasks and not context.proposed):
            return Review(context.pausing, False, "read")
        context.tasks.put(())
        context.tasks.merge(facts_of(PlanArgs.model_validate(args).tasks))
        context.proposed = call_id
        return Review(True, True, "read", strict=True, reason="These are the tasks; nothing was done yet.")

    def _check_planned(self) -> None:
        """Refuse what comes before the task list that the person wants to see."""
        if self._context.plan_first and not (self._context.planned or self._context.tasks):
            raise AgentError(
                "The person wants to see a task list before anything happens.",
                hint="Call `plan`, or `request_assistance` with a question where the goal is unclear.",
            )

    async def bind_edited(self, call_id: str, tool: BaseTool, args: dict[str, Any]) -> None:
        """Make the approval of a call that a person edited: for the new arguments, on the page as it is now.

        Raises SkillbookError: the new target isn't there, or the call is refused.
        """
        review = self._context.reviews.get(call_id)
        if review is None or review.binding is None or self._context.approvals.get(call_id):
            return
        latest = self._context.page.latest
        refs = [str(args[name]) for name in ("target", "to") if is_ref(str(args.get(name)))]
        if latest is not None:  # The person chose from what the page shows now.
            self._context.find(latest[ref] for ref in refs if ref in latest)
        _, _, action = await self._judge(tool, args)
        if action is None:
            return
        binding = action.binding
        if binding.ref == review.binding.ref:
            # The person saw this element: all but the values has to be as it was.
            binding = replace(review.binding, params=binding.params, onto=binding.onto)
        self._context.approve(call_id, binding)

    async def _judge(
        self, tool: BaseTool, args: dict[str, Any]
    ) -> tuple[Verdict | None, str, PreparedAction | None]:
        kind = kind_of(tool)
        if kind == "open":
            action = open_action(str(args["url"]))
            return self._judge_action(action), action.call.destination or "", action
        if kind != "command":
            return None, "", None
        return await self._judge_command(tool.name, args)

    async def _judge_command(self, name: str, args: dict[str, Any]) -> tuple[Verdict, str, PreparedAction]:
        page, command = self._context.page, COMMANDS[name]
        target, drop_on, params = split_call(command.name, args)
        action = await prepare(
            page,
            command.name,
            target,
            params,
            drop_on=drop_on,
            actor="agent",
            for_approval=True,
            given_files=self._context.files,
            seen=self._context.saw,
        )
        verdict = self._judge_action(action)
        if action.target is None:
            return verdict, str(params.get("url", "")), action
        return verdict, f"{action.call.role} {action.call.label!r}".strip(), action


def _place_of(action: PreparedAction | None) -> str:
    target = action.target if action is not None else None
    return (target.record or (place_of(target.node) if target.node else "")) if target is not None else ""

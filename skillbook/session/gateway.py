"""The choke point that every command passes: policy, journal (intent), bridge, journal (outcome)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ValidationError

from skillbook.errors import ApprovalRequired, InternalError, InvalidParams, NotAllowed, SkillbookError
from skillbook.journal import Journal, Outcome
from skillbook.policy import Approvals, Binding, Call, Policy, RuleBook, SecretStore, Verdict
from skillbook.policy.secrets import MASK
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect
from skillbook.protocol.envelopes import ExpectedTarget, RequestBody
from skillbook.session.stopping import Stopping

if TYPE_CHECKING:
    from skillbook.policy.robots import Robots


class Bridge(Protocol):
    """The part of the bridge that the gateway needs."""

    async def request(self, body: RequestBody, timeout: float | None = None) -> Any:
        """Send a command and wait for its result."""


class Gateway:
    """Runs commands for one browser.

    Parameters
    ----------
    bridge : where commands go.
    policy : who may do what where.
    journal : where intents and outcomes are written.
    secrets : fills placeholders in at the last moment.
    rules : what was learned from approvals.
    robots : what sites ask of programs; None where that doesn't count.
    """

    def __init__(
        self,
        bridge: Bridge,
        policy: Policy,
        journal: Journal,
        secrets: SecretStore,
        rules: RuleBook | None = None,
        robots: Robots | None = None,
    ) -> None:
        self.bridge = bridge
        self.policy = policy
        self.journal = journal
        self.secrets = secrets
        self.rules = RuleBook() if rules is None else rules
        self.robots = robots
        self.approvals = Approvals()
        self.stopping = Stopping()
        self._intents: dict[tuple[int, str], int] = {}

    def judge(self, call: Call) -> Verdict:
        """The policy's verdict, without running anything; a learned rule spares the question."""
        verdict = self.policy.judge(call)
        if verdict.action == "ask" and (rule := self.rules.match(call)):
            return Verdict("allow", verdict.effect, f"rule {rule.id}", verdict.origin)
        return verdict

    def without_forbidden(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """A snapshot as the wire has it, without frames of servers that are never touched.

        Raises
        ------
        NotAllowed : the page itself is of such a server, or no web page.
        """
        documents: list[dict[str, Any]] = snapshot["documents"]
        main = Call("snapshot", url=documents[0]["url"] if documents else "")
        self._enforce(main, self.policy.judge(main), Binding.of(main, {}, None))
        kept = [doc for doc in documents if not self.policy.is_forbidden(doc["url"])]
        if len(kept) == len(documents):
            return snapshot
        reason = "it is of this notebook's own server"
        gone = [{"url": doc["url"], "reason": reason} for doc in documents if doc not in kept]
        return snapshot | {"documents": kept, "missing": [*snapshot.get("missing", []), *gone]}

    def redeem(self, approval: str, call: Call, binding: Binding) -> Call:
        """Use an approval's token up; returns the call as one that a person approved.

        Raises
        ------
        ApprovalRequired : the token is of no use, or the call isn't what the person saw.
        """
        self.approvals.redeem(approval, binding)
        return replace(call, approved=True)

    async def run(
        self,
        call: Call,
        params: Mapping[str, Any],
        *,
        tab: int | None,
        target: Mapping[str, Any] | None = None,
        run: str | None = None,
        timeout: float | None = None,
        quiet: bool = False,
        observe: dict[str, Any] | None = None,
    ) -> Any:
        """Run one command.

        Parameters
        ----------
        call : what the policy judges.
        params : the command's parameters as the wire has them, secrets as placeholders.
        tab : the tab's id; None for commands on the browser.
        target : the element's ref, role and name, for the journal.
        run : the agent run's or replay's id.
        timeout : seconds.
        quiet : a reading that is part of something else: measured, but no step of its own.
        observe : parameters of a snapshot that comes with an action's result.

        Raises
        ------
        NotAllowed : the policy refuses.
        ApprovalRequired : a person has to approve this call first.
        SkillbookError : whatever the browser answered.
        """
        verdict = self.judge(call)
        quiet = (quiet or call.spec.quiet) and verdict.action == "allow"
        wire = {key: value for key, value in params.items() if value is not None}
        validated(call.command, call.spec.params, wire)
        intent = None if quiet else self._intend(call, verdict, wire, tab, target, run)
        started = time.perf_counter()
        try:
            self._enforce(call, verdict, Binding.of(call, wire, tab))
            await self._respect_robots(call)
            origin = origin_of(call.frame_url or call.url)
            if call.destination:
                self.secrets.refuse_leak(call.destination)
            if call.with_secret and call.facts and call.facts.form:
                self.secrets.check_form(wire, call.facts.form.action, origin=origin)
            filled = self.secrets.fill_in(wire, command=call.command, origin=origin)
            body = RequestBody(
                command=call.command,
                tab=tab,
                params=filled,
                origin=call.expected_origin,
                observe=observe,
                meant=_meant(call, secret=filled != wire, hide=self._to_hide(call)),
            )
            result = await self.stopping.watch(lambda: self.bridge.request(body, timeout))
            result = self.secrets.redact_data(result)
        except SkillbookError as error:
            error.message = self.secrets.redact(error.message)
            error.data = self.secrets.redact_data(error.data)
            refused = isinstance(error, NotAllowed | ApprovalRequired)
            self._conclude(intent, Outcome.REFUSED if refused else _ending(error, call), started, error=error)
            if quiet:
                self.journal.measure(call.command, (time.perf_counter() - started) * 1000, ok=False)
            raise
        except asyncio.CancelledError:
            ending = Outcome.ERROR if call.effect is Effect.READ else Outcome.UNKNOWN
            self._conclude(intent, ending, started, error=InternalError("cancelled", hint=""))
            raise
        self._conclude(intent, Outcome.OK, started, result=result)
        if quiet:
            self.journal.measure(call.command, (time.perf_counter() - started) * 1000, ok=True)
        return result

    def take_intent(self, tab: int, command: str) -> int | None:
        """The step that a page's last command of that name has in the journal; told once."""
        return self._intents.pop((tab, command), None)

    def _to_hide(self, call: Call) -> list[str]:
        """What a picture doesn't show, wherever the page has copied it to."""
        return self.secrets.filled() if call.spec.captures_image else []

    async def _respect_robots(self, call: Call) -> None:
        url = self.policy.leads_to(call)
        if self.robots is None or url is None or await self.robots.allows(url):
            return
        origin = origin_of(url)
        raise NotAllowed(
            f"{call.command} is refused: the robots.txt of {origin} keeps programs from that address",
            hint=f"go there yourself, or call browser.allow({origin!r}, despite_robots=True)",
            origin=origin,
        )

    @staticmethod
    def _enforce(call: Call, verdict: Verdict, binding: Binding) -> None:
        if verdict.action == "refuse":
            hint = f"allow it with browser.allow({verdict.origin!r})" if verdict.origin else ""
            if "data-no-ai" in verdict.reason:
                hint = f"do it yourself, or call browser.allow({verdict.origin!r}, despite_no_ai=True)"
            if "own server" in verdict.reason:
                hint = "open another page: acting on the notebook server could run code"
            raise NotAllowed(f"{call.command} is refused: {verdict.reason}", hint=hint, origin=verdict.origin)
        if verdict.action == "ask":
            question = ApprovalRequired(
                f"{call.command} needs an approval: {verdict.reason}",
                hint="approve it in the panel, or run it yourself",
                reason=verdict.reason,
                effect=verdict.effect.value,
            )
            question.binding = binding
            raise question

    def _intend(
        self,
        call: Call,
        verdict: Verdict,
        params: Mapping[str, Any],
        tab: int | None,
        target: Mapping[str, Any] | None,
        run: str | None,
    ) -> int:
        intent = self.journal.intend(
            call.command,
            actor=call.actor,
            effect=verdict.effect.value,
            verdict="approved"
            if call.approved
            else verdict.reason or verdict.action
            if verdict.action == "allow"
            else verdict.action,
            tab=tab,
            url=call.url,
            params=params,
            target=target or {},
            run=run,
        )
        if verdict.reason:
            self.journal.note(intent, "reason", self.secrets.redact(verdict.reason))
        if tab is not None:
            self._intents[tab, call.command] = intent
        return intent

    def _conclude(
        self,
        intent: int | None,
        outcome: Outcome,
        started: float,
        *,
        result: Any = None,
        error: SkillbookError | None = None,
    ) -> None:
        if intent is None:
            return
        summary = {key: value for key, value in (result or {}).items() if key not in {"data", "observation"}}
        self.journal.conclude(
            intent,
            outcome,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            result=summary,
            error=error.to_wire() if error else None,
        )


def validated(command: str, model: type[BaseModel], params: Mapping[str, Any]) -> BaseModel:
    """The parameters as a model.

    Raises
    ------
    InvalidParams : they don't fit, with the first field that doesn't.
    """
    try:
        return model.model_validate(dict(params))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "parameters"
        raise InvalidParams(
            f"{command}: {where}: {first['msg']}", hint="see help(page)", field=where
        ) from None


def _meant(call: Call, *, secret: bool, hide: list[str]) -> ExpectedTarget | None:
    """What the browser holds an element against at the last moment; a name with a secret in it is known to nobody."""
    facts = call.facts
    judged = "ref" in call.spec.ref_fields and (call.actor != "person" or call.approved)
    meant = ExpectedTarget(secret=secret, hide=hide, focused=call.focused if judged else None)
    if judged and facts is not None and facts.role is not None and MASK not in (facts.name or ""):
        form = f"{facts.form.method} {facts.form.action}" if facts.form else ""
        meant = meant.model_copy(
            update={
                "role": facts.role,
                "name": facts.name or "",
                "form": None if MASK in form else form,
                "covered": False if call.approved and not call.covered else None,
            }
        )
    return None if meant == ExpectedTarget() else meant


def _ending(error: SkillbookError, call: Call) -> Outcome:
    lost = error.code in {"connection_lost", "timeout", "stopped"} and call.effect is not Effect.READ
    return Outcome.UNKNOWN if lost else Outcome.ERROR

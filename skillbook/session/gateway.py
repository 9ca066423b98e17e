"""The choke point that every command passes: policy, journal (intent), bridge, journal (outcome)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from skillbook.errors import ApprovalRequired, InternalError, NotAllowed, NotConnected, SkillbookError
from skillbook.journal import Journal, Outcome
from skillbook.limits import READ_SECONDS
from skillbook.policy import Approvals, Binding, Call, Policy, SecretStore, Verdict
from skillbook.policy.secrets import MASK, literal
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect, method_of
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.action import PreparedAction, journal_name, left_by, lent, seconds_left
from skillbook.session.cassette import replaying
from skillbook.session.rule_book import RuleBook
from skillbook.session.stopping import Stopping

if TYPE_CHECKING:
    from skillbook.session.out_of_bounds import Robots

_HINTS = {
    "origin": "allow it with browser.allow({origin!r})",
    "no_ai": "do it yourself, or call browser.allow({origin!r}, despite_no_ai=True)",
    "elsewhere": "stay on the sites that the person named with --origins",
    "own_server": "open another page: acting on the notebook server could run code",
}
"""What to try if a call is refused, by the verdict's code."""


class Bridge(Protocol):
    """The part of the bridge that the gateway needs."""

    async def request(self, body: RequestBody, timeout: float | None = None) -> Any:
        """Send a command and wait for its result."""


class Gateway:
    """Runs commands for one browser.

    journal: where intents and outcomes are written.
    secrets: fills placeholders in at the last moment.
    rules: what was learned from approvals.
    robots: what sites ask of programs; None where that doesn't count.
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
        self.closed = False
        self._intents: dict[tuple[int, str], int] = {}

    def judge(self, call: Call, *, allowing: Collection[str] = ()) -> Verdict:
        """The policy's verdict, without running anything; a learned rule spares the question.

        allowing: origins to be judged as though a person had allowed them.
        """
        if origin := left_by(call.destination):
            reason = f"{origin} isn't one of the sites that this program may use"
            return Verdict("refuse", call.effect, reason, origin, "elsewhere")
        more = {*allowing, *lent()}
        policy = replace(self.policy, allowed={*self.policy.allowed, *more}) if more else self.policy
        verdict = policy.judge(call)
        if verdict.action == "ask" and (rule := self.rules.match(call)):
            return Verdict("allow", verdict.effect, f"rule {rule.id}", verdict.origin, "rule")
        return verdict

    def without_forbidden(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """A snapshot as the wire has it, without frames of servers that are never touched.

        Raises NotAllowed: the page itself is of such a server, or no web page.
        """
        documents: list[dict[str, Any]] = snapshot["documents"]
        main = Call("snapshot", url=documents[0]["url"] if documents else "")
        self._enforce(self.policy.judge(main), Binding.of(main, {}, None))
        kept = [doc for doc in documents if not self.policy.is_forbidden(doc["url"])]
        if len(kept) == len(documents):
            return snapshot
        reason = "it is of this notebook's own server"
        gone = [{"url": doc["url"], "reason": reason} for doc in documents if doc not in kept]
        return snapshot | {"documents": kept, "missing": [*snapshot.get("missing", []), *gone]}

    def redeem(self, approval: str, action: PreparedAction) -> PreparedAction:
        """Use an approval's token up; returns the action as one that a person approved.

        Raises ApprovalRequired: the token is of no use, or the action isn't what the person saw.
        """
        self.approvals.redeem(approval, action.binding)
        return action.approved()

    async def run(self, action: PreparedAction) -> Any:
        """Run one command and return its result as the wire has it, secrets masked.

        Raises NotConnected: the browser was closed.
        Raises NotAllowed: the policy refuses.
        Raises ApprovalRequired: a person has to approve this call first.
        Raises SkillbookError: whatever the browser answered.
        """
        if self.closed:
            raise NotConnected(
                "the browser was closed",
                hint="start another with `sb.launch()`, or pair yours with `sb.connect()`",
            )
        call, verdict = action.call, self.judge(action.call)
        quiet = (action.quiet or call.spec.quiet) and verdict.action == "allow" and not call.script
        intent = None if quiet else self._intend(action, verdict)
        started = time.perf_counter()
        try:
            self._enforce(verdict, action.binding)
            result = await self._send(action)
        except SkillbookError as error:
            error.message, error.hint = self.secrets.redact(error.message), self.secrets.redact(error.hint)
            error.data = self.secrets.redact_data(error.data)
            refused = isinstance(error, NotAllowed | ApprovalRequired)
            self._conclude(intent, Outcome.REFUSED if refused else _ending(error, call), started, error=error)
            if quiet:
                self._measure(action, started, ok=False)
            raise
        except asyncio.CancelledError:
            ending = Outcome.ERROR if call.effect is Effect.READ else Outcome.UNKNOWN
            self._conclude(intent, ending, started, error=InternalError("cancelled", hint=""))
            raise
        self._conclude(intent, Outcome.OK, started, result=result)
        if quiet:
            self._measure(action, started, ok=True)
        return result

    async def _send(self, action: PreparedAction) -> Any:
        """The browser's answer; secrets' values are filled in here and masked again in what comes back."""
        call, origin = action.call, origin_of(action.call.frame_url or action.call.url)
        if call.with_secret and action.secret is None:
            action.with_text(self._note_typed)
        await self._respect_robots(call)
        if call.destination:
            self.secrets.refuse_leak(call.destination)
        filled = self._fill_in(action, origin)
        # Wherever the page has copied a secret to, a screenshot doesn't show it.
        hide = self.secrets.filled() if call.spec.captures_image else []
        patience_ms = round((READ_SECONDS if action.patience is None else action.patience) * 1000)
        body = RequestBody(
            command=call.command,
            tab=action.tab,
            params=filled,
            origin=call.expected_origin,
            observe=action.observe,
            patience_ms=patience_ms if action.timeout is None and "ref" in filled else None,
            expected_target=action.expected_target(secret=filled != action.wire, hide=hide),
        )
        answer = await self.stopping.watch(lambda: self.bridge.request(body, seconds_left(action.timeout)))
        masked = self.secrets.redact_data(answer)
        # A short secret's letters stand by chance among those of an image, and in what the browser calls an act. What
        # an image shows was hidden in the page, and the page has no part in that name.
        own = {"act", "data"} if call.spec.captures_image else {"act"}
        if not isinstance(answer, dict) or not own & answer.keys():
            return masked
        return {**masked, **{name: answer[name] for name in own & answer.keys()}}

    def _note_typed(self, text: str) -> str:
        self.secrets.note_typed(text)
        return text

    def _fill_in(self, action: PreparedAction, origin: str | None) -> dict[str, Any]:
        """The parameters with the secrets' values, where the document that gets them is what its address says."""
        call = action.call
        if action.secret is None:
            return action.wire
        if call.facts is not None and origin_of(call.facts.frame_origin) != origin:
            raise NotAllowed(
                f"no secret is typed there: the field's document is sandboxed, or not of {origin}",
                hint="type it into the page's own form",
                origin=origin,
            )
        if call.facts is not None and call.facts.form is not None:
            self.secrets.check_form(action.secret, call.facts.form.action, origin=origin)
        bind = call.actor == "person" or call.approved
        filled: dict[str, Any] = self.secrets.fill_in(
            action.with_text(str), command=call.command, origin=origin, bind=bind
        )
        if bind:
            self.secrets.name_field(action.secret, call.label)
        return filled

    def note_unsent(
        self,
        command: str,
        args: Mapping[str, Any],
        error: SkillbookError,
        *,
        tab: int,
        url: str,
        run: str | None,
    ) -> None:
        """An agent's call failed before anything was sent: the journal and the metrics have it all the same."""
        wire = {
            name: MASK if name == COMMANDS[command].typed_in(args) else value
            for name, value in self.secrets.redact_data(dict(args)).items()
            if value is not None
        }
        effect = COMMANDS[command].effect.value
        intent = self.journal.intend(
            command,
            actor=journal_name("agent"),
            effect=effect,
            verdict="unsent",
            tab=tab,
            url=url,
            params=wire,
            target={},
            run=run,
        )
        self._conclude(intent, Outcome.ERROR, time.perf_counter(), error=error)
        self.journal.measure(command, 0.0, ok=False)

    def _measure(self, action: PreparedAction, started: float, *, ok: bool) -> None:
        self.journal.measure(action.command, (time.perf_counter() - started) * 1000, ok=ok)

    def take_intent(self, tab: int, command: str) -> int | None:
        """The step that a page's last command of that name has in the journal; given out once."""
        return self._intents.pop((tab, command), None)

    async def _respect_robots(self, call: Call) -> None:
        url = self.policy.leads_to(call)
        if self.robots is None or url is None or replaying() or await self.robots.allows(url):
            return
        origin = origin_of(url)
        raise NotAllowed(
            f"{method_of(call.command)} is refused: the robots.txt of {origin} keeps programs from that address",
            hint=f"go there yourself, or call browser.allow({origin!r}, despite_robots=True)",
            origin=origin,
        )

    @staticmethod
    def _enforce(verdict: Verdict, binding: Binding) -> None:
        if verdict.action == "refuse":
            hint = _HINTS.get(verdict.code, "").format(origin=verdict.origin)
            raise NotAllowed(
                f"{method_of(binding.command)} is refused: {verdict.reason}", hint=hint, origin=verdict.origin
            )
        if verdict.action == "ask":
            question = ApprovalRequired(
                f"{binding.command} needs an approval: {verdict.reason}",
                hint="approve it in the panel, or run it yourself",
                reason=verdict.reason,
                effect=verdict.effect.value,
                verdict=verdict.code,
            )
            question.binding = binding
            raise question

    def _intend(self, action: PreparedAction, verdict: Verdict) -> int:
        call = action.call
        allowed = verdict.reason or verdict.action if verdict.action == "allow" else verdict.action
        intent = self.journal.intend(
            call.command,
            actor=journal_name(call.actor),
            effect=verdict.effect.value,
            verdict="approved" if call.approved else allowed,
            tab=action.tab,
            url=call.url,
            params=self.secrets.redact_data(action.with_text(literal if not call.with_secret else _masked)),
            target=action.target.describe() if action.target else {},
            run=action.run,
        )
        if verdict.reason:
            self.journal.note(intent, "reason", self.secrets.redact(verdict.reason))
        if action.tab is not None:
            self._intents[action.tab, call.command] = intent
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


def _masked(text: str) -> str:
    """What the journal keeps of a text that goes into a field whose value nobody may read."""
    return MASK if text else ""


def _ending(error: SkillbookError, call: Call) -> Outcome:
    lost = error.code in {"connection_lost", "timeout", "stopped"} and call.effect is not Effect.READ
    return Outcome.UNKNOWN if lost else Outcome.ERROR

"""What goes with every action, whatever it is: one concern a class, done before the action and after it.

`ASPECTS` lists them from the outermost to the one nearest to the command: `before` runs in that order, `after` in the
opposite one. An action's result counts only once what it caused is over, so the nearest ones wait.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urldefrag

from skillbook.errors import DialogBlocked, SkillbookError
from skillbook.limits import ANSWER_SECONDS
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect
from skillbook.session.action import PreparedAction, allow_landing
from skillbook.session.actions.compound_actions import execute
from skillbook.session.actions.result import (
    ActionResult,
    LaterLook,
    Metrics,
    PerformedCall,
    log_step,
    measure_if_possible,
    result_of,
)
from skillbook.session.page.act_requests import ActRequests, FailedRequest
from skillbook.session.page.filled_fields import lost_upload
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Settled
from skillbook.session.page.seen_page import node_of


@dataclass
class Doing:
    """One action while it is done.

    started: when its call began, by `time.perf_counter`.
    report: called with the call once it is done, for whoever records calls.
    before, after: the page before and after it, where that can be read.
    lazy: whether what it changed is read when somebody looks.
    unseen: how many actions came after `before` was read.
    part: the target and the filled fields after it, where that is all that is read.
    data: what the browser answered.
    measured: what the browser had measured of the page before it, if that is wanted.
    settled: whether what it caused is over.
    fresh: whether nobody had acted on the page before, since it was loaded.
    act: what its requests came to.
    result: what the caller gets.
    """

    page: PageReader
    action: PreparedAction
    started: float
    report: Callable[[PerformedCall], None]
    before: Snapshot | None = None
    after: Snapshot | None = None
    lazy: bool = False
    unseen: int = 0
    part: Snapshot | None = None
    data: dict[str, Any] = field(default_factory=dict)
    measured: Metrics | None = None
    settled: Settled | None = None
    fresh: bool = False
    act: ActRequests = field(init=False)
    result: ActionResult = field(init=False)

    @property
    def writes(self) -> bool:
        """Whether it does more than read."""
        return self.action.call.effect is not Effect.READ

    def note(self, **facts: Any) -> None:
        """Add to the result."""
        self.result = replace(self.result, **facts)


class Aspect:
    """Something that goes with every action."""

    async def before(self, doing: Doing) -> None:
        """Do what has to be done before the command."""

    async def after(self, doing: Doing) -> None:
        """Do what has to be done after the command."""

    def failed(self, doing: Doing) -> None:
        """The command failed."""


class RecordedCalls(Aspect):
    """Whoever records calls gets this one."""

    async def after(self, doing: Doing) -> None:
        action = doing.action
        params = {**action.with_text(str), **action.local}
        behind = doing.lazy and doing.unseen > 0
        doing.report(
            PerformedCall(
                action.command,
                params,
                doing.result,
                doing.before,
                actor=action.call.actor,
                found=action.target,
                behind=behind,
                fresh=doing.fresh,
                hides=action.call.with_secret,
            )
        )


class JournalStep(Aspect):
    """The journal gets what the step did to the page."""

    async def after(self, doing: Doing) -> None:
        target = doing.action.target
        actor = doing.action.call.actor
        log_step(doing.page, doing.result, doing.before, actor, target, unread=doing.lazy)


class KeptFields(Aspect):
    """Fields that were filled keep their values, or the caller hears of it."""

    async def before(self, doing: Doing) -> None:
        page, spec = doing.page, doing.action.call.spec
        if not page.filled.held or not doing.writes or spec.under_dialog or spec.only_prepares:
            return
        target = doing.action.target
        refs = [ref for ref in page.filled.held if target is None or ref != target.ref]
        page.filled.require_kept(doing.action, await page.parts_if_readable(refs))

    def failed(self, doing: Doing) -> None:
        doing.page.filled.forget(doing.action)

    async def after(self, doing: Doing) -> None:
        page, diff = doing.page, doing.result.diff
        now = doing.part if doing.lazy else page.latest if diff is not None else None
        lost = lost_upload(doing.action, now, shows_nothing=diff is not None and diff.empty)
        changed = page.filled.changed_by_page(doing.action, now, at_once=doing.part)
        doing.note(notes=(*changed, *lost))


class PageChanges(Aspect):
    """The result says what differs between the page before and after."""

    async def before(self, doing: Doing) -> None:
        page, spec = doing.page, doing.action.call.spec
        isnt_read = page.latest is None or (page.read_after < page.actions and not doing.lazy)
        if isnt_read and not spec.under_dialog:
            await page.snapshot_if_readable()
        doing.before = page.latest
        doing.unseen = page.actions - page.read_after
        doing.lazy = doing.lazy and doing.before is not None
        target = doing.action.target
        if doing.lazy or target is not None:
            filled = page.filled.held if doing.lazy else ()
            refs = dict.fromkeys([*([target.ref] if target else []), *filled])
            doing.action = replace(doing.action, observe=page.snapshots.parts_wanted(list(refs)))

    async def after(self, doing: Doing) -> None:
        page, result, before = doing.page, doing.result, doing.before
        blocked = result.dialog is not None and not result.data.get("answered")
        if blocked or before is None or page.closed:
            doing.lazy = False
            doing.note(closed=result.closed or bool(page.closed))
            return
        stays = not (result.dialog or result.navigated)
        doing.lazy = doing.lazy and stays
        observation = doing.data.get("observation")
        if doing.lazy:
            await self._look_at_parts(doing, observation)
        else:
            doing.part = page.part_of(observation) if observation and stays else None
            doing.after = doing.after or await page.snapshot_if_readable()
        if doing.after is not None:
            diff = doing.after.diff(before)
            navigated = result.navigated or diff.navigated
            doing.note(diff=diff, changed=result.changed or not diff.empty, navigated=navigated, url=page.url)
        elif doing.page.closed:
            doing.note(closed=True)
        seen = doing.part if doing.lazy else doing.after
        if seen is not None and doing.action.target is not None:
            page.shown.acted_on(node_of(seen, doing.action.target.ref))

    async def _look_at_parts(self, doing: Doing, observation: Any) -> None:
        refs = (doing.action.observe or {})["refs"]
        if observation is None:
            doing.part = await doing.page.parts_if_readable(refs)
        elif refs:
            doing.part = doing.page.part_of(observation)


class Outcome(Aspect):
    """The browser's answer becomes the result; the page is where the answer says."""

    async def after(self, doing: Doing) -> None:
        page, action = doing.page, doing.action
        elapsed = (time.perf_counter() - doing.started) * 1000
        node = action.target.node if action.target else None
        data = {name: value for name, value in doing.data.items() if name != "observation"}
        result = result_of(action.command, data, node, elapsed, action.call.effect.value)
        doing.result = replace(result, act=doing.act, settled=doing.settled)
        status = doing.result.data.get("status") if action.call.spec.navigates else None
        if status is not None and status >= 400:
            doing.act.fail(
                FailedRequest("GET", page.network.shown_url(doing.result.url), status, type="main_frame"),
                is_own=True,
            )
        page.moved_to(doing.result.url, str(doing.result.data.get("title", page.title)))
        policy, wanted = page.browser.gateway.policy, action.call.destination
        # A site that a person allowed, and where it redirects to within itself; an agent's new site stays unknown.
        if wanted and (action.call.actor == "person" or origin_of(wanted) in policy.allowed):
            allow_landing(policy, wanted, doing.result.url)


class HeldRequests(Aspect):
    """Requests that an agent's or a skill's action causes are held, and decided on before it counts as done."""

    async def before(self, doing: Doing) -> None:
        await doing.page.requests.before_action(doing.action)

    async def after(self, doing: Doing) -> None:
        page, data = doing.page, doing.data
        await page.requests.after_action(person=doing.action.call.actor == "person")
        if not data.pop("awaits_decision", False) or page.closed:
            return
        await page.run("wait_for", {"load": True})
        data["url"] = (await page.run("get", {"what": "url"}))["value"]
        if doing.action.call.spec.navigates:
            data["title"] = (await page.run("get", {"what": "title"}))["value"]


class Effects(Aspect):
    """What an action caused is waited for, unless nobody looks before they ask; what the page shows by then counts.

    An agent's turn and a page on a cassette wait for the page at rest: what they read depends on no speed. Where the
    network is watched, the result has the answers, so somebody looks.
    """

    async def after(self, doing: Doing) -> None:
        page, action = doing.page, doing.action
        is_turn = action.call.actor == "agent"
        needs_rest = is_turn or page.browser.cassettes.of(page.tab.id) is not None
        if (
            (doing.lazy and not page.network.on)
            or page.closed
            or page.dialogs.open is not None
            or (action.call.spec.navigates and not needs_rest)
        ):
            return
        seconds = ANSWER_SECONDS
        if action.timeout is not None:
            seconds = min(seconds, action.timeout)
        doing.settled = await page.settled("rest" if needs_rest else "answers", seconds)
        if needs_rest:
            await page.requests.decided()
        doing.after = None


class CausedRequests(Aspect):
    """The result has the requests that the page sent meanwhile, if its network is watched; it is while agents act."""

    async def before(self, doing: Doing) -> None:
        network, call = doing.page.network, doing.action.call
        if call.actor == "agent":
            network.begin_soon()
        await network.begun()
        words = f"{call.role} {call.label!r}".strip() if call.label else call.role
        network.log.begin_action(f"{call.command} {words}".strip())

    def failed(self, doing: Doing) -> None:
        doing.page.network.log.end_action()

    async def after(self, doing: Doing) -> None:
        network = doing.page.network
        network.log.end_action()
        if network.on:
            doing.note(requests=network.since(network.log.began_action))


class PageMetrics(Aspect):
    """The result has what the browser measured before and after, if that is wanted of the page."""

    async def before(self, doing: Doing) -> None:
        if "metrics" in doing.page.observed:
            doing.measured = await measure_if_possible(doing.page)

    async def after(self, doing: Doing) -> None:
        if "metrics" in doing.page.observed:
            is_open = doing.result.dialog is not None and not doing.result.data.get("answered")
            after = None if is_open else await measure_if_possible(doing.page)
            doing.note(measured=(doing.measured, after))


ASPECTS: tuple[Aspect, ...] = (
    RecordedCalls(),
    JournalStep(),
    KeptFields(),
    PageChanges(),
    PageMetrics(),
    CausedRequests(),
    Outcome(),
    Effects(),
    HeldRequests(),
)


async def do_with_aspects(doing: Doing) -> ActionResult:
    """Do a prepared action with all that goes with it."""
    page = doing.page
    for aspect in ASPECTS:
        await aspect.before(doing)
    page.actions += 1
    was, page.untouched = page.untouched, False
    doing.fresh = was
    before = urldefrag(page.url).url
    number, call = page.actions, doing.action.call
    doing.act = page.acts.begin(number, navigates=call.spec.navigates, frame_url=call.frame_url or "")
    try:
        doing.data = await _answer_dialogs(
            doing.page, execute(doing.page, doing.action), navigates=doing.action.call.spec.navigates
        )
    except SkillbookError:
        for aspect in ASPECTS:
            aspect.failed(doing)
        raise
    # What only goes to another fragment loads nothing, and has no status.
    is_loaded = doing.data.get("status") is not None or urldefrag(doing.data["url"]).url != before
    page.untouched = call.spec.loads_anew and (was or is_loaded)
    for aspect in reversed(ASPECTS):
        await aspect.after(doing)
    if not doing.lazy or doing.before is None:
        return doing.result
    return doing.result.seen_later(LaterLook(page, doing.before, doing.unseen, number))


async def _answer_dialogs(page: PageReader, doing: Awaitable[Any], *, navigates: bool) -> Any:
    """An action's outcome, once dialogs on its way that a rule answers are answered."""
    try:
        data = await doing
    except DialogBlocked:
        answer = await page.dialogs.settled()
        if answer is None or not navigates:
            raise
        # The dialog held up a navigation, which went on, or was called off, with the answer.
        await page.run("wait_for", {"load": True})
        title = await page.run("get", {"what": "title"})
        url = await page.run("get", {"what": "url"})
        return {"url": url["value"], "title": title["value"], "elapsed_ms": answer["elapsed_ms"]}
    answer = await page.dialogs.settled()
    if answer is None or not data.get("dialog"):
        return data
    also = {name: data[name] or answer[name] for name in ("changed", "navigated")}
    return {
        **data,
        **also,
        "answered": True,
        "url": answer["url"],
        "opened_tabs": data["opened_tabs"] + answer["opened_tabs"],
    }

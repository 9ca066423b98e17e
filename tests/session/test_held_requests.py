"""When the extension is requested to hold, and what happens where it can't."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote

import pytest

from skillbook.errors import ApprovalRequired, DebuggerUnavailable, NotAllowed
from skillbook.journal.records import read_requests
from skillbook.policy.rules import Actor
from skillbook.protocol.events import RequestPaused
from skillbook.session.page import held_requests
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from tests.integration.users_browser import until
from tests.session.rig import Rig, outcome


class Refuses:
    """A review that refuses everything."""

    key = "run"
    send_allowlist = False
    announced_is_approved = False

    def __init__(self, actor: Actor) -> None:
        self.actor: Actor = actor

    async def judge(self, request: HeldRequest) -> RequestDecision:
        return RequestDecision(False, "no")


async def test_nothing_is_held_where_only_a_person_acts(rig: Rig) -> None:
    page = await rig.open()
    await page.act("click", "button 'Save'")
    await page.snapshot()
    assert rig.sent("pause_requests") == []


@pytest.mark.parametrize("actor", ["agent", "replay"])
async def test_holding_begins_with_the_agent_or_skill_and_ends_with_a_person(rig: Rig, actor: Actor) -> None:
    page = await rig.open()
    await page.requests.attach(Refuses(actor))
    await page.act("click", "button 'Save'", actor=actor)
    await page.act("click", "button 'Save'")
    await page.act("click", "button 'Save'")
    assert [params["on"] for params in rig.sent("pause_requests")] == [True, False]


@pytest.mark.parametrize("actor", ["agent", "replay"])
async def test_where_nothing_can_be_held_every_write_needs_an_approval(rig: Rig, actor: Actor) -> None:
    def refuse(params: dict[str, Any], tab: Any) -> None:
        if params["on"]:
            raise DebuggerUnavailable("no debugger here")

    rig.extension.handlers["pause_requests"] = refuse
    page = await rig.open()
    await page.requests.attach(Refuses(actor))
    assert not page.requests.available
    with pytest.raises(ApprovalRequired, match="can't be held") as caught:
        await page.act("click", "button 'Save'", actor=actor)
    assert rig.sent("click") == []
    assert caught.value.binding is not None
    token = page.browser.gateway.approvals.issue(caught.value.binding)
    await page.act("click", "button 'Save'", actor=actor, approval=token)
    assert len(rig.sent("click")) == 1


async def test_a_lost_connection_has_requests_held_anew(rig: Rig) -> None:
    page = await rig.open()
    await page.requests.attach(Refuses("agent"))
    await page.act("click", "button 'Save'", actor="agent")
    page.requests.lost()
    await page.act("click", "button 'Save'", actor="agent")
    page.requests.lost()
    await page.act("click", "button 'Save'")
    assert [params["on"] for params in rig.sent("pause_requests")] == [True, True, False]


class Waits(Refuses):
    """A review that refuses after a while."""

    def __init__(self) -> None:
        super().__init__("agent")
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()
        self.judged: list[HeldRequest] = []

    async def judge(self, request: HeldRequest) -> RequestDecision:
        self.judged.append(request)
        self.asked.set()
        await self.goes_on.wait()
        return RequestDecision(False, "no")


@pytest.mark.parametrize(("is_lost", "ending"), [(True, "unknown"), (False, "gone")])
async def test_a_request_that_the_browser_no_longer_has_may_have_been_sent_if_the_connection_was_lost(
    rig: Rig, is_lost: bool, ending: str
) -> None:
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": params["verdict"] == "ask"}
    page, review = await rig.open(), Waits()
    await page.requests.attach(review)
    await page.act("click", "button 'Save'", actor="agent")
    page.requests.take(
        RequestPaused(
            id="r1", method="POST", url=f"{page.url}/orders", resource_type="Fetch", frame_origin=None,
            content_type="", body=None, size=0, navigation=False,
        )
    )  # fmt: skip
    await review.asked.wait()
    if is_lost:
        page.requests.lost()
    review.goes_on.set()
    await page.requests.decided()
    (outcome,) = page.requests.take_outcomes()
    assert outcome.ending == ending
    assert ("may have been sent" in str(outcome)) == is_lost


def posted(url: str) -> RequestPaused:
    return RequestPaused(
        id="r1", method="POST", url=f"{url}/orders", resource_type="Fetch", frame_origin=None,
        content_type="", body=None, size=0, navigation=False,
    )  # fmt: skip


@pytest.mark.parametrize(("when", "verdict"), [("before", "allow"), ("after", "allow"), ("never", "block")])
async def test_a_person_who_acts_right_after_a_replay_takes_over(rig: Rig, when: str, verdict: str) -> None:
    """The report of what they press may come after the request that it causes."""
    page, review = await rig.open(), Refuses("replay")
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": True}
    let_go = asyncio.Event()
    rig.extension.handlers["pause_requests"] = lambda params, tab: None if params["on"] else let_go.set()
    await page.requests.attach(review)
    await page.act("click", "button 'Save'", actor="replay")
    await page.requests.detach(review)
    if when == "before":
        page.requests.person_acted()
    page.requests.take(posted(page.url))
    await asyncio.sleep(0)
    if when == "after":
        page.requests.person_acted()
    await page.requests.decided()
    assert [params["verdict"] for params in rig.sent("release_request")][-1] == verdict
    if when != "never":
        await asyncio.wait_for(let_go.wait(), 20)


async def test_a_page_is_read_once_after_what_a_decision_let_through(rig: Rig) -> None:
    def let_through(params: dict[str, Any], tab: Any) -> dict[str, Any]:
        rig.key, rig.first = "after", 20
        rig.change('main\n  heading "Saved" level=1')
        return outcome(changed=False, awaits_decision=True)

    rig.extension.handlers |= {
        "click": let_through,
        "wait_for": lambda params, tab: {"url": rig.url, "elapsed_ms": 1.0},
        "get": lambda params, tab: {"value": rig.url},
    }
    page = await rig.open()
    await page.requests.attach(Refuses("replay"))
    await page.snapshot()
    walks = len(rig.sent("snapshot"))
    result = await page.act("click", "e4", actor="replay")
    assert len(rig.sent("snapshot")) == walks + 1
    assert result.navigated
    assert "new document" in str(result.diff)
    assert page.latest is not None
    assert page.latest.find_all("heading 'Saved'")


async def test_fault_66_acting_beside_a_window_that_is_not_shared_is_refused_and_reading_is_not(
    rig: Rig,
) -> None:
    windows = {"frames": 0, "related": [], "unshared": 1}
    rig.extension.handlers["pause_requests"] = lambda params, tab: windows
    page = await rig.open()
    await page.requests.attach(Refuses("agent"))
    with pytest.raises(NotAllowed, match="a window that isn't shared with this notebook"):
        await page.act("click", "button 'Save'", actor="agent")
    assert rig.sent("click") == []
    assert await page.snapshot()
    await page.act("click", "button 'Save'")
    windows["unshared"] = 0
    await page.act("click", "button 'Save'", actor="agent")
    assert len(rig.sent("click")) == 2


async def test_fault_66_requests_of_a_related_window_wait_for_whoever_acts(rig: Rig) -> None:
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": True}
    related = {7: [8], 8: [7]}
    rig.extension.handlers["pause_requests"] = lambda params, tab: {"frames": 0, "related": related[tab]}
    page = await rig.open()
    other = rig.driver.adopt(page.tab.model_copy(update={"id": 8}))
    await page.requests.attach(Refuses("agent"))
    assert [params["on"] for params in rig.sent("pause_requests")] == [True, True]
    await page.act("click", "button 'Save'", actor="agent")
    other.requests.take(posted(page.url))
    await page.requests.decided()
    (outcome,) = page.requests.take_outcomes()
    assert outcome.ending == "blocked"
    await page.act("click", "button 'Save'")
    assert [params["on"] for params in rig.sent("pause_requests")] == [True, True, False, False]


async def test_who_decides_reads_the_very_address_without_secrets_and_the_journal_keeps_no_id(
    rig: Rig,
) -> None:
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": True}
    page, review = await rig.open(), Waits()
    await page.requests.attach(review)
    await page.act("click", "button 'Save'", actor="agent")
    page.requests.take(posted(f"{page.url}plot/41?token=t0psecret&way={'x' * 900}&last=1"))
    await review.asked.wait()
    (request,) = review.judged
    assert "/plot/41?token=••••••&way=xxx" in unquote(request.question)
    assert "characters left out" in request.question
    assert request.address.endswith("&last=1%2Forders")
    assert "t0psecret" not in request.question
    assert "/plot/{id}?last&token&way: it may change" in str(request)
    review.goes_on.set()
    await page.requests.decided()
    kept = str(read_requests(page.browser.gateway.journal.path))
    assert "/plot/{id}?last&token&way" in kept
    assert "plot/41" not in kept


async def test_a_window_of_a_run_that_is_just_over_is_held_for_the_next_one(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_requests, "READ_SECONDS", 0.01)
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": True}
    opened: list[int] = []
    rig.extension.handlers["pause_requests"] = lambda params, tab: {"related": opened if tab == 7 else [7]}
    page = await rig.open()
    first, second = Refuses("agent"), Refuses("agent")
    await page.requests.attach(first)
    other = rig.driver.adopt(page.tab.model_copy(update={"id": 8}))
    opened.append(8)
    other.requests.follow(page.requests)
    page.requests.windows_changed()
    await page.requests.attach(second)
    await page.act("click", "button 'Save'", actor="agent")
    await other.requests.detach(first)
    await until(lambda: other.requests._group is page.requests._group, "the next run's windows are one group")
    assert False not in [params["on"] for params in rig.sent("pause_requests")]
    other.requests.take(posted(page.url))
    await page.requests.decided()
    (outcome,) = page.requests.take_outcomes()
    assert outcome.ending == "blocked"

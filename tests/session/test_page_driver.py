from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from skillbook.errors import (
    AmbiguousMatch,
    ApprovalRequired,
    CommandTimeout,
    ConnectionLost,
    EvaluateRefused,
    InvalidInput,
    InvalidParams,
    NoMatch,
    NotActionable,
    NotAllowed,
    PageClosed,
    PageNavigated,
    SkillbookError,
    StaleRef,
    UnknownRef,
)
from skillbook.journal import Outcome, read_journal, read_measures
from skillbook.limits import PEER_SECONDS, SHOWN_SECONDS
from skillbook.policy.secrets import MASK
from skillbook.session.action import reading_within
from skillbook.session.actions.prepare import prepare
from skillbook.session.actions.targets import resolve
from skillbook.session.page_driver import driver_of
from tests.session.rig import PAGE, Rig, outcome


async def test_a_role_selector_becomes_a_ref(rig: Rig) -> None:
    page = await rig.open()
    result = await page.act("click", "button 'Save'")
    assert rig.sent("click") == [{"ref": "e4"}]
    assert result.target is not None
    assert (result.target.role, result.target.name) == ("button", "Save")


async def test_an_action_tells_what_changed(rig: Rig) -> None:
    page = await rig.open()

    def click(params: Any, tab: Any) -> dict[str, Any]:
        rig.change(PAGE + '  text "Saved"\n'.replace("text ", ""))
        return outcome()

    rig.extension.handlers["click"] = click
    result = await page.act("click", "button 'Save'")
    assert result.diff is not None
    assert "Saved" in result.diff.text()
    assert result.changed


async def test_a_short_secret_is_not_masked_in_the_name_of_an_act(rig: Rig) -> None:
    page = await rig.open()
    rig.driver.gateway.secrets.add("PIN", "4711", origins=["http://site.test"])
    rig.extension.handlers["click"] = lambda params, tab: {**outcome(), "act": "1795994711085"}
    result = await page.act("click", "button 'Save'")
    assert result.target is not None
    assert page.acts.current.place_of(1795994711085) == 0


async def test_a_selector_waits_until_the_page_shows_it(rig: Rig) -> None:
    page = await rig.open()

    def wait_for(params: Any, tab: Any) -> dict[str, Any]:
        assert list(params["changed"].values()) == [1]
        rig.change(PAGE + '  button "Late" +\n')
        return {"url": "http://site.test/", "elapsed_ms": 1.0}

    rig.extension.handlers["wait_for"] = wait_for
    assert (await page.resolve("button 'Late'")).ref == "e6"


@pytest.mark.usefixtures("impatient")
async def test_what_never_shows_is_no_match_with_the_nearest(rig: Rig) -> None:
    page = await rig.open()

    async def never(params: Any, tab: Any) -> None:
        await asyncio.Event().wait()

    rig.extension.handlers["wait_for"] = never
    with pytest.raises(NoMatch) as caught:
        await page.resolve("button 'Safe'", timeout=0.2)
    assert "Save" in str(caught.value) or "Save" in str(caught.value.data)
    assert rig.sent("click") == []


async def test_an_actions_timeout_is_how_long_its_target_may_take_to_appear(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await rig.open()
    waits: list[float] = []

    async def changed_since(snapshot: Any, seconds: float) -> bool:
        waits.append(seconds)
        return False

    monkeypatch.setattr(page, "changed_since", changed_since)
    with pytest.raises(NoMatch, match="waited 400 s for it"):
        await page.act("click", "button 'Safe'", timeout=400)
    with pytest.raises(NoMatch, match="waited 400 s for it"):
        await page.act("drag", "button 'Save'", drop_on="button 'Safe'", timeout=400)
    assert all(300 < seconds <= 400 for seconds in waits)
    assert len(waits) == 2


async def test_a_silent_browser_costs_no_more_than_who_reads_has_left(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await rig.open()
    given: list[float] = []

    async def run(command: str, params: Any, timeout: float) -> Any:
        given.append(timeout)
        raise CommandTimeout("it has stood still")

    monkeypatch.setattr(page, "run", run)
    monkeypatch.setattr("skillbook.session.action.CAUSE_SECONDS", 0.5)
    await page.settled("rest", 5)
    with reading_within(0):
        assert (await page.settled("rest", 5, again=True)).state == "unknown"
    assert given[0] == 5 + PEER_SECONDS
    assert given[1] <= 0.5


async def test_the_answers_that_are_waited_for_are_the_last_acts(rig: Rig) -> None:
    page = await rig.open()
    rig.extension.handlers["click"] = lambda params, tab: outcome(act="17")
    await page.act("click", "button 'Save'")
    await page.settled("answers")
    await page.settled("rest")
    assert [sent.get("since") for sent in rig.sent("page_settled")][-2:] == ["17", None]


async def test_finding_and_acting_share_one_deadline(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    page = await rig.open()
    now = [100.0]
    monkeypatch.setattr("skillbook.session.actions.prepare.monotonic", lambda: now[0])
    given: list[float | None] = []

    async def resolved(self: Any, target: Any, *, timeout: float | None = None, find: Any = None) -> Any:
        given.append(timeout)
        now[0] += 30
        return await resolve(self, target)

    monkeypatch.setattr("skillbook.session.actions.prepare.resolve", resolved)
    action = await prepare(
        page, "drag", "button 'Save'", {}, drop_on="button 'Save'", actor="person", approval=None, timeout=40
    )
    assert given == [40, 10]
    assert action.timeout == pytest.approx(SHOWN_SECONDS)
    action = await prepare(page, "click", "button 'Save'", {}, actor="person", approval=None, timeout=40)
    assert action.timeout == 10


async def test_ambiguity_is_refused_at_once(rig: Rig) -> None:
    page = await rig.open()
    rig.change(PAGE + '  button "Save" +\n')
    with pytest.raises(AmbiguousMatch):
        await page.act("click", "button 'Save'")
    assert rig.sent("click") == []


async def test_a_ref_never_given_out_is_unknown_and_not_sent(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    for ref in ("e99", "f1e1"):
        with pytest.raises(UnknownRef):
            await page.act("click", ref)
    assert rig.sent("click") == []


async def test_fault_23_a_node_of_another_page_is_stale(rig: Rig) -> None:
    page = await rig.open()
    node = (await page.snapshot()).find("button 'Save'")
    other = await rig.open()
    rig.key = "other"
    await other.snapshot()
    other.snapshots.documents.clear()
    other.snapshots.documents.add("other")
    with pytest.raises(StaleRef):
        await other.act("click", node)
    assert rig.sent("click") == []


async def test_something_that_is_no_target_is_told_apart(rig: Rig) -> None:
    page = await rig.open()
    with pytest.raises(InvalidParams):
        await page.act("click", 12)  # type: ignore[arg-type]


async def test_writes_outside_the_allowed_origins_are_refused_and_journaled(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    rig.driver.gateway.policy.allowed.clear()
    with pytest.raises(NotAllowed, match="allowed origins"):
        await page.act("click", "e4")
    assert rig.sent("click") == []
    last = read_journal(rig.driver.journal.path)[-1]
    assert (last.command, last.outcome, last.verdict) == ("click", Outcome.REFUSED, "refuse")


async def test_an_agents_irreversible_click_needs_an_approval(rig: Rig) -> None:
    page = await rig.open()
    with pytest.raises(ApprovalRequired) as question:
        await page.act("click", "button 'Delete'", actor="agent")
    assert rig.sent("click") == []
    token = rig.driver.gateway.approvals.issue(question.value.binding)
    await page.act("click", "button 'Delete'", actor="agent", approval=token)
    assert rig.sent("click") == [{"ref": "e5"}]


async def test_intent_and_outcome_are_journaled_around_the_command(rig: Rig) -> None:
    page = await rig.open()
    during = []

    def click(params: Any, tab: Any) -> dict[str, Any]:
        during.append(read_journal(rig.driver.journal.path)[-1])
        return outcome()

    rig.extension.handlers["click"] = click
    await page.act("click", "button 'Save'")
    assert (during[0].command, during[0].outcome) == ("click", Outcome.UNKNOWN)
    after = read_journal(rig.driver.journal.path)[-1]
    assert (after.outcome, after.target["name"], after.actor) == (Outcome.OK, "Save", "person")


async def test_fault_11_a_write_lost_with_the_connection_is_of_unknown_outcome_and_not_repeated(
    rig: Rig,
) -> None:
    page = await rig.open()
    await page.snapshot()
    clicked = asyncio.Event()

    async def click(params: Any, tab: Any) -> dict[str, Any]:
        clicked.set()
        await asyncio.Event().wait()
        return outcome()

    rig.extension.handlers["click"] = click
    task = asyncio.ensure_future(page.act("click", "e4"))
    await asyncio.wait_for(clicked.wait(), 5)
    await rig.extension.disconnect()
    with pytest.raises(ConnectionLost):
        await asyncio.wait_for(task, 5)
    assert read_journal(rig.driver.journal.path)[-1].outcome is Outcome.UNKNOWN
    assert len(rig.sent("click")) == 1


async def test_fault_22_a_secret_is_filled_at_the_last_moment_and_stays_out_of_the_journal(rig: Rig) -> None:
    page = await rig.open()
    secret = rig.driver.gateway.secrets.add("pw")
    await page.act("fill", "textbox 'Name'", value=secret)
    assert rig.sent("fill")[0]["value"] == "hunter22"
    assert "hunter22" not in rig.driver.journal.path.read_bytes().decode("latin-1")
    assert read_journal(rig.driver.journal.path)[-1].params["value"] == "${secret:pw}"


async def test_fault_22_a_secret_shown_by_the_page_is_masked(rig: Rig) -> None:
    page = await rig.open()
    rig.driver.gateway.secrets.add("pw")
    rig.change(PAGE + '  paragraph "Your password is hunter22"\n')
    text = (await page.snapshot()).text(budget=None)
    assert "hunter22" not in text
    assert MASK in text

    def click(params: Any, tab: Any) -> None:
        raise SkillbookError("cannot click hunter22")

    rig.extension.handlers["click"] = click
    with pytest.raises(SkillbookError) as caught:
        await page.act("click", "button 'Save'")
    assert "hunter22" not in str(caught.value)


async def test_a_dialog_is_told_and_the_blocked_page_not_read(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    before = len(rig.sent("snapshot"))
    rig.extension.handlers["click"] = lambda params, tab: outcome(
        dialog={"kind": "confirm", "message": "Sure?"}
    )
    result = await page.act("click", "e4")
    assert result.dialog is not None
    assert result.dialog.message == "Sure?"
    assert "Sure?" in repr(result)
    assert len(rig.sent("snapshot")) == before


async def test_a_page_that_closes_during_the_action_is_no_error(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()

    async def click(params: Any, tab: Any) -> dict[str, Any]:
        await rig.extension.send_event("tab_closed", {"reason": "closed"}, tab=7)
        return outcome()

    rig.extension.handlers["click"] = click
    result = await page.act("click", "e4")
    assert result.diff is None
    assert page.closed == "closed"
    with pytest.raises(PageClosed):
        await page.snapshot()


async def test_a_document_that_leaves_while_it_is_read_is_followed_by_the_next_one(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()

    def leaves(params: Any, tab: Any) -> dict[str, Any]:
        rig.extension.handlers["snapshot"] = lambda params, tab: rig.snapshot()
        rig.key, rig.first = "next", 10
        raise PageNavigated("it went away")

    rig.extension.handlers["snapshot"] = leaves
    assert (await page.snapshot()).find("button 'Save'").ref == "e13"


async def test_actions_on_a_page_are_queued(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    running, most = 0, 0

    async def click(params: Any, tab: Any) -> dict[str, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return outcome()

    rig.extension.handlers["click"] = click
    await asyncio.gather(*(page.act("click", "e4") for _ in range(5)))
    assert most == 1
    assert len(rig.sent("click")) == 5


async def test_wait_for_takes_one_condition(rig: Rig) -> None:
    page = await rig.open()
    with pytest.raises(InvalidParams):
        await page.wait_for(url="x", text="y")
    with pytest.raises(InvalidParams):
        await page.wait_for()


@pytest.mark.usefixtures("impatient")
async def test_waiting_for_text_ends_in_time(rig: Rig) -> None:
    page = await rig.open()

    async def never(params: Any, tab: Any) -> None:
        await asyncio.Event().wait()

    rig.extension.handlers["wait_for"] = never
    with pytest.raises(CommandTimeout, match="'Nowhere'"):
        await page.wait_for(text="Nowhere", timeout=0.2)


async def test_evaluate_is_refused_unless_allowed(rig: Rig) -> None:
    page = await rig.open()
    with pytest.raises(EvaluateRefused):
        await page.evaluate("1 + 1")
    assert rig.sent("evaluate") == []


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a@b.test/", "x y"])
async def test_fault_19_odd_addresses_are_not_opened(rig: Rig, url: str) -> None:
    with pytest.raises(NotAllowed):
        await rig.driver.open(url)
    assert rig.sent("tabs_open") == []


async def test_perform_runs_any_command_by_its_call_model(rig: Rig) -> None:
    page = await rig.open()
    rig.extension.handlers["drag"] = lambda params, tab: outcome()
    await page.perform("drag", {"target": "button 'Save'", "to": "button 'Delete'"})
    assert rig.sent("drag")[0]["ref"] == "e4"
    assert rig.sent("drag")[0]["to_ref"] == "e5"


def test_only_pages_have_drivers() -> None:
    with pytest.raises(InvalidInput, match="`page` must be a page, not str"):
        driver_of("page")


async def test_fault_16_after_a_new_session_the_tabs_are_listed_again(rig: Rig) -> None:
    page = await rig.open()
    rig.extension.handlers["tabs_list"] = lambda params, tab: {"tabs": []}
    gone = asyncio.Event()
    rig.driver.listeners.append(lambda page, what: gone.set() if what == "closed" else None)
    await rig.extension.disconnect()
    rig.extension.session = None
    await rig.extension.connect()
    await asyncio.wait_for(gone.wait(), 5)
    assert page.closed
    assert rig.driver.pages == {}


async def test_parameters_that_do_not_fit_are_told_by_field_and_not_sent(rig: Rig) -> None:
    page = await rig.open()
    with pytest.raises(InvalidParams, match="button"):
        await page.act("click", "button 'Save'", button="upper")
    with pytest.raises(InvalidParams, match="color"):
        await page.perform("click", {"target": "button 'Save'", "color": "red"})
    assert rig.sent("click") == []


async def test_a_step_has_its_locator_observation_and_measures(rig: Rig) -> None:
    page = await rig.open()

    def click(params: Any, tab: Any) -> dict[str, Any]:
        rig.change(PAGE + '  paragraph "Saved hunter22"\n')
        return outcome()

    rig.driver.gateway.secrets.add("pw")
    rig.extension.handlers["click"] = click
    await page.act("click", "button 'Save'")
    path = rig.driver.journal.catch_up()
    step = read_journal(path)[-1]
    assert (step.command, step.locator) == ("click", "button 'Save'")
    assert step.observation["changed"]
    assert "Saved" in step.observation["diff"]
    assert "hunter22" not in str(step)
    assert {measure.name for measure in read_measures(path)} >= {"snapshot"}


FILLED = PAGE.replace('"Name" +', '"Name" + value={0}')


def _fills(rig: Rig) -> None:
    rig.extension.handlers["fill"] = lambda params, tab: (rig.change(FILLED.format("Ann")), outcome())[1]


async def test_after_a_fill_the_next_action_reads_the_field_alone(rig: Rig) -> None:
    page = await rig.open()
    _fills(rig)
    rig.extension.handlers["find_elements"] = lambda params, tab: {"documents": rig.snapshot()["documents"]}
    await page.snapshot()
    await page.act("fill", "e3", value="Ann")
    walks = len(rig.sent("snapshot"))
    await page.act("click", "e4")
    assert [sent["refs"] for sent in rig.sent("find_elements") if "query" not in sent] == [["e3"]]
    assert len(rig.sent("snapshot")) == walks + 1  # what the click changed


@pytest.mark.parametrize("knows", [True, False])
async def test_a_field_that_changed_is_reported_also_by_an_older_extension(rig: Rig, knows: bool) -> None:
    page = await rig.open()
    _fills(rig)
    if knows:
        rig.extension.handlers["find_elements"] = lambda params, tab: {
            "documents": rig.snapshot()["documents"]
        }
    await page.snapshot()
    await page.act("fill", "e3", value="Ann")
    rig.change(FILLED.format("Bob"))
    with pytest.raises(NotActionable, match="since then the page has changed that to 'Bob'"):
        await page.act("click", "e4")
    assert rig.sent("click") == []


@pytest.mark.parametrize(
    ("ref", "address", "asked"), [("e3", None, 0), ("e4", None, 1), ("e3", "https://elsewhere.test/", 1)]
)
async def test_a_fact_of_what_a_selector_names_comes_with_its_search(
    rig: Rig, ref: str, address: str | None, asked: int
) -> None:
    page = await rig.open()

    def find(params: dict[str, Any], tab: int) -> dict[str, Any]:
        documents = rig.snapshot()["documents"]
        main = {**documents[0], "url": address or documents[0]["url"]}
        return {"documents": [main, *documents[1:]], "fact": {"ref": ref, "value": "of the search"}}

    rig.extension.handlers["find_elements"] = find
    rig.extension.handlers["get"] = lambda params, tab: {"value": "by its ref"}
    await page.snapshot()
    read = await page.read("get", "textbox 'Name'", lazy=True, what="value")
    assert rig.sent("find_elements")[-1]["fact"] == {"command": "get", "params": {"what": "value"}}
    assert read["value"] == ("by its ref" if asked else "of the search")
    assert len(rig.sent("get")) == asked


async def test_what_a_persons_action_changed_is_read_when_somebody_looks(rig: Rig) -> None:
    page = await rig.open()
    rig.extension.handlers["find_elements"] = lambda params, tab: {"documents": rig.snapshot()["documents"]}
    rig.extension.handlers["click"] = lambda params, tab: outcome(changed=False)
    await page.snapshot()
    first = await page.act("click", "e4", lazy=True)
    second = await page.act("click", "e4", lazy=True)
    assert len(rig.sent("snapshot")) == 1
    rig.change(FILLED.format("Bob"))
    # Which of the two changed something, only the browser could know.
    assert second.changed is False
    assert second.look is not None
    await second.look.read()
    assert second.diff is not None
    assert second.diff.text().startswith("(with what 1 action before it changed)")
    assert (second.when, first.when) == ("with what 1 action before it changed", "")
    assert len(rig.sent("snapshot")) == 2
    third = await page.act("click", "e4", lazy=True)
    rig.change(FILLED.format("Carl"))
    assert third.look is not None
    assert first.look is not None
    await third.look.read()
    assert (third.changed, third.when) == (True, "")
    await first.look.read()
    assert first.when == "read after 2 actions more"
    assert len(rig.sent("snapshot")) == 4  # each read once


async def test_the_journal_notes_nothing_while_an_action_looks_for_its_target(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbook.session.actions.result._MOMENT_S", 0.05)
    page = await rig.open()
    journal = rig.driver.journal
    noted: list[str] = []
    done = asyncio.Event()

    async def wait_for(params: Any, tab: Any) -> dict[str, Any]:
        for number in range(3):
            journal.later(lambda number=number: noted.append(f"step {number}"))
        journal.later(done.set)
        await asyncio.sleep(0.2)
        noted.append("the target is there")
        rig.change(PAGE + '  button "Late" +\n')
        return {"url": "http://site.test/", "elapsed_ms": 1.0}

    rig.extension.handlers["wait_for"] = wait_for
    await page.act("click", "button 'Save'")
    await page.act("click", "button 'Late'")
    await asyncio.wait_for(done.wait(), 20)
    assert noted == ["the target is there", "step 0", "step 1", "step 2"]


async def test_an_image_stays_as_it_is_where_a_secrets_letters_stand_in_it_by_chance(rig: Rig) -> None:
    rig.driver.gateway.secrets.add("pin", "4711")
    answer = {
        "data": "AAAA4711AAAA",
        "format": "png",
        "width": 4711,
        "height": 1,
        "scale": 1.0,
        "origin": [0, 0],
    }
    rig.extension.handlers["screenshot"] = lambda params, tab: answer
    page = await rig.open()
    assert (await page.read("screenshot"))["data"] == answer["data"]


async def test_a_timeout_includes_the_wait_for_another_action_and_names_it(rig: Rig) -> None:
    page = await rig.open()
    begun, goes_on = asyncio.Event(), asyncio.Event()

    async def fill(params: dict[str, Any], tab: Any) -> Any:
        begun.set()
        await goes_on.wait()
        return outcome()

    rig.extension.handlers["fill"] = fill
    filling = asyncio.ensure_future(page.act("fill", "textbox 'Name'", value="Ann"))
    await begun.wait()
    started = time.monotonic()
    with pytest.raises(
        CommandTimeout, match=r"was not begun: .*fill on this page took until its timeout"
    ) as caught:
        await page.act("click", "button 'Save'", timeout=0.2)
    assert 0.15 < time.monotonic() - started < 5
    assert caught.value.data == {"awaited": "fill"}
    clicking = asyncio.ensure_future(page.act("click", "button 'Save'", timeout=20))
    await asyncio.sleep(0)
    goes_on.set()
    assert (await clicking).changed
    await filling
    assert len(rig.sent("click")) == 1, "the one whose turn didn't come was never sent"


async def test_what_an_act_found_serves_once_who_looks_next(rig: Rig) -> None:
    page = await rig.open()
    await page.act("click", "button 'Save'")
    assert page.just_read(["css '.x'"]) is None
    read = await page.snapshot()
    assert page.just_read(["button 'Save'"]) is read
    assert page.just_read(["button 'Save'"]) is None
    await page.snapshot()
    await page.snapshot_in_part(0, 3)
    assert page.just_read(["button 'Save'"]) is None
    await page.snapshot()
    page.actions += 1
    assert page.just_read(["button 'Save'"]) is None

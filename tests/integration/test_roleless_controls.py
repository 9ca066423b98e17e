"""Controls without a role: judged, shown, bound and checked at the last moment by the text that they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

X = "css '#x'"
HIT = "onclick='window.hit = (window.hit || 0) + 1'"


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def act(page: Page, target: str, tool: str = "click", **args: str) -> Run:
    call = ToolCall(tool, {"target": target, **args})
    return sb.agent(page, "go", model=ScriptedModel([call, "done"]), autonomy="all").run()


ICON = "<svg width=20 height=20><title>Delete account</title><rect width=20 height=20></rect></svg>"
DELETES = {
    "div": f"<div id=x {HIT}>Delete account</div>",
    "span": f"<span id=x tabindex=0 {HIT}>Delete account</span>",
    "li": f"<ul><li id=x {HIT}>Delete account</li></ul>",
    "inline parts": f"<div id=x {HIT}>De<b>lete</b> <i>account</i></div>",
    "custom element": f"<x-act id=x {HIT}>Delete account</x-act>",
    "shadow root": f"<x-act id=x style='display:block' {HIT}></x-act><script>x.attachShadow({{mode: 'open'}})"
    ".innerHTML = '<span>Delete account</span>'</script>",
    "svg title": f"<div id=x {HIT}>{ICON}</div>",
    "picture": f"<div id=x {HIT}><img alt='Delete account' width=20 height=20></div>",
    "picture and text": f"<div id=x {HIT}><img alt='Delete' width=20 height=20> account</div>",
    "title inside": f"<div id=x {HIT}><span title='Delete account' style='display:block;height:9px'></span></div>",
    "hidden from accessibility": f"<div id=x {HIT}><img alt=Open width=9 height=9><b aria-hidden=true>Delete</b></div>",
    "generated": f"<style>#x::before {{content: 'Delete account'}}</style><div id=x {HIT}></div>",
}


@pytest.mark.parametrize("kind", DELETES)
def test_fault_30_a_control_without_a_role_is_judged_by_what_it_shows(
    serve_html: Callable[[str], Page], kind: str
) -> None:
    page = serve_html(DELETES[kind])
    run = act(page, X)
    assert run.status == "waiting"
    assert run.pending is not None
    assert "Delete" in run.pending.review.reason
    assert "Delete" in (run.pending.review.binding.label if run.pending.review.binding else "")
    assert page.evaluate("window.hit ?? 0") == 0
    after_reading(run).approve()
    assert page.evaluate("window.hit") == 1


def test_fault_30_what_is_called_otherwise_at_the_last_moment_is_not_pressed(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(f"<div id=x {HIT} onmousemove='this.textContent = `Pay now`'>Cancel</div>")
    run = act(page, X)
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0


def test_fault_30_an_approval_is_for_the_text_that_was_shown(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(f"<div id=x {HIT}>Delete draft</div>")
    run = act(page, X)
    page.evaluate("document.querySelector('#x').textContent = 'Delete account'")
    after_reading(run).approve()
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0


def test_fault_30_a_press_on_a_row_does_not_come_to_a_dangerous_button_in_it(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(
        "<div id=x onclick='window.opened = 1' style='position:relative;width:90px'><span style='position:absolute;"
        f"pointer-events:none'>1</span><button style='display:block;width:100%' {HIT}>Delete</button></div>"
    )
    run = act(page, X)
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("[window.hit ?? 0, window.opened ?? 0]") == [0, 0]


def test_fault_30_a_row_is_pressed_beside_the_button_in_its_middle(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<div id=x onclick='window.opened = 1' style='display:flex;width:90px;justify-content:center'>"
        f"<span>1</span><button {HIT}>Delete</button><span>2</span></div>"
    )
    run = act(page, X)
    assert [record.error for record in run.records] == [None]
    assert page.evaluate("[window.hit ?? 0, window.opened ?? 0]") == [0, 1]


def test_fault_30_a_row_is_pressed_though_the_mouse_shows_buttons_in_it(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(
        "<style>#x button {visibility: hidden} #x:hover button {visibility: visible}</style>"
        f"<div id=x {HIT} style='width:400px'>Order 12 <button style='float:right'>Delete</button></div>"
    )
    run = act(page, X)
    assert [record.error for record in run.records] == [None]
    assert page.evaluate("window.hit") == 1

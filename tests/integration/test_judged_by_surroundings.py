"""Dialogs, options, bins, links and other fields count in what is judged and in what an approval is for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

HIT = "onclick='window.hit = (window.hit || 0) + 1'"
DIALOG = f"""<div role=dialog aria-label=Question><p>Delete 3 records?</p>
<button {HIT}>Yes</button><button {HIT}>No</button></div>"""
FORM = f"""<form onsubmit='event.preventDefault()'><input aria-label=Amount name=n value=1>
<button {HIT}>Send</button></form>"""


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def act(page: Page, *calls: tuple[str, dict[str, object]]) -> Run:
    model = ScriptedModel([*(ToolCall(tool, args) for tool, args in calls), "done"])
    return sb.agent(page, "go", model=model, autonomy="all").run()


def test_fault_33_accepting_a_dialog_is_judged_by_its_text(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<button onclick='window.hit = confirm(`Delete the record?`)'>Go</button>")
    click, accept = ("click", {"target": "button 'Go'"}), ("handle_dialog", {"accept": True})
    run = act(page, click, accept)
    assert run.status == "waiting"
    assert run.pending is not None
    assert "Delete the record?" in run.pending.review.reason
    after_reading(run).approve()
    assert page.evaluate("window.hit") is True
    assert act(page, click, ("handle_dialog", {"accept": False})).status == "succeeded"
    assert page.evaluate("window.hit") is False


def test_fault_33_yes_in_a_dialog_is_judged_by_the_dialog(show_html: Callable[[str], Page]) -> None:
    page = show_html(DIALOG)
    assert act(page, ("click", {"target": "button 'Yes'"})).status == "waiting"
    assert page.evaluate("window.hit ?? 0") == 0
    assert act(page, ("click", {"target": "button 'No'"})).status == "succeeded"
    assert page.evaluate("window.hit") == 1


def test_fault_33_options_and_bins_that_delete_ask(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<select aria-label=Action onchange='window.hit = this.value'><option>Open<option value=d>Delete selected"
        "</select><div draggable=true>Letter</div><div id=bin>Trash</div>"
    )
    for value in ("Delete selected", "d", "1"):
        run = act(page, ("select", {"target": "combobox 'Action'", "values": [value]}))
        assert run.status == "waiting"
    assert page.evaluate("window.hit ?? ''") == ""
    assert act(page, ("select", {"target": "combobox 'Action'", "values": ["Open"]})).status == "succeeded"
    run = act(page, ("drag", {"target": "css 'div[draggable]'", "to": "css '#bin'"}))
    assert run.status == "waiting"


def test_fault_33_links_and_addresses_that_change_something_ask(show_html: Callable[[str], Page]) -> None:
    page = show_html("<a href='/posts.php?action=delete&id=3'>Open</a>")
    assert act(page, ("click", {"target": "link 'Open'"})).status == "waiting"
    base = page.url.rsplit("/", 1)[0]
    for tool in ("goto", "tabs_open"):
        assert act(page, (tool, {"url": f"{base}/users/3/delete"})).status == "waiting"
    assert page.url.startswith(base)
    assert "delete" not in page.url


@pytest.mark.parametrize(
    ("html", "target", "change"),
    [
        (FORM, "button 'Send'", "document.querySelector('input').value = '9999'"),
        (DIALOG, "button 'Yes'", "document.querySelector('p').textContent = 'Delete all records?'"),
        (
            "<a href='/delete/1'>Remove</a>",
            "link 'Remove'",
            "document.querySelector('a').href = '/delete/2'",
        ),
        (
            "<select aria-label=Do><option value=a>Delete draft</select>",
            "combobox 'Do'",
            "document.querySelector('option').value = 'everything'",
        ),
    ],
    ids=["other values", "dialog", "link", "option"],
)
def test_fault_37_an_approval_is_for_what_was_around(
    serve_html: Callable[[str], Page], html: str, target: str, change: str
) -> None:
    page = serve_html(html)
    chosen: dict[str, object] = {"values": ["Delete draft"]} if "option" in html else {}
    run = act(page, ("select" if chosen else "click", {"target": target, **chosen}))
    assert run.status == "waiting"
    page.evaluate(change)
    after_reading(run).approve()
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0


WRAPPED = {
    "frame": ("<iframe id=w></iframe><script>w.srcdoc = MARKUP</script>", "w.contentDocument"),
    "shadow root": (
        "<div id=w></div><script>w.attachShadow({mode: 'open'}).innerHTML = MARKUP</script>",
        "w.shadowRoot",
    ),
}
CHANGES = {
    "other values": (FORM, "button 'Send'", "root.querySelector('input').value = '9999'"),
    "dialog": (DIALOG, "button 'Yes'", "root.querySelector('p').textContent = 'Delete all records?'"),
    "link": ("<a href='/delete/1'>Remove</a>", "link 'Remove'", "root.querySelector('a').href = '/delete/2'"),
}


@pytest.mark.parametrize("engine", ["dom", "cdp"])
@pytest.mark.parametrize("where", WRAPPED)
@pytest.mark.parametrize("what", CHANGES)
def test_fault_37_in_frames_and_shadow_roots_and_by_the_cdp_engine_too(
    serve_html: Callable[[str], Page], what: str, where: str, engine: Literal["dom", "cdp"]
) -> None:
    (html, target, change), (wrapper, root) = CHANGES[what], WRAPPED[where]
    page = serve_html(wrapper.replace("MARKUP", f"`{html}`"))
    page.wait_for(selector=target)
    ref = str(page.snapshot(engine=engine).find(target).ref)
    run = act(page, ("click", {"target": ref}))
    assert run.status == "waiting"
    page.evaluate(f"void ((root) => {{ {change} }})({root})")
    after_reading(run).approve()
    # A dialog's text is also what tells which record its buttons are for.
    assert [record.error for record in run.records] == [
        "stale_ref" if what == "dialog" else "approval_required"
    ]
    hit = "frames[0]?.hit ?? window.hit ?? 0"
    assert page.evaluate(hit) == 0
    assert "delete" not in page.url


@pytest.mark.parametrize(
    ("html", "target"),
    [
        (FORM.replace("<button", "<button onmousemove='n.value = 9999'").replace("name=n", "id=n"), "button 'Send'"),
        (f"<a href='#delete' {HIT} data-method=delete onmousemove='this.href = `/delete/2`'>Go</a>", "link 'Go'"),
    ],
    ids=["other values", "link"],
)  # fmt: skip
def test_fault_37_what_changes_under_the_mouse_is_not_pressed(
    serve_html: Callable[[str], Page], html: str, target: str
) -> None:
    page = serve_html(html)
    run = act(page, ("click", {"target": target}))
    assert run.status == "waiting"
    after_reading(run).approve()
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0

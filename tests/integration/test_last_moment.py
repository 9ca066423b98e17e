"""What is checked, and what is kept out of pictures, at the moment of the act; in a real browser."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.errors import NotActionable, SkillbookError
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

HIT = "onclick='window.hit = (window.hit || 0) + 1'"


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def act(page: Page, tool: str, selector: str, **args: str) -> Run:
    call = ToolCall(tool, {"target": str(page.snapshot().find(selector).ref), **args})
    return sb.agent(page, "go", model=ScriptedModel([call, "done"]), autonomy="all").run()


@pytest.mark.parametrize("command", ["click", "dblclick"])
def test_fault_21_a_label_that_changes_under_the_mouse_is_not_pressed(
    serve_html: Callable[[str], Page], command: str
) -> None:
    page = serve_html(f"<button {HIT} onmousemove='this.textContent = `Delete all`'>Save</button>")
    run = act(page, command, "button 'Save'")
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0
    page.click("button 'Delete all'")
    assert page.evaluate("window.hit") == 1


def test_fault_21_an_approved_label_that_changes_at_the_last_moment_is_asked_about_again(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(f"<button {HIT} onmousemove='this.textContent = `Send to all`'>Send</button>")
    run = act(page, "click", "button 'Send'")
    assert run.status == "waiting"
    after_reading(run).approve()
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0


def test_what_a_style_sheet_adds_under_the_mouse_is_no_other_label(serve_html: Callable[[str], Page]) -> None:
    style = "<style>button:hover::after { content: ' Press to select' }</style>"
    page = serve_html(f"{style}<button {HIT}>Three</button>")
    run = act(page, "click", "button 'Three'")
    assert [record.error for record in run.records] == [None]
    assert page.evaluate("window.hit") == 1


def test_fault_21_keys_are_kept_from_what_is_called_otherwise(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(f"<button {HIT} onfocus='this.textContent = `Delete all`'>Save</button>")
    run = act(page, "press", "button 'Save'", key="Enter")
    assert [record.error for record in run.records] == ["approval_required"]
    assert page.evaluate("window.hit ?? 0") == 0


@pytest.mark.parametrize("event", ["mousemove", "pointerdown", "mousedown"])
def test_fault_21_a_click_that_a_checkbox_does_not_get_is_no_success(
    serve_html: Callable[[str], Page], event: str
) -> None:
    page = serve_html(
        f"<div><input type=checkbox aria-label=Agree on{event}='this.style.pointerEvents = `none`'></div>"
    )
    with pytest.raises(SkillbookError) as caught:
        page.click("checkbox 'Agree'")
    assert caught.value.code == "not_actionable"
    assert not page.is_("checked", "checkbox 'Agree'")


def test_a_checkbox_that_the_mouse_passes_through_is_clicked_by_what_stands_in_its_place(
    serve_html: Callable[[str], Page],
) -> None:
    toggle = "this.firstChild.checked = !this.firstChild.checked"
    page = serve_html(
        f"<div onclick='{toggle}'><input type=checkbox aria-label=Agree style='pointer-events: none'></div>"
    )
    page.click("checkbox 'Agree'")
    assert page.is_("checked", "checkbox 'Agree'")


def test_what_a_first_press_does_to_the_label_is_no_change(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        f"<button {HIT} onmousedown='this.textContent += `!`'>Save</button><input aria-label=Name>"
    )
    assert act(page, "dblclick", "button 'Save'").records[0].error is None
    assert page.evaluate("window.hit") == 2
    assert act(page, "type", "textbox 'Name'", text="Ann").records[0].error is None
    assert page.evaluate("document.querySelector('input').value") == "Ann"


def width_of(picture: bytes) -> int:
    if picture.startswith(b"\x89PNG"):
        return int(struct.unpack(">I", picture[16:20])[0])
    at = next(
        at
        for at in range(len(picture))
        if picture[at : at + 1] == b"\xff" and picture[at + 1] in (0xC0, 0xC2)
    )
    return int(struct.unpack(">H", picture[at + 7 : at + 9])[0])


@pytest.mark.parametrize(
    "field", ["<input id=f aria-label=Note>", "<textarea id=f aria-label=Note></textarea>"]
)
def test_fault_22_secrets_are_not_in_pictures(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    page = serve_html(field)
    origins = {page.url.rsplit("/", 1)[0]}
    monkeypatch.setenv("SKILLBOOK_SECRET_PICTURED_SHORT", "swordfish")
    monkeypatch.setenv("SKILLBOOK_SECRET_PICTURED_LONG", "open sesame, please")
    pictures = []
    for value in ("goldfish", "open the door, please"):
        page.fill("textbox 'Note'", value)
        pictures.append(page.screenshot())
    assert pictures[0] != pictures[1], "what is no secret is seen"
    page.fill("textbox 'Note'", sb.secret("pictured.short", origins=origins))
    covered = [page.screenshot(), page.screenshot(full_page=True), page.screenshot(target="textbox 'Note'")]
    page.fill("textbox 'Note'", sb.secret("pictured.long", origins=origins))
    again = [page.screenshot(), page.screenshot(full_page=True), page.screenshot(target="textbox 'Note'")]
    assert covered == again
    assert covered[0] not in pictures
    shown = "getComputedStyle(f).webkitTextFillColor"
    assert page.evaluate(f"{shown} !== 'rgba(0, 0, 0, 0)' && document.adoptedStyleSheets.length === 0")


def test_tabs_behind_another_are_pictured(serve_html: Callable[[str], Page]) -> None:
    behind = serve_html("<h1>Behind</h1><p style='height:2000px'>Long</p>")
    options = ({}, {"full_page": True}, {"target": "heading 'Behind'"}, {"max_width": 200})
    first = [width_of(behind.screenshot(**each)) for each in options]
    front = serve_html("<h1>In front</h1>")
    for _ in range(2):
        # Tabs behind have no scrollbars.
        assert [width_of(behind.screenshot(**each)) for each in options] == pytest.approx(first, abs=20)
    assert {tab.url: tab.driver.tab.active for tab in front.browser.pages}[front.url]


def test_pictures_are_scaled_down_where_they_are_taken(
    serve_html: Callable[[str], Page], browser: Browser
) -> None:
    page = serve_html("<button>Save</button>")
    assert width_of(page.screenshot(max_width=320)) == 320
    assert width_of(page.screenshot()) > 320
    assert width_of(page.screenshot(target="button 'Save'", max_width=320)) < 320
    steps = len(browser.journal)
    assert act(page, "click", "button 'Save'").records[0].error is None
    deadline = time.monotonic() + 10
    while not (kept := [each for each in browser.journal["thumbnail"][steps:] if isinstance(each, bytes)]):
        assert time.monotonic() < deadline
    assert width_of(kept[0]) <= 320
    assert len(kept[0]) < 20_000


def test_a_field_that_goes_once_it_has_the_focus_is_said_to(serve_html: Callable[[str], Page]) -> None:
    """A text that is inserted where nothing takes it makes no event, as one that the browser keeps makes none."""
    later = "let n = 0; const step = () => n++ < 50 ? Promise.resolve().then(step) : this.remove(); step()"
    page = serve_html(f"<input aria-label=Name onfocus='{later}'>")
    field = str(page.snapshot().find("textbox 'Name'").ref)
    with pytest.raises(NotActionable, match=r"focus left \w+ to the document; nothing") as refused:
        page.fill(field, "Ann")
    assert refused.value.data["reason"] == "focus_lost"

"""Before what can't be undone, what a dialog or a page lists is compared with what it listed in the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import ApprovalRequired
from skillbook.session.sync import Browser, Page
from skillbook.skill.replay import step_targets
from tests.integration.failing_site import FailingSite, serve_failing

PAGE = """<!doctype html><title>Delete</title><header><a href="/">Shop</a> {clock}</header>
<main><h1>Are you sure?</h1><p>Delete the author {name} and all of these:</p><ul>{books}</ul>
<form method="post" action="/authors/delete/200"><input type="hidden" name="post" value="yes">
<button>Yes, delete</button></form></main>"""

DIALOG = """<!doctype html><title>Authors</title><main><h1>Author {name}</h1><p>{clock}</p>
<button type="button" onclick="d.showModal()">Remove…</button></main>
<dialog id="d" aria-label="Remove author"><p>{name} has:</p><ul>{books}</ul>
<form method="post" action="/authors/delete/200"><button>Delete</button></form></dialog>"""

NATIVE = """<!doctype html><title>Authors</title><main><h1>Author {name}</h1><p>{clock}</p>
<form method="post" action="/authors/change/200" id="f">
<button type="button" onclick="if (confirm('Delete {name} with {count} books?')) f.submit()">Remove…</button>
</form></main>"""


def by_page(page: Page) -> None:
    page.click("button 'Yes, delete'")


def by_dialog(page: Page) -> None:
    page.click("button 'Remove…'")
    page.click("button 'Delete'")


def by_native(page: Page) -> None:
    page.click("button 'Remove…'")
    page.handle_dialog(accept=True)


WAYS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "page": (PAGE, by_page),
    "dialog": (DIALOG, by_dialog),
    "native": (NATIVE, by_native),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        made = sb.launch()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 1.0)


@pytest.fixture
def site() -> Iterator[FailingSite]:
    with serve_failing() as site:
        yield site


def filled(html: str, name: str, *books: str, clock: str = "12:03") -> str:
    listed = "".join(f"<li>Book: <a href='#b'>{book}</a></li>" for book in books)
    return html.format(name=name, books=listed, count=len(books), clock=clock)


@pytest.mark.parametrize("way", WAYS)
def test_fault_95_other_related_records_are_shown_and_refused_unattended(
    way: str, browser: Browser, site: FailingSite, tmp_path: Path
) -> None:
    html, do = WAYS[way]
    site.html = filled(html, "Ann", "Emma")
    page = browser.open(site.url)
    with sb.recording(page, "Delete the author") as rec:
        do(page)
    skill = rec.save_skill(f"delete-{way}", str(tmp_path), prove=False)
    assert skill.spec.steps[-1].irreversible
    page.close()

    def run(html: str, approve: Any) -> tuple[Any, list[str]]:
        site.html, site.arrived[:] = html, []
        page = browser.open(site.url)
        result = skill.run(page, raise_on_error=False, approve=approve)
        assert result.ok or page.snapshot().find("heading") is not None, "a failed run leaves no dialog"
        page.close()
        return result, list(site.arrived)

    result, sent = run(filled(html, "Ann", "Emma", clock="18:41" if way != "page" else "09:00"), skill.digest)
    assert result.ok, result.error
    assert len(sent) == 1

    other = filled(html, "Ann", "Emma", "Persuasion")
    for approve in (None, skill.digest):
        result, sent = run(other, approve)
        assert not result.ok
        assert isinstance(result.error, ApprovalRequired)
        assert sent == []
        assert ("Persuasion" if way != "native" else "with 2 books") in result.error.message

    questions: list[Any] = []
    result, sent = run(other, lambda question: questions.append(question) or True)
    assert result.ok, result.error
    assert len(sent) == 1
    asked = questions[-1]
    assert any(("Persuasion" if way != "native" else "2 books") in change for change in asked.changes)
    assert any(("Emma" if way != "native" else "2 books") in text for text in asked.confirms)

    result, sent = run(filled(html, "Bob", "Emma"), skill.digest)
    assert not result.ok, "another name"
    assert sent == []


def test_what_an_input_names_and_what_was_freed_is_not_compared(
    browser: Browser, site: FailingSite, tmp_path: Path
) -> None:
    form = """<!doctype html><title>Authors</title><main><h1>Authors</h1><form><label>Name <input name="n"></label>
    <button type="button" onclick="who.textContent = document.forms[0].n.value; d.showModal()">Remove…</button></form>
    </main><dialog id="d" aria-label="Remove"><p>Delete <b id="who"></b>? Case {case}</p>
    <form method="post" action="/authors/delete/200"><button>Delete</button></form></dialog>"""
    site.html = form.format(case="1001")
    page = browser.open(site.url)
    with sb.recording(page, 'Delete the author "Ann"') as rec:
        page.fill("textbox 'Name'", "Ann")
        page.click("button 'Remove…'")
        page.click("button 'Delete'")
    skill = rec.save_skill("delete-freed", str(tmp_path), free=["1001"], prove=False)
    [name] = [one.name for one in skill.inputs if one.name != "site"]
    site.html, site.arrived[:] = form.format(case="1002"), []
    result = skill.run(page, raise_on_error=False, approve=skill.digest, **{name: "Bob"})
    assert result.ok, result.error
    assert site.arrived == ["POST /authors/delete/200"]


def test_what_a_form_sends_is_as_it_was_filled_in(
    browser: Browser, site: FailingSite, tmp_path: Path
) -> None:
    site.html = """<!doctype html><title>Mail</title><main><h1>Mail</h1><ul><li>Hello, 12:03</ul>
    <form method="post" action="/mail/200"><label>To <input name="to"></label>
    <label>Text <input name="text" value="Dear "></label><label><input type="checkbox" name="copy"> Copy</label>
    <button>Send</button></form></main>"""
    page = browser.open(site.url)
    with sb.recording(page, 'Send "Hi" to "Ann"') as rec:
        page.fill("textbox 'To'", "Ann")
        page.fill("textbox 'Text'", "Hi")
        page.check("checkbox 'Copy'")
        page.click("button 'Send'")
    skill = rec.save_skill("mail", str(tmp_path), prove=False)
    assert skill.spec.steps[-1].confirms is not None
    site.html, site.arrived[:] = site.html.replace("<ul>", "<ul><li>Hi, 12:04"), []
    for inputs in ({}, {"to": "Bob", "text": "Bye"}):
        result = skill.run(page, raise_on_error=False, approve=skill.digest, **inputs)
        assert result.ok, result.error
    assert site.arrived == ["POST /mail/200"] * 2

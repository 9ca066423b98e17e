"""Fields whose value nobody may read, though they are no password fields."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import skillbook as sb
from skillbook.errors import NotAllowed
from skillbook.journal.records import read_journal
from skillbook.policy.secrets import MASK
from skillbook.session.sync import Browser, Page
from skillbook.skill.recording.cleanup import clean
from skillbook.skill.recording.recorded_steps import recording_of_run
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.shown import after_reading

HIDDEN = {
    "text-security": "<input aria-label=Code style='-webkit-text-security: disc' {}>",
    "card": "<label>Card number <input name=creditcard {}></label>",
    "ssn": "<input aria-label='Your number' name=ssn {}>",
    "pin": "<label>PIN <input type=tel {}></label>",
    "cvc": "<input aria-label=CVC inputmode=numeric {}>",
    "iban": "<input placeholder=IBAN {}>",
    "french": "<label for=fr>Numéro de sécurité sociale</label><input id=fr {}>",
    "german": "<label for=de>Antwort:</label><input id=de {}>",
    "japanese": "<label for=ja>暗証番号</label><input id=ja {}>",
    "phrase": "<label for=ph>Recovery phrase</label><textarea id=ph>{}</textarea>",
    "key": "<input aria-label='Value' id=apiKey {}>",
    "editable": "<div contenteditable role=textbox aria-label=Password>{}</div>",
    "code": "<input aria-label='Verification code' {}>",
    "cell": "<table><tr><td>Card number</td><td><input {}></td></tr></table>",
    "term": "<dl><dt>Passwort:</dt><dd><div><input placeholder='at least 8' {}></div></dd></dl>",
    "text": "IBAN <br><input type=hidden value=1><input {}>",
}
SHOWN = {
    "search": "<input type=search aria-label='Search passwords' {}>",
    "keyword": "<input aria-label=Keyword {}>",
    "email": "<input type=email aria-label='E-mail, never your password' {}>",
    "opinion": "<input aria-label='Your opinion' {}>",
    "postal": "<input aria-label='PIN code' autocomplete=postal-code {}>",
    "next cell": "<table><tr><td>Card number <input type=checkbox><td>Name</td><td><input {}></td></tr></table>",
    "other field": "<div>Password <select><option>a</select> <input {}></div>",
    "heading": "<div><h2>Change your password</h2><input {}></div>",
    "prose": "<div>Nobody from our bank ever wants your password from you.<br><input {}></div>",
    "labelled": "<div>Password <input aria-label='User name' {}></div>",
    "comment": "<div contenteditable role=textbox aria-label=Comment>{}</div>",
}


def html(fields: dict[str, str]) -> str:
    parts = []
    for number, field in enumerate(fields.values()):
        value = f"walrus{number}x"
        parts.append(field.format(value if ">{}<" in field else f"value={value}"))
    return "".join(f"<p>{part}</p>" for part in parts)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_attack() as site:
        site.app.pages["/page"] = f"<!doctype html><title>Fields</title><main>{html(HIDDEN)}</main>"
        site.app.pages["/shown"] = f"<!doctype html><title>Fields</title><main>{html(SHOWN)}</main>"
        yield site


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Page]:
    page = browser.open(f"{site.url}/page")
    yield page
    page.close()


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_fault_58_fields_that_hide_themselves_are_not_read(page: Page, site: Site, engine: str) -> None:
    page.goto(f"{site.url}/page")
    snapshot = page.snapshot(engine=engine)
    read = snapshot.text(budget=None) + str([(node.name, node.value) for node in snapshot.nodes])
    assert [name for number, name in enumerate(HIDDEN) if f"walrus{number}x" in read] == []
    assert sum("secret" in node.states for node in snapshot.nodes) == len(HIDDEN)
    assert "walrus" not in f"{sb.tables(page)} {page.get('html', 'main')} {page.get('text', 'main')}"
    with pytest.raises(NotAllowed):
        page.get("value", "textbox 'Your number'")
    page.evaluate("document.querySelectorAll('input, textarea').forEach(f => f.value = '')")
    emptied = page.snapshot(engine=engine).find("textbox 'Your number'")
    assert emptied.value == ""


def pressed_keys(browser: Browser) -> list[str]:
    steps = read_journal(browser.driver.journal.catch_up())
    return [step.params["key"] for step in steps if step.command == "press"]


def test_fault_57_what_goes_into_secret_fields_is_in_no_journal(
    page: Page, site: Site, browser: Browser
) -> None:
    """Whoever types it: by selector, by ref, by keys, by CSS; and by an agent."""
    page.goto(f"{site.url}/page")
    ref = page.snapshot().find("textbox 'CVC'").ref
    assert ref is not None
    page.fill(ref, "penguin1")
    page.fill("label 'Card number'", "penguin2")
    page.fill("css '#apiKey'", "penguin3")
    page.type("textbox 'PIN'", "penguin4")
    page.type("textbox 'Password'", "penguin5")
    for key in ("7", "Shift+X", "a"):
        page.press(key, target="textbox 'PIN'")
    page.press("8")
    calls = [
        ToolCall("fill", {"target": "textbox 'Your number'", "value": "penguin6"}),
        ToolCall("press", {"key": "6", "target": "textbox 'CVC'"}),
        ToolCall("press", {"key": "5"}),
    ]
    run = sb.agent(page, "Do it.", ScriptedModel([*calls, "done"]), autonomy="all").run()
    while run.pending is not None:
        after_reading(run).approve()
    assert run.status == "succeeded"
    assert "penguin" not in repr(run.records)
    assert [record.args["key"] for record in run.records if record.tool == "press"] == [MASK, MASK]
    pressed = pressed_keys(browser)
    assert pressed[-6:] == [MASK] * 6
    steps = clean(recording_of_run("Do it.", run.records).steps).steps
    assert [(step.command, step.params) for step in steps][-1] == ("type", {"text": "${secret:cvc}"})
    page.goto(f"{site.url}/shown")
    page.fill("textbox 'Keyword'", "flamingo")
    page.press("q")
    page.press("Enter", target="textbox 'Comment'")
    shown = pressed_keys(browser)
    assert shown[-2:] == ["q", "Enter"]
    kept = b"".join(
        path.read_bytes()
        for path in browser.driver.journal.path.parent.glob(f"{browser.driver.journal.path.name}*")
    )
    assert b"flamingo" in kept
    assert b"penguin" not in kept


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_other_fields_are_read(page: Page, site: Site, engine: str) -> None:
    page.goto(f"{site.url}/shown")
    snapshot = page.snapshot(engine=engine)
    read = snapshot.text(budget=None)
    assert [name for number, name in enumerate(SHOWN) if f"walrus{number}x" not in read] == []

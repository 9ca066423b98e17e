"""What went into password, card and code fields is in no file that is kept, whoever typed it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.sealing import seal
from skillbook.config import load_settings
from skillbook.errors import NotAllowed
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.shown import after_reading

FORM = """<title>Pay</title><form method={method} action=/thanks {more}>
<label>Password <input type=password name=f1></label><label>Card number <input name=f2></label>
<label>Verification code <input name=f3></label><label>Name <input name=f4></label><button>Send</button></form>"""
BY_SCRIPT = """onsubmit="event.preventDefault(); fetch('/j', {method: 'POST', headers: {'content-type':
'application/json'}, body: JSON.stringify(Object.fromEntries(new FormData(this)))})
.then(() => document.body.append('Charged to ' + this.f2.value))" """
TYPED = re.compile(
    rb"(?<![0-9A-Za-z])(?:puffin[\\\"]*\dpw|51051051051051\d7|(?<=[\"=])7\d5(?=[\"&])|76\d543)"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One whose journal and runs have nothing of other files: their numbers may look like these codes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        with sb.launch(allow_evaluate=True) as browser:
            yield browser


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_attack() as site:
        for name, method, more in (("post", "post", ""), ("get", "get", ""), ("json", "post", BY_SCRIPT)):
            site.app.pages[f"/{name}"] = FORM.format(method=method, more=more)
        yield site


def files_with(folder: Path) -> list[str]:
    """The kept files that have one of the values."""
    kept = [
        path
        for path in folder.rglob("*")
        if path.is_file() and not {"profiles", "extension"} & set(path.parts)
    ]
    return [path.name for path in kept if TYPED.search(path.read_bytes())]


def fill_in(page: Page, address: str, number: int) -> None:
    page.goto(address)
    page.fill("textbox 'Password'", f"puffin{number}pw")
    page.fill("textbox 'Card number'", f"51051051051051{number}7")
    page.type("textbox 'Verification code'", f"7{number}5")
    page.fill("textbox 'Name'", "cormorant")
    page.click("button 'Send'")
    assert page.snapshot().text()


def runs_with_values() -> list[str]:
    """The files of the runs that have one of the values."""
    return [path.name for path in load_settings().home.glob("runs.db*") if TYPED.search(path.read_bytes())]


def waiting_run(page: Page, *more: object, typed: str = "puffin5pw") -> Run:
    """A run whose call types a password, and waits for a person."""
    calls = [ToolCall("fill", {"target": "textbox 'Password'", "value": typed}), *more, "done"]
    run = sb.agent(page, "Do it.", ScriptedModel(calls), autonomy="ask", assist=False).run()
    assert run.pending is not None
    assert run.pending.args["value"] == typed
    return run


def password_in(page: Page) -> str:
    return str(page.evaluate("document.querySelector('[name=f1]').value"))


def test_no_file_has_the_password_that_a_run_waits_to_type(browser: Browser, site: Site) -> None:
    page = browser.open(f"{site.url}/post")
    code = ToolCall("type", {"target": "textbox 'Verification code'", "text": "7_5"})
    run = waiting_run(page, code, typed='puffin"5pw')
    assert runs_with_values() == []
    after_reading(run).approve()  # what the disk has not comes back in this kernel
    assert password_in(page) == 'puffin"5pw'
    assert run.pending is not None
    after_reading(run).edit(text="765435")
    assert run.status == "succeeded"
    assert runs_with_values() == []
    assert page.evaluate("document.querySelector('[name=f3]').value") == "765435"


@pytest.mark.parametrize("how", ["stopped", "rejected", "failed"])
def test_no_file_has_the_password_of_a_run_that_ended_otherwise(
    browser: Browser, site: Site, how: str
) -> None:
    page = browser.open(f"{site.url}/post")
    run = waiting_run(page)
    if how == "stopped":
        run.stop()
    elif how == "rejected":
        after_reading(run).reject("no")
        assert "puffin5pw" not in f"{run.records} {run.steps.to_html()}"
    else:
        page.close()
    deadline = time.monotonic() + 20
    while run.status == "waiting" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert run.status in {"stopped", "succeeded", "failed"}
    assert runs_with_values() == []


def test_another_kernel_asks_for_the_password_again(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.open(f"{site.url}/post")
    run = waiting_run(page)
    run.stop()
    monkeypatch.setattr(seal, "_stand_ins", {})  # as it is in a kernel that didn't seal it
    again = sb.resume(run.id, page, model=ScriptedModel(["done"]), autonomy="ask").run()
    assert password_in(page) == ""
    assert "did not write down" in str(again.steps["error"].tolist() + again.steps["result"].tolist())


def test_no_address_shows_what_went_into_secret_fields(browser: Browser, site: Site) -> None:
    page = browser.open(f"{site.url}/get")
    page.fill("textbox 'Password'", "puffin6pw")
    page.fill("textbox 'Name'", "cormorant")
    result = page.click("button 'Send'")
    shown = [
        page.url,
        result.url,
        page.snapshot().url,
        page.snapshot().text(),
        page.summary(),
        page,
        browser.pages,
    ]
    assert "cormorant" in page.url
    assert "puffin6pw" not in " ".join(map(str, shown))
    page.evaluate("history.replaceState(0, '', '#at=' + encodeURIComponent('%70uffin6pw').toUpperCase())")
    assert "UFFIN6PW" not in page.snapshot().url
    assert "UFFIN6PW" not in page.url
    with pytest.raises(NotAllowed, match="masked"):
        page.goto(page.url)


def test_fault_57_no_file_has_what_went_into_secret_fields(
    browser: Browser, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with sb.cassette("pay", mode="record"):
        page = browser.open("about:blank")
        for number, name in enumerate(("post", "json", "get"), 1):
            fill_in(page, f"{site.url}/{name}", number)
        page.goto(f"{site.url}/post")
        calls = [
            ToolCall("fill", {"target": "textbox 'Password'", "value": "puffin4pw"}),
            ToolCall("fill", {"target": "textbox 'Card number'", "value": "5105105105105147"}),
            ToolCall("type", {"target": "textbox 'Verification code'", "text": "764543"}),
        ]
        run = sb.agent(page, "Do it.", ScriptedModel([*calls, "done"]), autonomy="all").run()
        while run.pending is not None:
            after_reading(run).approve()
        assert run.status == "succeeded"
        assert page.evaluate("document.querySelector('[name=f3]').value") == "764543"
        (tmp_path / "run.html").write_text(f"{run._repr_mimebundle_()} {run.steps.to_html()} {run.records}")
        (tmp_path / "page.html").write_text(str(page.snapshot()._repr_mimebundle_()))
        page.close()
    browser.export_journal(tmp_path / "shared.json")
    browser.export_journal(tmp_path / "whole.json", values=True)
    home = load_settings().home
    assert b"cormorant" in (tmp_path / "whole.json").read_bytes()
    assert "cormorant" in (tmp_path / "cassettes/pay/network.json").read_text()
    assert files_with(tmp_path) == []
    assert files_with(home / "journals") == []
    assert runs_with_values() == []

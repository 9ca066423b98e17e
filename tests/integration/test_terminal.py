"""Commands of a terminal, each a process of its own, in the browser of `skillbook serve`."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents.fence import shorten_fenced
from skillbook.policy.approvals import Grant
from skillbook.serving.service import Service
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.skill.consent.consent_summary import remember
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from tests.integration.failing_site import serve_failing
from tests.integration.test_skill_sites import Counted
from tests.waiting import until

PATIENCE = 90.0
PAGE = """<!doctype html><title>Orders</title><h1>Orders</h1>
<label>Name <input id=name></label><label>Password <input type=password></label>
<button onclick="document.title='Saved'; document.querySelector('output').textContent='saved'">Save</button>
<button onclick="fetch('/orders', {method: 'POST', body: 'lamp'})">Place order</button><output></output>
<form method=post action=/notes><input type=hidden name=note value=1><button>Next</button></form>
<button onclick="fetch('/answer/500')">Refresh</button>
<label>City <select><option>Oslo, Norway<option>Rome, Italy</select></label>
<table><caption>Open orders</caption><tr><th>Item<th>Price</tr><tr><td>Lamp<td>12</tr><tr><td>Desk<td>80</tr>
</table>"""


class Terminal:
    """Types commands, as a coding agent does: nobody sits at it."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.folder = folder
        self.env = {**os.environ, "SKILLBOOK_HOME": str(home)}

    def start(self, *words: str, **options: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "skillbook.cli", *words]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            command, text=True, env=self.env, cwd=self.folder, **{**streams, **options}
        )

    def type(self, *words: str) -> tuple[int, str, str]:
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()  # what it asks must not wait in the next test
        return process.returncode, out, err

    def done(self, *words: str) -> str:
        code, out, err = self.type(*words)
        assert code == 0, err
        return out

    def answer(self, text: str, *options: str) -> tuple[int, str]:
        """Run `approve` as a person does, at a terminal of their own."""
        ours, theirs = pty.openpty()
        process = self.start("approve", *options, stdin=theirs, stderr=theirs)
        os.close(theirs)
        try:
            os.write(ours, f"{text}\n".encode())
            out, _ = process.communicate(timeout=PATIENCE)
        finally:
            os.close(ours)
        return process.returncode, out


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serve_failing() as served:
        served.html = PAGE
        yield served.url


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("terminal_home")


@pytest.fixture(scope="module")
def service(home: Path) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        with sb.serve(home / "skills", launch=True, headless=True, wait=False) as served:
            assert (home / "terminal.address").exists(), "it is given back once it answers"
            assert served._made_commands is not None
            yield served


@pytest.fixture(scope="module")
def terminal(service: Service, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return Terminal(home, tmp_path_factory.mktemp("work"))


def waits(terminal: Terminal) -> list[str]:
    found: list[str] = json.loads(terminal.done("status", "--json"))["waiting"]
    return found


@pytest.fixture(scope="module")
def opened(terminal: Terminal, site: str) -> Terminal:
    """The page is open: a person at another terminal allowed its origin."""
    code, _, err = terminal.type("snapshot")
    assert code == 3
    assert "skillbook open URL" in err
    asking = terminal.start("open", site)
    until(lambda: waits(terminal), seconds=PATIENCE)
    assert terminal.type("approve")[0] == 4, "nobody sits at that terminal"
    code, out = terminal.answer("y")
    assert (code, out.count("approved")) == (0, 1)
    out, err = asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 0, err
    assert "waits for a person" in err
    assert f"Open {site}: if you approve, terminals may read {site}" in err, (
        "as the side panel's cards say it"
    )
    assert "<page-content untrusted" in out
    return terminal


def test_a_page_is_read_filled_and_pressed(opened: Terminal) -> None:
    assert "Title: Orders" in opened.done("snapshot")
    [found] = json.loads(opened.done("find", "button 'Save'", "--json"))["found"]
    assert found["role"] == "button"
    assert opened.type("find", "no such thing")[0] == 1
    opened.done("fill", "textbox 'Name'", "Ann")
    assert opened.done("get", "value", "textbox 'Name'", "--plain").strip() == "Ann"
    answer = json.loads(opened.done("click", found["ref"], "--json"))
    assert (answer["ok"], answer["changed"]) == (True, True)
    code, _, err = opened.type("click", "e99999")
    assert code == 1
    assert "(unknown_ref)" in err
    code, _, err = opened.type("select", "combobox 'City'", "Bern")
    assert "'Oslo, Norway', 'Rome, Italy'" in err
    assert err.startswith("<page-content untrusted"), "the page's words, on the error output too"
    assert "Try:" in err


def test_rows_are_csv_or_json(opened: Terminal) -> None:
    assert "Open orders" in opened.done("tables")
    rows = list(csv.reader(io.StringIO(opened.done("extract", "--csv"))))
    assert rows == [["Item", "Price"], ["Lamp", "12"], ["Desk", "80"]]
    assert json.loads(opened.done("extract", "--json"))["rows"][1]["Item"] == "Desk"
    opened.done("extract", "table 'Open orders'", "--csv", "orders.csv")
    assert (opened.folder / "orders.csv").read_text().startswith("Item,Price")


def test_files_are_written_where_the_terminal_is(opened: Terminal) -> None:
    opened.done("screenshot", "shot.png")
    opened.done("pdf", "page.pdf")
    assert (opened.folder / "shot.png").read_bytes().startswith(b"\x89PNG")
    assert (opened.folder / "page.pdf").read_bytes().startswith(b"%PDF")
    opened.done("network")
    opened.done("reload")
    assert "GET" in opened.done("network", "--csv")
    shown = opened.done("network")
    assert shown.startswith("<page-content untrusted"), "the page chose the addresses"
    assert "GET" in shown


def test_what_cannot_be_undone_waits_and_is_done_once_a_person_approves(
    opened: Terminal, service: Service
) -> None:
    before = len(service.browser.journal)
    asking = opened.start("click", "button 'Place order'")
    [words] = until(lambda: waits(opened), seconds=PATIENCE)
    assert words.startswith("Click the button 'Place order': ")
    assert opened.answer("n")[0] == 0
    _, err = asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 4
    assert "rejected" in err
    code, _, err = opened.type("click", "button 'Place order'", "--deadline", "0.5")
    assert code == 5
    assert "it was not done" in err
    assert "--deadline" in err
    steps = service.browser.journal.iloc[before:]
    clicks = steps[steps["command"] == "click"]
    assert list(clicks["actor"]) == ["terminal", "terminal"]
    assert list(clicks["outcome"]) == ["refused", "refused"]


def test_who_writes_is_asked_about_what_is_sent(opened: Terminal) -> None:
    asking = opened.start("click", "button 'Place order'")
    until(lambda: waits(opened), seconds=PATIENCE)
    assert opened.answer("y")[0] == 0
    until(lambda: asking.poll() is not None or waits(opened))
    if asking.poll() is None:  # the request itself, if the card didn't announce it
        assert opened.answer("y")[0] == 0
    out, err = asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 0, err
    assert "POST" in out


def test_what_was_refused_or_failed_has_an_exit_code_of_its_own(opened: Terminal, site: str) -> None:
    asking = opened.start("click", "button 'Next'", "--json")
    while asking.poll() is None:  # the card of the call, then its request
        until(lambda: asking.poll() is not None or waits(opened))
        for words in waits(opened):
            opened.answer("y") if words.startswith("Click") else opened.done("reject")
    answer = json.loads(asking.communicate(timeout=PATIENCE)[0])
    assert (asking.returncode, answer["ok"]) == (4, False)
    assert "it was not sent" in answer["not_sent"][0]
    assert "204" not in json.dumps(answer)
    listed = list(csv.DictReader(io.StringIO(opened.done("network", "--csv"))))
    assert [each["status"] for each in listed if each["address"].endswith("/notes")] in ([], [""])
    code, out, _ = opened.type("click", "button 'Refresh'", "--json")
    answer = json.loads(out)
    assert (code, answer["ok"], answer["failed"]) == (1, False, [f"GET {site}/answer/500 500"])
    code, out, _ = opened.type("goto", f"{site}/gone/404")
    assert code == 1
    assert f"{site}/gone/404 404" in out
    opened.done("goto", site)


def test_skills_and_workflows_run_in_the_served_browser(opened: Terminal) -> None:
    assert "copilot" in opened.done("workflow")
    code, _, err = opened.type("run", "no-such-skill")
    assert code == 1
    assert "skill_not_found" in err
    code, _, err = opened.type("workflow", "no-such-workflow")
    assert code == 1
    assert "workflow_not_found" in err
    code, _, err = opened.type("wait-for")
    assert code == 2
    assert "skillbook wait-for`: give exactly one condition" in err
    assert "--text, --text-gone, --selector, --url" in err
    opened.done("record", "start", "Save a name")
    opened.done("fill", "textbox 'Name'", "Ann")
    opened.done("click", "button 'Save'")
    assert "(input who)" in opened.done("record", "input", "1=who").splitlines()[2]
    stopped = opened.done("record", "stop")
    assert "2 steps" in stopped
    assert "Save" not in shorten_fenced(stopped, ""), "the page named it"
    saved = opened.done("record", "save", "save-a-name")
    assert os.path.isabs(saved.splitlines()[0].partition(" is in ")[2])
    assert "who: str = 'Ann'" in saved
    code, out, err = opened.type("run", "save-a-name", "who=Bob", "--deadline", "9")
    assert (code, out) == (0, "done: save-a-name\n"), err
    assert "click button 'Save': " in err
    code, out, _ = opened.type("run", "save-a-name", "--json", "none=1")
    assert (code, json.loads(out)["error"]["message"]) == (2, "save-a-name has no input 'none'")


def test_what_was_just_done_is_saved_tried_and_replayed(opened: Terminal) -> None:
    opened.done("fill", "textbox 'Name'", "Ada")
    opened.done("click", "button 'Save'")
    saved = opened.done("save", "keep-name", "--last", "2")
    assert "keep-name is in" in saved
    assert "trial:" in saved
    folder = Path(saved.partition("keep-name is in ")[2].splitlines()[0])
    assert "Ada" in (folder / "SKILL.md").read_text()
    opened.done("fill", "textbox 'Name'", "Eve")
    opened.done("run", "keep-name")
    assert json.loads(opened.done("get", "value", "textbox 'Name'", "--json")) is not None
    assert "Ada" in opened.done("get", "value", "textbox 'Name'")


def test_rows_that_the_terminal_read_are_among_the_last_acts_and_a_part_of_what_it_records(
    opened: Terminal,
) -> None:
    opened.done("record", "start", "List open orders")
    opened.done("fill", "textbox 'Name'", "Ann")
    opened.done("extract", "--fields", "thing=Item")
    assert "2. Read the rows" in opened.done("record", "stop"), "as `rec.extract` does"
    opened.done("record", "save", "list-orders")
    opened.done("run", "list-orders", "--csv", "recorded.csv")
    assert (opened.folder / "recorded.csv").read_text().split() == ["thing", "Lamp", "Desk"]
    opened.done("save", "list-again", "--last", "2")
    opened.done("run", "list-again", "--csv", "again.csv")
    assert (opened.folder / "again.csv").read_text() == (opened.folder / "recorded.csv").read_text()
    opened.done("fill", "textbox 'Name'", "Eve")
    opened.done("save", "name-only", "--last", "1")
    code, out, err = opened.type("run", "name-only", "--csv", "none.csv")
    assert (code, out) == (1, "done: name-only\n"), err
    assert "name-only was run and gave no rows" in err
    assert "skillbook extract" in err
    assert not (opened.folder / "none.csv").exists()


def test_grants_are_listed_and_taken_back(
    terminal: Terminal, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))
    assert "every question is asked" in terminal.done("grants")
    now = time.time()
    made = sb.grants.add(
        Grant("", "orders", "d" * 64, 1, "click", "Delete", {"order": ("7",)}, {}, 1, 0, now + 3600, now)
    )
    listed = terminal.done("grants")
    assert made.id in listed
    assert "Delete" in listed
    assert "every question is asked" in terminal.done("grants", "--revoke", made.id)
    code, _, err = terminal.type("grants", "--revoke", made.id)
    assert code != 0
    assert "there is no grant" in err


def test_a_skill_goes_to_another_site_only_if_a_person_lets_it(
    opened: Terminal, service: Service, site: str, home: Path
) -> None:
    """The program that types here may have the site from a page."""
    elsewhere = Counted()
    given = SkillInput(name="site", default=site, from_page="origin")
    step = SkillStep(
        command="get",
        params={"what": "text"},
        target=StepTarget(selectors=["heading"]),
        output=SkillOutput(name="title"),
    )
    spec = SkillSpec(
        name="look-there",
        description="Looks.",
        start="${input:site}/index.html",
        origins=["${input:site}"],
        inputs=[given],
        steps=[step],
    )
    write_skill(spec, home / "skills")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        remember(home, spec.digest)
        assert "title: Orders" in opened.done("run", "look-there")
        asking = opened.start("run", "look-there", f"site={elsewhere.url}")
        (words,) = until(lambda: waits(opened), seconds=PATIENCE)
        assert elsewhere.url in words
        assert "was approved for" in words
        opened.done("reject")
        _, err = asking.communicate(timeout=PATIENCE)
    elsewhere.server.shutdown()
    assert asking.returncode == 4, err
    assert "nothing was requested" in err
    assert elsewhere.paths == []
    assert elsewhere.url not in service.browser.driver.gateway.policy.allowed


def test_a_workflow_runs_once_a_person_lets_it(opened: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflows, "_known", dict(workflows._known))
    ran: list[str] = []

    @sb.workflow("note")
    def note(page: sb.Page, *, text: str) -> str:
        """Note a text."""
        ran.append(text)
        return f"noted {text}"

    asking = opened.start("workflow", "note", "text=lamp")
    until(lambda: waits(opened), seconds=PATIENCE)
    assert waits(opened) == ["Run the workflow note with text=lamp: its code acts in your name"]
    opened.done("reject")
    assert asking.wait(PATIENCE) == 4
    asking = opened.start("workflow", "note", "text=lamp")
    until(lambda: waits(opened), seconds=PATIENCE)
    assert ran == []
    assert opened.answer("y")[0] == 0
    out, err = asking.communicate(timeout=PATIENCE)
    assert (asking.returncode, ran) == (0, ["lamp"]), err
    assert "noted lamp" in out


def test_the_socket_is_its_users_alone_and_a_second_session_has_its_tab(
    opened: Terminal, home: Path, site: str
) -> None:
    address = Path((home / "terminal.address").read_text())
    assert address.stat().st_mode & 0o777 == 0o600
    assert (home / "terminal.address").stat().st_mode & 0o777 == 0o600
    other = Terminal(home, opened.folder)
    other.env["SKILLBOOK_SESSION"] = "other"
    tab = json.loads(other.done("open", site, "--json"))["tab"]
    assert json.loads(opened.done("status", "--json"))["tab"] != tab
    third = Terminal(home, opened.folder)
    third.env["SKILLBOOK_SESSION"] = "third"
    assert "(here)" not in third.done("tabs"), "it has chosen none"
    code, _, err = third.type("snapshot")
    assert code == 3
    assert "`skillbook switch`" in err
    third.done("switch", str(tab))
    assert json.loads(third.done("status", "--json"))["tab"] == tab
    other.done("close")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("wait-for", "--text", "never seen", "--seconds", "60"), "wait_for"),
        (("type", "textbox 'Name'", "letter by letter " * 20, "--delay-ms", "300"), "type"),
    ],
)
def test_ctrl_c_ends_what_is_under_way_and_the_next_command_does_not_wait(
    opened: Terminal, service: Service, words: tuple[str, ...], command: str
) -> None:
    opened.done("fill", "textbox 'Name'", "")
    pending = service.browser.driver.server._machine._pending
    process = opened.start(*words)
    until(lambda: any(request.body.command == command for request in list(pending)), "it never began")
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    typed = opened.done("get", "value", "textbox 'Name'", "--plain")
    assert time.monotonic() - began < 30, "both would have lasted longer than that"
    assert not any(request.body.command == command for request in list(pending))
    assert opened.done("get", "value", "textbox 'Name'", "--plain") == typed

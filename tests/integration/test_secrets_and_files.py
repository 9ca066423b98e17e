"""Secrets and files that a page, an agent or a skill wants to have, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.errors import ApprovalRequired, NotAllowed, SkillbookError
from skillbook.policy.secrets import MASK, store
from skillbook.session.sync import Browser, Page
from skillbook.skill import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.policy.test_one_time_codes import SEED, is_code
from tests.shown import after_reading

Serve = Callable[[str], Page]
Start = Callable[..., Run]
VALUE = "correct*horse'battery"
FORM = """<label>Password <input type=password id=p></label>
<label>Comment <textarea id=c></textarea></label><label>User <input id=u></label>"""


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    runs: list[Run] = []

    def make(page: Page, *steps: Any, **options: Any) -> Run:
        run = sb.agent(page, "do it", model=ScriptedModel([*steps, "done"]), autonomy="all", **options)
        runs.append(run)
        return run.run()

    yield make
    for run in runs:
        run.stop()


def fill(field: str, name: str) -> ToolCall:
    return ToolCall("fill", {"target": f"textbox '{field}'", "value": f"${{secret:{name}}}"})


def site_of(page: Page) -> str:
    return "/".join(page.url.split("/")[:3])


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A secret that nobody has named yet; its name."""
    name = "kept" + "".join(char for char in request.node.name if char.isalnum())
    monkeypatch.setenv(f"SKILLBOOK_SECRET_{name.upper()}", VALUE)
    return name


def test_fault_32_a_secret_of_no_site_asks_before_an_agent_types_it(
    serve_html: Serve, start: Start, named: str
) -> None:
    sb.secret(named)
    page = serve_html(FORM)
    run = start(page, fill("Password", named), fill("Password", named))
    assert run.pending is not None
    assert site_of(page) in run.pending.review.reason
    assert page.evaluate("p.value") == ""
    after_reading(run).approve()
    assert run.status == "succeeded"
    assert page.evaluate("p.value.length") == len(VALUE)


def test_fault_32_a_secret_stands_only_in_fields_for_secrets_or_named_ones(
    serve_html: Serve, start: Start, named: str
) -> None:
    page = serve_html(FORM)
    sb.secret(named, origins=[site_of(page) + "/any"], fields=["user"])
    run = start(page, fill("Password", named), fill("User", named), fill("Comment", named))
    assert run.pending is not None
    assert "Comment" in run.pending.review.reason
    assert [record.ok for record in run.records] == [True, True]
    after_reading(run).reject("no")
    assert page.evaluate("c.value") == ""
    page.fill("textbox 'Comment'", sb.secret(named))  # the person may
    assert page.evaluate("c.value.length") == len(VALUE)


def test_a_one_time_code_is_typed_by_an_agent_and_shown_to_nobody(
    serve_html: Serve, home: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_LIVE_TOTP", SEED)
    page = serve_html("<label>Token <input id=k></label>")
    sb.secret("live", totp=True, origins=[site_of(page)], fields=["token"])
    model = ScriptedModel([fill("Token", "live.totp"), ToolCall("snapshot", {}), "done"])
    run = sb.agent(page, "sign in", model=model, autonomy="all").run()
    assert run.status == "succeeded", run
    code = "".join(map(str, page.evaluate("[...k.value].map((each) => Number(each) + 0)")))
    assert is_code(code)
    shown = f"{page.snapshot().text()}\n{run.records}\n{model.requests}"
    assert "live.totp" in shown
    assert code not in shown
    assert not any(each in browser.journal.to_string() for each in (code, SEED))


INNER = "<label>Password <input type=password oninput='parent.postMessage(value, `*`)'></label>"
FRAMED = """<script>onmessage = (event) => window.got = event.data</script><div id=here></div><script>
if (location.search) document.body.innerHTML = `INNER`;
else here.innerHTML = '<iframe sandbox=allow-scripts WHERE></iframe>';
</script>""".replace("INNER", INNER.replace("`", "\\`"))


@pytest.mark.parametrize("where", ["src=?framed", f'srcdoc="{INNER}"'], ids=["same address", "srcdoc"])
def test_fault_32_no_secret_goes_into_a_sandboxed_document(serve_html: Serve, named: str, where: str) -> None:
    page = serve_html(FRAMED.replace("WHERE", where.replace("'", "\\'")))
    secret = sb.secret(named, origins=[site_of(page)])
    page.wait_for(selector="textbox 'Password'")
    with pytest.raises(NotAllowed, match="sandboxed"):
        page.fill("textbox 'Password'", secret)
    assert page.evaluate("window.got ?? ''") == ""
    page.fill("textbox 'Password'", "plain")
    assert page.evaluate("window.got") == "plain"


def test_fault_51_what_a_page_says_is_never_a_secret(serve_html: Serve, named: str) -> None:
    """A table cell that reads like a placeholder is typed as it is, and binds no secret to the page."""
    sb.secret(named)
    page = serve_html(f"<table><tr><th>Note<tr><td>${{secret:{named}}}</table>{FORM}")
    cell = sb.tables(page)[0]["Note"][0]
    for field, element in (("Comment", "c"), ("Password", "p")):
        page.fill(f"textbox '{field}'", cell)
        assert page.evaluate(f"{element}.value") == f"${{secret:{named}}}"
    page.type("textbox 'User'", str(cell))
    assert page.evaluate("u.value") == f"${{secret:{named}}}"
    assert store.bound_to(named) == frozenset()
    page.fill("textbox 'Password'", sb.secret(named))
    assert page.evaluate("p.value") == MASK


def test_fault_32_a_skill_types_no_secret_where_its_owner_did_not_bind_it(
    serve_html: Serve, named: str
) -> None:
    page = serve_html(FORM)
    step = SkillStep(
        command="fill",
        target=StepTarget(selectors=["textbox 'Password'"]),
        params={"value": f"${{secret:{named}}}"},
    )
    spec = SkillSpec(name="log-in", description="x", origins=[site_of(page)], secrets=[named], steps=[step])
    refused = Skill(spec).run(page)
    assert isinstance(refused.error, ApprovalRequired)
    assert page.evaluate("p.value") == ""
    sb.secret(named, origins=["https://bank.test"])
    assert isinstance(Skill(spec).run(page, approve=lambda _: True).error, NotAllowed)
    assert page.evaluate("p.value") == ""
    sb.secret(named, origins=[site_of(page)])
    assert Skill(spec).run(page).ok


class Echo(BaseHTTPRequestHandler):
    """A form that sends by GET, and shows everything it was sent in every way."""

    def do_GET(self) -> None:
        body = f"""<title>{self.path}</title><form><input name=q type=password aria-label=Password>
            <button>Go</button></form><p id=said></p><a href="{self.path}">Here</a>
            <script>said.textContent = decodeURIComponent(location.search);
            if (location.search) {{ console.error(location.href); console.log(said.textContent) }}</script>"""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args: Any) -> None: ...


@pytest.fixture
def echo() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_fault_32_a_secret_in_an_address_shows_nowhere(
    echo: str, open_page: Callable[[str], Page], browser: Browser, start: Start, named: str, home: Path
) -> None:
    page = open_page(echo)
    page.console()  # from here on messages are kept
    page.fill("textbox 'Password'", sb.secret(named, origins=[echo]))
    result = page.click("button 'Go'")
    page.wait_for(url="*?q=*")
    shown = [
        repr(result), result.url, page.url, page.title, repr(browser.pages), page.snapshot().text(),
        page.get("url"), page.get("title"),
        page.get("href", "link 'Here'"), page.get("html", "paragraph"), str(page.evaluate("location.href")),
        str(page.evaluate("document.body.innerHTML")), str(page.console()), page.get("attributes", "link 'Here'"),
    ]  # fmt: skip
    with pytest.raises(SkillbookError) as caught:
        page.evaluate("(() => { throw new Error(location.href) })()")
    shown += [str(caught.value), str(caught.value.data)]
    run = start(page, ToolCall("snapshot", {}), ToolCall("get", {"what": "url"}), ToolCall("console", {}))
    assert run.status == "succeeded"
    shown += [str(run.messages), str(run.records), run.steps.to_string()]
    assert any(MASK in str(text) for text in shown)
    for spelled in (
        VALUE,
        "correct*horse%27battery",
        "correct%2Ahorse%27battery",
        "horse%27battery",
        "horse'battery",
    ):
        for text in shown:
            assert spelled not in str(text), text
        assert spelled.encode() not in browser.driver.journal.path.read_bytes()
        for file in home.glob("runs.db*"):
            assert spelled.encode() not in file.read_bytes()


CHOOSER = "<label>File <input type=file id=f multiple></label>"


def choose(*files: Path | str) -> ToolCall:
    return ToolCall("upload", {"target": "button 'File'", "files": [str(file) for file in files]})


def test_fault_29_an_agent_uploads_what_the_person_gave_and_asks_for_the_rest(
    serve_html: Serve, start: Start, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads, key, given = tmp_path / "uploads", tmp_path / "id_rsa", tmp_path / "report.txt"
    (uploads / ".hidden").mkdir(parents=True)
    for file in (key, given, uploads / "free.txt", uploads / ".hidden" / "token"):
        file.write_text("x" * 1234)
    (uploads / "link.txt").symlink_to(key)
    monkeypatch.setattr(browser.driver.settings, "uploads", uploads)
    page = serve_html(CHOOSER)
    names = "[...f.files].map((file) => file.name).join()"
    run = start(page, choose(uploads / "free.txt"), choose(given), files=[given])
    assert run.status == "succeeded"
    assert page.evaluate(names) == "report.txt"
    for file, shown in (
        (key, key), (given, given), (uploads / "link.txt", key), (uploads / ".hidden" / "token", ".hidden/token"),
        ("/etc/passwd", "/etc/passwd"), ("/proc/self/environ", "/environ"), (f"{uploads}/../id_rsa", key),
    ):  # fmt: skip
        run = start(page, choose(file))
        assert run.pending is not None, file
        assert str(shown) in run.pending.review.reason
        assert "bytes" in run.pending.review.reason
        after_reading(run).reject("no")
    assert page.evaluate(names) == "report.txt"
    run = start(page, choose(key))
    after_reading(run).approve()
    assert page.evaluate(names) == "id_rsa"


def test_fault_28_a_skill_uploads_only_files_given_as_inputs(
    serve_html: Serve, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser.driver.settings, "uploads", tmp_path)
    key, given = tmp_path / "id_rsa", tmp_path / "report.txt"
    key.write_text("private")
    given.write_text("public")
    page = serve_html(CHOOSER)
    step = SkillStep(
        command="upload", target=StepTarget(selectors=["button 'File'"]), params={"files": ["${input:file}"]}
    )
    spec = SkillSpec(
        name="send-in", description="x", origins=[site_of(page)], steps=[step],
        inputs=[SkillInput(name="file", default=str(key))],
    )  # fmt: skip
    refused = Skill(spec).run(page)
    assert isinstance(refused.error, ApprovalRequired)
    assert str(key) in refused.error.message
    assert page.evaluate("f.files.length") == 0
    assert Skill(spec).run(page, file=str(given)).ok
    assert page.evaluate("f.files[0].name") == "report.txt"

"""Staying signed in: a state saved in one browser signs another one in; a profile keeps itself."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

import skillbook as sb
from skillbook.cli import main as cli
from skillbook.errors import ConfigError, NotAllowed, ProfileInUse
from skillbook.launcher.process import ChromiumProcess
from skillbook.policy.secrets import MASK
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_app
from skillbook.testing.sites.web import Request, Response
from tests.integration.test_mcp_server import visit
from tests.shown import after_reading
from tests.waiting import until

SECRET = "s3cr3t-session-of-ann"
TOKEN = "t0k3n-of-ann-in-storage"
PAGE = """<!doctype html><title>{who}</title><body data-issued="{issued}"><h1>{who}</h1><output></output><script>
if (location.pathname === "/login") {{ localStorage.setItem("token", "t-{who}");
  localStorage.setItem("auth", JSON.stringify({{user: {{accessToken: document.body.dataset.issued}}}}));
  sessionStorage.setItem("step", "2"); }}
document.querySelector("output").textContent =
  `token ${{localStorage.getItem("token")}}, step ${{sessionStorage.getItem("step")}}`;
</script>"""

ECHO = """<!doctype html><title>Mine</title><h1>Mine</h1><p>Session {sid} of Ann</p><output></output><script>
const kept = localStorage.getItem("auth"), bearer = `Bearer ${{JSON.parse(kept).user.accessToken}}`;
document.querySelector("output").textContent = kept;
document.cookie = `sessionCopy=${{bearer.slice(7)}}; path=/`;
fetch("/echo", {{method: "POST", headers: {{Authorization: bearer}}, body: kept}})
  .then(answer => answer.text());
console.log("signed in with", bearer);
</script>"""


class Members:
    """Knows who signed in by a cookie that scripts can't read."""

    def respond(self, request: Request) -> Response:
        signs_in = request.path == "/login"
        headers = {"Set-Cookie": f"sid={SECRET}; HttpOnly; Path=/; Max-Age=3600"} if signs_in else {}
        known = signs_in or request.cookies.get("sid") == SECRET
        if request.path == "/echo":
            return Response(json.dumps({"seen": request.cookies["sid"]}))
        if request.path == "/mine":
            return Response(ECHO.format(sid=request.cookies["sid"]))
        return Response(
            PAGE.format(who="Ann" if known else "Nobody", issued=TOKEN if signs_in else ""), headers=headers
        )


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serve_app(Members()) as served:
        yield served.url


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("state_home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(folder))
        yield folder


def shown(page: sb.Page) -> tuple[str, str]:
    until(lambda: "token" in page.text())
    return page.title, page.text().splitlines()[-1]


@pytest.fixture(scope="module")
def saved(home: Path, site: str) -> Path:
    """Ann signed in once, in a profile that is kept."""
    with sb.launch(profile="work") as browser:
        page = browser.open(f"{site}/login")
        assert shown(page) == ("Ann", "token t-Ann, step 2")
        path = browser.save_state("ann")
        other = browser.save_state(home / "other.json", origins=["https://elsewhere.example"])
        assert json.loads(other.read_text())["cookies"] == []
        steps = browser.journal
        assert SECRET not in steps.to_string()
    assert list(sb.profiles) == ["work"]
    return path


def test_a_state_signs_a_new_browser_in(saved: Path, home: Path, site: str) -> None:
    assert saved == home / "states" / "ann.json"
    assert saved.stat().st_mode & 0o777 == 0o600
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with sb.launch(state="ann") as browser:
            assert len(browser.pages) == 0
            page = browser.open(f"{site}/orders")
            assert shown(page) == ("Ann", "token t-Ann, step 2")
            assert page.url == f"{site}/orders"
            assert all(SECRET not in path.read_bytes().decode("latin-1") for path in home.glob("journals/*"))


async def outside(client: Any, site: str) -> list[str]:
    """All that another program's agent gets of the page."""
    code, read = "print(page.text()); page.markdown()", []
    for name, args in {
        "open": {"url": f"{site}/mine"},
        "snapshot": {},
        "read": {},
        "find": {"by": "words", "query": "Session"},
        "run_cell": {"code": code},
    }.items():
        result = await client.call_tool(name, args)
        assert not result.is_error or "was not allowed" in str(result.content), result
        read.append(result.model_dump_json())
    for each in (await client.list_resources()).resources:
        read.append((await client.read_resource(each.uri)).model_dump_json())
    return read


def test_what_signs_in_reaches_no_model_notebook_or_file(
    saved: Path, home: Path, site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page shows, logs and sends what it was given, and whoever reads it gets the mask."""
    asks = [ToolCall("evaluate", {"expression": "document.cookie + localStorage.auth"}), ToolCall("snapshot")]
    asks += [ToolCall("find", {"query": "Session"}), ToolCall("console")]
    read: list[object] = []

    def answer(messages: list[Any]) -> ToolCall | str:
        read.append(messages)
        return asks.pop(0) if asks else "done"

    with sb.launch(state="ann", allow_evaluate=True, observe="network") as browser:
        with sb.cassette("mine", folder=tmp_path / "cassettes", mode="record"):
            page = browser.open(f"{site}/mine")
            page.wait_for(text="accessToken")
            run = sb.agent(
                page, "Look.", ScriptedModel(answer), autonomy="all", assist=False, remember=False
            ).run()
        while run.pending is not None:  # a person lets the model see what its code gives
            after_reading(run).approve()
        assert run.status == "succeeded", run.steps.to_string()
        assert f"Session {MASK} of Ann" in page.text()
        requests = page.network.requests
        echo = requests[requests["address"].str.endswith("/echo")]
        read += [page.network.body(n) for n in echo.index]
        assert len(echo)
        read += [
            requests,
            requests.to_html(),
            page.text(),
            page.html(),
            page.snapshot().text(),
            page.console(),
        ]
        read += [
            browser.journal.to_string(),
            browser.journal.to_html(),
            run.steps.to_html(),
            run,
            page._repr_mimebundle_(),
        ]
        read.append(page.evaluate("document.cookie"))
        page.network.har(tmp_path / "page.har")
        read += visit(browser, lambda client: outside(client, site))
        assert cli(["doctor", "--report"]) in (0, 1)
    read.append(capsys.readouterr())
    shown = "\n".join(map(str, read))
    assert MASK in shown
    kept = [*tmp_path.rglob("*"), *home.glob("journals/*"), *home.glob("runs.db*")]
    texts = [shown, *(path.read_bytes().decode("latin-1") for path in kept if path.is_file())]
    for secret in (SECRET, TOKEN):
        assert not [text[at - 80 : at + 40] for text in texts if (at := text.find(secret)) >= 0]


def test_a_profile_is_written_before_its_browser_is_ended(
    home: Path, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that is ended drops what its pages stored within the last seconds."""
    found: list[bool] = []

    def look_and_end(process: ChromiumProcess) -> None:
        stored = (home / "profiles" / "short" / "Default" / "Local Storage").rglob("*.log")
        found.append(any(b"t-Ann" in path.read_bytes() for path in stored))
        end(process)

    end = ChromiumProcess.terminate
    monkeypatch.setattr(ChromiumProcess, "terminate", look_and_end)
    with sb.launch(profile="short") as browser:
        assert shown(browser.open(f"{site}/login"))[0] == "Ann"
    assert found[-1:] == [True], "the last one is the close; a start that came to nothing is ended before"
    del sb.profiles["short"]


def test_without_a_state_nobody_is_signed_in_but_the_profile_remembers(saved: Path, site: str) -> None:
    with sb.launch(profile="work") as browser:
        assert shown(browser.open(site)) == ("Ann", "token t-Ann, step null")
        holder = rf"is open already, in process \d+, which .* \(process {os.getpid()}\) started"
        with pytest.raises(ProfileInUse, match=holder):
            del sb.profiles["work"]
        started = time.monotonic()
        with pytest.raises(ProfileInUse, match=holder):
            sb.launch(profile="work")
        assert time.monotonic() - started < 5, "at once, not after a timeout"
        assert shown(browser.open(site))[0] == "Ann", "the one that has it works on"
    del sb.profiles["work"]
    assert list(sb.profiles) == []
    with pytest.raises(ConfigError, match="no state"):
        sb.launch(state="nobody")


ORDERS = """---
name: orders
description: Reads my orders.
metadata:
  skillbook-state: {state}
---
Read my orders.
"""
REPLAY = """version: 2
inputs:
  site: {{default: '{site}'}}
  item: {{default: ''}}
start: ${{input:site}}/orders?item=${{input:item}}
origins: [{origins}]
secrets: []
sends: []
steps:
- command: get
  params: {{what: text}}
  target:
    selectors: ["heading"]
    fingerprint: {{role: heading}}
  output: {{name: who}}
- command: get
  params: {{what: text}}
  target:
    selectors: ["status"]
    fingerprint: {{role: status}}
  output: {{name: storage}}
"""


@pytest.fixture
def orders(home: Path, site: str, tmp_path: Path) -> Callable[..., sb.Skill]:
    def write(state: str, origins: str = "'${input:site}'") -> sb.Skill:
        folder = tmp_path / "orders"
        folder.mkdir(exist_ok=True)
        (folder / "SKILL.md").write_text(ORDERS.format(state=state))
        (folder / "replay.yaml").write_text(REPLAY.format(site=site, origins=origins))
        return sb.load_skill("orders", tmp_path).approve()

    return write


def test_a_skill_is_signed_in_by_the_state_that_it_names(
    saved: Path, home: Path, site: str, tmp_path: Path, orders: Callable[..., sb.Skill]
) -> None:
    skill = orders("ann")
    assert "be signed in by your state ann" in str(skill.wants)
    with sb.launch() as browser:
        page = browser.open(site)
        assert shown(page) == ("Nobody", "token null, step null")
        with pytest.raises(ConfigError, match="there is no state 'nobody'"):
            orders("nobody").run(page)
        assert page.url == f"{site}/"
        other = browser.save_state("other", origins=["https://elsewhere.example"])
        with pytest.raises(
            ConfigError, match=r"'other' is for https://elsewhere.example, and the skill is for http"
        ):
            orders("other").run(page)
        with pytest.raises(NotAllowed, match=f"orders may not start on '{site}'"):
            orders("ann", "").run(page)
        assert browser.driver.signed_in == {}
        with pytest.raises(ConfigError, match="before anybody was signed in"):
            skill.run(page, start="here")
        with sb.cassette("orders", folder=tmp_path / "cassettes", mode="record"):
            assert skill.run(browser.open(site), raise_on_error=True).values["who"] == "Ann"
        done = skill.run(page, raise_on_error=True)
        assert done.values == {"who": "Ann", "storage": "token t-Ann, step null"}
        fresh = skill.run(browser.open("about:blank"), raise_on_error=True)
        assert fresh.values["storage"] == "token t-Ann, step 2"
        (home / "states" / "bob.json").write_bytes(saved.read_bytes())
        (home / "states" / "bob.json").chmod(0o600)
        with pytest.raises(
            ConfigError, match=r"signed in at http.* by the state 'ann', and the skill names 'bob'"
        ):
            orders("bob").run(page)
        assert SECRET not in browser.journal.to_string()
    other.unlink()
    kept = [*tmp_path.rglob("*"), *home.glob("journals/*")]
    assert all(SECRET not in path.read_bytes().decode("latin-1") for path in kept if path.is_file())
    (home / "states" / "ann.json").rename(home / "ann.json")
    try:
        with sb.launch() as browser, sb.cassette("orders", folder=tmp_path / "cassettes", mode="replay"):
            replayed = orders("ann").run(browser.open(site))
            assert replayed.raise_for_error().values["who"] == "Ann"
    finally:
        (home / "ann.json").rename(home / "states" / "ann.json")


@pytest.mark.more
def test_each_worker_of_a_map_gets_a_copy_of_the_state(
    saved: Path, site: str, orders: Callable[..., sb.Skill], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    skill, rows = orders("ann"), [{"item": "lamp"}, {"item": "chair"}]
    with pytest.raises(ConfigError, match="there is no state 'nobody'"):
        orders("nobody").map(rows)
    with pytest.raises(ConfigError, match="`launch` has 'profile'"):
        skill.map(rows, launch={"profile": "work"})
    with pytest.raises(ConfigError, match=r"row 1: the state 'ann' is for .*elsewhere"):
        skill.map([{"item": "lamp"}, {"item": "lamp", "site": "https://elsewhere.example"}])
    # The worker's own folder has no state.
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            dashboard_address=None,
            env={"SKILLBOOK_HOME": str(tmp_path / "worker")},
        ) as cluster,
        Client(cluster) as client,
    ):
        out = skill.map(rows, client, progress=False)
        assert list(out["status"]) == ["ok", "ok"], out["error"].tolist()
        assert list(out["who"]) == ["Ann", "Ann"]
        assert list(out["storage"]) == ["token t-Ann, step 2"] * 2
    assert not list((tmp_path / "worker").glob("states/*"))

"""A skill is approved for the site it was recorded on: another one is asked about before anything is requested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mcp import Client

import skillbook as sb
from skillbook.errors import InvalidInput, NotAllowed, SkillNotApproved
from skillbook.io_thread import io
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.serving.asking import take_ask
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.session.sync import Browser, Page
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from tests.integration.test_mcp_server import MODERN, Person, call, visit
from tests.waiting import until

Open = Callable[[str], Page]
BOTH = pytest.mark.parametrize("mode", ["legacy", MODERN])
PAGE = "<title>Found</title><h1>Found</h1>"


class Counted:
    """A site that keeps which addresses were requested of it."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        paths = self.paths

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path not in {"/favicon.ico", "/robots.txt"}:
                    paths.append(self.path)
                self.send_response(404 if self.path == "/robots.txt" else 200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(PAGE.encode())

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def served(browser: Browser) -> Iterator[Counted]:
    """A site of an origin that nobody allowed: one of a test before may have had the same port."""
    while (site := Counted()).url in browser.driver.gateway.policy.allowed:
        site.server.shutdown()
        site.server.server_close()
    yield site
    site.server.shutdown()


@pytest.fixture
def shop(browser: Browser) -> Iterator[Counted]:
    yield from served(browser)


@pytest.fixture
def evil(browser: Browser) -> Iterator[Counted]:
    yield from served(browser)


def spec_of(shop: Counted, **more: Any) -> SkillSpec:
    """A skill as it is recorded on a site of this machine."""
    given = {
        "start": "${input:site}/look?q=${input:query}",
        "origins": ["${input:site}"],
        "inputs": [
            SkillInput(name="site", default=shop.url, from_page="origin"),
            SkillInput(name="query", default="lamp"),
        ],
        "steps": [
            SkillStep(
                command="get",
                params={"what": "text"},
                target=StepTarget(selectors=["heading"]),
                output=SkillOutput(name="title"),
            )
        ],
    }
    return SkillSpec.model_validate({"name": "look", "description": "Looks.", **given, **more})


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[SkillSpec], None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))

    def write(spec: SkillSpec) -> None:
        write_skill(spec, tmp_path / "skills", overwrite=True)
        sb.load_skill(spec.name).approve()

    return write


Write = Callable[[SkillSpec], None]


def ask_client(
    browser: Browser, decision: str, name: str, args: dict[str, Any], mode: str = MODERN, *origins: str
) -> tuple[str, list[str]]:
    """What a client's call answers, and what its person was asked."""
    person = Person(decision)

    async def work(client: Client) -> str:
        return await call(client, name, **args)

    said = visit(browser, work, mode=mode, person=person, limits=ClientLimits(origins=origins))
    return said, person.asked


@BOTH
def test_fault_73_another_site_over_mcp_is_asked_about_before_anything_is_requested(
    browser: Browser, shop: Counted, evil: Counted, write: Write, mode: str
) -> None:
    write(spec_of(shop))
    args = {"site": evil.url, "query": "words"}
    said, asked = ask_client(browser, "reject", "skill_look", args, mode)
    assert "rejected" in said
    assert [evil.url in each for each in asked] == [True], asked
    assert "if you approve, every program may act there from now on" in asked[0]
    assert evil.paths == []
    assert evil.url not in browser.driver.gateway.policy.allowed

    said, asked = ask_client(browser, "approve", "skill_look", args, mode)
    assert "Found" in said
    assert len(asked) == 1
    assert evil.paths == ["/look?q=words"]


@BOTH
def test_the_recorded_site_needs_no_question(
    browser: Browser, shop: Counted, evil: Counted, write: Write, mode: str
) -> None:
    write(spec_of(shop))
    said, asked = ask_client(browser, "reject", "skill_look", {"query": "desk"}, mode)
    assert "Found" in said, said
    assert asked == []
    assert shop.paths == ["/look?q=desk"]


@BOTH
def test_a_server_for_some_origins_opens_no_other_by_skills_cells_and_workflows(
    browser: Browser,
    shop: Counted,
    evil: Counted,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
) -> None:
    write(spec_of(shop))
    monkeypatch.setattr(workflows, "_known", dict(workflows._known))

    @sb.workflow("visit")
    def visit_site(page: Page, *, site: str) -> str:
        page.goto(site)
        return page.title

    for name, args in (
        ("skill_look", {"site": evil.url}),
        ("run_cell", {"code": f"sb.run_skill(page, 'look', site='{evil.url}')"}),
        ("run_cell", {"code": f"page.goto('{evil.url}')"}),
        ("workflow_visit", {"site": evil.url}),
        ("tabs", {"do": "open", "url": evil.url}),
    ):
        said, asked = ask_client(browser, "approve", name, args, mode, shop.url)
        assert "isn't one of the" in said, said
        assert evil.paths == [], name
        assert not any(f"{evil.url} isn't allowed yet" in each for each in asked)
        assert evil.url not in browser.driver.gateway.policy.allowed
    said, _ = ask_client(browser, "approve", "workflow_visit", {"site": shop.url}, mode, shop.url)
    assert "Found" in said, said
    write(spec_of(evil))  # recorded there and approved, and this server is for the shop alone
    said, _ = ask_client(browser, "approve", "skill_look", {}, mode, shop.url)
    assert "isn't one of the" in said, said
    assert evil.paths == []


def test_where_a_clients_workflow_went_is_allowed_to_no_other_program(
    browser: Browser, shop: Counted, evil: Counted, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(spec_of(shop))
    monkeypatch.setattr(workflows, "_known", dict(workflows._known))

    @sb.workflow("look-twice")
    def look_twice(page: Page, *, site: str) -> str:
        with_page = page.goto(f"{site}/first")
        sb.load_skill("look").run(page, site=site).raise_for_error()
        page.click("heading 'Found'")
        return with_page.url

    said, asked = ask_client(browser, "approve", "workflow_look-twice", {"site": evil.url})
    assert "/first" in said, said
    assert evil.url in asked[0]
    assert evil.paths == ["/first", "/look?q=lamp"]
    assert evil.url not in browser.driver.gateway.policy.allowed


@pytest.mark.parametrize(
    "site",
    [
        "http://{shop}@{evil}",
        "http://{evil}/?{shop}",
        "http://{evil}#{shop}",
        "http://{evil}\\@{shop}",
        "//{evil}",
        "{evil}",
        "@{evil}",
        "https://{shop}",
        "http://{shop}.evil.test",
        "http://localhost:{port}",
        "http://{shop}/delete?id=7&",
        "http://{shop}/delete/7#",
        "javascript:fetch('http://{evil}')",
        "http://[::ffff:7f00:1]:{port}",
    ],
)
def test_other_spellings_of_a_site_reach_nothing_unasked(
    browser: Browser, shop: Counted, evil: Counted, write: Write, site: str
) -> None:
    write(spec_of(shop))
    hosts = {name: each.url.removeprefix("http://") for name, each in (("shop", shop), ("evil", evil))}
    given = site.format(port=evil.url.rpartition(":")[2], **hosts)
    ask_client(browser, "reject", "skill_look", {"site": given})
    assert evil.paths == []
    assert shop.paths == []


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"start": "${input:address}"}, "{evil}/look"),
        ({"start": "${input:address}"}, "{shop}/orders/7/delete"),
        ({"start": "http://127.0.0.1:${input:address}/look"}, "{port}"),
        ({"start": "http://${input:address}/look", "origins": ["http://${input:address}"]}, "{host}"),
        (
            {
                "start": None,
                "steps": [SkillStep(command="goto", params={"url": "${input:address}"})],
            },
            "{evil}/look",
        ),
        (
            {
                "start": None,
                "steps": [SkillStep(command="goto", params={"url": "x"}, line=2)],
                "code": "def run(page, *, address):\n    page.goto(f'{address}/look')\n",
            },
            "{evil}",
        ),
    ],
)
def test_any_input_that_changes_where_a_skill_goes_is_asked_about(
    browser: Browser, shop: Counted, evil: Counted, write: Write, changes: dict[str, Any], given: str
) -> None:
    inputs = [SkillInput(name="address", default=shop.url)]
    write(spec_of(shop, **{"inputs": inputs, "origins": ["${input:address}"], **changes}))
    host = evil.url.removeprefix("http://")
    address = given.format(evil=evil.url, shop=shop.url, host=host, port=host.rpartition(":")[2])
    said, asked = ask_client(browser, "reject", "skill_look", {"address": address})
    assert evil.paths == [], said
    assert shop.paths == [], said
    assert "rejected" in said, said
    assert address.partition("//")[2] in asked[0] or address in asked[0]


def test_a_cell_of_a_model_asks_about_the_site_of_a_skill(
    browser: Browser, shop: Counted, evil: Counted, write: Write
) -> None:
    write(spec_of(shop))
    code = f"sb.run_skill(page, 'look', site='{evil.url}')"
    said, asked = ask_client(browser, "reject", "run_cell", {"code": code})
    assert "rejected" in said, said
    assert evil.url in asked[-1]
    assert evil.paths == []


def test_a_skill_that_runs_another_asks_about_the_site_of_both(
    browser: Browser, shop: Counted, evil: Counted, write: Write, tmp_path: Path
) -> None:
    write(spec_of(shop))
    outer = """\
version: 2
inputs: {where: {default: 'SHOP'}}
origins: ['${input:where}']
steps:
- command: run_skill
  skill: {name: look, inputs: {site: '${input:where}'}}
"""
    folder = tmp_path / "skills" / "outer"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: outer\ndescription: Runs another.\n---\nDo it.\n")
    (folder / "replay.yaml").write_text(outer.replace("SHOP", shop.url))
    sb.load_skill("outer").approve()
    said, asked = ask_client(browser, "reject", "skill_outer", {"where": evil.url})
    assert "rejected" in said, said
    assert evil.url in asked[0]
    assert evil.paths == []


def test_a_default_that_was_changed_after_the_approval_is_asked_about(
    browser: Browser, shop: Counted, evil: Counted, write: Write, tmp_path: Path
) -> None:
    write(spec_of(shop))
    file = tmp_path / "skills" / "look" / "replay.yaml"
    file.write_text(file.read_text().replace(shop.url, evil.url))
    said, asked = ask_client(browser, "reject", "skill_look", {})
    assert "skill_not_approved" in said
    assert evil.url in asked[0]
    assert evil.paths == []


def test_a_site_that_a_persons_code_names_needs_no_question(
    browser: Browser, shop: Counted, evil: Counted, write: Write, open_page: Open
) -> None:
    write(spec_of(shop))
    page = open_page(shop.url)
    result = sb.load_skill("look").run(page, site=evil.url, query="chair")
    assert result.ok, result.error
    assert evil.paths == ["/look?q=chair"]
    page.click("heading 'Found'")
    with pytest.raises(InvalidInput, match="'site' can't be"):
        sb.load_skill("look").run(page, site=f"{evil.url}/delete?q=")
    page.goto("about:blank")
    assert sb.load_skill("look").run(open_page(evil.url), query="here").ok  # a page that they opened
    assert evil.paths[-1] == "/look?q=here"


def test_an_unapproved_skill_is_approved_for_no_site(
    browser: Browser, shop: Counted, write: Write, open_page: Open, tmp_path: Path
) -> None:
    write_skill(spec_of(shop), tmp_path / "skills", overwrite=True)
    with pytest.raises(SkillNotApproved):
        sb.load_skill("look").run(open_page("about:blank"))
    assert shop.paths == []


def test_rows_of_several_sites_are_refused_before_the_first_begins(
    browser: Browser, shop: Counted, evil: Counted, write: Write
) -> None:
    write(spec_of(shop))
    rows = [{"query": "a"}, {"query": "b", "site": evil.url}]
    with pytest.raises(NotAllowed, match=evil.url):
        sb.load_skill("look").map(rows)
    assert (shop.paths, evil.paths) == ([], [])


def test_the_side_panel_asks_about_another_site_that_was_typed(
    browser: Browser, shop: Counted, evil: Counted, write: Write, open_page: Open
) -> None:
    write(spec_of(shop))
    page = open_page("about:blank")

    def ask(name: str, /, **params: Any) -> Any:
        return io.sync(take_ask(browser.driver, name, params), timeout=30)

    (card,) = [each for each in ask("list_skills")["skills"] if each["name"] == "look"]
    assert card["where"] == shop.url.removeprefix("http://")

    def run(decision: str) -> str:
        tab = page.driver.tab.id
        made = ask("run_skill", tab=tab, name="look", inputs={"site": evil.url, "query": "sofa"})["run"]
        question = until(lambda: ask("show_run", run=made)["question"])
        assert evil.url in question["words"]
        assert evil.paths == []
        ask("decide", run=made, question=question["id"], decision=decision)
        return str(
            until(lambda: (state := ask("show_run", run=made)["state"]) in {"succeeded", "failed"} and state)
        )

    assert run("reject") == "failed"
    assert evil.paths == []
    assert evil.url not in browser.driver.gateway.policy.allowed
    assert run("approve") == "succeeded"
    assert evil.paths == ["/look?q=sofa"]

"""Skills that run other skills, on pages in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest

from skillbook.errors import InvalidInput, InvalidSkill
from skillbook.session.sync import Page
from skillbook.skill import Skill, load_skill
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.authoring.record import recording
from skillbook.testing.site import serve_site
from tests.integration.test_playwright_export import module, run_script

LOGIN = """<!doctype html><title>Sign in</title><h1>Sign in</h1><form method=post>
<label>User <input name=user></label><button>Sign in</button></form>"""
NOTES = """<!doctype html><title>Notes</title><h1>Notes of {user}</h1><ul aria-label=Notes>{items}</ul>
<form method=post><label>Note <input name=note></label><button>Add</button></form><a href="/login">Other user</a>"""


class Site:
    """A site with a form to sign in and a list of notes; it says what was sent to it."""

    def __init__(self) -> None:
        self.user = ""
        self.notes: list[str] = []
        self.sent: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                items = "".join(f"<li>{note}</li>" for note in site.notes)
                page = (
                    LOGIN if self.path == "/login" else NOTES.format(user=site.user or "nobody", items=items)
                )
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                site.sent.append(f"{self.path} {form}")
                site.user = form.get("user", [site.user])[0]
                site.notes += form.get("note", [])
                self.send_response(303)
                self.send_header("Location", "/notes")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()


SKILL = "---\nname: {name}\ndescription: Does it.\n---\n\nDo it.\n"
LOG_IN = """version: 2
inputs:
  site: {from_page: origin, default: http://localhost}
  user: {type: str}
start: ${input:site}/login
origins: ['${input:site}']
sends:
- {step: 2, method: POST, origin: '${input:site}', path: /login}
steps:
- command: fill
  target: {selectors: ["textbox 'User'"]}
  params: {value: '${input:user}'}
- command: click
  target: {selectors: ["button 'Sign in'"]}
  expect:
  - present: heading 'Notes of ${input:user}'
    within: 3
"""
ADD_NOTE = """version: 2
inputs:
  site: {from_page: origin, default: http://localhost}
  who: {default: ann}
  note: {type: str}
origins: ['${input:site}']
sends:
- {step: 3, method: POST, origin: '${input:site}', path: /notes}
steps:
- command: run_skill
  skill:
    name: log-in
    inputs: {user: '${input:who} o''hara'}
- command: fill
  target: {selectors: ["textbox 'Note'"]}
  params: {value: '${input:note}'}
- command: click
  target: {selectors: ["button 'Add'"]}
  expect:
  - present: listitem '${input:note}'
    within: 3
"""


def write(folder: Path, **files: str) -> Path:
    for name, replay in files.items():
        place = folder / name.replace("_", "-")
        place.mkdir(parents=True, exist_ok=True)
        (place / "SKILL.md").write_text(SKILL.format(name=place.name), encoding="utf-8")
        (place / "replay.yaml").write_text(replay, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "skills", log_in=LOG_IN, add_note=ADD_NOTE)


def load(folder: Path, name: str = "add-note") -> Skill:
    return load_skill(name, folder, approve=True)


def test_a_skill_runs_another_with_inputs_of_its_own(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    skill = load(folder)
    result = skill.run(open_page(f"{site.url}/notes"), who="bob", note="buy 'tea'", site=site.url)
    assert result.ok, result.error
    assert site.sent == ["/login {'user': [\"bob o'hara\"]}", "/notes {'note': [\"buy 'tea'\"]}"]
    assert [(one.index, one.command) for one in result.outcomes] == [
        (2, "fill"), (3, "click"), (1, "run_skill"), (4, "fill"), (5, "click"),
    ]  # fmt: skip


def test_what_the_other_skill_sends_before_its_step_is_not_let_through(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    write(folder, log_in=LOG_IN.replace("path: /login", "path: /elsewhere"))
    result = load(folder).run(open_page(f"{site.url}/notes"), note="tea", site=site.url)
    assert not result.ok
    assert "POST /login" in str(result.error) or "/login" in str(result.error)
    assert site.sent == []


def test_a_step_of_the_other_skill_that_failed_is_resumed(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    page = open_page(f"{site.url}/notes")
    broken = LOG_IN.replace("heading 'Notes of", "heading 'Lists of")
    write(folder, log_in=broken)
    result = load(folder).run(page, note="tea", site=site.url)
    assert result.stopped is not None
    assert result.stopped.step == 3
    page.evaluate("document.querySelector('h1').textContent = \"Lists of ann o'hara\"")
    again = result.resume()
    assert again.ok, again.error
    assert len(site.sent) == 2


def test_a_skill_is_run_only_where_the_page_shows_what_it_is_for(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    write(
        folder,
        add_note=ADD_NOTE.replace(
            "- command: run_skill\n", "- command: run_skill\n  when: button 'Sign in'\n"
        ),
    )
    result = load(folder).run(open_page(f"{site.url}/notes"), note="tea", site=site.url)
    assert result.ok, result.error
    assert site.sent == ["/notes {'note': ['tea']}"]
    assert result.outcomes[0].status == "skipped"


async def test_both_skills_are_exported_as_one_script(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    skill = load(folder)
    text = skill.to_playwright()
    await run_script(module(text)["add_note"], site=site.url, note="tea")
    assert site.sent == ["/login {'user': [\"ann o'hara\"]}", "/notes {'note': ['tea']}"]


def test_survival_tries_the_steps_of_both_skills(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    skill = load(folder)
    survival = skill.survive(
        open_page(f"{site.url}/notes"), 8, kinds=("ids", "banner"), inputs={"note": "tea", "site": site.url}
    )
    assert survival.error is None
    assert {trial.step for trial in survival.trials} == {2, 3, 4, 5}
    assert not len(survival.wrong)


def record_note(page: Page, folder: Path) -> Demonstration:
    """Sign in by a skill, then write a note by hand."""
    with recording(page, "As ann, add the note salt") as rec:
        assert load(folder, "log-in").run(page, user="ann").ok
        page.fill("textbox 'Note'", "salt")
        page.click("button 'Add'")
    return rec


def test_a_skill_that_is_run_while_calls_are_recorded_is_a_step(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    page = open_page(f"{site.url}/notes")
    rec = record_note(page, folder)
    assert rec.steps[0] == "Run the skill log-in with user ann"
    saved = rec.save_skill("write-note", folder, prove=False)
    assert [one.command for one in saved.spec.steps] == ["run_skill", "fill", "click"]
    assert saved.spec.steps[0].skill is not None
    assert saved.spec.steps[0].skill.inputs == {"user": "${input:user}"}
    site.sent.clear()
    for skill, note in ((saved, "oil"), (load(folder, "write-note"), "rice")):
        result = skill.run(page, user="bob", note=note, site=site.url)
        assert result.ok, result.error
    assert site.sent == [
        "/login {'user': ['bob']}", "/notes {'note': ['oil']}",
        "/login {'user': ['bob']}", "/notes {'note': ['rice']}",
    ]  # fmt: skip


def test_a_recorded_skill_is_saved_beside_the_one_that_it_runs(
    open_page: Callable[[str], Page], site: Site, folder: Path, tmp_path: Path
) -> None:
    rec = record_note(open_page(f"{site.url}/notes"), folder)
    with pytest.raises(InvalidSkill, match="log-in"):
        rec.save_skill("write-note", tmp_path / "elsewhere", prove=False)


def test_a_skill_that_fails_while_calls_are_recorded_is_no_step(
    open_page: Callable[[str], Page], site: Site, folder: Path
) -> None:
    page = open_page(f"{site.url}/notes")
    with recording(page, "Write a note") as rec:
        assert not load(folder, "log-in").run(page, start="here", user="ann").ok
        page.fill("textbox 'Note'", "salt")
    assert rec.steps == ["Fill textbox 'Note' with salt"]


def test_a_built_in_skills_steps_are_recorded_each_by_itself(
    open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    with serve_site() as shop:
        page = open_page(shop.url)
        with recording(page, "Search for lamp") as rec:
            assert load_skill("search").run(page, query="lamp").ok
        assert rec.steps == ["Fill searchbox 'Search products' with lamp", "Click button 'Search'"]
        saved = rec.save_skill("look-for", tmp_path, prove=False)
        assert saved.run(page, query="chair", site=shop.url).ok
        assert "q=chair" in page.url


def test_there_are_three_ways_to_begin(open_page: Callable[[str], Page], site: Site, folder: Path) -> None:
    with pytest.raises(InvalidInput, match="auto, always, here"):
        load(folder, "log-in").run(open_page(f"{site.url}/notes"), start="never", user="ann")  # type: ignore[arg-type]

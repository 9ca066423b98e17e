"""A replay whose own request failed isn't ok, unless the recording had the same failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.skill import Skill, load_skill
from tests.integration.failing_site import FailingSite, serve_failing
from tests.waiting import until

Show = Callable[..., Page]
OPTIMISTIC = """<button onclick="
  out.textContent = 'Liked';
  fetch('/slow/like', {method: 'POST', body: 'x=1'})">Like</button>
<p id=out role=status></p>"""
RETRIES = """<button onclick="send()">Save</button><p id=out role=status></p><script>
  const send = async () => {
    for (let i = 0; i < 3; i++) {
      const answer = await fetch('/flaky', {method: 'POST', body: 'x=1'});
      if (answer.ok) { out.textContent = 'Saved'; return; }
      await new Promise((done) => setTimeout(done, 200));
    }
  };
</script>"""
VALIDATED = """<form onsubmit="event.preventDefault(); send(age.value)"><label>Age <input id=age></label>
<button>Save</button></form><p id=out role=status></p><script>
  const send = async (age) => {
    const answer = await fetch(age === '200' ? '/people/17/ages/422' : '/answer/200', {method: 'POST', body: age});
    out.textContent = answer.ok ? 'Saved' : 'At most 120';
  };
</script>"""


@pytest.fixture(scope="module")
def site() -> Iterator[FailingSite]:
    with serve_failing() as site:
        yield site


@pytest.fixture
def show(site: FailingSite, open_page: Callable[[str], Page]) -> Iterator[Show]:
    def show(html: str) -> Page:
        site.html = f"<!doctype html><title>Shop</title><h1>Shop</h1>{html}"
        site.arrived.clear()
        return open_page(site.url)

    yield show
    site.statuses.clear()


def recorded(page: Page, name: str, folder: Path, act: Callable[[Page], Any], shown: str) -> Skill:
    """A recording of an act by somebody who looks at what came."""
    with sb.recording(page, "Do it") as recording:
        act(page)
        until(lambda: page.text("css '#out'") == shown)
    recording.save_skill(name, folder=folder, prove=False)
    return load_skill(name, folder)


def run(skill: Skill, page: Page) -> Any:
    return skill.run(page, start="always", approve=skill.digest, raise_on_error=False)


def test_fault_80_an_optimistic_change_that_the_server_refused_isnt_ok(
    show: Show, site: FailingSite, tmp_path: Path
) -> None:
    page = show(OPTIMISTIC)

    def like(page: Page) -> None:
        page.click("button 'Like'")
        until(lambda: site.arrived and not site.unanswered)

    skill = recorded(page, "like-it", tmp_path, like, "Liked")
    assert run(skill, page).ok
    site.statuses["/slow/like"] = 500
    result = run(skill, page)
    assert not result.ok
    assert f"POST {site.url}/slow/like 500" in result.error.message
    assert "`fails: ['POST /slow/like 500']`" in result.error.hint
    assert result.steps.iloc[-1]["status"] == "failed"


def test_a_failure_that_was_recorded_is_no_failure(show: Show, site: FailingSite, tmp_path: Path) -> None:
    page = show(VALIDATED)

    def try_age(page: Page) -> None:
        page.fill("textbox 'Age'", "200")
        done = page.click("button 'Save'")
        until(lambda: done.failed)

    skill = recorded(page, "too-old", tmp_path, try_age, "At most 120")
    assert [step.fails for step in skill.spec.steps] == [[], ["POST /people/{id}/ages/{id} 422"]]
    assert "fails" in (tmp_path / "too-old" / "replay.yaml").read_text()
    assert run(skill, page).ok
    site.statuses["/people/17/ages/422"] = 500
    result = run(skill, page)
    assert not result.ok
    assert "500" in result.error.message


def test_a_skill_of_an_earlier_version_names_the_request_and_how_to_accept_it(
    show: Show, tmp_path: Path
) -> None:
    page = show(VALIDATED)

    def refused(page: Page) -> None:
        page.fill("textbox 'Age'", "200")
        page.click("button 'Save'")

    skill = recorded(page, "earlier", tmp_path, refused, "At most 120")
    path = tmp_path / "earlier" / "replay.yaml"
    text = path.read_text()
    lines = text.splitlines()
    kept = [line for line in lines if "fails" not in line and "/people/{id}" not in line]
    path.write_text("\n".join(kept) + "\n")
    skill = load_skill("earlier", tmp_path)
    assert not any(step.fails for step in skill.spec.steps)
    if skill.spec.sends is None or not skill.spec.sends:
        skill = Skill(skill.spec.model_copy(update={"sends": None}))
    result = run(skill, page)
    assert not result.ok
    assert "give step 2 in replay.yaml `fails: ['POST /people/{id}/ages/{id} 422']`" in result.error.hint


def test_a_request_that_the_page_sent_again_with_success_is_no_failure(
    show: Show, site: FailingSite, tmp_path: Path
) -> None:
    page = show(RETRIES)
    skill = recorded(page, "save-it", tmp_path, lambda page: page.click("button 'Save'"), "Saved")
    until(lambda: site.arrived.count("POST /flaky") == 2)
    site.arrived.clear()
    result = run(skill, page)
    assert result.ok, result.error
    assert site.arrived.count("POST /flaky") == 2


def test_a_start_that_isnt_there_ends_a_replay(show: Show, site: FailingSite, tmp_path: Path) -> None:
    page = show("<button onclick=\"out.textContent = 'Done'\">Go</button><p id=out role=status></p>")
    skill = recorded(page, "go", tmp_path, lambda page: page.click("button 'Go'"), "Done")
    site.home_status = 404
    try:
        result = run(skill, page)
    finally:
        site.home_status = 200
    assert not result.ok
    assert f"GET {site.url}/ 404" in result.error.message
    assert "give the skill in replay.yaml `fails: ['GET / 404']`" in result.error.hint


def test_a_page_that_comes_with_404_when_it_is_recorded_may_do_so_again(
    show: Show, site: FailingSite, tmp_path: Path
) -> None:
    site.home_status = 404
    try:
        page = show("<button onclick=\"out.textContent = 'Done'\">Go</button><p id=out role=status></p>")
        skill = recorded(page, "fallback", tmp_path, lambda page: page.click("button 'Go'"), "Done")
        assert skill.spec.fails == ["GET / 404"]
        assert run(skill, page).ok
    finally:
        site.home_status = 200

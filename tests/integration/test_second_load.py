"""Ids that scripts make anew with each load look like any other: a second load tells them from a record's key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.skill.facade import Skill
from skillbook.skill.replay import step_targets

WORD = "[...'abcd'].map(() => String.fromCharCode(97 + Math.random() * 26)).join('')"
IDS = {
    "a word and letters": f"'user-panel-' + {WORD}",
    "letters alone": f"'sc-' + {WORD}",
    "a number": "'ember' + ((window.base ??= new Date % 9000) + [5, 1, 7][place])",
}
LETTERS = """[...'abcdef'].map((_, n) => String.fromCharCode(97 + (build * 31 + place * 17 + n * 7 * build) % 26))
.join('')"""
NO_KEYS = {
    "a class": f"card.className += ' css-' + {LETTERS}",
    "radix": "card.id = `radix-:r${(build * 40 + place * 3).toString(32)}:`",
    "react": "card.id = `radix-_r_${(build * 40 + place * 3).toString(32)}_`",
    "react 19.0": "card.id = `«r${(build * 40 + place * 3).toString(32)}»`",
    "a hash with digits": "card.id = `card-${build}a${place}c9`",
}
"""What changes with each build, which the address says here, and is seen to be no key."""
HASHES = {
    "letters as the id": f"card.id = 'card-' + {LETTERS}",
    "a key": f"card.dataset.key = {LETTERS}",
    "a row's key": f"card.setAttribute('row-key', {LETTERS})",
}
"""What may be a record's as well: of `/2025/may` and `/2026/may` all records have the same names and other keys."""
GIVEN = "'person-' + ['x', 'y', 'z'][place] + location.search.slice(1)"
NAMES = ("Ann Lee", "Bob Fox", "Cy Day")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is whole at once needs no ten seconds for a record that isn't there."""
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 0.3)


def page_of(new_id: str, verb: str = "Mark") -> str:
    """Cards with ids that a script makes; what was acted on stands in `out`."""
    cards = "".join(
        f"<div class=card><h3>{name}</h3><p>open</p>"
        f"<button onclick=\"out.textContent += '{name};'\">{verb}</button></div>"
        for name in NAMES
    )
    return (
        f"<!doctype html><title>People</title><main><h1>People</h1>{cards}</main><p id=out></p>"
        f"<script>document.querySelectorAll('.card').forEach((card, place) => {{ card.id = {new_id} }})</script>"
    )


def built(made: str) -> str:
    """Cards with ids of a build."""
    build = "const build = +(new URLSearchParams(location.search).get('build') ?? 1)"
    return page_of("''").replace("card.id = ''", f"{build}; {made}")


def recorded(page: Page, folder: Path, verb: str = "Mark") -> Skill:
    ref = next(node.ref for node in page.snapshot().find_all(f"button '{verb}'")[1:])
    assert ref
    with sb.recording(page, "") as made:
        page.click(ref)
    return made.save_skill("mark", folder, prove=False)


@pytest.mark.parametrize("kind", IDS)
def test_a_key_that_each_load_makes_anew_is_no_key(
    kind: str, serve_html: Callable[[str], Page], tmp_path: Path, browser: Browser
) -> None:
    page = serve_html(page_of(IDS[kind]))
    skill = recorded(page, tmp_path / "skills")
    page.goto(page.url)
    tabs = len(browser.pages)
    result = skill.run(page, start="here", raise_on_error=False)
    assert result.ok, result.error
    assert page.evaluate("out.textContent") == "Bob Fox;"
    assert "changes with each load" in str(result.patch)
    assert len(browser.pages) == tabs
    page.goto(page.url)
    assert result.patch is not None
    result = skill.apply(result.patch).run(page, start="here")
    assert not result.healed
    assert page.evaluate("out.textContent") == "Bob Fox;"


def test_a_key_that_a_second_load_confirms_is_another_record(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(page_of(GIVEN))
    skill = recorded(page, tmp_path / "skills")
    page.goto(f"{page.url}?other")
    result = skill.run(page, start="here", raise_on_error=False)
    assert not result.ok
    assert page.evaluate("out.textContent") == ""


def test_what_cannot_be_undone_is_asked_about_again(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(page_of(IDS["a word and letters"], "Delete"))
    skill = recorded(page, tmp_path / "skills", "Delete")
    page.goto(page.url)
    refused = skill.run(page, start="here", approve=skill.spec.digest, raise_on_error=False)
    assert "user-panel-" in str(refused.error)
    assert page.evaluate("out.textContent") == ""
    result = skill.run(page, start="here", approve=lambda words: "user-panel-" in words)
    assert result.ok
    assert page.evaluate("out.textContent") == "Bob Fox;"


@pytest.mark.parametrize("kind", NO_KEYS)
def test_an_id_that_a_build_makes_anew_says_nothing(
    kind: str, serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(built(NO_KEYS[kind]))
    skill = recorded(page, tmp_path)
    page.goto(f"{page.url}?build=2")
    result = skill.run(page, start="here", raise_on_error=False)
    assert result.ok, result.error
    assert result.patch is None
    assert page.evaluate("out.textContent") == "Bob Fox;"


@pytest.mark.parametrize("kind", HASHES)
def test_a_hash_of_another_build_may_be_another_record(
    kind: str, serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(built(HASHES[kind]))
    skill = recorded(page, tmp_path)
    page.goto(f"{page.url}?build=2")
    result = skill.run(page, start="here", raise_on_error=False)
    assert "can't tell" in str(result.error)
    assert page.evaluate("out.textContent") == ""

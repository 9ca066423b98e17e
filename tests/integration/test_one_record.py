"""One record: 22 markups of a list, ten changes of it, four commands, in four ways; the neighbour is never acted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.extraction.frames.provenance import cell_selector
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import build_locator
from skillbook.session.sync import Browser, Page
from skillbook.skill.facade import Skill
from skillbook.skill.replay import step_targets
from tests.integration.record_lists import (
    CHANGES,
    COMMANDS,
    ITEMS,
    KEYED,
    MARKUPS,
    TOLD_BY_NAMES,
    judged,
    page_of,
)

ROLES = {"click": "button", "fill": "textbox", "check": "checkbox", "select": "combobox"}
GIVEN: dict[str, tuple[str, ...]] = {"click": (), "fill": ("3",), "check": (), "select": ("large",)}
WAYS = ("journal", "recorded", "code", "cells")
TOLD_BY_KEYS = {"renamed": "done", "namesake": "done", "namesake instead": "refused"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        made = sb.launch(allow_evaluate=True)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is whole at once needs no ten seconds for a record that isn't there; a busy machine needs one."""
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 1.0)


def bob(page: Page, command: str) -> Node:
    controls = [
        node
        for node in page.snapshot().elements
        if node.role == ROLES[command] and not node.tag.startswith("summary")
    ]
    assert len(controls) == len(ITEMS)
    return controls[1]


def acting(
    way: str, command: str, page: Page, browser: Browser, folder: Path
) -> Callable[[Page], SkillbookError | None]:
    """Act on Bob's control on the page as it is; returns what does it again."""
    node = bob(page, command)
    assert node.ref
    act = getattr(page, command)
    if way == "recorded":
        with sb.recording(page, "") as made:
            act(node.ref, *GIVEN[command])
        return replaying(made.save_skill("again", folder, prove=False))
    if way == "journal":
        act(node.ref, *GIVEN[command])
        saved = sb.load_journal(browser.export_journal(folder / "session.json", values=True))
        return replaying(replace(saved, steps=saved.steps[-1:]).skill(), foreign=True)
    selector = str(build_locator(node)) if way == "code" else cell_selector(node)

    def again(now: Page) -> SkillbookError | None:
        try:
            getattr(now, command)(selector, *GIVEN[command], timeout=1)
        except SkillbookError as error:
            return error
        return None

    return again


def replaying(skill: Skill, *, foreign: bool = False) -> Callable[[Page], SkillbookError | None]:
    def again(now: Page) -> SkillbookError | None:
        approve = {"approve": skill.spec.digest} if foreign else {}
        return skill.run(now, start="here", raise_on_error=False, **approve).error  # type: ignore[arg-type]

    return again


@pytest.mark.parametrize(("markup", "command", "way"), product(MARKUPS, COMMANDS, WAYS))
def test_the_record_is_acted_on_or_none(
    markup: str,
    command: str,
    way: str,
    browser: Browser,
    show_html: Callable[[str], Page],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    again = acting(way, command, show_html(page_of(markup, command)), browser, tmp_path)
    outcomes: Counter[tuple[str, str]] = Counter()
    faults = []
    by_key = way in {"journal", "recorded"}
    by_key_alone = TOLD_BY_KEYS if by_key and markup in KEYED else {}
    for change in CHANGES:
        page = show_html(page_of(markup, command, change))
        error = again(page)
        did = str(page.evaluate("out.textContent"))
        outcome = judged(markup, change, did, by_key=by_key)
        outcomes[change, outcome] += 1
        record_property(change, outcome)
        if outcome == "wrong" or bool(did) is (error is not None):
            faults.append(f"{change}: did {did!r}, error {error}")
        if outcome == "refused" and change in TOLD_BY_NAMES:
            faults.append(f"{change}: refused, {error}")
        if outcome != by_key_alone.get(change, outcome):
            faults.append(f"{change}: {outcome}, {error}")
    assert not faults


@pytest.mark.parametrize("markup", KEYED)
def test_the_journal_of_a_selector_knows_the_key_too(
    markup: str, browser: Browser, show_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = show_html(page_of(markup, "click"))
    page.click(str(build_locator(bob(page, "click"))))
    show_html(page_of(markup, "click"))
    page.click(str(build_locator(bob(page, "click"))))
    saved = sb.load_journal(browser.export_journal(tmp_path / "session.json", values=True))
    again = replaying(replace(saved, steps=saved.steps[-1:]).skill(), foreign=True)
    for change, outcome in TOLD_BY_KEYS.items():
        page = show_html(page_of(markup, "click", change))
        error = again(page)
        assert judged(markup, change, str(page.evaluate("out.textContent"))) == outcome, (change, error)


def deleting(page: Page, folder: Path) -> Skill:
    with sb.recording(page, "") as made:
        page.click("button 'Delete' in card 'Bob Fox'")
    return made.save_skill("delete", folder, prove=False)


def test_what_cannot_be_undone_is_asked_about_again_where_a_fact_changed(
    show_html: Callable[[str], Page], tmp_path: Path
) -> None:
    then, now = (page_of("h3 and p", "click", day).replace("Mark", "Delete") for day in ("", "prices moved"))
    skill = deleting(show_html(then), tmp_path)
    page = show_html(then)
    assert skill.run(page, start="here", approve=skill.spec.digest).ok
    assert page.evaluate("out.textContent") == "Bob Fox 42;"
    page = show_html(now)
    refused = skill.run(page, start="here", approve=skill.spec.digest)
    assert "'12 EUR' is '15 EUR' now" in str(refused.error)
    assert page.evaluate("out.textContent") == ""
    questions: list[str] = []
    result = skill.run(page, start="here", approve=lambda words: bool(questions.append(words) or True))
    assert result.ok
    assert "'12 EUR' is '15 EUR' now" in questions[-1]
    assert page.evaluate("out.textContent") == "Bob Fox 42;"


def test_what_can_be_undone_goes_on_and_says_what_changed(
    show_html: Callable[[str], Page], tmp_path: Path, browser: Browser
) -> None:
    again = acting("recorded", "click", show_html(page_of("h3 and p", "click")), browser, tmp_path)
    assert again(show_html(page_of("h3 and p", "click", "prices moved"))) is None
    (outcome,) = (
        sb.load_skill(tmp_path / "again")
        .run(show_html(page_of("h3 and p", "click", "prices moved")), start="here")
        .outcomes
    )
    assert "'12 EUR' is '15 EUR' now" in outcome.seen


HOVERED = """<!doctype html><style>li button {visibility: hidden} li:hover button {visibility: visible}
button::after {content: "x"}</style><ul>ITEMS</ul><output id=out></output><script>
for (const b of document.querySelectorAll("button"))
  b.onclick = () => { out.textContent += b.parentElement.querySelector("label").textContent + ";"; };
</script>"""


def test_an_item_that_is_hovered_over_is_its_own_record(
    show_html: Callable[[str], Page], browser: Browser, tmp_path: Path
) -> None:
    def page_with(*names: str) -> Page:
        item = "<li><input type=checkbox aria-label=Done><label>{}</label><button></button></li>"
        return show_html(HOVERED.replace("ITEMS", "".join(map(item.format, names))))

    page = page_with("Buy milk", "Call Ann", "Pay rent")
    page.hover("listitem 'Call Ann'")
    page.click("button in listitem 'Call Ann'")
    saved = sb.load_journal(browser.export_journal(tmp_path / "session.json", values=True))
    again = replaying(replace(saved, steps=saved.steps[-2:]).skill(), foreign=True)
    for names in (
        ("Wash", "Buy milk", "Call Ann"),
        ("Call Ann", "Buy milk"),
        ("Call Anna", "Call Ann", "Wash"),
    ):
        page = page_with(*names)
        assert again(page) is None
        assert page.evaluate("out.textContent") == "Call Ann;"
    for names in (("Buy milk", "Write to Zoe", "Pay rent"), ("Call Ann", "Buy milk", "Call Ann")):
        page = page_with(*names)
        assert again(page) is not None
        assert page.evaluate("out.textContent") == ""


ALONE = """<!doctype html><nav><a href=#main>Jump to search</a></nav><h2 id=h>Remove titles</h2>
<fieldset><legend>Main</legend>ITEMS</fieldset><output id=out></output>"""


@pytest.mark.parametrize("now", [("Aaron", "Lamp", "Chair"), ("Chair", "Lamp"), ("Lamp", "Table")])
def test_the_only_one_of_its_name_needs_no_record(
    now: tuple[str, ...], show_html: Callable[[str], Page], browser: Browser, tmp_path: Path
) -> None:
    def page_with(*names: str) -> Page:
        item = (
            "<div><input type=checkbox id=c{0} oninput=\"out.textContent += '{0};'\"><label for=c{0}>"
            "<a href=/{0}>{0}</a> (<a href=/talk/{0}>talk</a>)</label></div>"
        )
        return show_html(ALONE.replace("ITEMS", "".join(item.format(name) for name in names)))

    page_with("Lamp", "Chair", "Table").check("checkbox 'Chair (talk)'")
    saved = sb.load_journal(browser.export_journal(tmp_path / "session.json", values=True))
    again = replaying(replace(saved, steps=saved.steps[-1:]).skill(), foreign=True)
    page = page_with(*now)
    error = again(page)
    assert (error is None) == ("Chair" in now), error
    assert page.evaluate("out.textContent") == ("Chair;" if "Chair" in now else "")

"""Controls of lists that are drawn in any way: a replay presses the recorded one, or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.session.sync import Browser, Page
from skillbook.skill.facade import Skill
from skillbook.skill.replay import step_targets
from skillbook.testing.site import Site, serve_folder
from tests.integration.test_demonstration import hands_on, has

PAGES = Path(__file__).parent / "pages"
KINDS = [
    *("row", "para", "section", "dl", "details", "figure", "tile", "namelink", "link", "check", "qty", "li"),
    *("twotexts", "flat", "after", "heading", "field", "photo", "deep", "icon", "state", "index", "fieldset"),
    "grid",
]
"""One of each way that a record shows its bounds; `make test-more` has all of `KINDS`."""
ANN, BOB, CY, EVE = "Ann%20Lee", "Bob%20Fox", "Cy%20Orr", "Eve%20Ott"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        made = sb.launch(allow_evaluate=True, args=["--remote-debugging-port=0"])
    yield made
    made.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is whole at once needs no ten seconds for a control that isn't there."""
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 1.0)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_folder(PAGES) as site:
        yield site


def people(site: Site, kind: str, *names: str) -> str:
    return f"{site.url.rstrip('/')}/people.html?kind={kind}&names={','.join(names)}"


def control_of(page: Page, name: str, kind: str) -> str:
    """The ref of somebody's control: the one in their place."""
    role = {"check": "checkbox", "qty": "textbox", "link": "link"}.get(kind, "button")
    found = [
        node
        for node in page.snapshot().elements
        if node.role == role and (kind == "state" or node.label in {"Open", "Select", "Qty", ""})
    ]
    names = str(page.evaluate("new URLSearchParams(location.search).get('names')")).split(",")
    ref = found[names.index(name)].ref
    assert ref is not None
    return ref


async def record(browser: Browser, url: str, kind: str, by: str, folder: Path, goal: str = "") -> Skill:
    page = browser.open(url)
    ref = control_of(page, "Bob Fox", kind)
    if by == "calls":
        with sb.recording(page, goal) as rec:
            page.fill(ref, "3") if kind == "qty" else page.click(ref)
            if kind == "qty":
                page.press("Tab")
    else:
        rec = sb.record(page, goal)
        place = page.snapshot()[ref].box
        async with hands_on(browser, page.url) as hands:
            await hands.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
            if kind == "qty":
                await hands.keyboard.type("3")
                await hands.keyboard.press("Tab")
            await has(rec, 1)
            await hands.wait_for_function("out.textContent")
    assert page.evaluate("out.textContent") == "did Bob Fox"
    skill = rec.save_skill("people", folder, prove=False)
    page.close()
    return skill


def replayed(skill: Skill, page: Page, url: str | None = None, **inputs: str) -> str:
    """What a replay did on a page, or at an address, or that it refused."""
    if url is not None:
        page.goto(url)
    result = skill.run(page, start="here", raise_on_error=False, **inputs)
    did = str(page.evaluate("out.textContent"))
    assert bool(did) is result.ok, (did, result.error, skill.spec.steps)
    return did or "refused"


@pytest.mark.parametrize(
    ("kind", "by"),
    [(kind, ("calls", "hands")[number % 2]) for number, kind in enumerate(KINDS)],
)
async def test_fault_61_the_recorded_one_is_pressed_or_none(
    browser: Browser, site: Site, tmp_path: Path, kind: str, by: str
) -> None:
    skill = await record(browser, people(site, kind, ANN, BOB, CY), kind, by, tmp_path)
    page = browser.open(people(site, kind, EVE, ANN, BOB, CY))
    assert replayed(skill, page) == "did Bob Fox"
    assert replayed(skill, page, people(site, kind, ANN, BOB)) == "did Bob Fox"
    assert replayed(skill, page, people(site, kind, ANN, CY)) == "refused"
    assert replayed(skill, page, people(site, kind, ANN, EVE, CY)) == "refused"
    page.close()


async def test_where_nothing_tells_them_apart_another_number_of_them_refuses(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    skill = await record(browser, people(site, "same", ANN, BOB, CY), "same", "calls", tmp_path)
    page = browser.open(people(site, "same", ANN, BOB, CY))
    assert replayed(skill, page) == "did Bob Fox"
    assert replayed(skill, page, people(site, "same", EVE, ANN, BOB, CY)) == "refused"
    assert replayed(skill, page, people(site, "same", ANN, BOB)) == "refused"
    page.close()


@pytest.mark.parametrize(
    "kind",
    [
        "row",
        "qty",
        "heading",
        "dl",
        "twotexts",
        "li",
    ],
)
async def test_a_record_that_the_goal_names_is_an_input(
    browser: Browser, site: Site, tmp_path: Path, kind: str
) -> None:
    url = people(site, kind, ANN, BOB, CY)
    skill = await record(browser, url, kind, "hands", tmp_path, "Open the page of 'Bob Fox'")
    (name,) = [one.name for one in skill.inputs if one.name != "site"]
    page = browser.open(url)
    assert replayed(skill, page, **{name: "Cy Orr"}) == "did Cy Orr"
    assert replayed(skill, page, url, **{name: "Eve Ott"}) == "refused"
    page.close()


async def test_an_input_that_nothing_would_use_is_refused_when_it_is_saved(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    with pytest.raises(SkillbookError, match="Member"):
        await record(
            browser, people(site, "same", ANN, BOB, CY), "same", "calls", tmp_path, "Open the 'Member'"
        )

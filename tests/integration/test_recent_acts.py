"""Saving what just happened in a tab: of cells, of an agent, and of a person at the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import InvalidInput, ReplayFailed
from skillbook.policy.secrets import MASK
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.sync import Browser, Page
from skillbook.skill.replay.skill_result import called_by
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site, serve_folder, serve_site
from tests.integration.test_demonstration import hands_on, press
from tests.integration.users_browser import until

FORM = """<title>Orders</title><h1>New order</h1>
<form onsubmit="event.preventDefault(); out.textContent = `Ordered ${qty.value} for ${who.value}`">
<label>Customer <input id="who" name="who"></label><label>Quantity <input id="qty" name="qty" type="number"></label>
<button>Order</button></form><p id="out" role="status"></p>"""
PIN = FORM.replace("<button>", '<label>PIN <input id="pin" type="password"></label><button>')


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


@pytest.fixture(scope="module")
def window_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that counts as one with a window, which the test's person uses by its debugging port."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr(BrowserDriver, "has_window", True)
        browser = sb.launch(allow_evaluate=True, args=["--remote-debugging-port=0"])
        yield browser
        browser.close()


def test_what_cells_did_is_saved_afterwards_and_replays_on_another_input(
    open_page: Callable[[str], Page], shop: Site, tmp_path: Path
) -> None:
    page = open_page(shop.url + "/")
    page.fill("searchbox", "lamp")
    page.press("Enter")
    page.click("link 'Aurora Desk Lamp'")
    frame = page.recent()
    assert list(frame["who"]) == ["cell"] * 3
    assert list(frame["act"]) == [
        "Fill searchbox 'Search products' with lamp",
        "Press Enter",
        "Click link 'Aurora Desk Lamp'",
    ]
    assert list(frame["input"]) == ["query", "", ""]
    skill = sb.save_skill("find", tmp_path, page=page, steps=[1, 2])
    assert [step.command for step in skill.spec.steps] == ["fill", "press"]
    assert {one.name: one.default for one in skill.inputs} == {"site": shop.url, "query": "lamp"}
    assert skill.proof is not None
    assert skill.proof.ok, skill.proof
    result = skill.run(open_page(shop.url + "/stores"), query="chair")
    assert result.ok, result.error
    assert skill.last is not None
    assert "q=chair" in result.steps["url"].iloc[-1]


def test_the_newest_page_and_the_last_acts_are_meant_and_nothing_else(
    open_page: Callable[[str], Page], shop: Site, tmp_path: Path, serve_html: Callable[[str], Page]
) -> None:
    first = open_page(shop.url + "/")
    with pytest.raises(InvalidInput, match="nothing was done in this tab"):
        sb.save_skill("none", tmp_path, page=first)
    page = serve_html(FORM)
    page.fill("textbox 'Customer'", "Ann Lee")
    page.fill("spinbutton 'Quantity'", "7")
    page.click("button 'Order'")
    skill = sb.save_skill("order", tmp_path, last=2, inputs=())
    assert [step.command for step in skill.spec.steps] == ["fill", "click"]
    assert [one.name for one in skill.inputs] == ["site"]
    with pytest.raises(InvalidInput, match="no act 9"):
        sb.save_skill("order", tmp_path, steps=[9])
    with pytest.raises(InvalidInput, match="act 1 isn't one"):
        sb.save_skill("order", tmp_path, steps=[2], inputs={1: "who"})
    named = sb.save_skill("order", tmp_path, steps=[1, 2, 3], inputs={1: "who"})
    assert [one.name for one in named.inputs] == ["site", "who"]
    assert named.run(page, who="Bob", start="always").ok
    assert "Ordered 7 for Bob" in page.snapshot().text()


SPECIES = """<title>Herbarium</title><label>Species <input id="q" role="combobox" aria-controls="s"></label>
<ul id="s" role="listbox" aria-label="Suggestions" hidden></ul><p id="out" role="status"></p><script>
const names = ["Cladonia pyxidata", "Cladonia fimbriata", "Usnea florida"]
q.oninput = () => {
    s.replaceChildren(...names.filter(each => each.toLowerCase().includes(q.value.toLowerCase())).map(each => {
        const item = document.createElement("li")
        item.role = "option"
        item.textContent = each
        item.onclick = () => { out.textContent = `Sheets of ${each}`; s.hidden = true }
        return item
    }))
    s.hidden = !q.value
}</script>"""


def test_the_option_that_a_text_led_to_is_the_input_and_a_name_that_names_none_is_refused(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(SPECIES)
    page.fill("combobox 'Species'", "clad")
    page.click("option 'Cladonia pyxidata'")
    page.press("Escape")
    assert list(page.recent()["input"]) == ["", "species", ""]
    skill = sb.save_skill("sheets", tmp_path, last=3)
    assert skill.run(page, species="Usnea florida").ok
    assert page.text("status") == "Sheets of Usnea florida"
    assert not skill.run(page, species="clad").ok, "it isn't for the option that was recorded"
    own = sb.save_skill("own", tmp_path, steps=[1, 2], inputs={1: "part", 2: "species"}, prove=False)
    assert own.run(page, part="fim", species="Cladonia fimbriata").ok
    assert page.text("status") == "Sheets of Cladonia fimbriata"
    with pytest.raises(InvalidInput, match="nothing was typed or chosen in act 3: Press Escape"):
        sb.save_skill("none", tmp_path, steps=[1, 2, 3], inputs={3: "key"})
    page.fill("combobox 'Species'", "Usnea florida")
    page.click("option 'Usnea florida'")
    typed, chosen = page.recent().index[-2:]
    with pytest.raises(InvalidInput, match="'a' and 'b' are one input, as both are 'Usnea florida'"):
        sb.save_skill("none", tmp_path, last=2, inputs={typed: "a", chosen: "b"})


def test_a_secret_is_kept_by_name_and_a_tab_that_is_closed_keeps_nothing(
    serve_html: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve_html(PIN)
    page.fill("textbox 'PIN'", "4711-plain")
    page.fill("textbox 'Customer'", "Ann")
    kept = [act.done.params for act in page.driver.recent]
    assert kept[0]["value"] == MASK
    assert "4711-plain" not in page.recent().to_string() + repr(list(page.driver.recent))
    skill = sb.save_skill("sign-in", tmp_path, page=page, prove=False)
    assert skill.spec.all_secrets == ["pin"]
    assert "4711-plain" not in "".join(file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    recent = page.driver.recent
    page.close()
    assert len(recent) == 0


def test_a_setting_turns_it_off(shop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_KEPT_ACTS", "0")
    with sb.launch() as browser:
        page = browser.open(shop.url)
        page.click("link 'Stores'")
        assert page.recent().empty
        with pytest.raises(InvalidInput, match="SKILLBOOK_KEPT_ACTS is 0"):
            sb.save_skill("none", page=page)


def test_what_an_agent_did_is_there_and_its_approvals_are_its_own(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(FORM)
    model = ScriptedModel([ToolCall("fill", {"target": "textbox 'Customer'", "value": "Ann"}), "Done."])
    run = sb.agent(page, "Order for 'Ann'", model=model, autonomy="all")
    run.run()
    page.click("button 'Order'")
    assert list(page.recent()["who"]) == ["agent", "cell"]
    skill = sb.save_skill("order", tmp_path, page=page)
    result = skill.run(page, start="always", customer="Eve")
    assert result.ok, result.error
    assert "for Eve" in page.snapshot().text()


async def test_what_a_person_did_by_hand_is_there_without_a_recording(
    window_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = window_browser.open(shop.url + "/")
    async with hands_on(window_browser, page.url) as hands:
        await press(hands, hands.get_by_role("searchbox", name="Search products"))
        await hands.keyboard.type("lamp")
        await press(hands, hands.get_by_role("button", name="Search", exact=True))
        await hands.wait_for_url("**/search?q=lamp*")
        await until(lambda: len(page.driver.recent) >= 3, "three acts")
        assert await hands.locator("skillbook-badge").count() == 0
    page.click("link 'Aurora Desk Lamp'")  # by a cell: it is no gesture
    frame = page.recent()
    assert list(frame["who"]) == ["by hand"] * 3 + ["cell"]  # each gesture once
    skill = sb.save_skill("find", tmp_path, page=page, steps=list(frame.index[:-1]))
    assert {one.name: one.default for one in skill.inputs} == {"site": shop.url, "query": "lamp"}
    assert skill.spec.steps[-1].expect, "what the page became after the last step is known"
    result = skill.run(page, query="chair", start="always")
    assert result.ok, result.error
    assert "q=chair" in page.url


async def test_fault_94_what_a_person_typed_and_did_not_send_is_never_lost(
    window_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = window_browser.open(shop.url + "/")
    with sb.recording(page, "Find a 'lamp'") as rec:
        page.fill("searchbox", "lamp")
        page.press("Enter")
    skill = rec.save_skill("find", tmp_path, prove=False)
    theirs = window_browser.open(shop.url + "/login")
    async with hands_on(window_browser, theirs.url) as hands:
        await press(hands, hands.get_by_role("textbox", name="Username"))
        await hands.keyboard.type("ann")
        await until(
            lambda: "Fill textbox 'Username' with ann" in list(theirs.recent()["act"]), "what was typed"
        )
        result = skill.run(theirs, query="chair")
        assert result.ok, result.error
        assert await hands.get_by_role("textbox", name="Username").input_value() == "ann"
        assert "q=chair" in result.page.url
        assert "in a new tab, `result.page`: textbox 'Username' holds what somebody typed" in repr(result)
        result.page.close()
        with called_by("an agent's call"):
            refused = skill.run(theirs, query="chair")
        assert isinstance(refused.error, ReplayFailed)
        assert "textbox 'Username' holds what somebody typed" in refused.error.message
        assert await hands.get_by_role("textbox", name="Username").input_value() == "ann"
        await hands.get_by_role("textbox", name="Username").fill("")
    cleared = skill.run(theirs, query="desk")
    assert cleared.ok, cleared.error
    assert cleared.page is None
    assert "q=desk" in theirs.url


SWITCHES = """<!doctype html><title>Order</title><h1>Order</h1><style>.core { display: inline-block; width: 40px;
height: 20px; background: #ccc } .none { position: absolute; width: 0; height: 0; opacity: 0; margin: 0 }
.over { position: relative } .over input { position: absolute; opacity: 0; inset: 0; width: 40px; height: 20px }</style>
<p>Gift <span id="set"><input class="none" type="checkbox" role="switch" aria-label="Gift"><span class="core"
  ></span></span></p>
<p>News <span id="late"><input class="none" type="checkbox" role="switch" aria-label="News"><span class="core"
  ></span></span></p>
<p>Fast <span id="passed"><input class="none" type="checkbox" aria-label="Fast"><span class="core"></span></span></p>
<p>Wrap <span id="over" class="over"><input type="checkbox" aria-label="Wrap"><span class="core"></span></span></p>
<p>Card <span id="own"><span class="core" role="switch" aria-checked="false" aria-label="Card"></span></span></p>
<p><label for="rush-box" id="label">Rush</label> <span id="rush"><input class="none" type="checkbox" role="switch"
  id="rush-box" aria-checked="false"><span class="core"></span></span></p>
<p id="idle">Nothing happens here.</p>
<button id="save">Save</button><p id="out" role="status"></p><script>
const box = (id) => document.querySelector(`#${id} input`), flip = (id) => { box(id).checked = !box(id).checked };
const on = (id, act) => document.getElementById(id).addEventListener("click", act);
on("set", (event) => { event.preventDefault(); Promise.resolve().then(() => flip("set")); });
let isRush = false;
on("rush", (event) => {
  event.preventDefault();
  isRush = !isRush;
  Promise.resolve().then(() => { box("rush").checked = isRush; box("rush").ariaChecked = String(isRush); });
});
on("late", () => setTimeout(() => flip("late"), 150));
on("passed", (event) => { if (event.target !== box("passed")) box("passed").click(); });
on("own", ({target}) => target.setAttribute("aria-checked", target.getAttribute("aria-checked") !== "true"));
on("save", () => { out.textContent = [...document.querySelectorAll("input, [aria-checked]")]
  .filter((one) => one.checked || one.ariaChecked === "true").map((one) => one.ariaLabel || "Rush").join() });
</script>"""


@pytest.mark.parametrize("way", ["by hand", "afterwards"])
async def test_a_press_on_what_shows_in_the_place_of_a_box_is_one_on_the_box(
    window_browser: Browser, tmp_path: Path, way: str
) -> None:
    (tmp_path / "index.html").write_text(SWITCHES)
    with serve_folder(tmp_path) as site:
        page = window_browser.open(site.url)
        rec = sb.record(page, "Order") if way == "by hand" else None

        def steps() -> list[str]:
            return rec.steps if rec else list(page.recent()["act"])

        async with hands_on(window_browser, page.url) as hands:
            for name in ("set", "late", "passed", "over", "own"):
                await press(hands, hands.locator(f"#{name} .core"))
                await hands.wait_for_function(
                    f"document.querySelector('#{name} input')?.checked ?? own.firstChild.ariaChecked === 'true'"
                )
            await press(hands, hands.locator("#label"))
            await hands.wait_for_function("isRush")
            await press(hands, hands.locator("#idle"))
            await press(hands, hands.locator("#save"))
            assert await hands.inner_text("#out") == "Gift,News,Fast,Wrap,Card,Rush"
            await until(lambda: "Click button 'Save'" in steps(), f"the last step, not {steps()}")
        ticked = ["Tick switch 'Gift'", "Tick switch 'News'", "Tick checkbox 'Fast'", "Tick checkbox 'Wrap'"]
        assert steps() == [*ticked, "Click switch 'Card'", "Tick switch 'Rush'", "Click button 'Save'"]
        if rec:
            skill = rec.save_skill("order", tmp_path / "skills", prove=False)
        else:
            skill = sb.save_skill("order", tmp_path / "skills", page=page, goal="Order", prove=False)
        fresh = window_browser.open(page.url)
        result = skill.run(fresh, raise_on_error=False)
        assert result.ok, result.error
        assert fresh.evaluate("out.textContent") == "Gift,News,Fast,Wrap,Card,Rush"

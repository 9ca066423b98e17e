"""Skills recorded from what a person does: trusted input that the test sends by the browser's own protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import playwright.async_api as pw
import pytest

import skillbook as sb
from skillbook.errors import InvalidSkill
from skillbook.session.sync import Browser, Page
from skillbook.skill import load_skill
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.recording.annotations import Mark
from skillbook.testing.site import Site, serve_folder, serve_site
from tests.integration.users_browser import page_of, until

FORM = """<!doctype html><title>Orders</title><h1>New order</h1><form id="f" onsubmit="event.preventDefault();
  out.textContent = `Ordered ${qty.value} ${size.value} for ${who.value}${gift.checked ? ' as a gift' : ''}`">
<label>Customer <input id="who" name="who"></label>
<label>Quantity <input id="qty" name="qty" type="number" value="1"></label>
<label>Size <select id="size" name="size"><option>Small<option>Large</select></label>
<label><input id="gift" type="checkbox"> Gift wrap</label>
<label>Card PIN <input id="pin" type="password"></label>
<button>Order</button></form><p id="out" role="status"></p>
<p id="idle">Nothing happens here.</p>
<iframe title="Note" srcdoc="<label>Remark <input id=r></label>" width="300" height="60"></iframe>
<ul id="list"><li draggable="true" id="one">One</li></ul><div id="bin" role="region" aria-label="Bin"
  style="width:200px;height:60px;background:#eee" ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); out.textContent = 'dropped'">Drop here</div>
<div style="height:3000px"></div><footer>End</footer>"""


@pytest.fixture(scope="module")
def person_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that lets the test's person in by its debugging port."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        browser = sb.launch(allow_evaluate=True, args=["--remote-debugging-port=0"])
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


@asynccontextmanager
async def hands_on(browser: Browser, url: str) -> AsyncIterator[pw.Page]:
    """The tab of an address as a person at the mouse and keyboard has it."""
    process = browser.driver.process
    assert process is not None
    port = (process.profile.user_data_dir / "DevToolsActivePort").read_text().splitlines()[0]
    async with pw.async_playwright() as playwright:
        devtools = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        yield await page_of(devtools.contexts[0], lambda at: at == url)


async def press(page: pw.Page, target: pw.Locator, clicks: int = 1) -> None:
    box = await target.bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, click_count=clicks)


async def has(rec: Demonstration, count: int) -> None:
    await until(lambda: len(rec.steps) >= count, f"{count} steps, not {rec.steps}")


async def test_what_a_person_shows_replays_on_another_input(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = person_browser.open(shop.url + "/")
    rec = sb.record(page, "Find products")
    async with hands_on(person_browser, page.url) as hands:
        await press(hands, hands.get_by_role("searchbox", name="Search products"))
        await hands.keyboard.type("lamp")
        await until(lambda: any("lamp" in words for words in rec.steps), "the typed text")
        await press(hands, hands.get_by_role("button", name="Search", exact=True))
        await hands.wait_for_url("**/search?q=lamp*")
        await has(rec, 3)
    frame = rec.extract({"name": "heading", "price": "text ~'$'"}, next=True)
    assert len(frame) == 12
    rec.check("list 'Products'")
    number = next(n for n, words in enumerate(rec.steps, 1) if words.startswith("Fill"))
    rec.input(number, "query")
    skill = rec.save_skill("find-products", tmp_path)
    assert [step.command for step in skill.spec.steps] == ["fill", "click", "extract"]
    assert {one.name: one.default for one in skill.inputs} == {"site": shop.url, "query": "lamp"}
    other = load_skill("find-products", tmp_path).run(
        person_browser.open(shop.url + "/stores"), query="chair"
    )
    assert other.ok, other.error
    assert len(other.frame) > 0
    assert other.frame["name"].str.contains("chair", case=False).any()


async def test_each_kind_of_gesture_becomes_one_step_and_a_secret_stays_in_the_page(
    person_browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "order.html").write_text(FORM)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/order.html")
        rec = sb.record(page)
        seen: list[str] = []
        rec.on_change.append(lambda: seen.append(str(rec.recording)))
        async with hands_on(person_browser, page.url) as hands:
            await press(hands, hands.get_by_text("Nothing happens here."))
            await press(hands, hands.get_by_label("Customer"))
            await hands.keyboard.type("Ann Lee")
            await press(hands, hands.get_by_label("Quantity"), clicks=3)
            await hands.keyboard.type("7")
            await hands.get_by_label("Size").focus()
            await hands.keyboard.press("ArrowDown")
            await press(hands, hands.get_by_text("Gift wrap"))
            await press(hands, hands.get_by_label("Card PIN"))
            await hands.keyboard.type("9137")
            await hands.keyboard.press("Enter")
            await has(rec, 9)
            await press(hands, hands.frame_locator("iframe").get_by_label("Remark"))
            await hands.keyboard.type("fragile")
            await has(rec, 11)
            await hands.drag_and_drop("#one", "#bin")
            await hands.mouse.wheel(0, 900)
            await until(lambda: rec.steps[-1].startswith("Scroll"), "the scroll")
        assert "9137" not in "".join(seen) + repr(rec)
        number = next(n for n, words in enumerate(rec.steps, 1) if "Customer" in words and "Fill" in words)
        rec.input(number)
        size = next(n for n, words in enumerate(rec.steps, 1) if words.startswith("Select"))
        rec.input(size)
        rec.undo()
        assert not rec.steps[-1].startswith("Scroll")
        skill = rec.save_skill("order", tmp_path / "skills")
        done = [(step.command, step.note) for step in skill.spec.steps]
        assert [command for command, _ in done] == [
            "fill", "fill", "select", "check", "fill", "press", "fill", "drag",
        ], done  # fmt: skip
        assert skill.spec.secrets == ["card_pin"]
        assert "9137" not in "".join(path.read_text() for path in (tmp_path / "skills/order").iterdir())
        assert {one.name for one in skill.inputs} == {"site", "customer", "size"}

        monkeypatch.setenv("SKILLBOOK_SECRET_CARD_PIN", "1111")
        fresh = person_browser.open(page.url)
        result = skill.run(fresh, customer="Bo Low", size="Small", approve=skill.digest)
        assert result.ok, result.error
        assert fresh.evaluate("[who.value, qty.value, size.value, gift.checked, pin.value.length]") == [
            "Bo Low", "7", "Small", True, 4,
        ]  # fmt: skip
        assert fresh.evaluate("out.textContent") == "dropped"


SCROLLS = """() => {
  document.body.style.minHeight = "3000px";
  const button = document.createElement("button");
  button.textContent = "Go to end";
  button.onclick = () => scrollTo(0, 1500);
  document.body.prepend(button);
}"""


async def test_a_pages_own_scroll_is_no_step(person_browser: Browser, shop: Site) -> None:
    page = person_browser.open(shop.url + "/stores")
    rec = sb.record(page)
    async with hands_on(person_browser, page.url) as hands:
        await hands.evaluate(SCROLLS)
        await press(hands, hands.get_by_role("button", name="Go to end"))
        await hands.wait_for_function("scrollY > 1000")
        await has(rec, 1)
        await hands.mouse.wheel(0, -200)
        await until(lambda: rec.steps[-1].startswith("Scroll"), "the scroll")
        assert [step.command for step in rec.recording.steps] == ["click", "scroll"]
        assert rec.recording.steps[1].params["dy"] >= -200


async def test_pausing_and_going_elsewhere(person_browser: Browser, shop: Site) -> None:
    page = person_browser.open(shop.url + "/")
    rec = sb.record(page)
    async with hands_on(person_browser, page.url) as hands:
        rec.pause()
        await press(hands, hands.get_by_role("searchbox", name="Search products"))
        rec.resume()
        await hands.goto(shop.url + "/stores")
        await has(rec, 1)
        await press(hands, hands.get_by_role("link", name="Log in").first)
        await has(rec, 2)
        await hands.wait_for_url("**/login*")
        await hands.evaluate("history.back()")
        await has(rec, 3)
    assert [words.split()[0] for words in rec.steps] == ["Goto", "Click", "Back"]
    rec.delete(3)
    rec.redo()
    rec.delete(2)
    assert [words.split()[0] for words in rec.steps] == ["Goto", "Back"]
    rec.stop()


def test_python_calls_are_recorded_as_the_same_kind(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = person_browser.open(shop.url + "/")
    with sb.recording(page, 'Search for "lamp"') as rec:
        page.fill("searchbox 'Search products'", "lamp")
        page.click("button 'Search'")
        page.wait_for(text="lamp")
        page.click("link 'Stores'")
        page.wait_for(idle=True)
        page.back()
        sb.extract(page, {"name": "heading"}, within="list 'Products'", next=True)
    page.click("link 'Stores'")
    skill = rec.save_skill("by-calls", tmp_path)
    commands = [step.command for step in skill.spec.steps]
    assert commands == ["fill", "click", "click", "wait_for", "back", "extract"]
    assert "Wait until the page is at rest" in skill.spec.body
    result = skill.run(page, query="desk")
    assert result.ok, result.error


def test_a_recording_waits_for_a_selector_as_a_page_does(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = person_browser.open(shop.url + "/")
    with sb.recording(page, 'Search for "lamp"') as rec:
        page.fill("searchbox 'Search products'", "lamp")
        page.press("Enter")
        rec.wait_for("heading ~'lamp'")
    assert rec.steps[-1].startswith("Wait")
    assert rec.save_skill("waits", tmp_path).run(page, query="desk").ok


def test_a_recording_ends_also_while_a_dialog_is_open(person_browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "ask.html").write_text("<title>Ask</title><button onclick=\"confirm('Sure?')\">Ask</button>")
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/ask.html")
        with sb.recording(page, "Ask") as rec:
            page.click("button 'Ask'")
        page.handle_dialog(accept=False)
        assert rec.steps == ["Click button 'Ask'"]
        page.click("button 'Ask'")
        page.handle_dialog(accept=True)


def test_rows_of_another_collection_are_no_result(person_browser: Browser, tmp_path: Path) -> None:
    """Where nothing is found, the page's biggest collection is another one, and none of its rows was wanted."""
    rows = "".join(f"<tr><td>{name}<td>{age}" for name, age in (("Ann", 31), ("Bob", 42), ("Cem", 53)))
    links = "".join(
        f"<li><a href='#{n}'>Help on topic {n}</a> <small>in chapter {n}</small>" for n in range(5)
    )
    found = f"<table><tr><th>Name<th>Age{rows}</table>"
    page_of_rows = "<!doctype html><title>People</title><h1>People</h1>{table}<ul>" + links + "</ul>"
    (tmp_path / "index.html").write_text(page_of_rows.format(table=found))
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url)
        with sb.recording(page, "List the people") as rec:
            sb.extract(page)
        skill = rec.save_skill("people", tmp_path / "skills")
        assert [one.name for one in skill.spec.outputs] == ["Name", "Age"]
        (tmp_path / "index.html").write_text(page_of_rows.format(table="<p>Nobody was found"))
        result = skill.run(page, start="always")
    assert not result.ok
    assert "no rows have the column 'Name'" in str(result.error)


async def test_what_the_steps_send_is_recorded_and_a_replay_keeps_to_it(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = person_browser.open(shop.url + "/")
    rec = sb.record(page, "Subscribe to the newsletter")
    async with hands_on(person_browser, page.url) as hands:
        opens = hands.get_by_role("button", name="Newsletter")
        await opens.scroll_into_view_if_needed()
        await press(hands, opens)
        await press(hands, hands.get_by_role("textbox", name="E-mail"))
        await hands.keyboard.type("ann@oak.test")
        await press(hands, hands.get_by_role("button", name="Subscribe"))
        await hands.wait_for_url("**/newsletter")
        await until(lambda: rec.steps[-1].startswith("Click button"), "the click")
    skill = rec.save_skill("subscribe", tmp_path)
    assert skill.spec.sends is not None
    assert [str(send) for send in skill.spec.sends] == ["POST ${input:site}/newsletter with email"]
    assert "Subscribe" in skill.spec.steps[skill.spec.sends[0].step - 1].note
    fresh = person_browser.open(shop.url + "/")
    assert skill.run(fresh, approve=skill.digest).ok
    fresh.goto(shop.url + "/")
    silent = sb.Skill(skill.spec.model_copy(update={"sends": []}))
    refused = silent.run(fresh, approve=silent.digest)
    assert not refused.ok
    assert "so nothing was sent" in str(refused.error)


def test_python_calls_that_send_nothing_make_a_skill_that_may_send_nothing(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    page = person_browser.open(shop.url + "/")
    with sb.recording(page, 'Search for "lamp"') as rec:
        page.fill("searchbox 'Search products'", "lamp")
        page.click("button 'Search'")
    assert rec.save_skill("only-search", tmp_path, prove=False).spec.sends == []
    page.goto(shop.url + "/")
    with sb.recording(page, "Subscribe") as rec:
        page.click("button 'Newsletter'")
        page.fill("textbox 'E-mail'", "bo@oak.test")
        page.click("button 'Subscribe'")
    saved = rec.save_skill("by-call", tmp_path).spec
    assert [str(one) for one in saved.sends or ()] == ["POST ${input:site}/newsletter with email"]
    assert [one.step for one in saved.sends or ()] == [len(saved.steps)]


LEFT = """<!doctype html><title>Report</title><label>Team <input id=team value=all></label>
  <label>Year <input id=year value=2025></label><p id=out role=status>all in 2025</p><script>
  const show = () => { out.textContent = `${team.value} in ${year.value}` };
  team.addEventListener("blur", show); year.addEventListener("blur", show);</script><p id=idle>Nothing here.</p>"""


async def test_a_field_that_was_left_by_hand_is_left_by_the_replay_too(
    person_browser: Browser, tmp_path: Path
) -> None:
    """Pages that compute, as Streamlit's, take a text only then; no other step would do it."""
    (tmp_path / "report.html").write_text(LEFT)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/report.html")
        rec = sb.record(page)
        async with hands_on(person_browser, page.url) as hands:
            await press(hands, hands.get_by_label("Team"))
            await hands.keyboard.type("x")
            await hands.keyboard.press("Tab")
            await hands.keyboard.type("2026")
            await press(hands, hands.get_by_text("Nothing here."))
            await until(lambda: "Tab" in rec.steps[-1], f"that the field was left, not {rec.steps}")
        rec.check("status ~'2026'")
        rec.input(next(n for n, words in enumerate(rec.steps, 1) if "Year" in words), "year")
        skill = rec.save_skill("report", tmp_path / "skills", prove=False)
        assert [step.command for step in skill.spec.steps] == ["fill", "fill", "press"]
        fresh = person_browser.open(page.url)
        result = skill.run(fresh, year="2027")
        assert result.ok, result.error
        assert fresh.evaluate("out.textContent") == "allx in 2027"


async def test_rows_and_checks_are_marked_by_a_press_in_the_page(
    person_browser: Browser, shop: Site, tmp_path: Path
) -> None:
    # Tabs of tests before this one may have the shop's plain address, too.
    page = person_browser.open(shop.url + "/?marked")
    rec = sb.record(page, "Find products")
    async with hands_on(person_browser, page.url) as hands:
        await hands.bring_to_front()
        await press(hands, hands.get_by_role("searchbox", name="Search products"))
        await hands.wait_for_function("document.activeElement.localName === 'input'")
        await hands.keyboard.type("lamp")
        await until(lambda: any("lamp" in words for words in rec.steps), "the typed text")
        await press(hands, hands.get_by_role("button", name="Search", exact=True))
        await hands.wait_for_url("**/search?q=lamp*")
        await has(rec, 3)
        await pointed(rec, hands, "check", hands.get_by_role("heading", name="Results for"))
        assert "Results for" in rec.steps[-1]
        await pointed(rec, hands, "rows", hands.get_by_role("listitem").filter(has_text="$").first)
        assert rec.problem == ""
        assert "Read the rows" in rec.steps[-1]
        steps = len(rec.steps)
        await pointed(rec, hands, "rows", hands.get_by_role("searchbox", name="Search products"))
        await until(lambda: "is in no rows" in rec.problem, "why no rows are read")
        assert len(rec.steps) == steps
    rec.input(next(n for n, words in enumerate(rec.steps, 1) if words.startswith("Fill")), "query")
    skill = rec.save_skill("find-products", tmp_path)
    assert skill.proof is not None
    assert skill.proof.ok, skill.proof
    other = skill.run(person_browser.open(shop.url + "/stores"), query="chair")
    assert other.ok, other.error
    assert len(other.frame) > 0


LISTS = """<!doctype html><title>Booking</title><h1>Booking</h1>
<style>
  .list { border: 1px solid; width: 200px } .list [role=option]:hover::after { content: ' Press to select' }
  select { position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px; overflow: hidden }
</style>
<p id=seat-label>Seat</p>
<select id=seat multiple tabindex=-1 aria-hidden=true><option>Aisle<option>Middle<option>Window</select>
<div class=opener role=combobox tabindex=0 aria-labelledby=seat-label data-closes=mouseup data-for=seat>None</div>
<p id=meal-label>Meal</p>
<select id=meal multiple tabindex=-1 aria-hidden=true><option>Fish<option>Meat<option>Vegan</select>
<div class=opener role=combobox tabindex=0 aria-labelledby=meal-label data-closes=mousedown data-for=meal>None</div>
<button onclick="out.textContent = `Saved ${seat.value} and ${meal.value}`">Save</button><p id=out role=status></p>
<script>
  for (const opener of document.querySelectorAll('.opener')) opener.onclick = () => {
    const select = document.getElementById(opener.dataset.for), list = document.createElement('ul');
    list.className = 'list'; list.role = 'listbox';
    for (const { text } of select.options) {
      const item = list.appendChild(document.createElement('li'));
      item.role = 'option'; item.textContent = text;
      item.id = `${select.id}-${Math.random().toString(36).slice(2, 6)}-${text}`;
      item.addEventListener(opener.dataset.closes, () => { select.value = opener.textContent = text; list.remove(); });
    }
    opener.after(list);
  };
</script>"""


@pytest.mark.parametrize(
    "goes", ["", "document.body.append(list); list.style = 'position: fixed; clip: rect(0 0 0 0)'"]
)
async def test_options_that_go_away_while_they_are_pressed_are_steps(
    person_browser: Browser, tmp_path: Path, goes: str
) -> None:
    (tmp_path / "booking.html").write_text(LISTS.replace("list.remove()", goes or "list.remove()"))
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/booking.html")
        rec = sb.record(page, "Book a seat")
        async with hands_on(person_browser, page.url) as hands:
            for place, text in enumerate(("Window", "Meat")):
                await press(hands, hands.locator(".opener").nth(place))
                await has(rec, 2 * place + 1)
                # A person takes longer to find the option than the recorder to read the page.
                await until(lambda t=text: f"option '{t}'" in shown(page), "the list")
                await press(hands, hands.locator(".list [role=option]").filter(has_text=text).last)
                await has(rec, 2 * place + 2)
            await press(hands, hands.get_by_role("button", name="Save"))
            await has(rec, 5)
            assert await hands.inner_text("#out") == "Saved Window and Meat"
        assert [words for words in rec.steps if "option" in words] == [
            "Click option 'Window'", "Click option 'Meat'",
        ]  # fmt: skip
        rec.input(2, "seat")
        skill = rec.save_skill("book-a-seat", tmp_path / "skills", prove=False)
        fresh = person_browser.open(page.url)
        result = skill.run(fresh, seat="Aisle")
        assert result.ok, result.error
        assert fresh.evaluate("out.textContent") == "Saved Aisle and Meat"


async def test_boxes_that_a_page_sets_itself_are_steps(person_browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "wrap.html").write_text("""<label><input type=checkbox> Gift wrap</label>
<label><input type=radio name=how> Slow</label> <label><input type=radio name=how> Fast</label>
<script>for (const label of document.querySelectorAll('label')) label.onclick = event => {
  if (event.target !== label) return;
  event.preventDefault();
  label.control.checked = label.control.type === 'radio' || !label.control.checked;
}</script>""")
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/wrap.html")
        rec = sb.record(page, "Wrap it")
        async with hands_on(person_browser, page.url) as hands:
            for count, text in enumerate(("Gift wrap", "Fast", "Gift wrap"), 1):
                await hands.locator("label").filter(has_text=text).click(position={"x": 30, "y": 8})
                await has(rec, count)
        assert rec.steps == ["Tick checkbox 'Gift wrap'", "Tick radio 'Fast'", "Untick checkbox 'Gift wrap'"]
        rec.stop()


async def test_a_select_by_keyboard_and_a_quoted_option_of_a_custom_list(
    person_browser: Browser, tmp_path: Path
) -> None:
    """The select keeps the checks after it, and what the goal quotes is an input though it was only clicked."""
    seen = "<style>#size { position: static; clip: auto; width: auto; height: auto }</style>"
    size = f"{seen}<label>Size <select id=size><option>Small<option>Large</select></label>"
    saved = "out.textContent = `Saved ${seat.value} and ${size.value}`"
    page_text = LISTS.replace("<p id=seat-label>", f"{size}<p id=seat-label>")
    (tmp_path / "cabin.html").write_text(
        page_text.replace("out.textContent = `Saved ${seat.value} and ${meal.value}`", saved)
    )
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/cabin.html")
        rec = sb.record(page, 'Book a "Window" seat')
        async with hands_on(person_browser, page.url) as hands:
            await hands.locator("#size").focus()
            await hands.keyboard.press("ArrowDown")
            await until(
                lambda: any("Large" in words for words in rec.steps), f"the chosen size, not {rec.steps}"
            )
            count = len(rec.steps)
            await press(hands, hands.locator(".opener").first)
            await has(rec, count + 1)
            await until(lambda: "option 'Window'" in shown(page), "the list")
            await press(hands, hands.locator(".list [role=option]").filter(has_text="Window"))
            await has(rec, count + 2)
            await press(hands, hands.get_by_role("button", name="Save"))
            await has(rec, count + 3)
            await until(
                lambda: "Saved Window and Large" in str(page.driver.latest and page.driver.latest.text()),
                "the answer",
            )
        skill = rec.save_skill("cabin", tmp_path / "skills", prove=False)
        assert [step.command for step in skill.spec.steps] == ["select", "click", "click", "click"]
        assert [check.text for check in skill.spec.steps[-1].expect] == ["Saved ${input:item} and Large"]
        (seat,) = [one for one in skill.inputs if one.default == "Window"]
        fresh = person_browser.open(page.url)
        result = skill.run(fresh, **{seat.name: "Aisle"})
        assert result.ok, result.error
        assert fresh.evaluate("out.textContent") == "Saved Aisle and Large"


def shown(page: Page) -> str:
    """The elements of the page as it was read last."""
    latest = page.driver.latest
    return (
        " ".join(
            f"{node.role} {node.name!r}" for node in latest.elements if latest.columns.tag[node.index] == "li"
        )
        if latest
        else ""
    )


async def pointed(rec: Demonstration, hands: pw.Page, mark: Mark, target: pw.Locator) -> None:
    """Mark something by a press in the page, once that waits for it, which a second sign in the page shows."""
    signs = await hands.evaluate("document.documentElement.childElementCount")
    rec.request_mark(mark)
    await hands.wait_for_function(f"document.documentElement.childElementCount > {signs}")
    await press(hands, target)
    await until(lambda: not rec.pointing, "the end of the mark")


def test_what_code_does_while_a_person_is_recorded_is_a_step(person_browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "order.html").write_text(
        FORM.replace("Size <select", "Day <input type=date></label><label>Size <select")
    )
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/order.html")
        rec = sb.record(page)
        page.select("combobox 'Size'", "Large")
        page.fill("label 'Day'", "2026-03-04")
        page.fill("textbox 'Customer'", "Ann Lee")
        page.click("button 'Order'")
        recording = rec.stop()
    did = [(step.command, step.params) for step in recording.steps]
    assert did == [
        ("select", {"values": ["Large"]}),
        ("fill", {"value": "2026-03-04"}),
        ("fill", {"value": "Ann Lee"}),
        ("click", {}),
    ]


ORDER = """<!doctype html><title>Order</title><button onclick="out.textContent = 'opened'">Open</button>
  <button onclick="order()">Order</button><p id=out role=status></p><script>
  const order = () => fetch("/order", {method: "POST"}).then(() => { out.textContent = "sent" },
    () => { out.textContent = "blocked" })</script>"""


async def test_what_a_person_does_right_after_a_replay_is_not_blocked(
    person_browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "order.html").write_text(ORDER)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/order.html")
        with sb.recording(page) as rec:
            page.click("button 'Open'")
        skill = rec.save_skill("open-order", tmp_path / "skills", prove=False)
        async with hands_on(person_browser, page.url) as hands:
            for acts in (
                lambda: press(hands, hands.get_by_role("button", name="Order")),
                lambda: hands.get_by_role("button", name="Order").press("Enter"),
            ):
                result = await asyncio.to_thread(skill.run, page)
                assert result.ok, result.error
                await hands.wait_for_function("typeof order === 'function'")  # it knows the new document
                await hands.evaluate("order()")
                assert await hands.locator("#out").text_content() == "blocked", "nobody did that"
                await acts()
                await hands.get_by_text("sent", exact=True).wait_for()


FLOW = """<!doctype html><title>Flow</title><h1>Flow</h1><p id="out" role="status"></p>
<div id="flow" onclick="out.textContent = event.target.id || 'nothing'"
  ><svg width="700" height="500" style="cursor: pointer">
  <rect id="one" x="10" y="10" width="40" height="20" fill="red"/>
  <rect id="two" x="330" y="240" width="40" height="20" fill="blue"/></svg></div>
<canvas id="map" aria-label="Map" width="300" height="200" style="background: #eee"
  onclick="out.textContent = `${event.offsetX} ${event.offsetY}`"></canvas>"""


async def test_fault_91_a_press_on_a_part_without_words_is_no_step_that_can_be_done_again(
    person_browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(FLOW)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url)
        rec = sb.record(page, "Open a node")
        async with hands_on(person_browser, page.url) as hands:
            await press(hands, hands.locator("#one"))
            await has(rec, 1)
        assert page.evaluate("out.textContent") == "one"
        rec.stop()
        with pytest.raises(InvalidSkill, match="no words of its own"):
            rec.save_skill("flow", str(tmp_path / "skills"), prove=False)


async def test_a_press_on_what_nothing_names_is_not_saved(person_browser: Browser, tmp_path: Path) -> None:
    (
        tmp_path / "index.html"
    ).write_text("""<!doctype html><title>Tiles</title><h1>Tiles</h1><div id="tile">Lamp</div>
<button>Save</button><script>document.addEventListener("click", ({target}) => {
  if (target === tile) tile.append(" taken");
});</script>""")
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url)
        rec = sb.record(page, "Take a lamp")
        async with hands_on(person_browser, page.url) as hands:
            await press(hands, hands.locator("#tile"))
            await has(rec, 1)
            await press(hands, hands.get_by_role("button", name="Save"))
            await has(rec, 2)
        with pytest.raises(InvalidSkill, match="nothing names what step 1 pressed"):
            rec.save_skill("tiles", str(tmp_path / "skills"), prove=False)
        rec.delete(1)
        assert rec.save_skill("tiles", str(tmp_path / "skills"), prove=False)


async def test_a_press_on_a_canvas_is_done_again_where_it_was(
    person_browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(FLOW)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url)
        rec = sb.record(page, "Press the map")
        async with hands_on(person_browser, page.url) as hands:
            box = await hands.locator("#map").bounding_box()
            assert box is not None
            await hands.mouse.click(round(box["x"]) + 40, round(box["y"]) + 30)  # as a mouse has it
            await has(rec, 1)
        shown = page.evaluate("out.textContent")
        rec.stop()
        skill = rec.save_skill("map", str(tmp_path / "skills"), prove=False)
        page.reload()
        result = skill.run(page, approve=skill.digest, raise_on_error=False)
        assert result.ok, result.error
        assert page.evaluate("out.textContent") == shown


PARTS = """<!doctype html><title>Order</title><h1>Order</h1><order-parts></order-parts><p id="out"></p><script>
customElements.define("order-parts", class extends HTMLElement {
  constructor() {
    super().attachShadow({mode: "open"}).innerHTML = `<label><input type="checkbox" style="opacity:0;position:absolute;
      pointer-events:none"><span id="gift">Gift wrap</span></label><label><input type="radio" name="way">Express</label>
      <label>Size <select><option>Small<option>Large</select></label>`;
    this.shadowRoot.addEventListener("input", () => {
      const [gift, way] = this.shadowRoot.querySelectorAll("input");
      out.textContent = [gift.checked, way.checked, this.shadowRoot.querySelector("select").value].join();
    });
  }
});
</script>"""


async def test_what_is_ticked_and_chosen_in_a_shadow_root_is_a_step(
    person_browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "parts.html").write_text(PARTS)
    with serve_folder(tmp_path) as site:
        page = person_browser.open(site.url.rstrip("/") + "/parts.html")
        rec = sb.record(page)
        async with hands_on(person_browser, page.url) as hands:
            await press(hands, hands.get_by_text("Gift wrap"))
            await has(rec, 1)
            await press(hands, hands.get_by_label("Express"))
            await has(rec, 2)
            await hands.get_by_label("Size").focus()
            await hands.keyboard.press("ArrowDown")
            await has(rec, 3)
        skill = rec.save_skill("order", tmp_path / "skills", prove=False)
        assert [step.command for step in skill.spec.steps] == ["check", "check", "select"]
        fresh = person_browser.open(page.url)
        result = skill.run(fresh)
        assert result.ok, result.error
        assert fresh.evaluate("out.textContent") == "true,true,Large"

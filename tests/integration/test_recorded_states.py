"""What a skill keeps of switches, of options that share a name, and of frames: the state, the value, the name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.skill.facade import Skill
from skillbook.skill.replay import step_targets
from skillbook.testing.site import Site, serve_folder
from tests.integration.test_demonstration import hands_on, has, press

SWITCHES = """<!doctype html><title>Switches</title><main><h1>Team</h1>
<table aria-label="People"><thead><tr><th id="head" aria-sort="none"><button id="sort">Name</button></th></tr></thead>
<tbody id="rows"></tbody></table>
<button id="bold" aria-pressed="false">Bold</button>
<button id="more" aria-expanded="false">Details</button><p id="text" hidden>All of it</p>
<div id="box" role="checkbox" tabindex="0" aria-checked="false">Newsletter</div></main><script>
let presses = 0;
const names = ["Bob", "Ann", "Cy"], next = { none: "ascending", ascending: "descending", descending: "ascending" };
function show() {
  const order = head.getAttribute("aria-sort"), sorted = order === "none" ? names : [...names].sort();
  if (order === "descending") sorted.reverse();
  rows.innerHTML = sorted.map((name) => `<tr><td>${name}</td></tr>`).join("");
}
const turn = () => { head.setAttribute("aria-sort", next[head.getAttribute("aria-sort")]); show(); };
sort.onclick = () => setTimeout(turn, 150);
const flip = (element, what) => { presses += 1; element.setAttribute(what, element.getAttribute(what) !== "true"); };
bold.onclick = () => flip(bold, "aria-pressed");
more.onclick = () => { flip(more, "aria-expanded"); text.hidden = !text.hidden; };
box.onclick = () => flip(box, "aria-checked");
show();</script>"""

CHOICES = """<!doctype html><title>Town</title><label>Town <select id="town"><option value="">Choose
<optgroup label="Illinois"><option value="il">Springfield<option value="ch">Chicago</optgroup>
<optgroup label="Missouri"><option value="mo">Springfield</optgroup></select></label>
<label>Owner <select id="owner"><option>Choose<option value="11">J. Smith<option value="22">J. Smith</select></label>"""

FRAMES = """<!doctype html><title>Frames</title><div id="box"></div><p id="out"></p><script>
const query = new URLSearchParams(location.search);
for (const name of query.get("frames").split(",")) {
  const frame = document.createElement("iframe");
  if (query.get("named")) frame.name = `pane-${name}`;
  frame.srcdoc = `<label>Search <input></label><button onclick="parent.out.textContent = '${name}'">Go</button>`;
  box.append(frame);
}</script>"""


# A page that moves the slider itself, and takes its value when the key is let go.
SLIDER = """<!doctype html><title>Price</title><input id="s" type="range" aria-label="Price" value="20"><p id="out"></p>
<script>s.onkeydown = (event) => {
  if (!/^Arrow/.test(event.key)) return;
  event.preventDefault();
  s.value = +s.value + (event.key === "ArrowUp" ? 1 : -1);
};
s.onkeyup = () => { out.textContent = s.value };</script>"""


HOVERED = """<!doctype html><title>Tools</title><main><h1>Wiki</h1>
<a id="edit" href="#edit" title="Edit this page [e]" onclick="out.textContent = 'edit'; return false"
  ><span>Edit this page</span><svg width="20" height="20"><path d="M0 0h20v20z"/></svg></a>
<button id="cart" onmouseenter="this.textContent = 'Remove from cart'" onmouseleave="this.textContent = 'In cart'"
  onclick="out.textContent = 'cart'">In cart</button>
<button onclick="out.textContent = 'another'">Keep</button>
<button id="keep" onmouseenter="this.textContent = 'Let it go'" onmouseleave="this.textContent = 'Keep'"
  onclick="out.textContent = 'keep'">Keep</button>
<button id="more" onclick="out.textContent = 'more'">More</button>
<button id="star" onclick="out.textContent = 'star'"><span class="short">Star</span><span class="long">Star this</span>
</button><p id="out" role="status"></p></main><style>
#edit span, #star .long, #star:hover .short { display: none } #edit:hover span, #star:hover .long { display: inline }
#more:hover::after { content: " options" }</style>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        made = sb.launch(allow_evaluate=True, args=["--remote-debugging-port=0"])
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "switches.html").write_text(SWITCHES)
    (folder / "choices.html").write_text(CHOICES)
    (folder / "hovered.html").write_text(HOVERED)
    (folder / "frames.html").write_text(FRAMES)
    (folder / "slider.html").write_text(SLIDER)
    with serve_folder(folder) as site:
        yield site


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 1.0)


def at(site: Site, name: str) -> str:
    return site.url.rstrip("/") + "/" + name


def run(skill: Skill, page: Page) -> None:
    result = skill.run(page, start="here", raise_on_error=False)
    assert result.ok, result.error


def rows(page: Page) -> str:
    return str(page.evaluate("rows.textContent"))


async def test_a_sorted_column_is_sorted_as_it_was_recorded_from_whatever_order(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    page = browser.open(at(site, "switches.html"))
    rec = sb.record(page)
    async with hands_on(browser, page.url) as hands:
        for count, order in enumerate(("ascending", "descending"), 1):
            await press(hands, hands.get_by_role("button", name="Name"))
            await hands.wait_for_function(f"head.getAttribute('aria-sort') === '{order}'")
            await has(rec, count)
    skill = rec.save_skill("sort", tmp_path, prove=False)
    (step,) = skill.spec.steps
    assert (step.until, step.presses) == ({"sort": "descending"}, 2)
    run(skill, page)
    assert rows(page) == "CyBobAnn"
    run(skill, page)
    assert rows(page) == "CyBobAnn"
    page.click("button 'Name'")
    page.wait_for(selector="columnheader [sort='ascending']")
    run(skill, page)
    assert rows(page) == "CyBobAnn"
    fresh = browser.open(at(site, "switches.html"))
    run(skill, fresh)
    assert rows(fresh) == "CyBobAnn"


@pytest.mark.parametrize(
    ("target", "state"),
    [("button 'Bold'", "pressed"), ("button 'Details'", "expanded"), ("checkbox 'Newsletter'", "checked")],
)
def test_a_switch_is_left_alone_where_it_is_in_its_state(
    browser: Browser, site: Site, tmp_path: Path, target: str, state: str
) -> None:
    page = browser.open(at(site, "switches.html"))
    with sb.recording(page) as rec:
        page.click(target)
    skill = rec.save_skill("switch", tmp_path, prove=False)
    assert skill.spec.steps[0].until == {state: "true"}
    assert page.evaluate("presses") == 1
    run(skill, page)
    assert page.evaluate("presses") == 1
    fresh = browser.open(page.url)
    run(skill, fresh)
    assert fresh.evaluate("presses") == 1


async def test_of_options_of_one_name_the_chosen_one_is_kept(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    page = browser.open(at(site, "choices.html"))
    rec = sb.record(page)
    async with hands_on(browser, page.url) as hands:
        await hands.get_by_label("Town").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
            await hands.keyboard.press(key)
        await hands.get_by_label("Owner").focus()
        for key in ("ArrowDown", "ArrowDown"):
            await hands.keyboard.press(key)
        await has(rec, 2)
        assert await hands.evaluate("town.value + owner.value") == "mo22"
    skill = rec.save_skill("choose", tmp_path, prove=False)
    fresh = browser.open(page.url)
    run(skill, fresh)
    assert fresh.evaluate("town.value + owner.value") == "mo22"


@pytest.mark.parametrize("named", ["", "&named=1"])
def test_a_frame_is_known_by_its_name_and_never_by_its_number(
    browser: Browser, site: Site, tmp_path: Path, named: str
) -> None:
    url = at(site, "frames.html?frames=")
    page = browser.open(url + "one,two" + named)
    second = [node for node in page.snapshot().elements if node.label == "Go"][1]
    with sb.recording(page) as rec:
        page.click(second)
    skill = rec.save_skill("go", tmp_path, prove=False)
    run(skill, browser.open(url + "one,two" + named))
    for frames in ("ad,one,two", "two"):
        other = browser.open(url + frames + named)
        result = skill.run(other, start="here", raise_on_error=False)
        assert result.ok is bool(named), result.error
        assert other.evaluate("out.textContent") == ("two" if named else "")


@pytest.mark.parametrize("name", ["edit", "cart", "keep", "more", "star"])
async def test_a_label_that_the_mouse_changes_replays(
    browser: Browser, site: Site, tmp_path: Path, name: str
) -> None:
    page = browser.open(at(site, "hovered.html"))
    rec = sb.record(page)
    async with hands_on(browser, page.url) as hands:
        await press(hands, hands.locator(f"#{name}"))
        await has(rec, 1)
        await hands.mouse.move(1, 1)
    skill = rec.save_skill("press", tmp_path, prove=False)
    fresh = browser.open(page.url)
    # The second time the mouse is there from the beginning; then nothing tells namesakes apart.
    for _ in range(1 if name == "keep" else 2):
        fresh.evaluate("out.textContent = ''")
        run(skill, fresh)
        assert fresh.evaluate("out.textContent") == name
    page.close()
    fresh.close()


def test_a_label_that_a_style_swaps_under_the_mouse_is_the_one_that_was_judged(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    page = browser.open(at(site, "hovered.html"))
    with sb.recording(page) as rec:
        page.click("button 'Star'")
    skill = rec.save_skill("star", tmp_path, prove=False)
    fresh = browser.open(page.url)
    run(skill, fresh)
    assert fresh.evaluate("out.textContent") == "star"


async def test_a_slider_that_keys_move_replays_at_another_value(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    page = browser.open(at(site, "slider.html"))
    rec = sb.record(page)
    async with hands_on(browser, page.url) as hands:
        await hands.locator("#s").focus()
        for _ in range(3):
            await hands.keyboard.press("ArrowUp")
        await has(rec, 1)
    rec.stop()
    assert rec.steps == ["Fill slider 'Price' with 23"]
    rec.input(1, "price")
    skill = rec.save_skill("price", tmp_path, prove=False)
    fresh = browser.open(page.url)
    result = skill.run(fresh, start="here", price="70")
    assert result.ok
    assert fresh.evaluate("[s.value, out.textContent]") == ["70", "70"]

"""A skill keeps its word on a page that isn't as it was recorded: the same end, or a refusal with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_steps import Check
from skillbook.skill.replay import step_targets
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.testing.site import Site, serve_folder, serve_site
from tests.integration.failing_site import serve_failing

PEOPLE = """<!doctype html><title>People</title><main><h1>People</h1>
<label>Town <input id="town"></label> <label>Team <input id="team"></label>
<button id="wide" type="button">Wide</button>
<table aria-label="People"><thead><tr><th>Name</th><th>Town</th><th>Team</th></tr></thead>
<tbody id="rows"></tbody></table>
</main><script>
const people = [["Ann", "Oslo", "Red"], ["Bob", "Rome", "Red"], ["Cy", "Oslo", "Blue"], ["Eve", "Oslo", "Red"]];
const show = () => { rows.innerHTML = people.filter((one) => one[1].includes(town.value) && one[2].includes(team.value))
  .map((one) => `<tr>${one.map((text) => `<td>${text}</td>`).join("")}</tr>`).join(""); };
town.oninput = team.oninput = show; show();</script>"""

SLIDER = """<!doctype html><title>Volume</title><main><h1>Volume</h1>
<div id="s" role="slider" tabindex="0" aria-label="Volume" aria-valuemin="0"
 aria-valuemax="20" aria-valuenow="0">.</div>
<p id="out">0</p></main><script>s.onkeydown = (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]; if (!by) return;
  s.setAttribute("aria-valuenow", +s.getAttribute("aria-valuenow") + by);
  out.textContent = s.getAttribute("aria-valuenow");
};</script>"""

SORTED = """<!doctype html><title>Prices</title><main><h1>Prices</h1>
<table aria-label="Prices"><thead><tr><th><button id="sort" class="sort">Price</button></th></tr></thead>
<tbody id="rows"></tbody></table></main><script>
const prices = [30, 10, 20]; let way = sessionStorage.way || "";
const show = () => { const order = [...prices]; if (way) order.sort((a, b) => way === "up" ? a - b : b - a);
  sort.className = `sort ${way}`; rows.innerHTML = order.map((one) => `<tr><td>${one}</td></tr>`).join(""); };
sort.onclick = () => { way = way === "up" ? "down" : "up"; show(); }; show();</script>"""

HASH = """<!doctype html><title>Filters</title><main><h1>Filters</h1><button id="add">Add filter</button>
<ul id="list" aria-label="Filters"></ul></main><script>
const show = () => { const count = Number(location.hash.slice(2) || 0);
  list.innerHTML = Array.from({ length: count }, (_, n) => `<li>Filter ${n + 1}</li>`).join(""); };
add.onclick = () => { location.hash = `#f${Number(location.hash.slice(2) || 0) + 1}`; };
onhashchange = show; show();</script>"""

AGE = """<!doctype html><title>Age</title><main><h1>Person</h1><label>Age <input id="age" value="30"></label>
<label>Note <input id="note"></label><button id="save">Save</button><p id="out"></p></main><script>
age.onblur = () => { age.value = +age.value > 120 ? "30" : `${+age.value}.0`; };
save.onclick = () => { out.textContent = `saved ${age.value}`; };</script>"""


TOWNS = """<!doctype html><title>Towns</title><main><h1>People</h1>
<table aria-label="People"><thead><tr><th>Name</th><th>Town</th><th>Edit</th></tr></thead>
<tbody id="rows"></tbody></table>
<p><label>New town <input id="town"></label><button id="save">Save</button></p><p id="done"></p>
</main><script>
const people = [["Ann", "Oslo"], ["Bob", "Bonn"], ["Cy", "Ulm"]]; let chosen = null;
const show = () => { rows.innerHTML = people.map((one, at) => `<tr><td>${one[0]}</td><td>${one[1]}</td><td>
  <button onclick="chosen = ${at}; done.textContent = 'Editing'">Edit</button>
  <button onclick="people.splice(${at}, 1); show()">Delete</button></td></tr>`).join(""); };
save.onclick = () => { people[chosen][1] = town.value; done.textContent = "Saved"; show(); }; show();</script>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        made = sb.launch(allow_evaluate=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    pages = {"people": PEOPLE, "slider": SLIDER, "sorted": SORTED, "hash": HASH, "age": AGE, "towns": TOWNS}
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html)
    with serve_folder(folder) as site:
        yield site


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 1.0)


@pytest.fixture
def make(browser: Browser, site: Site, tmp_path: Path) -> Callable[..., tuple[Page, Skill]]:
    def make(name: str, do: Callable[[Page], Any], goal: str = "") -> tuple[Page, Skill]:
        page = browser.open(f"{site.url.rstrip('/')}/{name}.html")
        with sb.recording(page, goal or f"Use {name}") as rec:
            do(page)
        return page, rec.save_skill(name, str(tmp_path), prove=False)

    return make


def run(skill: Skill, page: Page, **inputs: Any) -> SkillResult:
    return skill.run(page, raise_on_error=False, approve=skill.digest, **inputs)


def test_a_filter_that_was_left_doesnt_narrow_what_is_read(make: Callable[..., tuple[Page, Skill]]) -> None:
    page, skill = make("people", lambda page: (page.fill("textbox 'Town'", "Oslo"), sb.extract(page)))
    page.fill("textbox 'Town'", "")
    page.fill("textbox 'Team'", "Blue")
    result = run(skill, page)
    assert result.ok, result.error
    assert result.frame["Name"].tolist() == ["Ann", "Cy", "Eve"]


def test_an_input_names_no_record_of_a_step_before_it(browser: Browser, site: Site, tmp_path: Path) -> None:
    """Ann lives in the town that is typed already: the row was looked for by its town, and another person's edited."""
    page = browser.open(f"{site.url.rstrip('/')}/towns.html")
    with sb.record(page) as rec:
        page.click("button 'Edit' in row 'Ann'")
        page.fill("textbox 'New town'", "Oslo")
        page.click("button 'Save'")
        rec.input(2, "town")
    skill = rec.save_skill("move", folder=tmp_path)
    again = browser.open(page.url)
    result = skill.run(again, town="Bonn")
    assert result.ok, result.error
    assert sb.extract(result.page or again)["Town"].tolist() == ["Bonn", "Bonn", "Ulm"]


def test_what_cant_be_undone_asks_though_one_saved_the_skill_oneself(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    page = browser.open(f"{site.url.rstrip('/')}/towns.html")
    with sb.record(page) as rec:
        page.click("button 'Delete' in row 'Bob'")
    skill = rec.save_skill("remove", folder=tmp_path)
    again = browser.open(page.url)
    result = skill.run(again)
    assert not result.ok
    assert "can't be undone" in str(result.error)
    assert len(sb.extract(again)) == 3
    assert skill.run(again, approve=skill.digest).ok
    gone = skill.run(again, approve=skill.digest, start="here")
    assert "the page shows no row 'Bob'" in str(gone.error)


def test_a_slider_comes_to_where_it_stood_however_often_it_runs(
    make: Callable[..., tuple[Page, Skill]],
) -> None:
    page, skill = make("slider", lambda page: [page.press("ArrowRight", "slider 'Volume'") for _ in range(5)])
    for _ in range(2):
        result = run(skill, page)
        assert result.ok, result.error
        assert page.evaluate("out.textContent") == "5"
    result = skill.run(page, start="here", raise_on_error=False)
    assert page.evaluate("out.textContent") == "5" or not result.ok


def test_a_list_is_sorted_as_recorded_where_only_a_class_says_so(
    make: Callable[..., tuple[Page, Skill]],
) -> None:
    page, skill = make("sorted", lambda page: (page.click("button 'Price'"), sb.extract(page)))
    for _ in range(3):
        result = run(skill, page)
        assert result.ok, result.error
        assert result.frame["Price"].astype(int).tolist() == [10, 20, 30]


def test_a_filter_in_the_fragment_is_added_once(make: Callable[..., tuple[Page, Skill]]) -> None:
    page, skill = make("hash", lambda page: page.click("button 'Add filter'"))
    for _ in range(3):
        result = run(skill, page)
        assert result.ok, result.error
        assert page.evaluate("list.children.length") == 1


def test_fault_92_a_value_that_is_put_back_ends_the_run_before_it_is_sent(
    make: Callable[..., tuple[Page, Skill]],
) -> None:
    page, skill = make(
        "age", lambda page: (page.fill("textbox 'Age'", "40"), page.click("button 'Save'")), 'Set age "40"'
    )
    [age] = [one.name for one in skill.spec.inputs if one.name != "site"]
    result = run(skill, page, **{age: "50"})
    assert result.ok, result.error
    assert page.evaluate("out.textContent") == "saved 50.0"
    result = run(skill, page, **{age: "200"})
    assert not result.ok
    assert page.evaluate("out.textContent") == ""
    assert "30" in str(result.error)


def test_fault_86_what_was_sent_is_not_failed_where_only_its_sign_is_missing(
    browser: Browser, tmp_path: Path
) -> None:
    with serve_site("shop") as shop:
        page = browser.open(shop.url)
        with sb.recording(page, 'Subscribe "ann@oak.test" to the newsletter') as rec:
            page.click("button 'Newsletter'")
            page.fill("textbox 'E-mail'", "ann@oak.test")
            page.click("button 'Subscribe'")
        skill = rec.save_skill("subscribe", str(tmp_path), prove=False)
        last = skill.spec.steps[-1].model_copy(update={"expect": [Check(text="Never there", within=0.5)]})
        skill.spec.steps[-1] = last
        result = run(skill, page)
    assert not result.ok
    assert result.status == "sent, not confirmed"
    assert "was sent, and nothing said that it failed" in str(result.error)


def test_a_field_that_writes_its_value_in_another_way_is_pressed_on(browser: Browser, site: Site) -> None:
    page = browser.open(f"{site.url.rstrip('/')}/age.html")
    page.fill("textbox 'Age'", "40")
    page.click(page.snapshot().find("button 'Save'").ref)
    assert page.evaluate("out.textContent") == "saved 40.0"


RECORD = """<!doctype html><title>Record</title><h1>Record</h1><form method="post" action="/answer/200">
<label>Title <input name="title" value="Old"></label>
<label><input type="checkbox" name="public" value="on" {public}> Public</label>
<label><input type="checkbox" name="form-0-DELETE" value="on" id="drop"> Delete</label>
<button>Save</button></form><script>{script}</script>"""


@pytest.mark.parametrize(
    ("public", "script", "refused"),
    [("", "", ""), ("checked", "", ""), ("", "drop.checked = true", "form-#-DELETE")],
    ids=["as recorded", "ticked in this record", "ticked by the page's script"],
)
def test_fault_96_a_field_that_wasnt_sent_is_sent_only_as_the_record_has_it(
    public: str, script: str, refused: str, browser: Browser, tmp_path: Path
) -> None:
    with serve_failing() as site:
        site.html = RECORD.format(public="", script="")
        page = browser.open(site.url)
        with sb.recording(page, 'Set the title to "New"') as rec:
            page.fill("textbox 'Title'", "New")
            page.click("button 'Save'")
        skill = rec.save_skill("title", str(tmp_path), prove=False)
        site.html, site.arrived[:] = RECORD.format(public=public, script=script), []
        result = run(skill, page)
        assert result.ok is not bool(refused), result.error
        assert site.arrived == ([] if refused else ["POST /answer/200"])
        if refused:
            assert result.error is not None
            assert f"its body has '{refused}', which the recording didn't send" in result.error.message
            assert f"add '{refused}' to `fields`" in (result.error.hint or "")


LINES = """<!doctype html><title>Order</title><h1>Order</h1><form method="post" action="/answer/200">
<input type="hidden" name="also[0]" value="0">
<label>Customer <input name="customer" value="Ann"></label><table><tr><th>Product<th>Amount</tr>{rows}</table>
<button>Save</button></form><script>{script}</script>"""
LINE = """<tr><td><input type="hidden" name="line-{n}-id" value="{n}"><input name="line-{n}-product" value="{product}">
<td><input name="line-{n}-amount" value="1" id="amount-{n}"></tr>"""


CHANGE = "document.querySelectorAll('td + td input').forEach(each => each.value = 9)"
MORE = """for (const n of [1, 2])
document.forms[0].insertAdjacentHTML('beforeend', `<input type=hidden name=also[${n}] value=${n}>`)"""
HIDE = "document.forms[0].insertAdjacentHTML('beforeend', '<input type=hidden name=line-1-DELETE>')"


@pytest.mark.parametrize(
    ("products", "script", "refused"),
    [
        (["lamp"], "", ""),
        (["lamp", "desk", "chair"], "", ""),
        (["lamp", "desk", "chair"], CHANGE, "line-#-amount"),
        (["lamp", "desk"], HIDE, "line-#-DELETE"),
        (["lamp", "desk"], MORE, "also[#] (3 times)"),
    ],
    ids=["fewer rows", "more rows", "more rows that changed", "another hidden field", "more of a hidden list"],
)  # fmt: skip
def test_a_form_of_more_rows_is_sent_with_them_as_they_are(
    products: list[str], script: str, refused: str, browser: Browser, tmp_path: Path
) -> None:
    def page_of(products: list[str], script: str = "") -> str:
        rows = "".join(LINE.format(n=n, product=product) for n, product in enumerate(products))
        return LINES.format(rows=rows, script=script)

    with serve_failing() as site:
        site.html = page_of(["lamp", "desk"])
        page = browser.open(site.url)
        with sb.recording(page, 'Set the customer to "Bob"') as rec:
            page.fill("textbox 'Customer'", "Bob")
            page.click("button 'Save'")
        skill = rec.save_skill("customer", str(tmp_path), prove=False)
        site.html, site.arrived[:] = page_of(products, script), []
        result = run(skill, page)
        assert result.ok is not bool(refused), result.error
        assert site.arrived == ([] if refused else ["POST /answer/200"])
        assert refused in str(result.error)


def test_fault_95_who_is_asked_knows_what_the_question_is_about(browser: Browser, tmp_path: Path) -> None:
    with serve_failing() as site:
        site.html = """<!doctype html><title>People</title><h1>People</h1><table><tr><td>Ann<td>
        <form method="post" action="/delete/200"><input type="hidden" name="id" value="1"><button>Delete</button></form>
        <tr><td>Bob<td><form method="post" action="/delete/200"><button>Delete</button></form></table>"""
        page = browser.open(site.url)
        with sb.recording(page, "Delete Ann") as rec:
            page.click("button 'Delete' in row 'Ann'")
        skill = rec.save_skill("delete", str(tmp_path), prove=False)
        questions: list[Any] = []
        skill.run(page, start="always", raise_on_error=False, approve=questions.append)
        assert site.arrived == ["POST /delete/200"], "only what was recorded was sent"
    [question] = questions
    assert (question.skill, question.step, question.page) == ("delete", 1, f"{site.url}/")
    assert "Ann" in question.record
    assert "Delete" in question
    assert question.inputs == {"site": site.url}
    [sent] = question.sends
    assert sent.startswith(f"POST {site.url}/delete")


def test_fault_94_a_failed_run_says_what_it_has_already_done(browser: Browser, tmp_path: Path) -> None:
    with serve_failing() as site:
        site.html = """<!doctype html><title>Todos</title><h1>Todos</h1>
        <button id="add">Add</button><button>More</button><p id="out"></p>
        <script>add.onclick = () => fetch("/add/200", { method: "POST", body: "a" })
        .then(() => { out.textContent = "added"; });</script>"""
        page = browser.open(site.url)
        with sb.recording(page, "Add a todo") as rec:
            page.click("button 'Add'")
            page.click("button 'More'")
        skill = rec.save_skill("add", str(tmp_path), prove=False, keep=[2])
        [send] = skill.spec.sends or []
        sends = [send, send.model_copy(update={"path": "/other", "step": 2})]
        skill = Skill(skill.spec.model_copy(update={"sends": sends}))
        site.html, site.arrived[:] = site.html.replace("More", "Less"), []
        result = run(skill, page)
    assert not result.ok
    assert site.arrived == ["POST /add/200"]
    assert result.error is not None
    assert "before that it sent POST" in result.error.message

"""Skills recorded from what was really done in Chromium, saved, loaded and replayed without a model."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from skillbook import cli
from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import ApprovalRequired, NotAllowed, ReplayFailed
from skillbook.io_thread import io
from skillbook.session.sync import Page
from skillbook.skill import Library, Skill, load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Extract, SkillStep
from skillbook.skill.replay import step_targets
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site, serve_site
from tests.skill.recorded import skill_from_run

EXAMPLES = Path(__file__).resolve().parents[2] / "skills"
Open = Callable[[str], Page]
Serve = Callable[[str], Page]


class Hands:
    """Does things on a page and remembers them as an agent's run would."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps: list[StepRecord] = []

    def do(self, tool: str, target: str | None = None, **args: Any) -> None:
        driver = self.page.driver
        before = self.page.snapshot()
        extra = {}
        if tool == "extract":
            sb.extract(self.page, **args)
        else:
            extra["node"] = io.sync(driver.act(tool, target, **args)).target
        given = args if target is None else {"target": target, **args}
        record = StepRecord(
            0, tool, given, f"c{len(self.steps)}", before=before, after=driver.latest, extra=extra
        )
        record.url = self.page.url
        self.steps.append(record)

    def save(self, goal: str, name: str, folder: Path) -> Skill:
        skill_from_run(goal, self.steps, name).save(folder)
        return load_skill(name, folder)


@pytest.fixture
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


@pytest.mark.usefixtures("hasty")
def test_a_search_over_several_pages_replays_on_another_input(
    shop: Site, open_page: Open, tmp_path: Path
) -> None:
    hands = Hands(open_page(shop.url))
    fields = {"name": "heading", "price": "text ~'$'", "url": "link@href"}
    hands.do("fill", "searchbox 'Search products'", value="lamp")
    hands.do("click", "button 'Search'")
    hands.do("extract", fields=fields)
    hands.do("click", "link 'Next'")
    hands.do("extract", fields=fields)
    skill = hands.save('Search for "lamp" and list every product', "search-products", tmp_path)
    assert [step.command for step in skill.spec.steps] == ["fill", "click", "extract"]
    assert {one.name: one.default for one in skill.inputs} == {"site": shop.url, "query": "lamp"}

    same = skill.run(open_page(shop.url))
    assert same.ok, same.error
    assert len(same.frame) == 12
    page = open_page(shop.url + "/stores")
    other = skill.run(page, query="chair")
    assert other.ok, other.error
    assert other.model_calls == 0
    assert other.healed == []
    expected = sb.extract(open_page(shop.url + "/search?q=chair"), fields=fields, next="link 'Next'")
    pd.testing.assert_frame_equal(other.frame.reset_index(drop=True), expected.reset_index(drop=True))
    assert set(other.frame["name"]).isdisjoint(same.frame["name"])
    assert list(other.steps["status"]) == ["ok", "ok", "ok"]

    nothing = skill.run(page, query="zzzz")
    assert not nothing.ok
    assert "step 3 of 3" in str(nothing.error)


def test_the_example_skills_work(shop: Site, open_page: Open) -> None:
    library = Library(EXAMPLES)
    assert [(entry.name, entry.kind) for entry in library.entries] == [
        ("search-products", "replay"),
        ("skillbook", "prompt"),
        ("summarize-page", "prompt"),
        ("whatsapp-messages", "prompt"),
    ]
    result = library["search-products"].run(open_page(shop.url), query="desk")
    assert result.ok, result.error
    assert list(result.frame.columns) == ["name", "price", "url"]
    assert result.frame["name"].str.contains("desk", case=False).mean() > 0.5
    source = result.frame.skillbook.source(0, "name")
    assert source is not None
    assert shop.url in source.url


def test_the_command_line_runs_a_skill(
    shop: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    skill, out = str(EXAMPLES / "search-products"), tmp_path / "out.csv"
    given = ["--input", "query=chair", "--input", f"site={shop.url}"]
    assert cli.main(["run", skill, *given, "--csv", str(out)]) == 1
    error = capsys.readouterr().err
    assert "skill_not_approved" in error
    assert 'act on "${input:site}"' in error
    assert cli.main(["run", skill, *given, "--csv", str(out), "--approve"]) == 0
    assert "rows written" in capsys.readouterr().out
    assert list(pd.read_csv(out).columns) == ["name", "price", "url"]
    assert cli.main(["run", skill, "--input", "colour=red"]) == 2
    assert "has no input 'colour'" in capsys.readouterr().err
    assert cli.main(["skills", "--folder", str(EXAMPLES)]) == 0
    assert "search-products" in capsys.readouterr().out


def test_a_login_replays_with_a_secret_and_asks_first(
    shop: Site, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_SHOP_PASSWORD", "oak-and-lumen")
    hands = Hands(open_page(shop.url + "/login"))
    hands.do("fill", "textbox 'Username'", value="demo")
    hands.do("fill", "textbox 'Password'", value=sb.secret("shop-password"))
    hands.do("click", "button 'Log in' in main")
    skill = hands.save("Log in as demo", "log-in", tmp_path)
    assert skill.spec.secrets == ["shop-password"]
    assert "oak-and-lumen" not in "".join(path.read_text() for path in (tmp_path / "log-in").iterdir())

    page = open_page(shop.url + "/logout")
    refused = skill.run(page)
    assert isinstance(refused.error, ApprovalRequired)
    assert "/login" in page.url
    questions: list[str] = []
    asked = skill.run(page, approve=lambda question: not questions.append(question))
    assert asked.ok, asked.error
    assert "Log in" in questions[0]
    assert "/account" in page.url


def test_jquery_uis_modal_form_replays_on_another_input(
    jqueryui: Site, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = jqueryui.url.rstrip("/") + "/usr/share/doc/libjs-jquery-ui-docs/examples/dialog/modal-form.html"
    hands = Hands(open_page(url))
    hands.do("click", "button 'Create new user'")
    hands.do("fill", "textbox 'Name' in dialog", value="Ann Lee")
    hands.do("fill", "textbox 'Email' in dialog", value="ann@lee.test")
    hands.do("fill", "textbox 'Password' in dialog", value="secret77")
    hands.do("click", "button 'Create an account'")
    hands.do("extract", within="table")
    skill = hands.save("Create the user Ann Lee with ann@lee.test", "create-user", tmp_path)
    assert [one.name for one in skill.inputs] == ["site", "name", "email"]
    assert "secret77" not in skill.spec.model_dump_json()
    assert skill.spec.secrets == ["password"]

    monkeypatch.setenv("SKILLBOOK_SECRET_PASSWORD", "other88")
    page = open_page(url)
    result = skill.run(page, name="Bo Low", email="bo@low.test", approve=skill.digest)
    assert result.ok, result.error
    assert result.healed == []
    assert result.model_calls == 0
    assert list(result.frame.iloc[-1]) == [
        "Bo Low",
        "bo@low.test",
        "••••••",
    ]  # the page shows it, skillbook does not


@pytest.mark.usefixtures("hasty")
def test_changed_ids_and_a_renamed_button_heal(serve_html: Serve, tmp_path: Path) -> None:
    form = """<h1>Users</h1><form onsubmit="event.preventDefault(); out.textContent = 'Saved ' + this.who.value">
    <label>Name <input id="name" name="who"></label>
    <button id="save" name="save">Save</button> <button id="x" type="button">Cancel</button></form>
    <p id="out" role="status"></p>"""
    hands = Hands(serve_html(form))
    hands.do("fill", "textbox 'Name'", value="Ann")
    hands.do("click", "button 'Save'")
    skill = hands.save("Save the user Ann", "save-user", tmp_path)

    other_ids = skill.run(
        serve_html(form.replace('id="name"', 'id="n7"').replace('id="save"', 'id="b9"')), name="Bo"
    )
    assert other_ids.ok, other_ids.error
    assert other_ids.healed == []

    page = serve_html(form.replace(">Save<", ">Store<"))
    renamed = skill.run(page, name="Cy", start="here")
    assert renamed.ok, renamed.error
    assert page.evaluate("out.textContent") == "Saved Cy"
    assert [one.target for one in renamed.healed] == ["button 'Store'"]
    assert renamed.patch is not None
    assert skill.run(serve_html(form), start="here").ok
    healed = skill.apply(renamed.patch)
    assert load_skill("save-user", tmp_path).digest == healed.digest != skill.digest
    again = healed.run(page, name="Di", start="here")
    assert again.ok
    assert again.healed == []

    page = serve_html(form.replace('id="save" name="save">Save<', ">Continue<"))
    refused = skill.run(page, name="Ed", start="here")
    assert isinstance(refused.error, ReplayFailed)
    assert page.evaluate("out.textContent") == ""
    two = serve_html(
        form.replace("</form>", "<button>Save</button></form>").replace('id="save" name="save"', "")
    )
    assert isinstance(skill.run(two, name="Flo", start="here").error, ReplayFailed)


STOCK = """<h1>Stock</h1><form onsubmit="event.preventDefault()"><table><tbody id="rows"></tbody></table>
<button>Save</button></form><script>
{names}.forEach((name, n) => rows.insertAdjacentHTML('beforeend',
  `<tr><td>${{name}}</td><td>Kitchen</td><td><input type=number name="form-${{n}}-stock" data-of="${{name}}" value=1>`))
</script>"""


@pytest.mark.usefixtures("hasty")
def test_fault_42_one_more_row_and_the_recorded_record_is_written_or_none(
    serve_html: Serve, tmp_path: Path
) -> None:
    hands = Hands(serve_html(STOCK.format(names=["Glass", "Wood"])))
    hands.do("fill", "spinbutton nth 1", value="7")
    skill = hands.save("Set the stock to 7", "set-stock", tmp_path)

    def written(names: list[str]) -> tuple[bool, str, str]:
        page = serve_html(STOCK.format(names=names))
        result = skill.run(page, start="here")
        values = (
            "[...document.querySelectorAll('input')].filter(i => i.value != 1).map(i => i.dataset.of).join()"
        )
        return result.ok, page.evaluate(values), str(result.error or "")

    assert written(["New", "Glass", "Wood"]) == (True, "Glass", "")
    ok, changed, why = written(["New", "Wood"])
    assert (ok, changed) == (False, "")
    assert "Glass" in why
    assert written(["Glass", "Glass", "Wood"])[:2] == (False, "")


def test_fault_46_what_comes_two_seconds_late_is_waited_for_beside_a_namesake(
    serve_html: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = """<h1>People</h1><p id="out" role="status"></p>
    <button id="b1" onclick="out.textContent = 'removed'">Remove person</button> <span id="here"></span><script>
    const add = () => { here.innerHTML = '<button id="b2">Add person</button>';
      b2.onclick = () => { out.textContent = 'added'; }; }; LATER</script>"""
    hands = Hands(serve_html(late.replace("LATER", "add()")))
    hands.do("click", "button 'Add person'")
    skill = hands.save("Open the form", "open-form", tmp_path)
    page = serve_html(late.replace("LATER", "setTimeout(add, 2000)"))
    result = skill.run(page, start="here")
    assert result.ok, result.error
    assert result.healed == []
    assert page.evaluate("out.textContent") == "added"
    monkeypatch.setattr(step_targets, "CAUSE_SECONDS", 3.0)
    gone = serve_html(late.replace("LATER", ""))
    assert isinstance(skill.run(gone, start="here").error, ReplayFailed)
    assert gone.evaluate("out.textContent") == ""


def test_another_origin_is_refused(shop: Site, open_page: Open, serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html('<label>Name <input id="name"></label>')
    hands = Hands(page)
    hands.do("fill", "textbox 'Name'", value="Ann")
    skill = hands.save("Enter Ann", "enter", tmp_path)
    elsewhere = skill.run(open_page(shop.url), site=page.url.rsplit("/", 1)[0], start="here")
    assert isinstance(elsewhere.error, NotAllowed)


def test_an_interrupt_keeps_what_was_read(shop: Site, open_page: Open) -> None:
    step = SkillStep(
        command="extract", extract=Extract(fields={"name": "heading"}, within="list 'Products'", next=True)
    )
    spec = SkillSpec(
        name="everything", description="x", start=f"{shop.url}/search", origins=[shop.url], steps=[step]
    )
    skill, page = Skill(spec), open_page(shop.url)

    def interrupt() -> None:
        deadline = time.monotonic() + 30
        while "page=3" not in page.url and time.monotonic() < deadline:
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        skill.run(page)
    thread.join()
    page.wait_for(idle=True)
    assert skill.last is not None
    assert isinstance(skill.last.error, ReplayFailed)
    assert 8 <= len(skill.last.frame) < 60
    whole = skill.run(page, start="always")
    assert whole.ok, whole.error
    assert len(whole.frame) == 60


def test_a_prompt_file_runs_as_an_agents_prompt(shop: Site, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "greet.prompt.md").write_text("Say hello to ${input:whom}.")
    skill = sb.load_skill(tmp_path / "greet.prompt.md", approve=True)
    model = ScriptedModel([ToolCall("snapshot"), "Hello Ann."])
    result = skill.run(open_page(shop.url), model=model, whom="Ann")
    assert result.ok, result.error
    assert result.value == "Hello Ann."
    assert [one.command for one in result.outcomes] == ["snapshot"]
    assert "Say hello to Ann." in str(model.requests[0])


async def test_the_awaitable_twin(shop: Site, browser: Any, tmp_path: Path) -> None:
    hands = Hands(await _in_thread(browser.open, shop.url))
    await _in_thread(hands.do, "fill", "searchbox 'Search products'", value="desk")
    skill = await _in_thread(hands.save, "Type desk", "type-query", tmp_path)
    result = await skill.arun(hands.page, query="shelf")
    assert result.ok, result.error
    assert await _in_thread(hands.page.get, "value", "searchbox") == "shelf"
    await _in_thread(hands.page.close)


async def _in_thread(work: Callable[..., Any], *args: Any, **options: Any) -> Any:
    import asyncio

    return await asyncio.to_thread(work, *args, **options)


def test_a_button_with_its_recorded_id_heals_before_the_wait_is_over(
    serve_html: Serve, tmp_path: Path
) -> None:
    form = """<h1>Users</h1><p id="out" role="status"></p><p id="clock"></p>
    <button id="save" onclick="out.textContent = 'Saved'">Save</button>
    <script>setInterval(() => { clock.textContent = performance.now(); }, 100)</script>"""
    hands = Hands(serve_html(form))
    hands.do("click", "button 'Save'")
    skill = hands.save("Save", "save-it", tmp_path)
    page = serve_html(form.replace(">Save<", ">Store<"))
    result = skill.run(page, start="here")
    assert result.ok, result.error
    assert page.evaluate("out.textContent") == "Saved"
    assert 1000 < result.elapsed_ms < 10_000, "what is in doubt waits for ten seconds"


def test_a_row_whose_text_changes_by_itself_is_pressed_with_an_approval(
    serve_html: Serve, tmp_path: Path
) -> None:
    page = """<h1>Jobs</h1><table><tbody><tr id="row"><td>Build</td><td id="clock">just now</td><td>
    <span role="button" tabindex="0" id="del" onclick="out.textContent = 'deleted'">Delete</span></table>
    <p id="out" role="status"></p><script>let n = 0;
    const tick = () => { clock.textContent = `${++n} minutes ago`; del.textContent = `Delete (${n})`; };
    setInterval(tick, SPEED)</script>"""
    hands = Hands(serve_html(page.replace("SPEED", "1e9")))
    hands.do("click", "button 'Delete'")
    skill = hands.save("Delete the job", "delete-job", tmp_path)
    again = serve_html(page.replace("SPEED", "1500"))
    result = skill.run(again, start="here", approve=skill.digest)
    assert result.ok, result.error
    assert again.evaluate("out.textContent") == "deleted"


RESUMED = """<h1>Users</h1><label>Name <input id="who" oninput="typed = (window.typed || 0) + 1"></label>
<span id="place">BUTTON</span><p id="here"></p><script>
function save() { window.pressed = (window.pressed || 0) + 1; SHOWS }
function show() { here.innerHTML = '<h1>Saved</h1>'; }</script>"""


@pytest.mark.usefixtures("hasty")
def test_a_run_goes_on_at_the_step_that_failed_and_does_nothing_twice(
    serve_html: Serve, tmp_path: Path
) -> None:
    button = "<button onclick=save()>Save</button>"
    whole = RESUMED.replace("BUTTON", button).replace("SHOWS", "show()")
    hands = Hands(serve_html(whole))
    hands.do("fill", "textbox 'Name'", value="Ann")
    hands.do("click", "button 'Save'")
    spec = hands.save("Save the user Ann", "resume-it", tmp_path).spec
    assert spec.steps[1].expect, "the heading that appeared"
    short = [check.model_copy(update={"within": 0.5}) for check in spec.steps[1].expect]
    steps = [spec.steps[0], spec.steps[1].model_copy(update={"expect": short})]
    skill = Skill(spec.model_copy(update={"steps": steps}))

    page = serve_html(whole.replace(button, ""))
    result = skill.run(page, start="here", approve=skill.digest)
    assert (result.ok, len(result.outcomes), result.stopped.step, result.stopped.done) == (False, 2, 2, "no")
    page.evaluate(f"place.innerHTML = `{button}`")
    assert result.resume() is result
    assert result.ok, result.error
    assert [one.status for one in result.outcomes] == ["ok", "ok"]
    assert page.evaluate("[window.typed, window.pressed]") == [1, 1]
    with pytest.raises(ReplayFailed, match="nothing to resume"):
        result.resume()

    page = serve_html(whole.replace("show()", "0", 1))
    result = skill.run(page, start="here", approve=skill.digest)
    assert (result.ok, result.stopped.done) == (False, "yes")
    page.evaluate("show()")
    assert result.resume().ok
    assert page.evaluate("window.pressed") == 1


CLAMPED = """<form onsubmit="document.title = 'Saved ' + stock.value; return false"><input id=stock aria-label=Stock
  onchange="if (+this.value > 100) this.value = 100"><button>Save</button></form>"""


def test_a_value_that_the_page_changes_afterwards_is_no_success(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(CLAMPED)
    with sb.recording(page, "Set the stock to 40") as recording:
        page.fill("textbox 'Stock'", "40")
        page.click("button 'Save'")
    skill = recording.save_skill("set-stock", tmp_path, prove=False)
    assert skill.run(page, stock="60", start="here").ok
    result = skill.run(page, stock="500", start="here")
    assert not result.ok
    assert "changed that to '100'" in str(result.error)
    with pytest.raises(TypeError, match="given by name"):
        skill.run(page, {"stock": "50"}, start="here")


def test_a_page_that_asks_before_it_is_left_is_left_alone(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(
        "<input aria-label=Note><button onclick=\"out.textContent = 'Saved'; onbeforeunload = null\">Save</button>"
        "<p role=status id=out></p><script>onbeforeunload = event => event.preventDefault()</script>"
    )
    with sb.recording(page, "Save it") as rec:
        page.click("button 'Save'")
    skill = rec.save_skill("save-it", tmp_path, prove=False)
    page.goto(page.url)
    page.type("textbox 'Note'", "half a sentence")
    result = skill.run(page, approve=skill.digest)
    assert result.ok, result.error
    assert "asks before it is left" in result.why_new_tab
    assert result.page is not page
    assert page.get("value", "textbox 'Note'") == "half a sentence"

"""The main job on applications that nobody here wrote: agent with approvals → skill → replay → data."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import ApprovalRequired, NoMatch, SkillNotApproved
from skillbook.session.sync import Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.shown import after_reading

pytestmark = pytest.mark.gym
Open = Callable[[str], Page]

DEMOS = "/usr/share/doc/libjs-jquery-ui-docs/examples"
OPERATIONS = "64ac2886475729c4265fc71e9847fd5845da44890608684b38dd40bf0085a643"


def step_through(page: Page, goal: str, calls: Sequence[ToolCall], monkeypatch: pytest.MonkeyPatch) -> Run:
    """An agent behind the real OpenAI client makes the calls; a person approves each."""
    with OpenAIServer([*calls, "All done."]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
        run = sb.agent(page, goal)
        run.step()
        approvals = 0
        while run.pending:
            after_reading(run).approve()
            approvals += 1
        assert approvals == len(calls)
        assert run.status == "succeeded", run.steps.to_string()
        assert run.steps["ok"].all(), run.steps.to_string()
    return run


def checksum(frame: pd.DataFrame) -> str:
    """The sha256 of a frame as plain CSV, its rows sorted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(sorted([" ".join(str(cell).split()) for cell in row] for row in frame.values.tolist()))
    return hashlib.sha256(text.getvalue().encode()).hexdigest()


def test_swagger_uis_operations_as_a_data_frame(swagger: Site, open_page: Open) -> None:
    page = open_page(swagger.url)
    page.wait_for(selector="button name~'Get the Jupyter Server version'")
    frame = next(frame for frame in sb.tables(page) if len(frame) == 31)
    assert frame.shape == (31, 3)
    assert checksum(frame.set_axis(["method", "path", "summary"], axis=1)) == OPERATIONS


@pytest.mark.more
def test_shoelaces_form_through_its_shadow_roots(
    shoelace: Site, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(shoelace.url)
    page.wait_for(selector="button 'Place order'")
    goal = 'Order for "Nina Holm", express, gift wrapped, quantity 7, note "hi".'
    calls = [
        ToolCall("fill", {"target": "textbox name~'Customer'", "value": "Nina Holm"}),
        ToolCall("click", {"target": "combobox 'Country'"}),
        ToolCall("click", {"target": "option 'Norway'"}),
        ToolCall("check", {"target": "radio 'Express'"}),
        ToolCall("check", {"target": "checkbox 'Gift wrap'"}),
        ToolCall("fill", {"target": "slider 'Quantity'", "value": "7"}),
        ToolCall("fill", {"target": "textbox 'Note'", "value": "hi"}),
        ToolCall("click", {"target": "button 'Place order'"}),
    ]
    run = step_through(page, goal, calls, monkeypatch)
    wanted = {"country": "no", "customer": "Nina Holm", "gift": "on", "note": "hi", "qty": "7", "ship": "exp"}
    assert json.loads(page.evaluate("document.querySelector('#out').textContent")) == wanted

    skill = run.save_skill("book-tickets", folder=str(tmp_path))
    customer = next(one.name for one in skill.inputs if one.default == "Nina Holm")
    note = next(one.name for one in skill.inputs if one.default == "hi")
    fresh = open_page(shoelace.url)
    fresh.wait_for(selector="button 'Place order'")
    again = sb.load_skill(str(tmp_path / "book-tickets"))
    result = again.run(fresh, approve=again.digest, **{customer: "Per Lund", note: "call me"})
    assert result.ok, result.error
    assert result.model_calls == 0
    changed = {**wanted, "customer": "Per Lund", "note": "call me"}
    assert json.loads(fresh.evaluate("document.querySelector('#out').textContent")) == changed


def test_fault_26_an_approved_skill_that_was_changed_asks_again(
    shoelace: Site, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(shoelace.url)
    page.wait_for(idle=True)
    calls = [
        ToolCall("fill", {"target": "textbox name~'Customer'", "value": "Nina Holm"}),
        ToolCall("click", {"target": "button 'Place order'"}),
    ]
    skill = step_through(page, 'Order for "Nina Holm".', calls, monkeypatch).save_skill(
        "order", folder=str(tmp_path)
    )
    unasked = skill.run(page, start="always", raise_on_error=False)
    assert isinstance(unasked.error, ApprovalRequired)
    assert skill.run(page, start="always", approve=skill.digest).ok
    file = tmp_path / "order" / "SKILL.md"
    file.write_text(file.read_text().replace("Order for", "Please order for"))
    changed = sb.load_skill(str(tmp_path / "order"))
    with pytest.raises(SkillNotApproved, match="Place order"):
        changed.run(page, start="always")
    result = changed.approve().run(page, start="always")
    assert isinstance(result.error, ApprovalRequired)


def test_a_destructive_button_behind_a_dialog(
    shoelace: Site, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(shoelace.url)
    page.wait_for(selector="button 'Delete draft'")
    calls = [
        ToolCall("click", {"target": "button 'Delete draft'"}),
        ToolCall("click", {"target": "button 'Keep' in dialog"}),
    ]
    run = step_through(page, "Press Delete draft, then keep it.", calls, monkeypatch)
    assert list(run.steps["effect"]) == ["irreversible", "write"]
    assert json.loads(page.evaluate("document.querySelector('#out').textContent")) == {"deleted": False}


def test_shoelaces_hidden_table(shoelace: Site, open_page: Open) -> None:
    page = open_page(shoelace.url)
    page.wait_for(idle=True)
    page.click("tab 'Seats'")
    page.wait_for(selector="table")
    frame = sb.tables(page)[0]
    assert list(frame.columns) == ["Seat", "Row", "Price"]
    assert frame["Price"].tolist() == [seat * 4.5 for seat in range(1, 10)]


def test_jquery_uis_modal_form(
    jqueryui: Site, open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{jqueryui.url}{DEMOS}/dialog/modal-form.html"
    page = open_page(url)
    page.wait_for(selector="button 'Create new user'")
    calls = [
        ToolCall("click", {"target": "button 'Create new user'"}),
        ToolCall("fill", {"target": "textbox 'Name' in dialog", "value": "AnnLee"}),
        ToolCall("fill", {"target": "textbox 'Email' in dialog", "value": "ann@lee.org"}),
        ToolCall("fill", {"target": "textbox 'Password' in dialog", "value": "${secret:demo}"}),
        ToolCall("click", {"target": "button 'Create an account' in dialog"}),
    ]
    monkeypatch.setenv("SKILLBOOK_SECRET_DEMO", "secret123")
    sb.secret("demo", origins={jqueryui.url})
    run = step_through(page, 'Create the user "AnnLee" with the address "ann@lee.org".', calls, monkeypatch)
    last_row = "[...document.querySelectorAll('#users tbody tr:last-child td')].map(cell => cell.innerText)"
    assert page.evaluate(last_row)[:2] == ["AnnLee", "ann@lee.org"]
    assert (
        page.evaluate("document.querySelector('#users tbody tr:last-child td:last-child').innerText.length")
        == 9
    )

    skill = run.save_skill("create-user", folder=str(tmp_path))
    assert "secret123" not in "".join(file.read_text() for file in (tmp_path / "create-user").iterdir())
    inputs = {one.default: one.name for one in skill.inputs}
    fresh = open_page(url)
    fresh.wait_for(selector="button 'Create new user'")
    result = skill.run(fresh, **{inputs["AnnLee"]: "BobRay", inputs["ann@lee.org"]: "bob@ray.org"})
    assert result.ok, result.error
    users = sb.tables(fresh)[0]
    assert users["Name"].tolist()[-1] == "BobRay"
    assert users["Email"].tolist()[-1] == "bob@ray.org"


def test_jquery_uis_date_picker_and_autocomplete(jqueryui: Site, open_page: Open) -> None:
    page = open_page(f"{jqueryui.url}{DEMOS}/datepicker/default.html")
    page.click("textbox")
    page.click("link 'Next'")
    page.click("link 'Next'")
    page.click("link '15'")
    month = page.evaluate(
        "(() => { const d = new Date(); d.setDate(1); d.setMonth(d.getMonth() + 2); return d.getMonth() + 1 })()"
    )
    assert page.get("value", "textbox").startswith(f"{month:02}/15/")

    page = open_page(f"{jqueryui.url}{DEMOS}/autocomplete/default.html")
    page.type("textbox", "ja")
    page.wait_for(selector="listitem 'JavaScript'")
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("Enter")
    assert page.get("value", "textbox") == "JavaScript"


def test_jquery_uis_sortable_list(jqueryui: Site, open_page: Open) -> None:
    page = open_page(f"{jqueryui.url}{DEMOS}/sortable/default.html")
    page.wait_for(text="Item 7")
    page.drag("text 'Item 1'", "text 'Item 4'", position="after")
    order = page.evaluate("[...document.querySelectorAll('#sortable li')].map(item => item.innerText.trim())")
    assert order == [f"Item {number}" for number in (2, 3, 4, 1, 5, 6, 7)]


def test_a_drawn_list_is_chosen_from_like_a_native_one(shoelace: Site, open_page: Open) -> None:
    page = open_page(shoelace.url)
    page.wait_for(idle=True)
    page.select("combobox 'Country'", "Norway")
    assert page.evaluate("document.querySelector('sl-select').value") == "no"
    page.select("combobox 'Country'", "Peru")
    assert page.evaluate("document.querySelector('sl-select').value") == "pe"
    with pytest.raises(NoMatch, match="Atlantis"):
        page.select("combobox 'Country'", "Atlantis")


SLOW = """() => {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, options) {
    return animate.call(this, frames, { ...options, duration: 500 });
  };
}"""


def test_a_list_that_is_slow_to_close_is_chosen_from_again(shoelace: Site, open_page: Open) -> None:
    # One that is opened while it closes counts as open and shows nothing.
    page = open_page(shoelace.url)
    page.wait_for(idle=True)
    page.evaluate(SLOW)
    for name, value in (("Norway", "no"), ("Peru", "pe"), ("Norway", "no")):
        page.select("combobox 'Country'", name)
        assert page.evaluate("document.querySelector('sl-select').value") == value

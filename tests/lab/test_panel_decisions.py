"""The person decides in the panel, by clicks and keys: each answer reaches the kernel, once."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import SETUP, Open, answers, press, shown, wait_for_answers, went

__all__ = ["shown"]

CELLS = """
from skillbook.agents.run.run_code import cell_view, variable_views
from skillbook.agents.state.run_cells import Variable
from skillbook.agents.state.step_records import CellPlace, PendingCall, Review
def cell(tool, args, place):
    waits = PendingCall("c", "c", tool, args, "", Review(True, True, "write"), {}, (), cell=place)
    properties = {name: {"type": "string"} for name in args}
    schema = {"properties": properties, "required": [*args]}
    return replace(call(f"c{place.line}", tool, schema, **args), cell=cell_view(waits))
code = 'page.title\\npage.click("e2")'
source._questions = [
    cell("click", {"target": "e2"}, CellPlace(1, code, 2, 11, 27)),
    cell("run_cell", {"code": code}, CellPlace(1, code, forecast="1 write")),
]
left = variable_views([Variable("rows", "list", 1, [{"a": 1}])])
source.state = replace(source.state, variables=left)
source._ask(); source.notify()
"""

RED = "rgb(179, 38, 30)"


def test_approve_reaches_the_kernel_once(shown: LabNotebook) -> None:
    shown.panel.get_by_role("button", name="Approve", exact=True).dblclick()
    expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    expect(shown.panel.get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    assert wait_for_answers(shown, 1) == [["q1", "approve", {}, ""]]
    expect(shown.panel.locator(".sbp-step")).to_have_count(1)


def test_control_enter_approves_and_the_cell_is_not_run_again(shown: LabNotebook) -> None:
    count = "() => jupyterapp.shell.currentWidget.content.widgets[0].model.executionCount"
    before = shown.page.evaluate(count)
    shown.panel.get_by_role("button", name="Reject…").focus()
    shown.page.keyboard.press("Control+Enter")
    expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    assert wait_for_answers(shown, 1) == [["q1", "approve", {}, ""]]
    assert shown.page.evaluate(count) == before


def test_edited_arguments_go_out_with_their_types(shown: LabNotebook) -> None:
    panel = shown.panel
    edited = panel.get_by_role("button", name="Approve edited")
    expect(edited).to_be_disabled()
    panel.get_by_label("value", exact=True).fill("ebony")
    panel.locator("summary", has_text="more options").click()
    panel.get_by_label("times", exact=True).fill("3")
    panel.get_by_label("button", exact=True).select_option(label="right")
    panel.get_by_label("force").check()
    panel.get_by_label("Shift").check()
    panel.get_by_label("values").fill("one\ntwo")
    expect(panel.get_by_role("button", name="Approve as proposed")).to_be_visible()
    edited.click()
    (answer,) = wait_for_answers(shown, 1)
    assert answer == [
        "q1",
        "edit",
        {
            "target": "e2",
            "value": "ebony",
            "times": 3,
            "button": "right",
            "force": True,
            "modifiers": ["Shift"],
            "values": ["one", "two"],
        },
        "",
    ]


def test_invalid_arguments_are_named_and_held_back(shown: LabNotebook) -> None:
    panel = shown.panel
    panel.locator("summary", has_text="more options").click()
    panel.get_by_label("times", exact=True).fill("9")
    expect(panel.get_by_text("at most 5")).to_be_visible()
    expect(panel.get_by_label("times", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(panel.get_by_role("button", name="Approve edited")).to_be_disabled()
    panel.get_by_label("times", exact=True).fill("2.5")
    expect(panel.get_by_text("must be a whole number")).to_be_visible()
    panel.get_by_label("value", exact=True).fill("")
    expect(panel.get_by_text("at least 1 characters")).to_be_visible()
    panel.get_by_label("value", exact=True).press("Control+Enter")
    assert answers(shown) == []


def test_reject_carries_the_reason(shown: LabNotebook) -> None:
    shown.panel.get_by_role("button", name="Reject…").click()
    shown.panel.get_by_label("What to tell the agent").fill("too dear")
    shown.panel.get_by_role("button", name="Reject", exact=True).click()
    assert wait_for_answers(shown, 1) == [["q1", "reject", {}, "too dear"]]
    expect(shown.panel.locator(".sbp-step .sbp-reject")).to_have_text("rejected")


def test_respond_carries_the_text(shown: LabNotebook) -> None:
    shown.panel.get_by_role("button", name="Respond…").click()
    shown.panel.get_by_label("What to tell the agent").fill("it is 5")
    shown.page.keyboard.press("Enter")
    assert wait_for_answers(shown, 1) == [["q1", "respond", {}, "it is 5"]]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("a", ["q1", "approve", {}, ""]),
        ("s", ["q1", "skip", {}, ""]),
        ("rno,Enter", ["q1", "reject", {}, "no"]),
        ("tno,Enter", ["q1", "respond", {}, "no"]),
    ],
)
def test_one_key_decides(shown: LabNotebook, keys: str, answer: list[object]) -> None:
    letters, _, last = keys.partition(",")
    press(shown, *letters, *([last] if last else []))
    expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    expect(shown.panel).to_be_focused()
    # Whoever presses a key right after an answer had read the question before.
    expect(shown.panel.locator(".sbp-guarded")).to_have_count(0)
    shown.page.keyboard.press("a")
    assert wait_for_answers(shown, 2) == [answer, ["q2", "approve", {}, ""]]


def test_keys_and_choices_steer_the_run(shown: LabNotebook) -> None:
    shown.panel.get_by_label("How far to go on").select_option("Until something is written")
    press(shown, "u")
    went(shown, "[(None, 'write')]")
    shown.evaluate(
        1, "source.state = replace(source.state, status='running', question=None); source.notify()"
    )
    expect(shown.panel.get_by_role("button", name="Pause")).to_be_visible()
    press(shown, "g", "w")
    went(shown, "[(None, 'write'), 'pause']")
    press(shown, "x")
    expect(shown.panel.locator(".sbp-status")).to_have_text("Stopped")
    press(shown, "g")
    went(shown, "[(None, 'write'), 'pause', (0, 'irreversible')]")


@pytest.mark.parametrize("way", ["key", "click"])
def test_what_cant_be_undone_takes_a_second_approval(lab: Open, way: str) -> None:
    notebook = lab(
        SETUP.replace('call("q1")', 'replace(call("q1"), risk="irreversible", second_press=True)'), ""
    )
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-effect")).to_have_text("irreversible")
    approve = notebook.panel.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_have_css("background-color", RED)
    press(notebook, "a") if way == "key" else approve.click()
    again = notebook.panel.get_by_role("button", name="Yes, do it: this can't be undone")
    expect(again).to_be_visible()
    # A new screenshot meanwhile takes nothing back.
    notebook.evaluate(
        1, "source.view = replace(view, shot=Shot(png(300, 200), 'png', 300, 200)); source.notify()"
    )
    expect(notebook.panel.locator(".sbp-shot")).to_have_css("aspect-ratio", "300 / 200")
    assert answers(notebook) == []
    press(notebook, "a") if way == "key" else again.click()
    assert wait_for_answers(notebook, 1) == [["q1", "approve", {}, ""]]


def test_stop_stops(shown: LabNotebook) -> None:
    shown.panel.get_by_role("button", name="Stop").click()
    expect(shown.panel.locator(".sbp-status")).to_have_text("Stopped")
    expect(shown.panel.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    assert shown.evaluate(1, "source.stopped") == "True"


def test_a_refused_answer_says_why_and_can_be_given_again(shown: LabNotebook) -> None:
    shown.evaluate(1, "source.refuse_next = 'the value does not fit'")
    approve = shown.panel.get_by_role("button", name="Approve", exact=True)
    approve.click()
    expect(shown.panel.get_by_role("alert")).to_have_text("the value does not fit")
    expect(approve).to_be_enabled()
    approve.click()
    assert wait_for_answers(shown, 1) == [["q1", "approve", {}, ""]]


def test_answers_arrive_while_a_cell_blocks(shown: LabNotebook) -> None:
    shown.set_source(
        1,
        "import time\nbegun = time.monotonic()\nprint('blocking')\n"
        "while not source.answers and time.monotonic() - begun < 20:\n    time.sleep(0.05)\n"
        "print(len(source.answers), time.monotonic() - begun < 20)",
    )
    shown.start(1)
    shown.page.wait_for_function(
        "() => JSON.stringify(jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.toJSON().outputs)"
        ".includes('blocking')"
    )
    shown.panel.get_by_role("button", name="Approve", exact=True).click()
    shown.page.wait_for_function(
        "() => JSON.stringify(jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.toJSON().outputs)"
        ".includes('1 True')"
    )


def test_a_list_of_objects_is_not_edited_by_being_shown(lab: Open) -> None:
    schema = (
        '{"type": "object", "properties": {"tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}}}}'
    )
    plan = f'call("p1", "plan", {schema}, tasks=[{{"title": "Search"}}])'
    notebook = lab(SETUP.replace('call("q1")', plan), "")
    notebook.run(0)
    expect(notebook.panel.get_by_role("button", name="Approve edited")).to_be_disabled()
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    assert wait_for_answers(notebook, 1) == [["p1", "approve", {}, ""]]


def test_an_approval_may_make_a_rule(lab: Open) -> None:
    rule = 'replace(call("q1"), learn="click on https://shop.test", always=["session", "always"])'
    setup = SETUP.replace('call("q1")', rule)
    notebook = lab(setup, "")
    notebook.run(0)
    choice = notebook.panel.get_by_label("After approving click on https://shop.test")
    choice.select_option("always")
    assert notebook.evaluate(1, "print(len(source.answers))").strip() == "0"
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    wait_for_answers(notebook, 1)
    assert notebook.evaluate(1, "print([d.always for d in source.answers])").strip() == "['always']"
    expect(notebook.panel.locator(".sbp-remember")).to_have_count(0)


def test_a_cell_is_stepped_into_and_its_code_is_changed(shown: LabNotebook) -> None:
    panel = shown.panel
    shown.evaluate(1, CELLS.strip())
    expect(panel.locator(".sbp-code-call")).to_have_text(["page", ".click(", '"e2"', ")"])
    expect(panel.locator("[aria-current=step]")).to_have_text('page.click("e2")')
    panel.get_by_role("button", name="To the next write").click()
    # Each call's card has the cell's list; only the whole cell's can be stepped to its first write.
    expect(panel.get_by_role("button", name="To the first write")).to_be_visible()
    code = panel.get_by_label("code", exact=True)
    expect(code).to_be_hidden()
    expect(panel.locator(".sbp-guarded")).to_have_count(0)
    press(shown, "E")
    expect(code).to_be_focused()
    code.fill("page.title")
    panel.get_by_role("button", name="Approve edited").click()
    expect(panel.locator(".sbp-variables")).to_contain_text("Variables")
    assert wait_for_answers(shown, 2) == [["c2", "step", {}, ""], ["c0", "edit", {"code": "page.title"}, ""]]
    assert shown.evaluate(1, "source.answers[0].until") == "'write'"

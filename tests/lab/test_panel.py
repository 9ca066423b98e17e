"""The panel in a real JupyterLab: what is clicked in the page reaches the kernel."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook

SETUP = """
from dataclasses import replace
from panel_source import AskingSource, call, make_rows, png
from skillbook.notebook.panel import Panel, show_panel
from skillbook.notebook.source import PageView, PendingView, Shot
shot = Shot(png(400, 300), "png", 400, 300)
view = PageView("https://shop.test/", "Shop", make_rows(["Buy", "Cancel", "Help"]), 0, shot)
source = AskingSource([call("q1"), call("q2", target="e3", value="ash")], view)
panel = Panel(source)
panel.show()
"""
TASKS = """
from skillbook.agents.tasks import TaskList
tasks = TaskList()
tasks.add("Search", type="input", parameters={"query": "lamp"})
tasks.add("Open the first", type="click", after=[1])
source.state = replace(source.state, tasks=tuple(tasks.to_json()))
source.notify()
"""
ANSWERS = "import json; print(json.dumps([[d.id, d.kind, d.args, d.message] for d in source.answers]))"
LISTEN_TO_POINTING = """
from wait_in_kernel import until
print("listening")
until(lambda: source.pointed[-1:] == ["e4"])
print("at e4")
until(lambda: source.pointed[-1:] == ["e2"])
print("at the target")
"""

Open = Callable[..., LabNotebook]


def answers(notebook: LabNotebook) -> list[list[object]]:
    found: list[list[object]] = json.loads(notebook.evaluate(1, ANSWERS))
    return found


def wait_for_answers(notebook: LabNotebook, count: int) -> list[list[object]]:
    deadline = time.monotonic() + 10
    while len(found := answers(notebook)) < count:
        assert time.monotonic() < deadline, found
    return found


@pytest.fixture
def shown(lab: Open) -> LabNotebook:
    notebook = lab(SETUP, "")
    notebook.run(0)
    expect(notebook.panel.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    return notebook


def test_it_shows_the_run_and_the_page(shown: LabNotebook) -> None:
    panel = shown.panel
    expect(panel.get_by_role("heading")).to_have_text("Buy a lamp")
    expect(panel.locator(".sbp-status")).to_have_text("Waiting for you")
    expect(panel.locator(".sbp-facts")).to_contain_text("step 1 / 50")
    expect(panel.locator(".sbp-facts")).to_contain_text("$0.01")
    expect(panel.locator(".sbp-effect")).to_have_text("write")
    expect(panel.locator(".sbp-last")).to_have_text("Nothing was done yet")
    expect(panel.locator(".sbp-next")).to_have_text('Next: Fill in the button "Buy"')
    expect(panel.get_by_role("treeitem")).to_have_count(4)
    expect(panel.locator(".sbp-box")).to_have_count(3)
    assert (
        panel.locator(".sbp-shot img").evaluate("(img) => img.decode().then(() => img.naturalWidth)") == 400
    )


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


@pytest.mark.parametrize("where", ["tree", "screenshot"])
def test_pointing_at_another_element_sets_the_target(shown: LabNotebook, where: str) -> None:
    panel = shown.panel
    place = panel.locator('.sbp-tree [data-ref="e4"]' if where == "tree" else '.sbp-boxes [data-ref="e4"]')
    place.click()
    expect(panel.get_by_label("target", exact=True)).to_have_value("e4")
    expect(panel.locator(".sbp-target")).to_contain_text("button “Help”")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_have_attribute("data-ref", "e4")
    panel.get_by_role("button", name="Approve edited").click()
    assert wait_for_answers(shown, 1) == [["q1", "edit", {"target": "e4", "value": "oak"}, ""]]


def test_hovering_one_side_marks_the_other(shown: LabNotebook) -> None:
    panel = shown.panel
    # The cell that listens is started before the mouse moves: starting one scrolls the panel away under it.
    shown.set_source(1, LISTEN_TO_POINTING)
    shown.start(1)
    shown.wait_for_output(1, "listening")
    panel.locator('.sbp-tree [data-ref="e3"]').hover()
    expect(panel.locator(".sbp-boxes .sbp-hover")).to_have_attribute("data-ref", "e3")
    panel.locator('.sbp-boxes [data-ref="e4"]').hover()
    expect(panel.locator(".sbp-tree .sbp-hover")).to_have_attribute("data-ref", "e4")
    shown.wait_for_output(1, "at e4")
    shown.page.mouse.move(1, 1)
    expect(panel.locator(".sbp-tree .sbp-hover")).to_have_count(0)
    shown.wait_for_output(1, "at the target")


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


def press(notebook: LabNotebook, *keys: str) -> None:
    """Press keys with the focus on the panel, but in none of its fields."""
    notebook.panel.evaluate("(panel) => panel.focus()")
    for key in keys:
        notebook.page.keyboard.press(key)


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
    shown.page.keyboard.press("a")
    assert wait_for_answers(shown, 2) == [answer, ["q2", "approve", {}, ""]]


def test_one_key_edits_and_points(shown: LabNotebook) -> None:
    press(shown, "e")
    expect(shown.panel.get_by_label("target", exact=True)).to_be_focused()
    press(shown, "p")
    expect(shown.panel.get_by_role("button", name="Point")).to_have_attribute("aria-pressed", "true")
    shown.panel.locator('.sbp-tree [data-ref="e4"]').click()
    press(shown, "e")
    assert wait_for_answers(shown, 1) == [["q1", "edit", {"target": "e4", "value": "oak"}, ""]]


def test_pointing_in_the_real_page_is_asked_for_and_ended(shown: LabNotebook) -> None:
    shown.evaluate(1, "source.state = replace(source.state, has_window=True); source.notify()")
    point = shown.panel.get_by_role("button", name="Point")
    note = shown.panel.locator(".sbp-card .sbp-note[role=status]")
    expect(note).to_contain_text(
        "P: to point at another element, click it in the tree, on the screenshot or in the page"
    )
    press(shown, "p")
    expect(point).to_have_attribute("aria-pressed", "true")
    expect(note).to_contain_text("Esc ends this")
    shown.page.keyboard.press("Escape")
    expect(point).to_have_attribute("aria-pressed", "false")
    point.click()
    expect(point).to_have_attribute("aria-pressed", "true")
    assert shown.evaluate(1, "source.asked_to_pick") == "['q1', None, 'q1']"
    shown.evaluate(
        1,
        "source.state = replace(source.state, picking=False, picked={'id': 'q1', 'serial': 1, 'ref': 'e4'})\n"
        "source.notify()",
    )
    expect(shown.panel.get_by_label("target", exact=True)).to_have_value("e4")
    expect(point).to_have_attribute("aria-pressed", "false")
    expect(shown.panel.locator(".sbp-target")).to_contain_text("button “Help”")


def test_pointing_ends_where_the_page_ends_it_and_with_another_question(shown: LabNotebook) -> None:
    point = shown.panel.get_by_role("button", name="Point")
    point.click()
    expect(point).to_have_attribute("aria-pressed", "true")
    deadline = time.monotonic() + 10
    while shown.evaluate(1, "source.asked_to_pick") == "[]":
        assert time.monotonic() < deadline, "the kernel knows of no pointing"
    shown.evaluate(
        1, "source.state = replace(source.state, picking=False, pick_problem='Too late'); source.notify()"
    )
    expect(point).to_have_attribute("aria-pressed", "false")
    expect(shown.panel.get_by_role("alert")).to_have_text("Too late")
    press(shown, "p", "a")
    expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    expect(point).to_have_attribute("aria-pressed", "false")


def went(notebook: LabNotebook, expected: str) -> None:
    """How the kernel was told to go on, once it knows; while a run is at work, there is nothing to go on with."""
    deadline = time.monotonic() + 10
    while (said := notebook.evaluate(1, "source.went")) != expected:
        assert time.monotonic() < deadline, said


def test_keys_and_choices_steer_the_run(shown: LabNotebook) -> None:
    shown.panel.get_by_label("How far to go on").select_option("Until something is written")
    press(shown, "u")
    went(shown, "[(None, 'write')]")
    shown.evaluate(1, "source.state = replace(source.state, status='running', pending=None); source.notify()")
    expect(shown.panel.get_by_role("button", name="Pause")).to_be_visible()
    press(shown, "g", "w")
    went(shown, "[(None, 'write'), 'pause']")
    press(shown, "x")
    expect(shown.panel.locator(".sbp-status")).to_have_text("Stopped")
    press(shown, "g")
    went(shown, "[(None, 'write'), 'pause', (0, 'irreversible')]")


@pytest.mark.parametrize("way", ["key", "click"])
def test_what_cant_be_undone_takes_a_second_approval(lab: Open, way: str) -> None:
    notebook = lab(SETUP.replace('call("q1")', 'replace(call("q1"), effect="irreversible")'), "")
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-effect")).to_have_text("irreversible")
    approve = notebook.panel.get_by_role("button", name="Approve", exact=True)
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


def test_nothing_jumps_and_a_step_opens(shown: LabNotebook) -> None:
    before = shown.panel.bounding_box()
    assert before is not None
    assert before["height"] <= 560
    press(shown, "a")
    line = shown.panel.locator(".sbp-line")
    expect(line).to_have_attribute("aria-expanded", "false")
    line.click()
    expect(line).to_have_attribute("aria-expanded", "true")
    detail = shown.panel.locator(".sbp-detail")
    expect(detail).to_contain_text("in full")
    expect(detail).to_contain_text("+ button 'New'")
    detail.get_by_role("button", name="Fork from here").click()
    went(shown, "[('fork', 1)]")
    after = shown.panel.bounding_box()
    assert after is not None
    assert after["height"] == before["height"]


def test_the_screenshot_takes_the_trees_place(shown: LabNotebook) -> None:
    screenshot = shown.panel.locator(".sbp-view")
    small = screenshot.bounding_box()
    shown.panel.get_by_role("button", name="Larger screenshot").click()
    expect(shown.panel.locator(".sbp-tree")).to_be_hidden()
    large = screenshot.bounding_box()
    assert small is not None
    assert large is not None
    assert large["width"] > 1.2 * small["width"]


@pytest.mark.parametrize("width", [360, 1280])
def test_everything_can_be_reached_at_any_width(shown: LabNotebook, width: int) -> None:
    shown.panel.evaluate("(panel, width) => { panel.style.width = `${width}px`; }", width)
    for name in ("Approve", "Skip", "Reject…", "Respond…", "Auto", "Stop"):
        shown.panel.get_by_role("button", name=name, exact=True).click(trial=True)
    assert shown.panel.evaluate("(panel) => panel.scrollWidth <= panel.clientWidth")


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


def test_requests_for_help_are_prominent(lab: Open) -> None:
    notebook = lab(
        SETUP.replace(
            'call("q1"), call("q2", target="e3", value="ash")',
            'PendingView("h1", assistance="captcha", reason="Solve the puzzle")',
        ),
        "",
    )
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-status")).to_have_text("Needs your help")
    expect(notebook.panel.get_by_role("alert").first).to_contain_text("Solve the puzzle")
    notebook.panel.get_by_role("button", name="Done, go on").click()
    assert wait_for_answers(notebook, 1) == [["h1", "approve", {}, ""]]


def test_that_the_help_seems_done_is_said(lab: Open) -> None:
    asked = 'PendingView("h1", assistance="login", reason="Please sign in", decisions=("approve", "reject"))'
    notebook = lab(SETUP.replace('call("q1"), call("q2", target="e3", value="ash")', asked), "")
    notebook.run(0)
    expect(notebook.panel.get_by_text("This seems to be done")).to_be_hidden()
    notebook.evaluate(1, "source.state = replace(source.state, help_noticed=True); source.notify()")
    expect(notebook.panel.get_by_text("This seems to be done")).to_be_visible()
    notebook.panel.get_by_role("button", name="Done, go on").click()
    assert wait_for_answers(notebook, 1) == [["h1", "approve", {}, ""]]


def test_a_question_has_a_button_for_each_answer(lab: Open) -> None:
    asked = 'PendingView("h1", assistance="question", reason="How many?", options=("one", "two"))'
    notebook = lab(SETUP.replace('call("q1"), call("q2", target="e3", value="ash")', asked), "")
    notebook.run(0)
    notebook.panel.get_by_role("button", name="two").click()
    assert wait_for_answers(notebook, 1) == [["h1", "respond", {}, "two"]]


def test_tasks_are_shown_and_edited(shown: LabNotebook) -> None:
    shown.evaluate(1, TASKS)
    tasks = shown.panel.get_by_role("list", name="Tasks").get_by_role("listitem")
    shown.panel.get_by_text("Tasks", exact=True).click()
    expect(tasks).to_have_count(2)
    shown.panel.get_by_label("Task 2, pending").fill("Open the cheapest")
    shown.panel.get_by_label("Task 2, pending").press("Tab")
    shown.panel.get_by_role("button", name="Later: Search").click()
    shown.panel.get_by_role("button", name="Take out: Search").click()
    shown.panel.get_by_label("Add a task").fill("Pay")
    shown.panel.get_by_label("Add a task").press("Enter")
    edits = [
        ["change", 2, "Open the cheapest", 0],
        ["move", 1, "", 2],
        ["remove", 1, "", 0],
        ["add", 0, "Pay", 0],
    ]
    code = "import json; print(json.dumps([(e.act, e.id, e.title, e.to) for e in source.edits]))"
    deadline = time.monotonic() + 10
    while (said := json.loads(shown.evaluate(1, code))) != edits:
        assert time.monotonic() < deadline, said


def test_a_list_of_objects_is_not_edited_by_being_shown(lab: Open) -> None:
    schema = (
        '{"type": "object", "properties": {"tasks": {"type": "array", "items": {"$ref": "#/$defs/Task"}}}}'
    )
    plan = f'PendingView("p1", "plan", {{"tasks": [{{"title": "Search"}}]}}, schema={schema})'
    notebook = lab(SETUP.replace('call("q1")', plan), "")
    notebook.run(0)
    expect(notebook.panel.get_by_role("button", name="Approve edited")).to_be_disabled()
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    assert wait_for_answers(notebook, 1) == [["p1", "approve", {}, ""]]


def test_a_long_result_is_readable_beside_many_steps(shown: LabNotebook) -> None:
    shown.evaluate(
        1,
        "from skillbook.notebook.source import StepView\n"
        "steps = tuple(StepView(n, 'click', '', 'done', True, 'auto', tokens=1200) for n in range(1, 40))\n"
        "source.state = replace(source.state, steps=steps, budget=0.5, result='line\\n' * 6); source.notify()",
    )
    expect(shown.panel.locator(".sbp-step")).to_have_count(39)
    box = shown.panel.locator(".sbp-result").bounding_box()
    assert box is not None
    assert box["height"] > 100
    expect(shown.panel.locator(".sbp-facts")).to_contain_text("1,234 tokens, a step about 1,200")
    expect(shown.panel.locator(".sbp-facts")).to_contain_text("$0.01 of $0.50")
    shown.evaluate(
        1,
        "source.state = replace(source.state, status='waiting', forecast='the rest about 9'); source.notify()",
    )
    expect(shown.panel.locator(".sbp-facts")).to_contain_text("1,234 tokens$0.01 of $0.50the rest about 9")


def test_a_step_keeps_a_picture_of_its_page_and_boxes_can_be_taken_away(shown: LabNotebook) -> None:
    box = shown.panel.locator('.sbp-box[data-ref="e4"] > span')
    expect(box).to_be_visible()
    shown.panel.get_by_role("button", name="Numbered boxes").click()
    expect(box).to_be_hidden()
    shown.panel.locator('.sbp-tree [data-ref="e4"]').hover()
    expect(box).to_be_visible()
    press(shown, "a")
    expect(shown.panel.locator(".sbp-step")).to_have_count(1)
    shown.evaluate(
        1, "source.view = replace(view, shot=Shot(png(300, 200), 'png', 300, 200)); source.notify()"
    )
    shown.panel.locator(".sbp-line").click()
    picture = shown.panel.locator(".sbp-thumbnail")
    expect(picture).to_be_visible()
    assert picture.evaluate("(img) => img.decode().then(() => img.naturalWidth)") in {300, 400}


def test_the_filter_keeps_ancestors_of_what_matches(shown: LabNotebook) -> None:
    panel = shown.panel
    panel.get_by_role("searchbox").fill("help")
    visible = panel.get_by_role("treeitem")
    expect(visible).to_have_count(2)
    expect(visible.last).to_contain_text("Help")
    panel.get_by_role("searchbox").fill("")
    panel.locator('.sbp-tree [data-ref="e1"] .sbp-fold').click()
    expect(visible).to_have_count(1)
    expect(visible).to_have_attribute("aria-expanded", "false")


def test_an_approval_may_make_a_rule(lab: Open) -> None:
    setup = SETUP.replace(
        'call("q1")', '__import__("dataclasses").replace(call("q1"), learn="click on https://shop.test")'
    )
    notebook = lab(setup, "")
    notebook.run(0)
    choice = notebook.panel.get_by_label("After approving click on https://shop.test")
    choice.select_option("always")
    assert notebook.evaluate(1, "print(len(source.answers))").strip() == "0"
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    wait_for_answers(notebook, 1)
    assert notebook.evaluate(1, "print([d.always for d in source.answers])").strip() == "['always']"
    expect(notebook.panel.locator(".sbp-remember")).to_have_count(0)

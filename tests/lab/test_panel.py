"""The panel in a real JupyterLab: what it shows, at any width."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import press, shown

__all__ = ["shown"]

LISTEN_TO_POINTING = """
from wait_in_kernel import until
print("listening")
until(lambda: source.pointed[-1:] == ["e4"])
print("at e4")
until(lambda: source.pointed[-1:] == ["e2"])
print("at the target")
"""


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
    expect(panel.get_by_text("as on iPhone 15")).to_be_visible()
    assert (
        panel.locator(".sbp-shot img").evaluate("(img) => img.decode().then(() => img.naturalWidth)") == 400
    )


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


def test_a_long_result_is_readable_beside_many_steps(shown: LabNotebook) -> None:
    shown.evaluate(
        1,
        "steps = [step(n, tokens=1200) for n in range(1, 40)]\n"
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
        1,
        "source.view = replace(view, shot=Shot(png(300, 200), 'png', 300, 200), key='key 7'); source.notify()",
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


@pytest.mark.parametrize("width", [360, 1100])
def test_the_pages_it_came_over_stand_by_the_goal_and_the_newest_is_never_cut(
    shown: LabNotebook, width: int
) -> None:
    panel, visited = shown.panel, shown.panel.locator(".sbp-visited")
    panel.evaluate("(panel, width) => { panel.style.width = `${width}px`; }", width)
    expect(visited).to_be_hidden()
    header = panel.locator(".sbp-header").bounding_box()
    pages = " › ".join(f"/a/rather/long/address/{n}" for n in range(4))
    shown.evaluate(1, f"source.state = replace(source.state, visited={pages!r}); source.notify()")
    expect(visited).to_have_text(pages)
    after, line = panel.locator(".sbp-header").bounding_box(), visited.bounding_box()
    assert header is not None
    assert after is not None
    assert line is not None
    if width > 680:
        assert after["height"] == header["height"]
    newest = visited.evaluate(
        """(way) => {
          const text = way.querySelector('bdi').firstChild, range = document.createRange();
          range.setStart(text, text.length - 5);
          range.setEnd(text, text.length);
          return range.getBoundingClientRect().right;
        }"""
    )
    assert line["x"] < newest <= line["x"] + line["width"] + 1


def test_what_is_under_way_is_said_also_where_nobody_was_asked(shown: LabNotebook) -> None:
    shown.evaluate(
        1,
        "source.state = replace(source.state, status='running', question=None, steps=[],"
        " under_way=\"Click the button 'Save'\"); source.notify()",
    )
    expect(shown.panel.locator(".sbp-next")).to_have_text("Under way: Click the button 'Save'")
    shown.evaluate(
        1,
        "source.state = replace(source.state, under_way='', steps=[step(1)]); source.notify()",
    )
    expect(shown.panel.locator(".sbp-next")).to_have_text("The agent thinks")

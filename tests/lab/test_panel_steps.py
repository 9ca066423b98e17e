"""A step in the panel opens, forks and is replayed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import press, shown, wait_for_answers, went

__all__ = ["shown"]


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


def test_a_step_is_replayed_from_there_and_the_call_that_waits_stays(shown: LabNotebook) -> None:
    press(shown, "a")
    panel = shown.panel
    expect(panel.locator(".sbp-address")).to_have_text("https://shop.test/")
    panel.locator(".sbp-line").click()
    panel.get_by_role("button", name="Replay from here").click()
    words = panel.locator(".sbp-past-words")
    expect(words).to_have_text("Before step 1 of 3: click button 'Buy'")
    expect(panel.locator(".sbp-address")).to_have_text("https://shop.test/before")
    expect(panel.locator(".sbp-tree .sbp-aim")).to_have_attribute("data-ref", "e2")
    expect(panel.get_by_role("button", name="Previous step")).to_be_disabled()
    panel.get_by_role("button", name="Next step").click()
    expect(words).to_contain_text("Before step 2 of 3")
    panel.locator('.sbp-tree [data-ref="e2"]').click()
    expect(panel.get_by_label("target", exact=True)).to_have_value("e3")
    press(shown, "Escape")
    expect(words).to_be_hidden()
    expect(panel.locator(".sbp-address")).to_have_text("https://shop.test/")
    expect(panel.locator(".sbp-tree .sbp-aim")).to_have_attribute("data-ref", "e3")
    press(shown, "a")
    assert wait_for_answers(shown, 2)[1] == ["q2", "approve", {}, ""]


def test_a_step_never_shows_a_later_page(shown: LabNotebook) -> None:
    def see(width: int, key: str) -> None:
        shot = f"Shot(png({width}, 200), 'png', {width}, 200)"
        code = f"source.view = replace(view, shot={shot}, key='{key}'); source.notify()"
        shown.evaluate(1, f"source.state = replace(source.state, status='running', question=None)\n{code}")
        expect(shown.panel.locator(".sbp-shot")).to_have_css("aspect-ratio", f"{width} / 200")

    press(shown, "a")
    expect(shown.panel.locator(".sbp-step")).to_have_count(1)
    see(300, "key 1")
    see(320, "key 9")
    shown.panel.locator(".sbp-line").click()
    picture = shown.panel.locator(".sbp-thumbnail")
    expect(picture).to_be_visible()
    assert picture.evaluate("(img) => img.decode().then(() => img.naturalWidth)") == 300


def test_a_step_never_shows_another_document(shown: LabNotebook) -> None:
    """What a step left may have changed since, but a page that was opened after it is none of its own."""
    press(shown, "a")
    expect(shown.panel.locator(".sbp-step")).to_have_count(1)
    shot = "Shot(png(300, 200), 'png', 300, 200)"
    shown.evaluate(1, f"source.view = replace(view, shot={shot}, key='another 1'); source.notify()")
    expect(shown.panel.locator(".sbp-shot")).to_have_css("aspect-ratio", "300 / 200")
    shown.panel.locator(".sbp-line").click()
    expect(shown.panel.locator(".sbp-facts")).to_be_visible()
    expect(shown.panel.locator(".sbp-thumbnail")).to_have_count(0)

"""A person uses a headless page by its picture in JupyterLab: what they do is theirs, and reaches the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, IMAGES, OPEN

ACCOUNT = (
    OPEN
    + """
page.goto(shop.url + "/account")
# The page itself says the password, which the run's record of the page would have.
page.evaluate("for (const p of document.querySelectorAll('p')) if (/oak-and/.test(p.textContent)) p.remove()");
"""
)
RUN = 'run = sb.agent(page, "Read my orders", model=ScriptedModel(["Done."]), autonomy="reads")\nrun.start();'
LEAKED = """
import os
from pathlib import Path
kept = [path for path in Path(os.environ["SKILLBOOK_HOME"]).rglob("*.db*") if path.is_file()]
assert kept
[path.name for path in kept if b"oak-and-lumen" in path.read_bytes()]
"""
LOG_OUT = "page.click(\"button 'Log out'\")"

Open = Callable[..., LabNotebook]


@pytest.fixture
def sign_in(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(ACCOUNT.strip(), "", "")
    notebook.run(0)
    yield notebook
    notebook.evaluate(2, f"{LOG_OUT}\n{CLOSE}")


def press_on(view: Locator, name: str) -> None:
    """Click where the picture shows the element of a name."""
    box = view.locator(f'.sbp-box[title*="{name}"]')
    place = box.evaluate(
        "(box) => { const { left, top } = box.style; return [parseFloat(left), parseFloat(top)]; }"
    )
    picture = view.locator(".sbp-shot")
    size = picture.bounding_box()
    assert size is not None
    picture.click(
        position={"x": size["width"] * place[0] / 100 + 4, "y": size["height"] * place[1] / 100 + 4}
    )


def test_a_person_signs_in_by_the_picture_and_it_becomes_the_runs_steps(sign_in: LabNotebook) -> None:
    sign_in.set_source(1, RUN)
    sign_in.run(1)
    panel, page = sign_in.panel, sign_in.page
    expect(panel.locator(".sbp-status")).to_have_text("Needs your help")
    expect(panel.get_by_role("button", name="Show its window")).to_be_hidden()
    panel.get_by_role("button", name="Use the page here").first.click()
    expect(panel.locator(".sbp-shot")).to_be_focused()
    press_on(panel, "Username")
    page.keyboard.type("demo")
    if os.environ.get("WRITE_IMAGES"):
        expect(panel.locator(".sbp-tree")).to_contain_text("= demo")
        (IMAGES / "remote_input.png").write_bytes(panel.screenshot())
    page.keyboard.press("Tab")
    page.keyboard.type("oak-and-lumen")
    page.keyboard.press("Enter")
    expect(panel.locator(".sbp-noticed")).to_be_visible()
    page.keyboard.press("Shift+Escape")
    expect(panel.locator(".sbp-remote-input")).to_be_hidden()
    panel.get_by_role("button", name="Done, go on").click()
    expect(panel.locator(".sbp-status")).to_have_text("Done")
    steps = "[(step.tool, step.decision, step.args.get('value', '')) for step in run.records]"
    done = sign_in.evaluate(2, steps)
    assert "('fill', 'person', 'demo')" in done
    assert "oak-and-lumen" not in done
    assert sign_in.evaluate(2, LEAKED) == "[]"


def test_wheel_drag_and_combinations_reach_the_page_and_end_with_the_mode(lab: Open) -> None:
    notebook = lab(OPEN.strip(), "page", "")
    notebook.run(0)
    notebook.evaluate(
        2,
        "page.evaluate('''globalThis.seen = [];"
        "for (const type of ['mousedown', 'mouseup', 'wheel', 'keydown', 'dblclick'])"
        " addEventListener(type, (event) => event.isTrusted && seen.push("
        "   `${type} ${event.key ?? Math.round(event.clientX)}`), true)''')",
    )
    notebook.run(1)
    view = notebook.page.locator(".jp-OutputArea .sbp")
    view.get_by_role("button", name="Use the page here").click()
    picture = view.locator(".sbp-shot")
    box = picture.bounding_box()
    assert box is not None
    mouse = notebook.page.mouse
    mouse.move(box["x"] + 20, box["y"] + 40)
    mouse.down()
    mouse.move(box["x"] + 120, box["y"] + 40, steps=3)
    mouse.up()
    notebook.page.keyboard.press("Control+a")
    mouse.wheel(0, 300)
    notebook.evaluate(2, "from wait_in_kernel import until\nuntil(lambda: page.evaluate('scrollY') > 100)")
    seen = notebook.evaluate(2, "print(*page.evaluate('seen'), sep='; ')").split("; ")
    kinds = [each.split()[0] for each in seen]
    assert kinds[:2] == ["mousedown", "mouseup"]
    assert int(seen[1].split()[1]) > int(seen[0].split()[1]) + 50
    assert "keydown a" in seen
    assert "wheel" in kinds
    view.get_by_role("button", name="Use the page here").click()
    picture.click(position={"x": 20, "y": 40})
    assert notebook.evaluate(2, "print(*page.evaluate('seen'), sep='; ')").split("; ") == seen
    notebook.evaluate(2, CLOSE)

"""Make the pictures of docs/agents.md anew: `python -m tests.lab.pictures [NAME …]`.

Each is the panel of a real run on the demo shop, in a real JupyterLab. Look at every one before it is committed.
`--looks FOLDER` takes each state there instead: narrow, middle and wide; light, dark and from the right.
"""

from __future__ import annotations

import argparse
import base64
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from skillbook.launcher.chromium_search import find_chromium
from tests.lab.conftest import CHROMIUM_ARGS
from tests.lab.notebook import LabNotebook
from tests.lab.server import LabServer
from tests.lab.test_remote_input import press_on
from tests.lab.test_skill_card import FOREIGN

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "panel"
PORT = 8321
OPEN = f"""
import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of
from skillbook.testing.site import serve_site

shop = serve_site("shop", port={PORT})
browser = sb.launch()
type(browser.driver).has_window = property(lambda driver: HAS_WINDOW)
HAS_WINDOW = True
page = browser.open(shop.url)
def on(tool, selector, said="", **more):
    return lambda seen: ToolCall(tool, {{"target": ref_of(seen, selector), **more}}, said)
"""
AGAIN = "HAS_WINDOW = {has_window}\npage.close(); page = browser.open(shop.url + {path!r})"
LAMP = """
model = ScriptedModel([
    on("fill", "searchbox 'Search products'", "First I search the catalogue for lamps.", value="lamp"),
    on("click", "button 'Search'", "Now I start the search."),
    ToolCall("click", {"target": "link 'Dusk Bedside Lamp'"},
             "The Dusk Bedside Lamp is made for beds, so I look at it more closely."),
    on("click", "button 'Add to cart'", "It is in stock: I put it in the cart."),
    ToolCall("goto", {"url": shop.url + "/cart"}, "I look at the cart."),
    "The Dusk Bedside Lamp is in the cart, for $89.71.",
    ToolCall("click", {"target": "link 'Go on shopping'"}, "I look for another lamp, then."),
])
run = sb.agent(page, "Find a lamp for my bed and put it in the cart", model=model)
run.start();
"""
TASKS = """
model = ScriptedModel([ToolCall("plan", {"tasks": [
    {"title": "Search for lamps", "type": "input", "parameters": {"query": "lamp"}},
    {"title": "Open the cheapest", "type": "click", "after": [1]},
    {"title": "Put it into the cart", "type": "click", "after": [2]},
]}, "I would go about it so.")])
run = sb.agent(page, "Put a cheap lamp into the cart", model=model, plan=True, budget_usd=0.5)
run.start();
"""
QUESTION = """
model = ScriptedModel([ToolCall("request_assistance", {
    "type": "question", "message": "Which lamp do you mean?",
    "options": ["the cheapest one", "the best rated one", "the Dusk Bedside Lamp"]})])
run = sb.agent(page, "Put the lamp into the cart", model=model)
run.start();
"""
HELP = """
model = ScriptedModel(["I read all your orders."])
run = sb.agent(page, "Read my orders", model=model)
run.start();
"""
FAILED = """
model = ScriptedModel([
    on("fill", "searchbox 'Search products'", "I search for lamps.", value="lamp"),
    ConnectionError("the model's server closed the connection"),
])
run = sb.agent(page, "Find a lamp for my bed", model=model)
run.start();
"""

CELL = """
CODE = '''\\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
rows = sb.extract(page, within="listitem in list 'Products'",
    fields={"name": "heading", "link": "link@href"})
for row in rows[:3]:
    page.goto(row["link"])  # each lamp's own page
    print(row["name"], page.text("heading nth 1"))
len(rows)'''
run = sb.agent(page, "List every lamp", model=ScriptedModel([ToolCall("run_cell", {"code": CODE})]), mode="cells")
run.start();
"""


FRAME = """
rows = sb.extract(page, fields={"name": "heading", "price": "text nth 2", "link": "link@href"})
rows.skillbook.show()
"""
RECORDER = """
rec = sb.record(page, "Find lamps")
with rec:
    page.fill("searchbox 'Search products'", "desk")
    page.click("button 'Search'")
"""
WIDTHS = (390, 594, 846, 1920)
LOOKS = (
    ("light", "JupyterLab Light", "ltr"),
    ("dark", "JupyterLab Dark", "ltr"),
    ("right", "JupyterLab Light", "rtl"),
)


class Studio:
    """One notebook in JupyterLab whose panel is taken.

    Parameters
    ----------
    notebook : the notebook.
    only : the pictures to write; all where empty.
    looks : where each state goes in every look; None for the pictures of the docs.
    """

    def __init__(self, notebook: LabNotebook, only: list[str], looks: Path | None = None) -> None:
        self.notebook = notebook
        self.only = only
        self.looks = looks
        self.panel = notebook.panel
        self.card = notebook.panel.locator(".sbp-actions")
        self._developer: Page = notebook.page.context.new_page()
        notebook.page.bring_to_front()

    def look_at(self, name: str, code: str, selector: str) -> None:
        """Take what a cell shows, in every look."""
        if self.looks is None or (self.only and name not in self.only):
            return
        self.notebook.set_source(2, code.strip())
        self.notebook.start(2)
        before, self.panel = self.panel, self.notebook.page.locator(f".jp-OutputArea {selector}").last
        self.panel.wait_for()
        self.take(name)
        self.panel = before

    def begin(self, code: str, path: str = "/", *, has_window: bool = True) -> None:
        """Start a run on a new page of the shop."""
        self.notebook.evaluate(1, AGAIN.format(path=path, has_window=has_window))
        self.notebook.set_source(2, code.strip())
        self.notebook.run(2)
        expect(self.panel.locator(".sbp-shot img")).to_be_visible()

    def approve(self, next_tool: str, name: str = "Approve") -> None:
        """Approve what waits, and wait for the next."""
        self.card.get_by_role("button", name=name).first.click()
        self.waits(next_tool)

    def waits(self, tool: str) -> None:
        """Wait until a call of a tool waits, or until the end."""
        if tool:
            expect(self.panel.locator(".sbp-tool")).to_have_text(tool)
        else:
            expect(self.panel.locator(".sbp-status")).to_have_text("Done")

    def at(self, path: str) -> None:
        """Wait until the panel shows a page of the shop, with its screenshot."""
        expect(self.panel.locator(".sbp-address")).to_contain_text(path)
        self.notebook.page.wait_for_function(
            "() => document.querySelector('.sbp-shot img')?.complete"
            " && document.querySelectorAll('.sbp-boxes .sbp-box').length > 3"
        )

    def then(self, path: str) -> None:
        """Wait until the panel shows a page as it was."""
        expect(self.panel.locator(".sbp-address")).to_contain_text(path)
        self.notebook.page.wait_for_function("() => document.querySelector('.sbp-still')?.complete")

    def resize(self, width: int = 0) -> None:
        """Make the panel so many pixels wide; as wide as the notebook where 0."""
        self.panel.evaluate("(panel, width) => { panel.style.width = width ? `${width}px` : ''; }", width)

    def take(self, name: str, *, hovered: bool = False) -> None:
        """Take the panel as it is, with what is under the mouse where `hovered`."""
        if self.only and name not in self.only:
            return
        if not hovered:
            self.notebook.page.mouse.move(1, 1)
        self.panel.evaluate("(panel) => panel.closest('.jp-Cell').scrollIntoView()")
        if self.looks is None:
            (FOLDER / f"{name}.webp").write_bytes(self._webp(self.panel.screenshot(animations="disabled")))
        else:
            self._take_looks(name, self.looks)

    def _take_looks(self, name: str, folder: Path) -> None:
        width = self.panel.evaluate("(panel) => panel.style.width")
        before = self.notebook.page.evaluate("document.body.dataset.jpThemeName")
        for look, theme, way in LOOKS:
            self.theme(theme)
            self.panel.evaluate("(panel, way) => { panel.dir = way; }", way)
            for pixels in WIDTHS:
                self.resize(pixels)
                self.panel.screenshot(path=folder / f"{name}-{look}-{pixels}.png", animations="disabled")
        self.panel.evaluate("(panel, width) => { panel.dir = ''; panel.style.width = width; }", width)
        self.theme(before)

    def theme(self, name: str) -> None:
        """Use one of JupyterLab's themes."""
        self.notebook.page.evaluate(
            "(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", name
        )
        self.notebook.page.wait_for_function(
            "(theme) => document.body.dataset.jpThemeName === theme", arg=name
        )

    def _webp(self, png: bytes) -> bytes:
        url: str = self._developer.evaluate(
            """async (png) => {
              const image = new Image();
              image.src = `data:image/png;base64,${png}`;
              await image.decode();
              const canvas = document.createElement('canvas');
              [canvas.width, canvas.height] = [image.width, image.height];
              canvas.getContext('2d').drawImage(image, 0, 0);
              return canvas.toDataURL('image/webp', 0.9);
            }""",
            base64.b64encode(png).decode(),
        )
        return base64.b64decode(url.partition(",")[2])


def lamp(studio: Studio) -> None:
    """A run from its first call to its end, and what its steps open to."""
    panel, keyboard = studio.panel, studio.notebook.page.keyboard
    studio.begin(LAMP)
    studio.waits("fill")
    studio.at("/")
    studio.take("waiting")
    studio.resize(360)
    studio.take("narrow")
    studio.resize()
    panel.get_by_role("button", name="Respond…").click()
    panel.get_by_label("What to tell the agent").fill("The field is filled in already.")
    studio.take("respond")
    keyboard.press("Escape")
    panel.get_by_role("button", name="Point").click()
    expect(panel.locator(".sbp-pointing")).to_be_visible()
    panel.evaluate("(panel) => panel.closest('.jp-Cell').scrollIntoView()")
    panel.locator(".sbp-tree").get_by_text("Stores").first.hover()
    expect(panel.locator(".sbp-boxes .sbp-hover")).to_be_visible()
    studio.take("point", hovered=True)
    keyboard.press("Escape")
    studio.approve("click")
    studio.approve("click")
    expect(panel.locator(".sbp-target")).to_contain_text("Dusk")
    studio.at("/search?q=lamp")
    studio.theme("JupyterLab Dark")
    studio.take("dark")
    studio.resize(360)
    studio.take("dark-narrow")
    studio.resize()
    studio.theme("JupyterLab Light")
    studio.approve("click")
    expect(panel.locator(".sbp-target")).to_contain_text("Add to cart")
    studio.approve("send_request")
    studio.at("/product/")
    studio.card.get_by_role("button", name="Approve").click()
    studio.take("irreversible")
    studio.approve("goto", "Yes, do it")
    studio.approve("")
    studio.at("/cart")
    studio.take("finished")
    steps(studio)


def steps(studio: Studio) -> None:
    """The third step of a run that has ended: open, replayed, forked."""
    panel = studio.panel
    panel.locator(".sbp-line").nth(2).click()
    opened = panel.locator(".sbp-detail:not([hidden])")
    expect(opened).to_contain_text("new document")
    studio.take("step")
    opened.get_by_role("button", name="Replay from here").click()
    expect(panel.locator(".sbp-past-words")).to_contain_text("Before step 3")
    studio.then("/search?q=lamp")
    studio.take("replay")
    panel.get_by_role("button", name="Back to now").click()
    studio.resize(360)
    opened.get_by_role("button", name="Replay from here").click()
    expect(panel.locator(".sbp-past-words")).to_contain_text("Before step 3")
    studio.take("replay-narrow")
    panel.get_by_role("button", name="Back to now").click()
    studio.resize()
    opened.get_by_role("button", name="Fork from here").click()
    expect(panel.locator(".sbp-next")).to_contain_text("Go on shopping")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_be_visible()
    studio.take("fork")


def tasks(studio: Studio) -> None:
    """The list of tasks, opened."""
    studio.begin(TASKS)
    studio.waits("plan")
    studio.at("/")
    expect(studio.panel.get_by_label("Add a task")).to_be_visible()
    studio.take("tasks")


def question(studio: Studio) -> None:
    """A question with answers to choose from."""
    studio.begin(QUESTION)
    expect(studio.panel.locator(".sbp-status")).to_have_text("Has a question")
    studio.at("/")
    studio.take("question")


def helped(studio: Studio) -> None:
    """A sign-in page, and using it by its picture."""
    panel = studio.panel
    studio.begin(HELP, "/account", has_window=False)
    expect(panel.locator(".sbp-status")).to_have_text("Needs your help")
    studio.at("/login")
    studio.take("help")
    panel.get_by_role("button", name="Use the page here").first.click()
    press_on(panel, "Username")
    studio.notebook.page.keyboard.type("demo")
    expect(panel.locator(".sbp-tree")).to_contain_text("= demo")
    studio.take("remote_input")
    studio.notebook.page.keyboard.press("Shift+Escape")


def failed(studio: Studio) -> None:
    """A model that can't be reached."""
    studio.begin(FAILED)
    studio.waits("fill")
    studio.card.get_by_role("button", name="Approve").first.click()
    expect(studio.panel.locator(".sbp-status")).to_have_text("Failed")
    studio.take("failed")


def cell(studio: Studio) -> None:
    """A cell that waits in the middle."""
    studio.begin(CELL)
    studio.waits("run_cell")
    for tool in ("fill", "click", "extract", "goto"):
        studio.panel.get_by_role("button", name=re.compile("^Step( into)?$")).click()
        studio.waits(tool)
    studio.at("/search?q=lamp")
    studio.take("cell")


def views(studio: Studio) -> None:
    """What is no run: rows, a recording, a skill that nobody has approved, the open browsers."""
    studio.notebook.evaluate(1, AGAIN.format(path="/search?q=lamp", has_window=False))
    studio.look_at("frame", FRAME, ".sbp-frame")
    studio.look_at("recorder", RECORDER, ".sbp-recorder")
    studio.look_at("skill", FOREIGN, ".sbp-skill")
    studio.look_at("browsers", "sb.browsers", ".sbp-browsers")
    studio.look_at("view", "page", ".sbp")
    studio.look_at("gone", "rec = sb.record(page)\npage.close()", ".sbp-recorder")


SCENES: tuple[Callable[[Studio], None], ...] = (lamp, tasks, question, helped, failed, cell, views)


def main(only: list[str], looks: Path | None) -> None:
    """Take all pictures, or those named."""
    (looks or FOLDER).mkdir(parents=True, exist_ok=True)
    viewport = {"width": 2300 if looks else 1280, "height": 1000}
    expect.set_options(timeout=30_000)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = LabServer(Path(folder))
        browser = playwright.chromium.launch(executable_path=str(find_chromium().path), args=CHROMIUM_ARGS)
        try:
            page = browser.new_context(viewport=viewport).new_page()
            notebook = LabNotebook.create(server, page, "panel.ipynb", OPEN.strip(), "", "")
            notebook.run(0)
            studio = Studio(notebook, only, looks)
            for scene in SCENES:
                scene(studio)
            notebook.evaluate(1, "browser.close(); shop.close()")
            notebook.shut_down()
        finally:
            browser.close()
            server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="the pictures to take; all if none is named")
    parser.add_argument("--looks", type=Path, help="a folder for each state in every look")
    given = parser.parse_args()
    main(given.names, given.looks)

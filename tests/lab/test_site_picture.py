"""A site while it is explored, in a real JupyterLab: the picture grows, and shows what the pages look like."""

from __future__ import annotations

import os
from collections.abc import Callable

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, IMAGES, OPEN

Open = Callable[..., LabNotebook]


def test_the_picture_grows_and_has_thumbnails(lab: Open) -> None:
    notebook = lab(OPEN.strip(), "found = sb.explore(page, 'Isla Paper Lamp', remember=False)", "found", "")
    notebook.run(0)
    try:
        notebook.start(1)
        pictures = notebook.page.locator(".jp-OutputArea svg[role=img]")
        expect(pictures.locator("rect").nth(2)).to_be_visible()
        while_it_goes = pictures.locator("rect").count()
        assert notebook.evaluate(3, "found.found") == "True"
        assert pictures.locator("rect").count() > while_it_goes
        width = pictures.locator("image").first.evaluate(
            "async (image) => { const one = new Image(); one.src = image.href.baseVal; await one.decode(); "
            "return one.naturalWidth }"
        )
        assert width == 240
        notebook.run(2)
        shown = notebook.page.locator(".jp-OutputArea svg[role=img]").last
        expect(shown.locator("rect[fill='#2a9d5c']")).to_have_count(1)
        assert len(str(notebook.outputs(2))) < 120_000
        if os.environ.get("WRITE_IMAGES"):
            shown.screenshot(path=IMAGES / "exploration.png")
    finally:
        notebook.evaluate(3, CLOSE)

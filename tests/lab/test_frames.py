"""An extracted DataFrame in a real JupyterLab: a click on a cell shows where it came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, IMAGES, OPEN

Open = Callable[..., LabNotebook]
VIEW = ".jp-OutputArea .sbp-frame"
STOCK = """
from pathlib import Path
from tempfile import mkdtemp
from skillbook.testing.site import serve_folder
folder = Path(mkdtemp())
rows = "".join(f"<tr><td>Part {n}<td>€{n}.50" for n in range(60))
(folder / "stock.html").write_text(f"<!doctype html><meta charset=utf-8><title>Stock</title>"
    f"<h1>&lt;i&gt;Stock</h1><table><thead><tr><th>Part<th>Price</thead>{rows}</table>")
stock = serve_folder(folder)
page.goto(stock.url.rstrip("/") + "/stock.html")
frame = sb.extract(page)
frame.skillbook.show(rows=40)
"""


@pytest.fixture
def stock(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), STOCK.strip(), "")
    notebook.run(0)
    yield notebook
    if notebook.evaluate(2, "'page' in globals()") == "True":
        notebook.evaluate(2, CLOSE)
        notebook.evaluate(2, "stock.close()")


def test_a_click_on_a_cell_shows_its_source_here_and_in_the_page(stock: LabNotebook) -> None:
    outputs = stock.run(1)
    assert "".join(outputs[-1]["data"]["text/plain"]).splitlines()[-1] == "40 of 60 rows"
    view = stock.page.locator(VIEW)
    expect(view.get_by_role("gridcell")).to_have_count(80)
    expect(view).to_contain_text("Click a cell to see where it came from.")
    view.get_by_text("Complete: read 1 page, 60 rows").click()
    expect(view.get_by_role("list")).to_contain_text("✓ text: each text is in a cell or in a column's name")
    view.get_by_role("gridcell", name="35.50", exact=True).click()
    source = view.get_by_role("region", name="Source of the cell")
    expect(source).to_contain_text("€35.50")
    expect(source).to_contain_text("cell in row 'Part 35' nth 2")
    crop = source.get_by_role("img")
    expect(crop).to_be_visible()
    assert violations(stock.page, VIEW) == []
    assert crop.evaluate("(img) => img.decode().then(() => img.naturalWidth)") > 20
    if os.environ.get("WRITE_IMAGES"):
        (IMAGES / "frame.png").write_bytes(view.screenshot())
    stock.page.keyboard.press("ArrowUp")
    stock.page.keyboard.press("Enter")
    expect(source).to_contain_text("cell in row 'Part 34' nth 2")
    expect(view.locator("td[aria-selected]")).to_have_text("34.50")
    in_view = "page.snapshot()[frame.skillbook.source(35, 'Price').ref].box.y"
    assert 0 <= float(stock.evaluate(2, in_view)) < 800
    stock.evaluate(2, "page.goto(shop.url).navigated")
    view.get_by_role("gridcell", name="Part 3", exact=True).click()
    expect(source).to_contain_text("The document of")
    expect(source).to_contain_text("cell in row 'Part 3' nth 1")
    expect(crop).to_be_hidden()


def test_rows_are_sorted_filtered_and_turned(stock: LabNotebook) -> None:
    stock.run(1)
    view = stock.page.locator(VIEW)
    expect(view.locator(".sbp-tools")).to_contain_text("rows 1 to 40 of 60")
    head = view.get_by_role("columnheader").filter(has_text="Price")
    expect(head).to_contain_text("number, 60 different")
    head.get_by_title("Sort by this column").click()
    head.get_by_title("Sort by this column").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(view.get_by_role("gridcell").first).to_have_text("Part 59")
    view.get_by_role("button", name="Rows after").click()
    expect(view.locator(".sbp-tools")).to_contain_text("rows 41 to 60 of 60")
    expect(view.get_by_role("gridcell").last).to_have_text("0.50")
    view.get_by_label("Filter rows").fill("part 57")
    expect(view.locator(".sbp-tools")).to_contain_text("rows 1 to 1 of 1 found in 60")
    view.get_by_role("gridcell", name="57.50", exact=True).click()
    expect(view.get_by_role("region", name="Source of the cell")).to_contain_text("€57.50")
    expect(view.locator(".sbp-crop")).to_be_visible()
    if os.environ.get("WRITE_IMAGES"):
        (IMAGES / "frame_tools.png").write_bytes(view.screenshot())


def test_a_columns_menu_sorts_and_filters_by_its_histogram(stock: LabNotebook) -> None:
    stock.run(1)
    view = stock.page.locator(VIEW)
    view.get_by_role("button", name="Menu of Price").click()
    menu = view.get_by_role("group", name="Column Price")
    expect(menu).to_be_visible()
    assert violations(stock.page, VIEW) == []
    bars = menu.get_by_role("button", name="Only ")
    expect(bars).to_have_count(12)
    bars.last.click()
    expect(bars.last).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".sbp-tools")).to_contain_text("rows 1 to 5 of 5 found in 60")
    menu.get_by_role("button", name="Sort descending").click()
    expect(view.get_by_role("gridcell").first).to_have_text("Part 59")
    stock.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    cell = view.get_by_role("gridcell").nth(1)
    assert cell.evaluate("(cell) => getComputedStyle(cell).textAlign") == "right"
    view.get_by_role("button", name="Price: 54.58333333 to 59.5 ✕").click()
    expect(view.locator(".sbp-tools")).to_contain_text("rows 1 to 40 of 60")


def test_a_saved_notebook_shows_the_rows(stock: LabNotebook) -> None:
    stock.run(1)
    stock.wait_for_output(1, "40 of 60 rows")
    saved = stock.save()
    html = "".join(
        "".join(output["data"].get("text/html", "")) for output in saved.cells[1].outputs if "data" in output
    )
    assert "Part 39" in html
    assert "<i>Stock" not in html
    assert "&lt;i&gt;Stock" in html

"""Pages and snapshots in a real JupyterLab, of a real page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import nbconvert
import pytest
from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, IMAGES, OPEN

Open = Callable[..., LabNotebook]


@pytest.fixture
def shop(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), "", "")
    notebook.run(0)
    yield notebook
    if notebook.evaluate(2, "'page' in globals()") == "True":
        notebook.evaluate(2, CLOSE)


VIEW = ".jp-OutputArea .sbp"


def test_a_snapshot_is_a_tree_beside_a_screenshot_with_boxes(shop: LabNotebook) -> None:
    shop.set_source(1, "snapshot = page.snapshot()\nsnapshot")
    outputs = shop.run(1)
    assert ["".join(each["data"]["text/plain"])[:16] for each in outputs] == [
        "",
        '<Snapshot "Home ',
    ]
    view = shop.page.locator(VIEW)
    expect(view.locator(".sbp-status")).to_have_text("Live")
    expect(view.get_by_role("treeitem").filter(has_text="searchbox")).to_contain_text("e4")
    expect(view.locator(".sbp-box").first).to_be_visible()
    width = view.locator(".sbp-shot img").evaluate("(img) => img.decode().then(() => img.naturalWidth)")
    assert width >= 1000
    box = view.locator('.sbp-box[data-ref="e4"]').bounding_box()
    screenshot = view.locator(".sbp-shot img").bounding_box()
    assert box is not None
    assert screenshot is not None
    scale = screenshot["width"] / width
    left = float(shop.evaluate(2, "snapshot['e4'].box.x"))
    assert box["x"] - screenshot["x"] == pytest.approx(left * scale, abs=2)
    expect(shop.page.locator("[data-skillbook-record]")).to_be_hidden()
    assert violations(shop.page, VIEW) == []


def test_an_older_snapshot_is_static_and_without_a_screenshot_of_another_moment(shop: LabNotebook) -> None:
    shop.set_source(1, "snapshot = page.snapshot()\npage.goto(shop.url + '/stores')\nsnapshot")
    shop.run(1)
    expect(shop.page.locator(".jp-OutputArea .skb-static .tree")).to_contain_text("Best rated")
    expect(shop.page.locator(".jp-OutputArea .skb-static .shot")).to_have_count(0)
    expect(shop.page.locator(VIEW)).to_have_count(0)


def test_a_page_as_a_value_follows_what_later_cells_do(shop: LabNotebook) -> None:
    shop.set_source(1, "page")
    assert "".join(shop.run(1)[1]["data"]["text/plain"]).startswith("<Page 'Home")
    view = shop.page.locator(VIEW)
    expect(view.locator(".sbp-title")).to_contain_text("Home")
    screenshot = view.locator(".sbp-shot img")
    before = screenshot.get_attribute("src") or ""
    shop.evaluate(2, "page.fill(\"searchbox 'Search products'\", 'lamp').changed")
    expect(view.get_by_role("treeitem").filter(has_text="searchbox")).to_contain_text("= lamp")
    expect(screenshot).not_to_have_attribute("src", before)
    shop.evaluate(2, "page.goto(shop.url + '/stores').navigated")
    expect(view.locator(".sbp-address")).to_contain_text("/stores")
    expect(view.get_by_role("tree")).to_contain_text("Store locator")


def test_a_view_follows_while_a_cell_blocks(shop: LabNotebook) -> None:
    shop.set_source(1, "page")
    shop.run(1)
    view = shop.page.locator(VIEW)
    shop.set_source(
        2,
        "page.goto(shop.url + '/stores')\ntry:\n    page.wait_for(text='never', timeout=20)\n"
        "except sb.SkillbookError as error:\n    print(error.code)",
    )
    shop.start(2)
    expect(view.locator(".sbp-address")).to_contain_text("/stores")
    view.locator(".sbp-tree [data-ref]", has_text="Store locator").first.click()
    expect(view.locator(".sbp-copy").last).to_contain_text("iframe 'Store locator'")
    assert shop.outputs(2) == []
    shop.page.evaluate("() => jupyterapp.commands.execute('notebook:interrupt-kernel')")
    shop.page.wait_for_function(
        "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
    )


def test_hovering_outlines_the_element_in_the_real_page(shop: LabNotebook) -> None:
    shop.set_source(1, "page")
    shop.run(1)
    plain = shop.evaluate(2, "import hashlib; hashlib.md5(page.screenshot()).hexdigest()")
    view = shop.page.locator(VIEW)
    count = "page.evaluate(\"document.documentElement.querySelectorAll(':scope > div[aria-hidden]').length\")"
    for place in (".sbp-tree", ".sbp-boxes"):
        assert shop.evaluate(2, count) == "0"
        view.locator(f'{place} [data-ref="e4"]').hover()
        shop.evaluate(2, f"from wait_in_kernel import until; until(lambda: {count} == 1)")
        assert (
            shop.evaluate(2, "hashlib.md5(page.screenshot()).hexdigest()") == plain
        )  # ours is in no screenshot
        shop.page.mouse.move(1, 1)
        shop.evaluate(2, f"until(lambda: {count} == 0)")


def test_the_view_after_an_action_of_a_later_cell(lab: Open) -> None:
    cells = (
        'page = browser.open(shop.url + "/search?q=lamp")\npage',
        "page.fill(\"searchbox 'Search products'\", 'desk')",
    )
    notebook = lab("", *cells)
    notebook.evaluate(0, "from lab_shop import open_shop\nshop, browser, first = open_shop(); first.close()")
    notebook.run(1)
    notebook.run(2)
    page, view = notebook.page, notebook.page.locator(VIEW)
    expect(view.get_by_role("treeitem").filter(has_text="searchbox")).to_contain_text("= desk")
    row = view.get_by_role("treeitem").filter(has_text="Dusk Bedside Lamp").filter(has_text="link")
    row.click()
    expect(view.locator(".sbp-copy").last).to_have_text("link 'Dusk Bedside Lamp'")
    expect(view.locator(".sbp-boxes .sbp-aim")).to_have_count(1)
    page.mouse.move(1, 1)
    page.set_viewport_size({"width": 1280, "height": 740})
    view.evaluate("(view) => view.closest('.jp-Cell').scrollIntoView()")
    taken = page.screenshot()
    assert taken.startswith(b"\x89PNG")
    if os.environ.get("WRITE_IMAGES"):
        (IMAGES / "view.png").write_bytes(taken)
    notebook.evaluate(0, CLOSE)


def test_a_shown_page_follows_until_it_is_stopped(shop: LabNotebook) -> None:
    shop.set_source(1, "from skillbook.notebook import show\nlive = show(page)\nlive")
    assert len(shop.run(1)) == 2
    view = shop.page.locator(VIEW)
    shop.evaluate(2, "page.goto(shop.url + '/stores').navigated")
    expect(view.locator(".sbp-address")).to_contain_text("/stores")
    shop.evaluate(2, "live.stop(); page.goto(shop.url + '/login').navigated")
    expect(view.locator(".sbp-status")).to_have_text("Still")
    assert shop.evaluate(2, "page.snapshot().title.split()[0]") == "'Log'"
    expect(view.locator(".sbp-address")).to_contain_text("/stores")


def test_the_view_shown_last_as_a_value_is_the_one_that_follows(shop: LabNotebook) -> None:
    shop.set_source(1, "page")
    shop.run(1)
    shop.evaluate(2, "page")
    statuses = shop.page.locator(f"{VIEW} .sbp-status")
    expect(statuses).to_have_text(["Still", "Live"])


def test_a_reopened_notebook_shows_what_its_cell_showed_once(shop: LabNotebook) -> None:
    shop.evaluate(2, "%env SKILLBOOK_RECORD_SCREENSHOTS=1")
    shop.set_source(1, "page.evaluate(\"document.querySelector('h1').textContent = '<b>pwned</b>'\")\npage")
    shop.run(1)
    expect(shop.page.locator(VIEW).get_by_role("tree")).to_contain_text("<b>pwned</b>")
    shop.evaluate(2, "page.fill(\"searchbox 'Search products'\", 'desk').changed")
    record = shop.page.locator("[data-skillbook-record]")
    expect(shop.page.locator(VIEW).get_by_role("tree")).to_contain_text("= desk")
    expect(record).to_contain_text("<b>pwned</b>")
    expect(record).not_to_contain_text("= desk")
    expect(record).to_be_hidden()
    saved = shop.save()
    html, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    assert html.count('<div class="skb-static') == 1
    assert "&lt;b&gt;pwned" in html
    assert "<b>pwned" not in html
    shop.evaluate(2, "browser.close(); shop.close()")
    shop.save()
    shop.shut_down()
    shop.open()
    expect(record).to_be_visible()
    expect(record).to_contain_text("<b>pwned</b>")
    expect(record.locator("img")).to_be_visible()
    expect(shop.page.locator(VIEW)).to_have_count(0)
    # JupyterLab says so where it asked the new kernel before it drew the output; the record stands in its place.
    expect(shop.page.get_by_text("Error displaying widget")).to_be_hidden()


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("seen.close()", "The page was closed. browser.open() opens one."),
        ("own.close()", "The browser was closed. browser.relaunch() starts it again."),
        ("own.driver.process._process.kill()", "The browser has ended"),
    ],
    ids=["page", "browser", "killed"],
)
def test_fault_88_a_view_of_what_is_gone_says_so(shop: LabNotebook, end: str, words: str) -> None:
    shop.set_source(1, "import skillbook as sb\nown = sb.launch()\nseen = own.open(shop.url)\nseen")
    shop.run(1)
    view = shop.page.locator(VIEW)
    expect(view.locator(".sbp-status")).to_have_text("Live")
    shop.evaluate(2, end)
    expect(view.locator(".sbp-status")).to_have_text("Gone")
    expect(view.locator(".sbp-gone")).to_contain_text(words)
    expect(view.locator("[inert] .sbp-shot, .sbp-shot[inert], [inert] img").first).to_be_attached()
    shop.evaluate(2, "own.close()")

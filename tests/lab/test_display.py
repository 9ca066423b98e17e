"""Pages and snapshots in a real JupyterLab, of a real page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, OPEN

Open = Callable[..., LabNotebook]


@pytest.fixture
def shop(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), "", "")
    notebook.run(0)
    yield notebook
    notebook.ask(2, CLOSE)


def test_a_snapshot_is_a_tree_beside_a_picture_with_boxes(shop: LabNotebook) -> None:
    shop.set_source(1, "snapshot = page.snapshot()\nsnapshot")
    (output,) = shop.run(1)
    assert "".join(output["data"]["text/plain"]).startswith('<Snapshot "Home')
    shown = shop.page.locator(".jp-OutputArea .skb-static")
    expect(shown.locator("li").filter(has_text="searchbox")).to_contain_text("[e4]")
    expect(shown.locator(".shot u").first).to_be_visible()
    width = shown.locator(".shot img").evaluate("(img) => img.decode().then(() => img.naturalWidth)")
    assert width >= 1000
    box = shown.locator(".shot u", has_text="e4").first.bounding_box()
    picture = shown.locator(".shot img").bounding_box()
    assert box is not None
    assert picture is not None
    scale = picture["width"] / width
    left = float(shop.ask(2, "snapshot['e4'].box.x"))
    assert box["x"] - picture["x"] == pytest.approx(left * scale, abs=2)


def test_an_older_snapshot_is_shown_without_a_picture_of_another_moment(shop: LabNotebook) -> None:
    shop.set_source(1, "snapshot = page.snapshot()\npage.goto(shop.url + '/stores')\nsnapshot")
    shop.run(1)
    expect(shop.page.locator(".jp-OutputArea .skb-static .tree")).to_contain_text("Best rated")
    expect(shop.page.locator(".jp-OutputArea .skb-static .shot")).to_have_count(0)


def test_a_shown_page_follows_what_other_cells_do(shop: LabNotebook) -> None:
    shop.set_source(1, "from skillbook.notebook import show\nlive = show(page)")
    shop.run(1)
    shown = shop.page.locator(".jp-OutputArea .skb-static")
    expect(shown.locator("header")).to_contain_text("Home")
    shop.ask(2, "page.goto(shop.url + '/stores').navigated")
    expect(shown.locator("header")).to_contain_text("Stores")
    expect(shown.locator(".tree")).to_contain_text("Store locator")
    saved = shop.save()
    assert "Store locator" in str(saved.cells[1].outputs)
    shop.ask(2, "live.stop(); page.goto(shop.url + '/login').navigated")
    assert shop.ask(2, "page.snapshot().title.split()[0]") == "'Log'"
    expect(shown.locator("header")).to_contain_text("Stores")


def test_a_page_shows_its_latest_snapshot(shop: LabNotebook) -> None:
    shop.set_source(1, "page.snapshot()\npage")
    (output,) = shop.run(1)
    assert "".join(output["data"]["text/plain"]).startswith("<Page 'Home")
    expect(shop.page.locator(".jp-OutputArea .skb-static .shot img")).to_be_visible()

"""JupyterLab in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from skillbook.launcher.chromium_search import find_chromium
from tests.lab.notebook import LabNotebook
from tests.lab.server import LabServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
_TIMEOUT_MS = 60_000

OpenNotebook = Callable[..., LabNotebook]


@pytest.fixture(scope="package")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture(scope="package")
def lab_browser() -> Iterator[Browser]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_chromium().path), headless=True, args=CHROMIUM_ARGS
        )
        yield browser
        browser.close()


def _new_page(browser: Browser) -> Page:
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, device_scale_factor=1)
    context.set_default_timeout(_TIMEOUT_MS)
    return context.new_page()


@pytest.fixture
def lab_page(lab_browser: Browser) -> Iterator[Page]:
    page = _new_page(lab_browser)
    yield page
    page.context.close()


@pytest.fixture(scope="package")
def lab_notebook(lab_server: LabServer, lab_browser: Browser) -> Iterator[LabNotebook]:
    """One notebook with one kernel for all tests: opening one takes longer than most tests."""
    notebook = LabNotebook.create(lab_server, _new_page(lab_browser), "notebook.ipynb", "")
    yield notebook
    notebook.shut_down()
    notebook.page.context.close()


@pytest.fixture
def lab(lab_notebook: LabNotebook) -> Iterator[OpenNotebook]:
    """Fills the notebook with the given cells, once or again; variables of earlier tests are gone."""

    def fill(*cells: str) -> LabNotebook:
        lab_notebook.fill(*cells)
        return lab_notebook

    yield fill
    lab_notebook.page.set_viewport_size({"width": 1280, "height": 1000})

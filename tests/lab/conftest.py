"""JupyterLab in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillbook.launcher.find import find_chromium
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.lab)


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def lab_browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_chromium().path), headless=True, args=CHROMIUM_ARGS
        )
        yield browser
        browser.close()


@pytest.fixture
def lab_page(lab_browser: Browser) -> Iterator[Page]:
    context = lab_browser.new_context(viewport={"width": 1280, "height": 1000}, device_scale_factor=1)
    context.set_default_timeout(_TIMEOUT_MS)
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def lab(lab_server: LabServer, lab_page: Page, request: pytest.FixtureRequest) -> Iterator[OpenNotebook]:
    """Opens a new notebook with the given cells; its kernel ends with the test."""
    opened: list[LabNotebook] = []

    def open_notebook(*cells: str, name: str | None = None) -> LabNotebook:
        stem = name or f"{re.sub('[^a-z0-9]+', '-', request.node.name)}-{len(opened)}"
        opened.append(LabNotebook.create(lab_server, lab_page, f"{stem}.ipynb", *cells))
        return opened[-1]

    yield open_notebook
    for notebook in opened:
        notebook.shut_down()

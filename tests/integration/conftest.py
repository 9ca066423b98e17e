"""Real Chromium with the real extension, and applications that nobody here wrote."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site, serve_folder
from tests.integration.engine_page import EnginePages, build_engine, engine_pages
from tests.stored_pages import StoredPages, opener, page_html

APPS = Path(__file__).resolve().parents[1] / "apps"
INSTALLED = APPS / "installed"
MODULES = APPS / "node_modules"

ANTD_PAGE = Path(__file__).resolve().parent / "pages" / "antd.html"
ANTD_FILES = (
    "react/umd/react.production.min.js",
    "react-dom/umd/react-dom.production.min.js",
    "dayjs/dayjs.min.js",
    "antd/dist/antd.min.js",
    "antd/dist/reset.css",
)
SHOELACE_PAGE = Path(__file__).resolve().parent / "pages" / "shoelace.html"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless browser for the whole session; it allows evaluate, so that tests can ask the page itself."""
    browser = sb.launch(allow_evaluate=True)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def synthetic_browser() -> Iterator[Browser]:
    """One browser for the whole session to which no debugger is attached: its input is synthetic."""
    browser = sb.launch(allow_evaluate=True, input="synthetic")
    yield browser
    browser.close()


@pytest.fixture(params=["trusted", "synthetic"])
def kind(request: pytest.FixtureRequest) -> tuple[str, Browser]:
    """Each kind of input, with a browser that has it."""
    fixture = {"trusted": "browser", "synthetic": "synthetic_browser"}[request.param]
    return request.param, request.getfixturevalue(fixture)


@pytest.fixture(scope="session")
def engine_source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The dom engine as one script, bundled once for the whole session."""
    return build_engine(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def engine(engine_source: str) -> Iterator[EnginePages]:
    """The engine in a Chromium of its own; blocking Playwright may not outlive the file, for others are async."""
    with engine_pages(engine_source) as pages:
        yield pages


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """Opens pages; after the test it closes them and takes back the origins that the test allowed.

    Another test's site may get the port of one that is gone.
    """
    allowed = browser.driver.gateway.policy.allowed
    before = set(allowed)
    opened: list[Page] = []

    def open_url(url: str) -> Page:
        page = browser.open(url)
        opened.append(page)
        return page

    yield open_url
    for page in opened:
        if not page.closed:
            page.close()
    allowed &= before


@pytest.fixture
def start_cells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Makes a run whose model writes the given cells, through the real OpenAI client; `run.server` has its requests."""
    runs: list[Run] = []
    server = OpenAIServer([]).start()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
    monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
    monkeypatch.setenv("SKILLBOOK_MODEL_RETRIES", "0")

    def begin(
        *cells: str, page: Any, goal: str = "Find every lamp.", end: str = "Done.", **options: Any
    ) -> Run:
        server.script.extend([*(ToolCall("run_cell", {"code": code}) for code in cells), end])
        runs.append(sb.agent(page, goal, mode="cells", **options))
        runs[-1].server = server  # type: ignore[attr-defined]
        return runs[-1]

    yield begin
    for run in runs:
        run.stop()
    server.stop()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What isn't on a page is waited for for two seconds, not for five or ten, whichever module waits."""
    finds = (
        "session.actions.targets",
        "session.page_driver",
        "session.shared_tabs",
        "skill.replay",
        "skill.targets",
    )
    places = tuple(f"skillbook.{name}" for name in finds)
    for module in [module for name, module in sys.modules.items() if name.startswith(places)]:
        for name in {"READ_SECONDS", "CAUSE_SECONDS"} & vars(module).keys():
            monkeypatch.setattr(module, name, 2.0)


@pytest.fixture
def serve_html(tmp_path: Path, open_page: Callable[[str], Page]) -> Iterator[Callable[[str], Page]]:
    """Serves HTML text and opens it."""
    site = serve_folder(tmp_path)
    count = 0

    def serve(html: str) -> Page:
        nonlocal count
        count += 1
        (tmp_path / f"{count}.html").write_text(page_html(html), encoding="utf-8")
        return open_page(f"{site.url}{count}.html" if site.url.endswith("/") else f"{site.url}/{count}.html")

    yield serve
    site.close()


@pytest.fixture(scope="session")
def stored_pages(request: pytest.FixtureRequest, home: Path) -> Iterator[StoredPages]:
    """A browser of stored pages for the whole session."""
    cache = getattr(request.config, "cache", None)
    pages = StoredPages(cache.mkdir("stored-pages") if cache else home / "stored-pages", home)
    yield pages
    pages.close()


@pytest.fixture
def read_html(stored_pages: StoredPages) -> Iterator[Callable[[str], Page]]:
    """Stands for `serve_html` where a test only reads: pages as a browser read them once; what acts fails."""
    yield opener(stored_pages)
    for page in stored_pages.browser.pages:
        page.close()
    refused, stored_pages.bridge.refused = stored_pages.bridge.refused, []
    assert not refused, f"{', '.join(refused)}: this test does more than read, so it needs `serve_html`"


@pytest.fixture(scope="module")
def shared_tab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedTab]:
    """One tab for the tests of a file."""
    tab = SharedTab(browser, tmp_path_factory.mktemp("shown"))
    yield tab
    tab.close()


@pytest.fixture
def show_html(shared_tab: SharedTab, browser: Browser) -> Iterator[Callable[[str], Page]]:
    """Stands for `serve_html` where a test has one page: shows it in the tab that a file's tests share.

    A new tab costs more than half of such a test. Where isolation matters, take `serve_html`.
    """
    allowed = browser.driver.gateway.policy.allowed
    before = set(allowed)
    yield shared_tab.show
    allowed &= before


class SharedTab:
    """A tab that shows one page after the other, all of one origin.

    Parameters
    ----------
    browser : where it is.
    folder : where the pages are written.
    """

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self._site = serve_folder(folder)
        self._page: Page | None = None
        self._count = 0

    def show(self, html: str) -> Page:
        """Show HTML; in a new tab if the one before is closed."""
        self._count += 1
        name = f"{self._count}.html"
        (self._folder / name).write_text(page_html(html), encoding="utf-8")
        url = f"{self._site.url}/{name}"
        if self._page is None or self._page.closed:
            self._page = self._browser.open(url)
        else:
            self._page.goto(url)
        return self._page

    def close(self) -> None:
        """Close the tab and end the site."""
        if self._page is not None and not self._page.closed:
            self._page.close()
        self._site.close()


def _serve(*parts: str | Path) -> Iterator[Site]:
    folder = Path(*parts)
    if not folder.exists():
        pytest.skip(f"{folder.relative_to(APPS)} isn't there: `python tests/apps/install.py` installs it")
    with serve_folder(folder) as site:
        yield site


@pytest.fixture(scope="session")
def swagger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Swagger UI with Jupyter Server's own API description."""
    source = MODULES / "swagger-ui-dist"
    if not source.exists():
        pytest.skip("swagger-ui-dist isn't installed: `python tests/apps/install.py` does it")
    folder = tmp_path_factory.mktemp("apps") / "swagger"
    shutil.copytree(source, folder)
    shutil.copy(INSTALLED / "jupyter_server/jupyter_server/services/api/api.yaml", folder)
    start = folder / "swagger-initializer.js"
    start.write_text(
        re.sub(r'url: "[^"]+"', 'url: "/api.yaml"', start.read_text(encoding="utf-8")), encoding="utf-8"
    )
    yield from _serve(folder)


@pytest.fixture(scope="session")
def shoelace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A form of Shoelace components, each in its own shadow root."""
    source = MODULES / "@shoelace-style/shoelace/cdn"
    if not source.exists():
        pytest.skip("Shoelace isn't installed: `python tests/apps/install.py` does it")
    folder = tmp_path_factory.mktemp("apps") / "shoelace"
    folder.mkdir(parents=True)
    (folder / "sl").symlink_to(source)
    shutil.copy(SHOELACE_PAGE, folder / "index.html")
    yield from _serve(folder)


@pytest.fixture(scope="session")
def antd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A form of Ant Design's components."""
    if not all((MODULES / file).exists() for file in ANTD_FILES):
        pytest.skip("Ant Design isn't installed: `python tests/apps/install.py` does it")
    folder = tmp_path_factory.mktemp("apps") / "antd"
    folder.mkdir(parents=True)
    for file in ANTD_FILES:
        shutil.copy(MODULES / file, folder)
    shutil.copy(ANTD_PAGE, folder / "index.html")
    yield from _serve(folder)


@pytest.fixture(scope="session")
def jqueryui() -> Iterator[Site]:
    """jQuery UI's demos, under the paths where Debian installs them."""
    yield from _serve(INSTALLED, "debian")


@pytest.fixture(scope="session")
def miniwob() -> Iterator[Site]:
    """MiniWoB++'s tasks."""
    yield from _serve(INSTALLED, "miniwob", "miniwob", "html")

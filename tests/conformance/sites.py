"""The pages that the suite reads: own ones, the demo shop, and applications that nobody here wrote."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.apps import APPS, INSTALLED, NotInstalled, serve_app
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder, serve_site
from tests.conformance.read import settle

HERE = Path(__file__).resolve().parent
OWN = ("frames", "shadow", "layers", "listeners", "names", "modal")
SHOP = ("", "search?q=a", "cart", "checkout", "login", "stores")
JQUERY_UI = "usr/share/doc/libjs-jquery-ui-docs/examples"
DEMOS = (
    "accordion/default", "autocomplete/combobox", "button/default", "checkboxradio/default", "controlgroup/default",
    "datepicker/inline", "dialog/modal-form", "draggable/default", "menu/default", "progressbar/default",
    "resizable/default", "selectable/default", "selectmenu/default", "slider/range", "sortable/default",
    "spinner/default", "tabs/default", "tooltip/default",
)  # fmt: skip
_ALIKE = {
    "accordion", "button", "controlgroup", "draggable", "progressbar", "resizable", "sortable", "spinner", "tooltip",
}  # fmt: skip
"""Demos whose roles and names other pages have as well: read by `make conformance`."""
DOCS = ("index.html", "library/functions.html", "library/argparse.html", "genindex-A.html", "search.html")
_EACH = 20
"""Of the MiniWoB++ tasks every so many is read by `make test`."""
_LONG = {"library/functions.html", "library/argparse.html", "genindex-A.html", "click-pie"}
"""Pages that are large or never quiet: seconds each, read by `make conformance`."""
_BEGIN = "core.EPISODE_MAX_TIME = 1e8, Math.seedrandom('7'), core.startEpisodeReal()"


@dataclass(frozen=True)
class Place:
    """A page to read.

    Attributes
    ----------
    name : `site/page`.
    serve : opens the site below a temporary folder and gives the page's address.
    begin : brings the open page where it is read.
    soak : one of very many, or large: read by `make conformance` alone.
    """

    name: str
    serve: Callable[[Path], object]
    begin: Callable[[Page], object] = settle

    soak: bool = False

    @property
    def site(self) -> str:
        """What the page is a part of."""
        return self.name.partition("/")[0]


class Server:
    """Serves places' sites, each once; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._open: dict[str, object] = {}

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def url(self, place: Place) -> str:
        """A place's address.

        Raises
        ------
        NotInstalled : what it needs isn't there.
        """
        if place.site not in self._open:
            folder = self._folder / place.site
            folder.mkdir(exist_ok=True)
            self._open[place.site] = self._stack.enter_context(place.serve(folder))  # type: ignore[arg-type]
        root = str(self._open[place.site])
        return root if place.site in _APPS else f"{root}/{place.name.partition('/')[2]}"


@contextmanager
def _serve_own(folder: Path) -> Iterator[str]:
    shutil.copytree(HERE / "pages", folder, dirs_exist_ok=True)
    with serve_folder(folder) as site:
        page = folder / "frames.html"
        other = site.url.replace("127.0.0.1", "localhost")
        page.write_text(page.read_text(encoding="utf-8").replace("OTHER", other), encoding="utf-8")
        yield site.url


@contextmanager
def _serve_shop(_: Path) -> Iterator[str]:
    with serve_site("shop") as site:
        yield site.url


@contextmanager
def _serve_installed(pattern: str, _: Path) -> Iterator[str]:
    found = sorted(INSTALLED.glob(pattern))
    if not found:
        raise NotInstalled(f"tests/apps/installed/{pattern} isn't there: `make apps` installs it")
    with serve_folder(found[0]) as site:
        yield site.url


_APPS = {app.name: app for app in APPS if app.name in {"swagger", "shoelace", "aggrid", "fullcalendar"}}
_TEXTS = {"swagger": "terminals", "shoelace": "Gift wrap"}


def _begin_app(name: str, page: Page) -> None:
    if name in _TEXTS:
        page.wait_for(text=_TEXTS[name])
    settle(page)


def _begin_task(page: Page) -> None:
    page.evaluate(_BEGIN)
    settle(page)


def _tasks() -> list[str]:
    return sorted(file.stem for file in INSTALLED.glob("miniwob/miniwob/html/miniwob/*.html"))


def places() -> list[Place]:
    """Every page, those of the installed applications only where they are."""
    found = [Place(f"own/{name}.html", _serve_own) for name in OWN]
    found += [Place(f"shop/{path}", _serve_shop) for path in SHOP]
    found += [Place(name, partial(serve_app, app), partial(_begin_app, name)) for name, app in _APPS.items()]
    jquery = partial(_serve_installed, "debian")
    found += [
        Place(f"jqueryui/{JQUERY_UI}/{demo}.html", jquery, soak=demo.partition("/")[0] in _ALIKE)
        for demo in DEMOS
    ]
    docs = partial(_serve_installed, "debian/usr/share/doc/python3*/html")
    found += [Place(f"pydocs/{path}", docs, soak=path in _LONG) for path in DOCS]
    miniwob = partial(_serve_installed, "miniwob/miniwob/html")
    found += [
        Place(f"miniwob/miniwob/{task}.html", miniwob, _begin_task, soak=count % _EACH != 0 or task in _LONG)
        for count, task in enumerate(_tasks())
    ]
    return found

"""Real pages that nobody here wrote, of different kinds, served on loopback."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skillbook.testing.site import serve_folder
from tests.lab.server import LabServer

ROOT = Path(__file__).resolve().parents[1]
MODULES = ROOT / "tests/apps/node_modules"
INSTALLED = ROOT / "tests/apps/installed"
_PAGES = Path(__file__).resolve().parent / "hosts"


class NotInstalled(Exception):
    """An application isn't there."""


@dataclass(frozen=True)
class App:
    """A real page.

    Attributes
    ----------
    name : for `--only` and reports.
    kind : what it is an example of.
    place : makes its folder ready below a temporary one and returns it.
    path : of the page below the folder.
    ready : CSS of an element that is there when the page is.
    act : CSS of what a user would click next.
    """

    name: str
    kind: str
    place: Callable[[Path], Path]
    path: str
    ready: str
    act: str


@contextmanager
def serve_app(app: App, folder: Path) -> Iterator[str]:
    """Serve an application; gives the page's address.

    Raises
    ------
    NotInstalled : what it needs isn't there.
    """
    if app.name == "jupyterlab":
        with _serve_lab(folder) as url:
            yield url
        return
    with serve_folder(app.place(folder)) as site:
        yield f"{site.url}/{app.path}"


def _need(path: Path) -> Path:
    if not path.exists():
        raise NotInstalled(f"{path.relative_to(ROOT)} isn't there: `make apps` installs it")
    return path


def _place_swagger(folder: Path) -> Path:
    target = folder / "swagger"
    shutil.copytree(_need(MODULES / "swagger-ui-dist"), target)
    shutil.copy(_need(INSTALLED / "jupyter_server/jupyter_server/services/api/api.yaml"), target)
    start = target / "swagger-initializer.js"
    text = start.read_text(encoding="utf-8")
    start.write_text(re.sub(r'url: "[^"]+"', 'url: "/api.yaml"', text), encoding="utf-8")
    return target


def _place_hosted(name: str, *links: tuple[str, Path]) -> Callable[[Path], Path]:
    def place(folder: Path) -> Path:
        target = folder / name
        target.mkdir()
        for link, source in links:
            (target / link).symlink_to(_need(source))
        source = ROOT / "tests/integration/pages" if name == "shoelace" else _PAGES
        shutil.copy(source / f"{name}.html", target / "index.html")
        return target

    return place


def _place_jqueryui(_: Path) -> Path:
    return _need(INSTALLED / "debian")


def _place_docs(_: Path) -> Path:
    found = sorted((INSTALLED / "debian/usr/share/doc").glob("python3*/html"))
    return _need(found[0] if found else INSTALLED / "debian/usr/share/doc/python3/html")


@contextmanager
def _serve_lab(folder: Path) -> Iterator[str]:
    """JupyterLab on the quickstart."""
    try:
        (folder / "lab").mkdir()
        server = LabServer(folder / "lab")
    except RuntimeError as error:
        raise NotInstalled(f"JupyterLab doesn't start (the extra `lab` installs it): {error}") from None
    try:
        shutil.copy(ROOT / "notebooks/quickstart.ipynb", server.notebooks)
        # What was open in the page before stays shut.
        yield f"{server.url}lab/tree/quickstart.ipynb?reset&token={server.token}"
    finally:
        server.close()


_JQUERY = "usr/share/doc/libjs-jquery-ui-docs/examples"
APPS = (
    App("swagger", "React application", _place_swagger, "", "#operations-config-getApiConfigSectionName, .opblock",
        ".opblock-summary-control"),
    App("shoelace", "web components in shadow roots",
        _place_hosted("shoelace", ("sl", MODULES / "@shoelace-style/shoelace/cdn")), "",
        "sl-button[id=delete] >> button", "sl-checkbox >> nth=0"),
    App("jqueryui", "jQuery widgets", _place_jqueryui, f"{_JQUERY}/dialog/modal-form.html",
        "button#create-user", "button#create-user"),
    App("pydocs", "long documentation", _place_docs, "library/functions.html", "div.footer",
        "input[name=q]:visible"),
    App("aggrid", "virtualised data grid",
        _place_hosted("aggrid", ("ag", MODULES / "ag-grid-community/dist")), "", ".ag-row >> nth=5",
        ".ag-row .ag-cell >> nth=3"),
    App("fullcalendar", "calendar", _place_hosted("fullcalendar", ("fc", MODULES / "fullcalendar")), "",
        ".fc-event >> nth=0", ".fc-listMonth-button"),
    App("jupyterlab", "desktop-like application", lambda folder: folder, "",
        ".jp-Notebook-ExecutionIndicator[data-status=idle]", ".lm-MenuBar-item >> nth=1"),
)  # fmt: skip

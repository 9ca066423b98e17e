"""MiniWoB++ as a served site: each page begins its task at once, with the same question every time, and no clock."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from skillbook.errors import InvalidTask
from skillbook.evals.eval_task import Start
from skillbook.testing.site import Site, serve_app, serve_folder
from skillbook.testing.sites import SITES, Portal
from skillbook.testing.sites.web import Application, Request, Response

_BEGIN = """<script>
addEventListener("load", () => {
  core.EPISODE_MAX_TIME = 1e8;
  Math.seedrandom("7");
  core.startEpisodeReal();
});
</script>
"""
"""Runs after the page's own handler, which waits for a click. The reward falls with time, so time is long."""


class MiniWob:
    """The pages of the package `miniwob`, which isn't imported: only its files are read.

    Raises InvalidTask: it isn't installed.
    """

    def __init__(self) -> None:
        found = find_spec("miniwob")
        if found is None or not found.submodule_search_locations:
            raise InvalidTask("MiniWoB++ isn't installed", hint='pip install "skillbook[evals]"')
        self._folder = (Path(found.submodule_search_locations[0]) / "html").resolve()

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        path = (self._folder / request.path.lstrip("/")).resolve()
        if not path.is_relative_to(self._folder) or not path.is_file():
            return Response("There is no such page", status=404, kind="text/plain")
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        if kind != "text/html":
            return Response(path.read_bytes(), kind=kind)
        text = path.read_text(encoding="utf-8")
        head, end, rest = text.rpartition("</body>")
        return Response(f"{head}{_BEGIN}{end}{rest}" if end else f"{text}{_BEGIN}")


_TODAY = date(2026, 3, 15)
"""The day of the sites that show dates, so that a task means the same on any day."""


@dataclass
class Place:
    """Where the task's page is.

    root: the site's address, for requests of its state.
    sent: requests that may change something and reached it.
    """

    url: str
    root: str
    sent: list[str] = field(default_factory=list)
    port: int = 0


class _Watched:
    """A site with one visitor, which notes what reaches it.

    The visitor's cookies are kept here, and begin as the task says: a browser's own, of another attempt at another
    port, don't count.
    """

    def __init__(self, app: Application, cookies: dict[str, str]) -> None:
        self._app = app
        self._cookies = dict(cookies)
        self.sent: list[str] = []

    def respond(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            self.sent.append(f"{request.method} {request.path}")
        answer = self._app.respond(replace(request, cookies=dict(self._cookies)))
        self._cookies |= answer.cookies
        return answer


def make_site(name: str) -> Application:
    """A bundled site as evaluations use it: its dates stand still.

    Raises InvalidTask: there is none of that name.
    """
    makers: dict[str, Callable[[], Application]] = {
        **SITES,
        "miniwob": MiniWob,
        "portal": lambda: Portal(_TODAY),
    }
    if name not in makers:
        raise InvalidTask(f"there is no site {name!r}", hint=f"one of {', '.join(sorted(makers))}")
    return makers[name]()


@contextmanager
def serve_start(start: Start, recorded: int = 0) -> Iterator[Place]:
    """Serve what a task starts on, until the block ends.

    recorded: the port of a recording that answers instead; 0 where there is none.
    Raises InvalidTask: there is no such site or folder.
    """
    if start.url is not None:
        yield Place(start.url, start.url)
        return
    if recorded:
        root = f"http://127.0.0.1:{recorded}"
        yield Place(root + start.path, root, port=recorded)
        return
    app: _Watched | None = None
    if start.site is not None:
        app = _Watched(make_site(start.site), start.cookies)
    with _serve(app, start) as site:
        yield Place(site.url + start.path, site.url, app.sent if app is not None else [], site.port)


def _serve(app: _Watched | None, start: Start) -> Site:
    if app is not None:
        return serve_app(app)
    folder = Path(start.folder or "")
    if not folder.is_dir():
        raise InvalidTask(f"there is no folder {folder}", hint="correct the task's start")
    return serve_folder(folder)

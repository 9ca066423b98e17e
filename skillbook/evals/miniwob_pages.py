"""MiniWoB++ as a served site: each page begins its task at once, with the same question every time, and no clock."""

from __future__ import annotations

import mimetypes
from importlib.util import find_spec
from pathlib import Path

from skillbook.errors import InvalidTask
from skillbook.testing.sites.web import Request, Response

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

    Raises
    ------
    InvalidTask : it isn't installed.
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

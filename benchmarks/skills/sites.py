"""The applications, each begun when it is first wanted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks.apps import APPS, INSTALLED, MODULES, ROOT, NotInstalled, serve_app
from skillbook.testing.site import serve_folder, serve_site

ANTD_FILES = (
    "react/umd/react.production.min.js",
    "react-dom/umd/react-dom.production.min.js",
    "dayjs/dayjs.min.js",
    "antd/dist/antd.min.js",
    "antd/dist/reset.css",
)
MORE = frozenset({"sqladmin", "roundup", "otterwiki"})


class Sites:
    """Where the applications are served; a context manager that ends them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._urls: dict[str, str] = {}

    def url(self, app: str, path: str) -> str:
        """The address of a page.

        Raises
        ------
        NotInstalled
        """
        if app not in self._urls:
            self._urls[app] = self._start(app)
        return self._urls[app] + path

    def _start(self, app: str) -> str:
        if app == "shop":
            return self._stack.enter_context(serve_site()).url
        if app == "antd":
            return self._antd()
        if app in {"django", "django-login", "django-office"}:
            return self._django(app.removeprefix("django").lstrip("-"))
        found = next((one for one in APPS if one.name == app), None)
        if found is None:
            return self._program(app)
        url = self._stack.enter_context(serve_app(found, self._folder))
        return "/".join(url.split("/")[:3]) if app != "jupyterlab" else url

    def _antd(self) -> str:
        """A form of Ant Design's components."""
        folder = self._folder / "antd"
        folder.mkdir()
        for file in ANTD_FILES:
            if not (MODULES / file).exists():
                raise NotInstalled(f"{file} isn't there: `make apps` installs it")
            shutil.copy(MODULES / file, folder)
        shutil.copy(ROOT / "tests/integration/pages/antd.html", folder / "index.html")
        return self._stack.enter_context(serve_folder(folder)).url.rstrip("/")

    def _django(self, mode: str) -> str:
        folder = self._folder / f"django{mode}"
        folder.mkdir()
        return self._spawn(
            [str(ROOT / "tests/apps/django_admin.py"), str(folder), *([mode] if mode else [])], "django"
        )

    def _program(self, app: str) -> str:
        folder = self._folder / app
        folder.mkdir()
        library = app if app == "moin" else "more" if app in MORE else "web"
        return self._spawn([str(ROOT / "tests/apps/web_apps.py"), app, str(folder)], library)

    def _spawn(self, arguments: list[str], library: str) -> str:
        """Start a server that prints its port and ends with its standard input."""
        if not (INSTALLED / library).exists():
            raise NotInstalled(f"{library} isn't there: `make apps` installs it")
        environment = {**os.environ, "PYTHONPATH": str(INSTALLED / library)}
        pipe = subprocess.PIPE
        server = self._stack.enter_context(
            subprocess.Popen(
                [sys.executable, *arguments], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True,
                env=environment,
            )
        )  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        self._stack.callback(server.stdin.close)
        port = server.stdout.readline().strip()
        if not port:
            raise NotInstalled(f"{arguments[-2]} did not start")
        return f"http://127.0.0.1:{port}"

    def close(self) -> None:
        """End every server."""
        self._stack.close()

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

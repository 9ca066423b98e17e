"""Serves the applications and has a checkout of skillbook play the tasks on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.apps import APPS, INSTALLED, ROOT, NotInstalled, serve_app

_SERVED = {
    "pydocs": "library/functions.html",
    "swagger": "",
    "jqueryui": "dialog/modal-form.html",
    "aggrid": "",
    "fullcalendar": "",
    "shoelace": "",
}
"""The applications, and what of each one's address isn't common to its pages."""
_MOST_SECONDS = 1500


def play_tasks(folder: Path, checkout: Path = ROOT, *, cells: bool = False) -> dict[str, Any]:
    """What came of every task, as `play.py` writes it.

    Parameters
    ----------
    folder : an empty folder for the applications' files.
    checkout : which skillbook plays; its extension is built.
    cells : whether the model writes code.
    """
    wanted, played = folder / "urls.json", folder / "played.json"
    with _serve(folder) as urls:
        wanted.write_text(json.dumps(urls), encoding="utf-8")
        subprocess.run(
            [
                sys.executable,
                str(Path(__file__).with_name("play.py")),
                str(wanted),
                str(played),
                *(["cells"] if cells else []),
            ],
            env={**os.environ, "PYTHONPATH": str(checkout), "SKILLBOOK_HOME": str(folder / "home")},
            check=True,
            timeout=_MOST_SECONDS,
        )
    result: dict[str, Any] = json.loads(played.read_text(encoding="utf-8"))
    return result


@contextmanager
def _serve(folder: Path) -> Iterator[dict[str, str]]:
    urls: dict[str, str] = {}
    with ExitStack() as stack:
        for app in APPS:
            if app.name in _SERVED:
                urls[app.name] = stack.enter_context(serve_app(app, folder)).removesuffix(_SERVED[app.name])
        urls["django"] = stack.enter_context(_serve_django(folder))
        yield urls


@contextmanager
def _serve_django(folder: Path) -> Iterator[str]:
    django = INSTALLED / "django"
    if not django.exists():
        raise NotInstalled("Django isn't there: `make apps` installs it")
    data = folder / "django"
    data.mkdir()
    command = [sys.executable, str(ROOT / "tests/apps/django_admin.py"), str(data)]
    environment: Mapping[str, str] = {"PYTHONPATH": str(django)}
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=quiet, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        process.terminate()

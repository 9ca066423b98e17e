"""Origins of the notebook servers that run on this machine: pages there could run code, so they are out of bounds."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from skillbook.policy.urls import origin_of


def runtime_folder() -> Path:
    """Jupyter's runtime folder, as jupyter_core finds it."""
    if folder := os.environ.get("JUPYTER_RUNTIME_DIR"):
        return Path(folder)
    if folder := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(folder) / "runtime"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter" / "runtime"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", str(Path.home()))) / "jupyter" / "runtime"
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "jupyter" / "runtime"


def notebook_origins(folder: Path | None = None) -> set[str]:
    """The origins of servers that wrote themselves down in Jupyter's runtime folder."""
    origins: set[str] = set()
    for file in (folder or runtime_folder()).glob("jpserver-*.json"):
        try:
            url = json.loads(file.read_text(encoding="utf-8")).get("url", "")
        except (OSError, ValueError):
            continue
        if origin := origin_of(str(url)):
            origins.add(origin)
    return origins

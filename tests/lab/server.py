"""A JupyterLab, or a Notebook 7, for the tests: a free port, new folders, nothing that uses the network."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
_START_SECONDS = 90.0
_OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}


class LabServer:
    """A running JupyterLab, or Notebook 7 where LAB_APP says "notebook"; `close()` ends it with its kernels.

    Parameters
    ----------
    folder : where notebooks, settings and everything it writes are.
    """

    def __init__(self, folder: Path) -> None:
        self.notebooks = folder / "notebooks"
        self.token = secrets.token_hex(16)
        self._runtime = folder / "runtime"
        self._log = (folder / "server.log").open("w")
        config = folder / "config"
        for each in (self.notebooks, self._runtime, config / "labconfig"):
            each.mkdir(parents=True)
        (config / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(_OVERRIDES))
        self.is_notebook = os.environ.get("LAB_APP") == "notebook"
        app = "JupyterNotebookApp" if self.is_notebook else "LabApp"
        command = [
            sys.executable, "-m", "notebook" if self.is_notebook else "jupyterlab", "--no-browser",
            "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.root_dir={self.notebooks}", f"--IdentityProvider.token={self.token}",
            "--ServerApp.terminals_enabled=False", f"--{app}.expose_app_in_browser=True",
            "--LabApp.extension_manager=readonly", "--LabApp.news_url=None", "--allow-root",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, env=self._environment(folder, config), stdout=self._log, stderr=self._log, cwd=folder
        )
        self.url = self._wait_for_url()

    def _environment(self, folder: Path, config: Path) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "JUPYTER", "JPY_", "SKILLBOOK_"))
        }
        # Packages of `make lab-matrix` go before the installed ones.
        others, ours = os.environ.get("LAB_PACKAGES", ""), Path(__file__).parent / "kernel"
        shared = {"JUPYTER_PATH": str(Path(others, "share", "jupyter"))} if others else {}
        paths = [others, str(ROOT), str(ours), os.environ.get("PYTHONPATH", "")]
        return kept | {
            "JUPYTER_CONFIG_DIR": str(config),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self._runtime),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
            "IPYTHONDIR": str(folder / "ipython"),
            "SKILLBOOK_HOME": str(folder / "skillbook"),
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            **shared,
            **{name: os.environ[name] for name in ("SKILLBOOK_CHROMIUM",) if name in os.environ},
        }

    def _wait_for_url(self) -> str:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            for facts in self._runtime.glob("jpserver-*.json"):
                try:
                    return str(json.loads(facts.read_text())["url"])
                except ValueError:
                    continue  # half written
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        self.close()
        raise RuntimeError(f"JupyterLab did not start:\n{Path(self._log.name).read_text()[-3000:]}")

    def url_of(self, name: str) -> str:
        """The address at which a notebook of the folder opens."""
        return f"{self.url}{'notebooks' if self.is_notebook else 'doc/tree'}/{name}?token={self.token}"

    def close(self) -> None:
        """End the server; it ends its kernels."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

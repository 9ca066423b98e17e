"""Make sure that a usable Chromium is there: `python -m skillbook.launcher.install`."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from skillbook.errors import BrowserNotFound
from skillbook.launcher.chromium_search import Chromium, find_chromium


def ensure_chromium(say: Callable[[str], object] = print) -> Chromium:
    """The browser to use; installed first where there is none.

    An installed one is preferred, then the distribution's package (as root on Debian and Ubuntu), then the
    build that Playwright downloads.

    Raises BrowserNotFound: nothing could be installed; its message says what was tried.
    """
    tried = []
    for name, install in ((None, None), ("apt-get", _by_apt), ("playwright", _by_playwright)):
        if install is not None:
            say(f"No usable Chromium found; trying {name} …")
            tried.append(f"{name}: {install() or 'installed, but not usable'}")
        try:
            return find_chromium()
        except BrowserNotFound as error:
            missing = error
    raise BrowserNotFound(f"{missing.message}; tried {'; '.join(tried)}", hint=missing.hint, tried=tried)


def _by_apt() -> str:
    """Install Debian's package; what went wrong, or an empty string."""
    if not shutil.which("apt-get"):
        return "this is no Debian or Ubuntu"
    if os.geteuid() != 0:
        return "needs root (run: sudo apt-get install chromium)"
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
        done = subprocess.run(command, env=quiet, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            return f"`{' '.join(command)}` failed"
    return ""


def _by_playwright() -> str:
    """Download Playwright's build; what went wrong, or an empty string."""
    if importlib.util.find_spec("playwright") is None:
        return "not installed (run: pip install playwright)"
    done = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    return "`playwright install chromium` failed" if done.returncode else ""


def main() -> int:
    """Find or install a browser and say which; the exit code."""
    try:
        print(f"Browser: {ensure_chromium()}")  # noqa: T201
    except BrowserNotFound as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

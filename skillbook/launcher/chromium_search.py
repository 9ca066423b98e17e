"""Find an installed Chromium that can load the extension."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from skillbook.config import load_settings
from skillbook.errors import BrowserNotFound
from skillbook.storage import readable_home

_NEEDED = {
    "user and programs": "HOME USER LOGNAME PATH SHELL HOSTNAME PWD",
    "language and time": "LANG LANGUAGE LC_\\w+ TZ TZDIR",
    "folders": "TMPDIR TMP TEMP XDG_\\w+ SNAP(_\\w+)? FLATPAK_\\w+ CONTAINER",
    "display and input": "DISPLAY XAUTHORITY WAYLAND_\\w+ GDK_\\w+ GTK_\\w+ QT_\\w+ XMODIFIERS XCURSOR_\\w+ "
    "DESKTOP_SESSION SESSION_MANAGER GNOME_DESKTOP_SESSION_ID KDE_FULL_SESSION KDE_SESSION_VERSION DESKTOP_STARTUP_ID "
    "AT_SPI_\\w+ NO_AT_BRIDGE",
    "other programs": "DBUS_\\w+ PULSE_\\w+ PIPEWIRE_\\w+",
    "network": "(https?|ftp|all|no|auto)_proxy SSL_CERT_FILE SSL_CERT_DIR KRB5CCNAME KRB5_CONFIG RES_OPTIONS",
    "fonts and libraries": "FONTCONFIG_\\w+ FC_\\w+ LD_LIBRARY_PATH LD_PRELOAD DYLD_\\w+ NIX_PROFILES NIX_LD\\w* "
    "LOCALE_ARCHIVE",
    "graphics": "LIBGL_\\w+ LIBVA_\\w+ MESA_\\w+ VK_\\w+ __GLX?_\\w+ __EGL_\\w+ EGL_\\w+ GBM_\\w+ DRI_PRIME",
    "Chromium": "CHROME_DEVEL_SANDBOX CHROME_DESKTOP CHROME_WRAPPER CHROME_EXTRA_FLAGS CHROME_CONFIG_HOME "
    "CHROMIUM_FLAGS CHROMIUM_USER_FLAGS",
    "macOS": "__CF\\w+ COMMAND_MODE XPC_\\w+",
    "Windows": "SYSTEMROOT WINDIR SYSTEMDRIVE COMSPEC PATHEXT OS PUBLIC PROGRAMDATA PROGRAMW6432 "
    "PROGRAMFILES(\\(X86\\))? COMMONPROGRAMFILES(\\(X86\\))? COMMONPROGRAMW6432 ALLUSERSPROFILE USERPROFILE APPDATA "
    "LOCALAPPDATA HOMEDRIVE HOMEPATH USERNAME USERDOMAIN COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_\\w+ "
    "SESSIONNAME DRIVERDATA",
}
_IS_NEEDED = re.compile("|".join(f"(?:{name})" for names in _NEEDED.values() for name in names.split()), re.I)


def browser_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a browser gets: a list of names, so that a secret with a new name isn't one of them.

    environ: what they are taken from; this process's environment by default.
    """
    given = os.environ if environ is None else environ
    return {name: value for name, value in given.items() if _IS_NEEDED.fullmatch(name)}


LAST_BRANDED_CHROME = 136
"""The last Google Chrome that heeds `--load-extension`; other Chromium builds still do."""

OLDEST_CHROMIUM = 120
"""As `minimum_chrome_version` in the extension's manifest."""

_NAMES = (
    "chromium",
    "chromium-browser",
    "chrome-for-testing",
    "brave-browser",
    "brave",
    "microsoft-edge-stable",
    "microsoft-edge",
    "google-chrome-stable",
    "google-chrome",
)
_PRODUCTS = ("Chromium", "Google Chrome for Testing", "Google Chrome", "Brave Browser", "Microsoft Edge")
_MAC_APPS = ("Chromium", "Google Chrome for Testing", "Brave Browser", "Microsoft Edge", "Google Chrome")
_WINDOWS_PATHS = (
    "Chromium/Application/chrome.exe",
    "BraveSoftware/Brave-Browser/Application/brave.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "Google/Chrome/Application/chrome.exe",
)
_WINDOWS_PRODUCTS = {
    "Google": "Google Chrome",
    "Microsoft": "Microsoft Edge",
    "BraveSoftware": "Brave Browser",
}


@dataclass(frozen=True)
class Chromium:
    """A browser on this machine; `product` as it calls itself ("Chromium"), `version` as in "156.0.1.2"."""

    path: Path
    product: str
    version: str

    @property
    def major(self) -> int:
        """The first number of the version, 0 where unknown."""
        head = self.version.partition(".")[0]
        return int(head) if head.isdigit() else 0

    @property
    def problem(self) -> str:
        """Why this browser can't be launched with the extension, or an empty string."""
        if self.major and self.major < OLDEST_CHROMIUM:
            return f"it is older than version {OLDEST_CHROMIUM}"
        if sys.platform == "win32" and self.needs_pipe:
            return f"Google Chrome ignores --load-extension since version {LAST_BRANDED_CHROME + 1}"
        return ""

    @property
    def needs_pipe(self) -> bool:
        """Whether the extension must be loaded over the debugging pipe."""
        return self.product == "Google Chrome" and self.major > LAST_BRANDED_CHROME

    @property
    def is_snap(self) -> bool:
        """Whether snap confines it: it then reads no hidden folder and no other program's /tmp."""
        if str(self.path).startswith("/snap/") or self.path.resolve().name == "snap":
            return True
        return self.path.name == "chromium-browser" and b"/snap/bin/chromium" in _head(self.path)

    def __str__(self) -> str:
        return f"{self.product} {self.version} at {self.path}"


def find_chromium(executable: str | Path | None = None) -> Chromium:
    """Find the browser to start.

    executable: a path or a name on PATH; by default the setting `SKILLBOOK_CHROMIUM`, then what is there.
    Raises BrowserNotFound: nothing is there, or what is there can't load the extension.
    """
    wanted = executable or load_settings().chromium
    if wanted:
        return _take(str(wanted))
    unfit = []
    for path in candidates():
        found = identify(path)
        if found and not found.problem:
            return found
        if found:
            unfit.append(f"{found}: {found.problem}")
    seen = f" (found, but not usable: {'; '.join(unfit)})" if unfit else ""
    raise BrowserNotFound(f"No Chromium that can load the extension was found{seen}", hint=_HINT, unfit=unfit)


_HINT = (
    "install Chromium (Debian: apt-get install chromium; anywhere: pip install playwright,"
    " then playwright install chromium), name one with SKILLBOOK_CHROMIUM,"
    " or use your own Chrome with sb.connect()"
)


def _take(wanted: str) -> Chromium:
    path = shutil.which(wanted)
    if path is None:
        raise BrowserNotFound(f"{wanted} is not a program that can be started", executable=wanted)
    found = identify(Path(path))
    if found is None:
        raise BrowserNotFound(f"{wanted} does not say that it is a Chromium", executable=wanted)
    if found.problem:
        raise BrowserNotFound(f"{found} can't be used: {found.problem}", hint=_HINT, executable=wanted)
    return found


def candidates() -> Iterator[Path]:
    """Every place where a Chromium may be, best first; only existing files, each once."""
    seen: set[Path] = set()
    for path in _places():
        if path.is_file() and path.resolve() not in seen:
            seen.add(path.resolve())
            yield path


def _places() -> Iterator[Path]:
    named = [Path(found) for name in _NAMES if (found := shutil.which(name))]
    branded = [path for path in named if path.name.startswith("google-chrome")]
    yield from (path for path in named if path not in branded)
    if sys.platform == "darwin":
        for app in _MAC_APPS:
            for folder in (Path("/Applications"), readable_home() / "Applications"):
                yield folder / f"{app}.app" / "Contents" / "MacOS" / app
    elif sys.platform == "win32":
        roots = [os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        yield from (Path(root, path) for path in _WINDOWS_PATHS for root in roots if root)
    else:
        yield Path("/snap/bin/chromium")
        yield Path("/opt/brave.com/brave/brave")
        yield Path("/opt/microsoft/msedge/msedge")
    yield from _playwright_builds()
    yield from branded


def playwright_folder() -> Path:
    """Where Playwright keeps the browsers it downloads."""
    if set_to := os.environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        return Path(set_to)
    if sys.platform == "darwin":
        return readable_home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or readable_home() / "AppData" / "Local") / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or readable_home() / ".cache") / "ms-playwright"


def _playwright_builds() -> Iterator[Path]:
    folders = [path for path in playwright_folder().glob("chromium-*") if path.name[9:].isdigit()]
    for folder in sorted(folders, key=lambda path: int(path.name[9:]), reverse=True):
        yield from folder.glob("chrome-linux*/chrome")
        yield from folder.glob("chrome-mac*/*.app/Contents/MacOS/*")
        yield from folder.glob("chrome-win*/chrome.exe")


def identify(path: Path) -> Chromium | None:
    """Ask a program which Chromium it is; None where it is none."""
    return _identify(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=64)
def _identify(path: Path, _modified: int) -> Chromium | None:
    if sys.platform == "win32":
        return _identify_by_folder(path)
    try:
        output = subprocess.run(
            [path, "--version"],
            env=browser_environment(),
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(rf"\b({'|'.join(_PRODUCTS)})\s+(\d+(?:\.\d+)+)", output)
    return Chromium(path, match[1], match[2]) if match else None


def _identify_by_folder(path: Path) -> Chromium | None:
    """On Windows `--version` opens a window; the version is the name of a folder beside the program."""
    if path.name.lower() not in {"chrome.exe", "msedge.exe", "brave.exe"}:
        return None
    versions = [
        folder.name for folder in path.parent.iterdir() if re.fullmatch(r"\d+(\.\d+){3}", folder.name)
    ]
    product = next((name for part, name in _WINDOWS_PRODUCTS.items() if part in path.parts), "Chromium")
    return Chromium(path, product, max(versions, key=_numbers, default=""))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""

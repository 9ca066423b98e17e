"""The built extension: where it is and what its id is."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

from skillbook.errors import ExtensionNotBuilt, ProfileInUse, SkillbookError
from skillbook.limits import ENDING_SECONDS
from skillbook.storage import expanded, private_folder, storing, write_private

EXTENSION_ID = "ddmfmpejhhgmmnlaaaaceagdggjpbcge"
"""The id that Chromium derives from the `key` in the extension's manifest."""

_BUILT = Path(__file__).parent.parent / "_extension"
_SCRIPTS = ("background.js", "content.js", "pair.js", "databases.js")
_NEEDED = ("manifest.json", *_SCRIPTS, "popup.html", "confirm.html")


def extension_path(folder: Path = _BUILT) -> Path:
    """The folder to load unpacked.

    folder: the built extension; the one inside the package by default.
    Raises ExtensionNotBuilt: the folder, or a file in it, is missing.
    """
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise ExtensionNotBuilt(
            f"The extension is not built: {folder} lacks {', '.join(missing)}", missing=missing
        )
    return folder


def extension_version(folder: Path = _BUILT) -> str:
    """The version in the built extension's manifest.

    Raises ExtensionNotBuilt: there is no built extension.
    """
    manifest = json.loads((extension_path(folder) / "manifest.json").read_text(encoding="utf-8"))
    return str(manifest["version"])


PAIRED_FILE = "paired.json"
"""Names for the extension which kernel to dial. A file, so that the token is in no process's arguments."""
_LOCK = "SingletonLock"
"""A link that a running browser makes: its target is the host's name and the process."""
_SOCKET = "SingletonSocket"
_STARTER = "skillbook-started-by.txt"


@dataclass(frozen=True)
class Profile:
    """What one launch owns on disk: all under `root` is private to this user and removed afterwards."""

    root: Path
    user_data_dir: Path
    extension_dir: Path

    def remove(self) -> None:
        """Delete `root`: the extension's copy with its token, and the profile where it is a temporary one."""
        shutil.rmtree(self.root, ignore_errors=True)


def make_profile(
    extension: Path,
    *,
    port: int,
    token: str,
    kernel_id: str,
    kernel_name: str,
    user_data_dir: str | Path | None = None,
    base: Path | None = None,
) -> Profile:
    """Make the folders that a browser is started with, none of them readable by other users.

    extension: the built extension, which is copied.
    port, token, kernel_id, kernel_name: what the extension needs to dial the kernel.
    user_data_dir: a profile to keep; a temporary one by default.
    base: where to make the temporary folder.
    Raises StorageError: a folder can't be written. ProfileInUse : another browser has the profile open.
    """
    with storing(base or _temporary_folder(), "TMPDIR"):
        root = Path(tempfile.mkdtemp(prefix="skillbook-", dir=base))
    try:
        data = expanded(user_data_dir).absolute() if user_data_dir else root / "profile"
        with storing(data, "user_data_dir" if user_data_dir else "TMPDIR"):
            private_folder(data)
            if user_data_dir:
                require_free(data)
                (data / _STARTER).write_text(f"{kernel_name} (process {os.getpid()})", "utf-8")
        with storing(root, "TMPDIR"):
            if user_data_dir is None:
                _prefer(data, root / "downloads")
            copy = root / "extension"
            shutil.copytree(extension, copy)
            copy.chmod(0o700)
            paired = {"port": port, "token": token, "kernel": {"id": kernel_id, "name": kernel_name}}
            write_private(copy / PAIRED_FILE, json.dumps(paired))
            _permit_cookies(copy / "manifest.json")
    except SkillbookError:
        shutil.rmtree(root, ignore_errors=True)
        raise
    return Profile(root, data, copy)


@dataclass(frozen=True)
class ProfileHolder:
    """The browser that has a profile open: its process, its host if that is another one, and who started it."""

    pid: int
    host: str = ""
    starter: str = ""

    def __str__(self) -> str:
        where = f" on {self.host}" if self.host else ""
        return f"process {self.pid}{where}" + (f", which {self.starter} started" if self.starter else "")


def find_holder(user_data_dir: Path) -> ProfileHolder | None:
    """The browser that has a profile open; None if there is none, or the system has no such note.

    A browser that was killed leaves its note behind, and its number may be another process's by now: so the socket
    that it listens on has to answer as well.
    """
    try:
        host, _, pid = os.readlink(user_data_dir / _LOCK).rpartition("-")
        holder = ProfileHolder(int(pid), starter=_starter(user_data_dir))
    except (OSError, ValueError):
        return None
    if host != socket.gethostname():
        return ProfileHolder(holder.pid, host, holder.starter)
    try:
        os.kill(holder.pid, 0)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ENDING_SECONDS)
            line.connect(os.readlink(user_data_dir / _SOCKET))
    except PermissionError:
        return holder  # another user's
    except OSError:
        return None
    return holder


def require_free(user_data_dir: Path) -> None:
    """Check that no browser has a profile open.

    Raises ProfileInUse: one has; Chromium would hand over to it and end.
    """
    holder = find_holder(user_data_dir)
    if holder is None:
        return
    hint = f"close that browser; if it is gone, delete {user_data_dir / _LOCK}" if holder.host else None
    raise ProfileInUse(
        f"the profile {str(user_data_dir)!r} is open already, in {holder}",
        hint=hint,
        path=str(user_data_dir),
        pid=holder.pid,
    )


def _starter(user_data_dir: Path) -> str:
    try:
        return (user_data_dir / _STARTER).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _permit_cookies(manifest: Path) -> None:
    """Let this copy keep a person signed in; the extension in a person's own browser reads no cookies."""
    facts = json.loads(manifest.read_text("utf-8"))
    facts["permissions"] = sorted({*facts["permissions"], "cookies"})
    manifest.write_text(json.dumps(facts), "utf-8")


_NEVER = 2
"""No page is loaded, looked up or connected to before somebody goes there: nobody could be asked about that."""


def _prefer(user_data_dir: Path, downloads: Path) -> None:
    """A fresh profile saves files without asking where, and runs the extension also after it was reloaded."""
    downloads.mkdir(mode=0o700)
    saving = {"default_directory": str(downloads), "prompt_for_download": False}
    (user_data_dir / "Default").mkdir(mode=0o700)
    # Outside of developer mode an unpacked extension that is reloaded is turned off.
    preferences = {
        "download": saving,
        "net": {"network_prediction_options": _NEVER},
        "extensions": {"ui": {"developer_mode": True}},
        # One press may save several files; nobody can answer the question about that in a headless browser.
        "profile": {"default_content_setting_values": {"automatic_downloads": 1}},
    }
    (user_data_dir / "Default" / "Preferences").write_text(json.dumps(preferences), "utf-8")


def _temporary_folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:  # none that can be written
        return os.environ.get("TMPDIR", os.sep + "tmp")

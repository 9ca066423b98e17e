"""The built extension: where it is and what its id is."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from skillbook.errors import ExtensionNotBuilt

EXTENSION_ID = "ddmfmpejhhgmmnlaaaaceagdggjpbcge"
"""The id that Chromium derives from the `key` in the extension's manifest."""

_BUILT = Path(__file__).parent.parent / "_extension"
_SCRIPTS = ("background.js", "content.js", "pair.js", "databases.js")
_NEEDED = ("manifest.json", *_SCRIPTS, "popup.html", "confirm.html")


def extension_path(folder: Path = _BUILT) -> Path:
    """The folder to load unpacked.

    Parameters
    ----------
    folder : the built extension; the one inside the package by default.

    Raises
    ------
    ExtensionNotBuilt : the folder, or a file in it, is missing.
    """
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise ExtensionNotBuilt(
            f"The extension is not built: {folder} lacks {', '.join(missing)}", missing=missing
        )
    return folder


def extension_version(folder: Path = _BUILT) -> str:
    """The version in the built extension's manifest.

    Raises
    ------
    ExtensionNotBuilt : there is no built extension.
    """
    manifest = json.loads((extension_path(folder) / "manifest.json").read_text(encoding="utf-8"))
    return str(manifest["version"])


def id_from_key(key: str) -> str:
    """The extension id that belongs to a manifest `key` (base64 of the public key in DER).

    Source: Chromium, components/crx_file/id_util.cc: the first 16 bytes of the SHA-256, written in a to p.
    """
    digest = hashlib.sha256(base64.b64decode(key)).hexdigest()[:32]
    return digest.translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop"))

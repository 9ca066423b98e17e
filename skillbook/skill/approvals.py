"""Skills whose irreversible steps a person approved when the skill was recorded, by the digest of what they say.

An approval holds for exactly that version: a skill that was changed since asks again.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

_FILE = "approved-skills.json"


def remember(home: Path, digest: str) -> None:
    """Remember that a person approved a skill's irreversible steps."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    digests = sorted({*_digests(home), digest})
    handle, name = tempfile.mkstemp(dir=home, prefix=_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(digests, file, indent=1)
    Path(name).replace(home / _FILE)


def is_remembered(home: Path, digest: str) -> bool:
    """Whether a person approved this version."""
    return digest in _digests(home)


def _digests(home: Path) -> set[str]:
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {item for item in found if isinstance(item, str)} if isinstance(found, list) else set()

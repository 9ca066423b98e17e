"""Which versions of which skills and site hints a person approved, by the digest of what they say.

An approval holds for exactly that version: a skill that was changed since asks again. It lets the skill run; only for
skills saved from a run in which a person approved the steps that can't be undone, it covers these too.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from skillbook.storage import HOME, private_folder, storing

_FILE = "approved-skills.json"
_RUN, _IRREVERSIBLE = "run", "irreversible"


def remember(home: Path, digest: str, *, irreversible: bool = False) -> None:
    """Remember that a person approved a version; `irreversible`: its steps that can't be undone too."""
    known = _approved(home)
    covers = _IRREVERSIBLE if irreversible or known.get(digest) == _IRREVERSIBLE else _RUN
    _write(home, {**known, digest: covers})


def forget(home: Path, digest: str) -> None:
    """Forget that a person approved a version."""
    known = _approved(home)
    if known.pop(digest, None) is not None:
        _write(home, known)


def _write(home: Path, known: dict[str, str]) -> None:
    with storing(home / _FILE, HOME):
        private_folder(home)
        handle, name = tempfile.mkstemp(dir=home, prefix=_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        Path(name).replace(home / _FILE)


def may_run(home: Path, digest: str) -> bool:
    """Whether a person approved this version."""
    return digest in _approved(home)


def covers_irreversible(home: Path, digest: str) -> bool:
    """Whether a person approved this version's steps that can't be undone."""
    return _approved(home).get(digest) == _IRREVERSIBLE


def _approved(home: Path) -> dict[str, str]:
    """What each approved version may do. Earlier files have a list: all of it with what can't be undone."""
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if isinstance(found, list):
        return {digest: _IRREVERSIBLE for digest in found if isinstance(digest, str)}
    if not isinstance(found, dict):
        return {}
    return {digest: covers for digest, covers in found.items() if covers in (_RUN, _IRREVERSIBLE)}

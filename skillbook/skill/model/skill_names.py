"""Names that can be a skill's, and the folders they may lead to: nothing is ever read or written outside."""

from __future__ import annotations

import re
from pathlib import Path

from skillbook.errors import InvalidSkillName

MAX_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)


def check_name(name: object) -> str:
    """Return the name if it can be a skill's (Agent Skills specification, and Windows' reserved names).

    Raises
    ------
    InvalidSkillName : it is no string, too long, has other characters, or is a device's name on Windows.
    """
    shown = ascii(name)[:80]
    if not isinstance(name, str):
        raise InvalidSkillName(f"a skill's name must be a string, not {type(name).__name__}")
    if len(name) > MAX_NAME:
        raise InvalidSkillName(f"the skill name {shown} is longer than {MAX_NAME} characters")
    if not _NAME.fullmatch(name):
        hint = slug(name)
        raise InvalidSkillName(
            f"{shown} can't be a skill's name",
            hint=f"use lowercase letters, digits and single hyphens, such as {hint!r}" if hint else None,
        )
    if name in _RESERVED:
        raise InvalidSkillName(f"{shown} is a device's name on Windows", hint=f"try {name + '-skill'!r}")
    return name


def slug(text: str) -> str:
    """The nearest valid name to a text, or '' where nothing of it is left."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    short = words[:MAX_NAME].rstrip("-")
    return f"{short}-skill" if short in _RESERVED else short


def skill_folder(folder: Path, name: str) -> Path:
    """Where a skill of that name lives in `folder`, checked to be a real child of it.

    Raises
    ------
    InvalidSkillName : a bad name, a symbolic link in its place, or an entry that differs only by case.
    """
    check_name(name)
    place = folder / name
    if place.is_symlink():
        raise InvalidSkillName(
            f"{place} is a symbolic link",
            hint="replace it by a real folder; skills are never written through links",
        )
    if folder.is_dir():
        for entry in folder.iterdir():
            if entry.name != name and entry.name.lower() == name:
                raise InvalidSkillName(
                    f"{folder} already has {entry.name!a}, which differs from {name!r} only by case",
                    hint="choose another name, or rename the folder",
                )
    return place

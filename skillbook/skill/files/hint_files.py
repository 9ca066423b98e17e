"""The files of site hints: one small YAML for an origin, in a folder of skills."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from skillbook.errors import InvalidSkill, SelectorSyntaxError
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.perception.site_hints import SiteHints
from skillbook.policy.urls import origin_of
from skillbook.skill.files.safe_yaml import dump_mapping, load_mapping
from skillbook.skill.files.spec_reading import explain, read_text
from skillbook.storage import storing

FOLDER, SUFFIX = "hints", ".yaml"
MOST_CHARACTERS = 20_000


def hint_file(folder: Path, origin: str) -> Path:
    """Where a folder of skills has the hints of an origin: `hints/https-shop.example.yaml`."""
    name = re.sub(r"[^a-z0-9.-]+", "-", origin.replace("://", "-"))
    return folder / FOLDER / f"{name}{SUFFIX}"


def read_hints(path: Path) -> SiteHints:
    """Read a file of hints, which anybody may have written.

    Raises
    ------
    SkillNotFound : there is no such file.
    InvalidSkill : no YAML, unknown fields, no selectors, too large, or another origin than the file's name says.
    """
    text = read_text(path)
    if len(text) > MOST_CHARACTERS:
        raise InvalidSkill(
            f"{path} has more than {MOST_CHARACTERS:,} characters", hint="keep it small", file=str(path)
        )
    data = load_mapping(text, str(path))
    try:
        hints = SiteHints.model_validate(data)
    except ValidationError as error:
        raise explain(error, path, text, first_line=1) from None
    check_hints(hints, path)
    if path != hint_file(path.parent.parent, hints.origin):
        raise InvalidSkill(
            f"{path} is not named after its origin {hints.origin}",
            hint=f"call it {hint_file(Path(), hints.origin).name}",
            file=str(path),
        )
    return hints


def check_hints(hints: SiteHints, path: Path) -> None:
    """Refuse hints without a site's origin, and selectors that can't be used.

    Raises
    ------
    InvalidSkill : with what is wrong.
    """
    if origin_of(hints.origin) != hints.origin:
        raise InvalidSkill(
            f"{path}: {hints.origin!r} is no origin", hint="write it as https://example.com", file=str(path)
        )
    for text in hints.selectors:
        try:
            parsed = parse_selector(text)
        except SelectorSyntaxError as error:
            raise InvalidSkill(f"{path}: {error.message}", hint=error.hint or "", file=str(path)) from None
        if _counts(parsed):
            raise InvalidSkill(
                f"{path}: {text!r} counts elements, and would mean another one when the page changes",
                hint="name it by an id, a class, an address or what it is in",
                file=str(path),
            )


def write_hints(hints: SiteHints, folder: Path) -> Path:
    """Write hints into a folder of skills; returns the file.

    Raises
    ------
    InvalidSkill : no origin, or a selector that can't be used.
    """
    path = hint_file(folder, hints.origin)
    check_hints(hints, path)
    data: dict[str, Any] = {"origin": hints.origin, **hints.model_dump(mode="json", exclude_defaults=True)}
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump_mapping(data), encoding="utf-8")
    return path


def digest_of(hints: SiteHints) -> str:
    """Hash of what they say; another one after any change."""
    return hashlib.sha256(f"hints {hints.model_dump_json()}".encode()).hexdigest()


def _counts(selector: Selector | None) -> bool:
    return selector is not None and (selector.nth is not None or _counts(selector.within))

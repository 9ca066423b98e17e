"""A cassette's folder: JSON files whose long texts are lists of lines, and the bodies of responses as files.

NAME/model.json      what the model was sent and answered; of each request what is new since the one before
NAME/decisions.json  what the person decided
NAME/network.json    requests of pages, each with status, headers and the file of its body
NAME/bodies/         those files, named by their content
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillbook.errors import CassetteNotFound, ConfigError
from skillbook.storage import storing

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FILE = re.compile(r"[A-Za-z0-9_-]{1,60}\.[a-z0-9]{1,5}")
_LARGEST = 200_000_000
_EXTENSIONS = {
    "text/html": "html", "text/css": "css", "text/plain": "txt", "application/json": "json", "image/png": "png",
    "image/jpeg": "jpg", "image/svg+xml": "svg", "image/webp": "webp", "image/gif": "gif", "font/woff2": "woff2",
    "text/javascript": "js", "application/javascript": "js", "application/pdf": "pdf", "text/csv": "csv",
}  # fmt: skip


@dataclass
class Content:
    """What a cassette holds; `bodies` by file name."""

    model: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)
    network: list[dict[str, Any]] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)


_PARTS = ("model", "decisions", "network")


def place_of(name: str, folder: Path) -> Path:
    """Where a cassette of that name is.

    Raises
    ------
    ConfigError : the name can't be a cassette's, or a symbolic link stands in its place.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} can't be a cassette's name", hint="use letters, digits, _ and -")
    place = folder / name
    if place.is_symlink():
        raise ConfigError(f"{place} is a symbolic link", hint="replace it by a real folder")
    return place


def body_name(body: bytes, kind: str) -> str:
    """The name of a body's file: by its content, so that what stays the same stays where it is."""
    kind = kind.partition(";")[0].strip().lower()
    return f"{hashlib.sha256(body).hexdigest()[:12]}.{_EXTENSIONS.get(kind, 'bin')}"


def write(place: Path, content: Content) -> None:
    """Put a cassette in its place, whole or not at all."""
    with storing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        try:
            made.chmod(0o755)
            (made / "bodies").mkdir()
            for part in _PARTS:
                data = {"version": VERSION, part: getattr(content, part)}
                text = json.dumps(_lines(data), ensure_ascii=False, indent=1)
                (made / f"{part}.json").write_text(text + "\n", encoding="utf-8")
            for name, body in content.bodies.items():
                (made / "bodies" / name).write_bytes(body)
            if place.exists():
                shutil.rmtree(place)
            os.replace(made, place)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise


def read(place: Path) -> Content:
    """A cassette from its folder.

    Raises
    ------
    CassetteNotFound : there is none, or it can't be read.
    """
    content = Content()
    try:
        for part in _PARTS:
            path = place / f"{part}.json"
            if path.stat().st_size > _LARGEST:
                raise ValueError(f"{path.name} is too large")
            data = _joined(json.loads(path.read_text(encoding="utf-8")))
            if data["version"] != VERSION:
                raise ValueError(f"{path.name} is of version {data['version']}, not {VERSION}")
            setattr(content, part, list(data[part]))
        for entry in content.network:
            if name := entry.get("body_file"):
                if not _FILE.fullmatch(name):
                    raise ValueError(f"{name!r} can't be the name of a body's file")
                content.bodies[name] = (place / "bodies" / name).read_bytes()
    except FileNotFoundError as error:
        raise CassetteNotFound(
            f"there is no cassette at {place}: {Path(error.filename).name} is missing",
            hint="record it: sb.cassette(name, mode='record')",
        ) from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise CassetteNotFound(
            f"the cassette at {place} can't be read: {error}", hint="record it anew: mode='record'"
        ) from None
    return content


def _lines(data: Any) -> Any:
    """Long texts as lists of their lines, so that a diff shows which line changed."""
    if isinstance(data, str):
        return {"lines": data.split("\n")} if "\n" in data else data
    if isinstance(data, dict):
        return {name: _lines(value) for name, value in data.items()}
    return [_lines(each) for each in data] if isinstance(data, list | tuple) else data


def _joined(data: Any) -> Any:
    if isinstance(data, dict):
        if data.keys() == {"lines"} and isinstance(data["lines"], list):
            return "\n".join(data["lines"])
        return {name: _joined(value) for name, value in data.items()}
    return [_joined(each) for each in data] if isinstance(data, list) else data

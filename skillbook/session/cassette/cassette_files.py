"""A cassette's folder: JSON files, bodies of responses; and the secrets that are taken out of what it keeps.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlsplit, urlunsplit

from skillbook.errors import CassetteNotFound, ConfigError
from skillbook.policy.secrets import MASK, SecretStore
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

    Raises ConfigError: the name can't be a cassette's, or a symbolic link stands in its place.
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

    Raises CassetteNotFound: there is none, or it can't be read.
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


_SECRET_NAME = re.compile(
    r"passw|passphrase|secret|credential|api[_-]?key|(access|refresh|auth|id|session|bearer)[_-]?token"
    r"|session[_-]?id|card[_-]?(number|no)|\b(pwd|otp|cvv|cvc|pin|token)\b",
    re.I,
)
_JSON_FIELD = re.compile(r'("(?P<name>[\w.-]{2,60})"\s*:\s*)"(?P<value>(?:[^"\\]|\\.)+)"')
_SIGNED = re.compile(r"\b(eyJ[\w-]{8,}\.[\w-]{8,})\.[\w-]{16,}")
"""A JSON Web Token: without its signature it is of no use, and pages still read what it says."""
_PASSWORD_FIELD = re.compile(
    r"(<input\b[^>]*\btype=[\"']?password\b[^>]*?\bvalue=)(\"[^\"]*\"|'[^']*')", re.I
)
_BOUNDARY = re.compile(r"-{4,}WebKitFormBoundary\w+")
_PART = re.compile(r'(name="(?P<name>[^"]*)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)(?P<value>[^\r\n]*)')
_KEPT_HEADERS = re.compile(
    r"content-(type|language|disposition|security-policy)|location|refresh|x-(frame|content-type)-options"
    r"|cross-origin-[\w-]+|access-control-[\w-]+|permissions-policy|referrer-policy|service-worker-allowed"
)


class Scrubber:
    """Masks secrets; the same text gives the same result when a cassette is recorded and when it is replayed.

    secrets: the named secrets, whose values are masked wherever they stand.
    keys: other values that are never kept, such as the model's key.
    ignore: regular expressions; what they match doesn't count when requests and prompts are compared.
    """

    def __init__(self, secrets: SecretStore, keys: Iterable[str] = (), ignore: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self._keys = [key for key in keys if len(key) > 5]
        self._ignore = [re.compile(pattern) for pattern in ignore]

    def text(self, text: str) -> str:
        """A text without the values of secrets, keys and signatures."""
        text = MASK if self._secrets.was_typed(text) else self._secrets.redact_kept(text)
        for key in self._keys:
            text = text.replace(key, MASK)
        return _SIGNED.sub(rf"\1.{MASK}", text)

    def data(self, data: Any) -> Any:
        """JSON data whose strings are scrubbed."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return {name: self.data(value) for name, value in data.items()}
        return [self.data(each) for each in data] if isinstance(data, list | tuple) else data

    def compared(self, text: str) -> str:
        """A text as it is compared: what is to be ignored is left out."""
        for pattern in self._ignore:
            text = pattern.sub("…", text)
        return text

    def url(self, url: str) -> str:
        """An address without its fragment, user name, password, and values of secret parameters."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        query = parts.query
        if any(self._value(name, value) == MASK for name, value in parse_qsl(query, keep_blank_values=True)):
            query = self._form(query)
        return self.text(urlunsplit((parts.scheme, host, parts.path, query, "")))

    def request_body(self, content_type: str, body: str | None) -> str | None:
        """A request's body without the values of secret fields."""
        if body is None:
            return None
        if "multipart/form-data" in content_type:
            body = _BOUNDARY.sub("----boundary", body)
            return self.text(_PART.sub(lambda part: part[1] + self._value(part["name"], part["value"]), body))
        if "x-www-form-urlencoded" in content_type:
            return self.text(self._form(body))
        return self.page_text(body)

    def page_text(self, text: str) -> str:
        """A response, or a body of another kind, without secret fields and typed passwords."""
        text = _JSON_FIELD.sub(
            lambda field: f'{field[1]}"{self._value(field["name"], field["value"])}"', text
        )
        return self.text(_PASSWORD_FIELD.sub(rf'\1"{MASK}"', text))

    def headers(self, headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The headers that a page's behaviour depends on; cookies keep their names only."""
        kept = []
        for name, value in headers:
            name = name.lower()
            if name == "set-cookie":
                cookie, equals, rest = value.partition("=")
                _, semicolon, attributes = rest.partition(";")
                kept.append((name, f"{cookie}{equals}scrubbed{semicolon}{attributes}"))
            elif name in {"location", "refresh"}:
                kept.append((name, self.url(value) if name == "location" else self.text(value)))
            elif _KEPT_HEADERS.fullmatch(name):
                kept.append((name, self.text(value)))
        return kept

    def _form(self, text: str) -> str:
        pairs = parse_qsl(text, keep_blank_values=True)
        masked = [
            f"{quote_plus(name)}={MASK if self._value(name, value) == MASK else quote_plus(value)}"
            for name, value in pairs
        ]
        return "&".join(masked) if pairs else text

    def _value(self, name: str, value: str) -> str:
        is_secret = value and (_SECRET_NAME.search(name) or self._secrets.was_typed(value))
        return MASK if is_secret else value

"""A request's body value by value: each with the names and places that lead to it, and its kind.

Nothing is decoded lossily: a body whose bytes aren't UTF-8 text is one value, their digest. A number is kept as it is
written, and a list counts its items.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl

Place: TypeAlias = tuple[str | int, ...]
ValueKind = Literal[
    "text", "number", "true or false", "nothing", "list", "object", "file", "bytes", "body", "?"
]
"""`body` is what has no names in it; `?` a value that isn't known, of whatever kind."""
_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_PART_NAME = re.compile(r'content-disposition:\s*form-data;[^\r\n]*?(?<![a-z])name="([^"]*)"', re.I)
_FILE = re.compile(r"content-disposition:[^\r\n]*filename", re.I)


class Value(NamedTuple):
    """One value of a request: its kind, and its text or digest; a list's text is its count of items."""

    kind: ValueKind
    text: str = ""


class Numeral(str):
    """A number of a JSON text, as it is written there: another one may be the same as a float."""


def bytes_of(body: str | None, data: str | None) -> bytes | None:
    """A body's bytes, of its text or its base64; None if neither is known."""
    if data is not None:
        return b64decode(data)
    return None if body is None else body.encode("utf-8", "surrogateescape")


def body_values(content_type: str, body: bytes) -> Iterator[tuple[Place, Value]]:
    """The values in a body; one that has no names is one value."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        yield ("body",), Value("bytes", sha256(body).hexdigest())
        return
    kind = content_type.lower()
    if not text:
        return
    if "urlencoded" in kind:
        yield ("body",), Value("object", "form")
        yield from pair_values(("body",), text)
    elif "multipart/form-data" in kind and (parts := _parts(content_type, text)) is not None:
        yield ("body",), Value("object", "form")
        yield from named_values(("body",), parts)
    elif (found := read_json(text)) is not None:
        yield from values_in(("body",), found)
    else:
        yield ("body",), Value("body", text)


def pair_values(place: Place, text: str) -> Iterator[tuple[Place, Value]]:
    """The values of a query or a form, by name; a name that comes again is numbered."""
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    yield from named_values(place, [(name, Value("text", value)) for name, value in pairs])


def named_values(place: Place, pairs: list[tuple[str, Value]]) -> Iterator[tuple[Place, Value]]:
    """Values by name; a name that comes again is numbered."""
    counts: dict[str, int] = {}
    for name, value in pairs:
        number = counts[name] = counts.get(name, -1) + 1
        yield from values_in((*place, name, number) if number else (*place, name), value)


def values_in(place: Place, value: Any) -> Iterator[tuple[Place, Value]]:
    """The values in a value with their places; a text that is JSON is what it contains."""
    if isinstance(value, Value):
        packed = read_json(value.text) if value.kind == "text" else None
        if packed is None:
            yield place, value
        else:
            yield place, Value("text", "JSON")
            yield from values_in((*place, "JSON"), packed)
    elif isinstance(value, Mapping):
        yield place, Value("object")
        for key, item in value.items():
            yield from values_in((*place, str(key)), item)
    elif isinstance(value, list):
        yield place, Value("list", str(len(value)))
        for index, item in enumerate(value):
            yield from values_in((*place, index), item)
    elif isinstance(value, bool):
        yield place, Value("true or false", str(value))
    elif value is None:
        yield place, Value("nothing")
    elif isinstance(value, Numeral):
        yield place, Value("number", str(value))
    else:
        yield from values_in(place, Value("text", value))


def _parts(content_type: str, body: str) -> list[tuple[str, Value]] | None:
    """The parts of a form's body by name; None if they can't be told apart for sure."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return None
    first, *parts = body.split(f"--{boundary[1]}")
    if first or not parts or parts[-1].strip() != "--":
        return None
    found = []
    for part in parts[:-1]:
        head, blank, value = part.partition("\r\n\r\n")
        name = _PART_NAME.search(head)
        if name is None or not blank:
            return None
        if _FILE.search(head):
            found.append((name[1], Value("file", sha256(part.encode()).hexdigest())))
        else:
            # What stands beside the name, such as a type, may say how the value is read.
            more = head.strip().replace(name[0], "").strip(' \r\n"')
            found.append((name[1], Value("text", more + value.removesuffix("\r\n"))))
    return found


def read_json(body: str) -> Any:
    """A JSON body's data; None where it is none, or may say different things to different servers."""
    if body.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(
            body,
            object_pairs_hook=_once,
            parse_constant=_refuse,
            parse_int=Numeral,
            parse_float=Numeral,
        )
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names something twice says different things to different servers, so it says nothing."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")

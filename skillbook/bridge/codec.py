"""Frames to messages and back, with errors that say little of what a stranger sent."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from skillbook.errors import InvalidParams, ProtocolError, VersionMismatch
from skillbook.protocol import PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_VERSION
from skillbook.protocol.envelopes import FromExtension, from_extension
from skillbook.protocol.model import WireModel

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})")
# JavaScript writes half a surrogate pair, which a page's text may contain, as an escape that isn't valid.
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def decode(frame: bytes) -> dict[str, Any]:
    """Parse a frame into a JSON object; half surrogate pairs become U+FFFD.

    Raises
    ------
    ProtocolError : the frame isn't a JSON object.
    """
    try:
        value = _parse(frame)
    except ValueError:
        raise ProtocolError("a message from the browser isn't JSON", bytes=len(frame)) from None
    if not isinstance(value, dict):
        raise ProtocolError("a message from the browser isn't a JSON object", bytes=len(frame))
    return value


def _parse(frame: bytes) -> Any:
    try:
        return from_json(frame, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        mended = _SURROGATES.sub(lambda found: b"\\ufffd" if found[1] else found[0], frame)
        if mended == frame:
            raise
        return from_json(mended, allow_inf_nan=False, cache_strings="keys")


def read_message(raw: dict[str, Any]) -> FromExtension:
    """Make the message that a JSON object is.

    A hello's version is looked at first: a peer of another version may send messages of another form.

    Raises
    ------
    VersionMismatch : a hello of a version that this kernel can't talk to.
    ProtocolError : no such message.
    """
    if raw.get("type") == "hello":
        check_version(raw.get("protocol"))
    message: FromExtension = read_as(from_extension, raw)
    return message


def read_as(adapter: TypeAdapter[Any], raw: dict[str, Any]) -> Any:
    """Validate a JSON object; the error names the place but not the value, which may be secret.

    Raises
    ------
    ProtocolError : it doesn't fit.
    """
    try:
        return adapter.validate_python(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part)[:40] for part in first["loc"][:6])
        kind = str(raw.get("type"))[:20]
        raise ProtocolError(
            f"a message of type {kind!r} from the browser doesn't fit: {place or 'type'}: {first['type']}",
            place=place,
        ) from None


def check_version(protocol: object) -> None:
    """Hold the peer to the rule: the same major, and our minor at least its minor.

    Raises
    ------
    VersionMismatch : it doesn't; the hint says what to update.
    """
    found = _VERSION.fullmatch(protocol) if isinstance(protocol, str) else None
    theirs = (int(found[1]), int(found[2])) if found else None
    if theirs and theirs[0] == PROTOCOL_MAJOR and theirs[1] <= PROTOCOL_MINOR:
        return
    text = str(protocol)[:20]
    hint = None
    if theirs and theirs > (PROTOCOL_MAJOR, PROTOCOL_MINOR):
        hint = (
            "update skillbook (`pip install -U skillbook`), or update the extension "
            "to this version's: `skillbook extension` prints the folder to load"
        )
    raise VersionMismatch(
        f"the extension speaks protocol {text}, this kernel {PROTOCOL_VERSION}",
        hint=hint,
        extension=text,
        kernel=PROTOCOL_VERSION,
    )


def encode(message: WireModel) -> bytes:
    """A message as a frame.

    Raises
    ------
    InvalidParams : a value that JSON can't hold.
    """
    try:
        return to_json(message, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError) as error:
        raise InvalidParams(f"the parameters can't be written as JSON: {str(error)[:200]}") from None

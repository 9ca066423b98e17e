"""Frames to messages and back, with errors that say little of what a stranger sent; and proofs of the token."""

from __future__ import annotations

import hmac
import re
import secrets
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from skillbook.errors import AuthFailed, InvalidParams, ProtocolError, VersionMismatch
from skillbook.protocol import PROTOCOL_MAJOR, PROTOCOL_MINOR, PROTOCOL_VERSION
from skillbook.protocol.envelopes import Auth, Challenge, FromExtension, Hello, from_extension
from skillbook.protocol.model import WireModel

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})")
# JavaScript writes half a surrogate pair, which a page's text may contain, as an escape that isn't valid.
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def decode(frame: bytes) -> dict[str, Any]:
    """Parse a frame into a JSON object; half surrogate pairs become U+FFFD.

    Raises ProtocolError: the frame isn't a JSON object.
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

    Raises VersionMismatch: a hello of a version that this kernel can't talk to.
    Raises ProtocolError: no such message.
    """
    if raw.get("type") == "hello":
        check_version(raw.get("protocol"))
    message: FromExtension = read_as(from_extension, raw)
    return message


def read_as(adapter: TypeAdapter[Any], raw: dict[str, Any]) -> Any:
    """Validate a JSON object; the error names the place but not the value, which may be secret.

    Raises ProtocolError: it doesn't fit.
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

    Raises VersionMismatch: it doesn't; the hint says what to update.
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

    Raises InvalidParams: a value that JSON can't hold.
    """
    try:
        return to_json(message, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError) as error:
        raise InvalidParams(f"the parameters can't be written as JSON: {str(error)[:200]}") from None


# A proof is HMAC-SHA256(token, role + ":" + hello nonce + ":" + challenge nonce), in hex. The role keeps a peer from
# sending our own proof back to us; the two nonces keep an old proof from being used again.

Role = Literal["kernel", "extension"]


def make_nonce() -> str:
    """256 random bits, in hex."""
    return secrets.token_hex(32)


def make_proof(token: str, role: Role, hello_nonce: str, challenge_nonce: str) -> str:
    """The proof that `role` knows the token, for this pair of nonces."""
    text = f"{role}:{hello_nonce}:{challenge_nonce}"
    return hmac.new(token.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def check_proof(given: str, token: str, role: Role, hello_nonce: str, challenge_nonce: str) -> bool:
    """Whether a proof is right, in time that doesn't depend on where it is wrong."""
    right = make_proof(token, role, hello_nonce, challenge_nonce)
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode())


MAX_BYTES = 16_384


class Greeting:
    """Hello, challenge, auth, in this order and once.

    kernel_id: whom the extension must want to talk to.
    token: what both must know.
    opened: when the connection was opened, in the machine's seconds.
    """

    def __init__(self, kernel_id: str, token: str, opened: float) -> None:
        self.opened = opened
        self._hello: Hello | None = None
        self._kernel_id = kernel_id
        self._token = token
        self._nonce = make_nonce()

    @property
    def challenged(self) -> bool:
        """Whether the peer said hello and was given our proof."""
        return self._hello is not None

    def receive(self, frame: bytes) -> Challenge | Hello:
        """Take a frame; the answer is a challenge to send, or the hello of a peer that proved itself.

        Raises AuthFailed: it wants another kernel, or the proof is wrong.
        Raises VersionMismatch: a peer that wants this kernel is of a version that we can't talk to.
        Raises ProtocolError: not the message whose turn it is.
        """
        if len(frame) > MAX_BYTES:
            raise ProtocolError("a greeting is too long", bytes=len(frame))
        raw = decode(frame)
        if self._hello is None:
            if raw.get("type") == "hello" and raw.get("kernel", self._kernel_id) != self._kernel_id:
                raise AuthFailed("the extension wants another kernel, whose port this one has now")
            return self._challenge(read_message(raw))
        message = read_message(raw)
        if not isinstance(message, Auth):
            raise ProtocolError("the browser sent something other than its proof")
        if not check_proof(message.proof, self._token, "extension", self._hello.nonce, self._nonce):
            raise AuthFailed("the extension doesn't know this kernel's token")
        return self._hello

    def _challenge(self, message: object) -> Challenge:
        if not isinstance(message, Hello):
            raise ProtocolError("the connection began with something other than a hello")
        self._hello = message
        proof = make_proof(self._token, "kernel", message.nonce, self._nonce)
        return Challenge(protocol=PROTOCOL_VERSION, nonce=self._nonce, proof=proof)

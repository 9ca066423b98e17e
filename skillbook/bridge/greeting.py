"""Proofs of knowing the token, which itself never crosses the wire after pairing.

A proof is HMAC-SHA256(token, role + ":" + hello nonce + ":" + challenge nonce), in hex. The role keeps a peer
from sending our own proof back to us; the two nonces keep an old proof from being used again.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Literal

from skillbook.bridge.codec import decode, read_message
from skillbook.errors import AuthFailed, ProtocolError
from skillbook.protocol import PROTOCOL_VERSION
from skillbook.protocol.envelopes import Auth, Challenge, Hello

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

    Parameters
    ----------
    kernel_id : whom the extension must want to talk to.
    token : what both must know.
    opened : when the connection was opened, in the machine's seconds.
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

        Raises
        ------
        AuthFailed : it wants another kernel, or the proof is wrong.
        VersionMismatch : a peer that wants this kernel is of a version that we can't talk to.
        ProtocolError : not the message whose turn it is.
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

"""Proofs of knowing the token, which itself never crosses the wire after pairing.

A proof is HMAC-SHA256(token, role + ":" + hello nonce + ":" + challenge nonce), in hex. The role keeps a peer
from sending our own proof back to us; the two nonces keep an old proof from being used again.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Literal

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

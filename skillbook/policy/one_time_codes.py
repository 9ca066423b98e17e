"""One-time codes from a seed, as an authenticator makes them."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

from skillbook.errors import ConfigError, NotAllowed

ONE_TIME = ".totp"
"""How the name of a secret ends whose value is a seed of codes."""


def is_one_time(name: str) -> bool:
    """Whether a secret is a seed, of which only codes are typed."""
    return name.endswith(ONE_TIME)


_FEWEST_BITS = 80
_DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


def _options(given: str) -> dict[str, Any]:
    """What a seed or its address says of the codes."""
    if not given.startswith("otpauth://"):
        return {"s": given.replace(" ", "").upper()}
    parts = urlsplit(given)
    if parts.netloc != "totp":
        raise ValueError(parts.netloc)
    facts = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return {
        "s": facts["secret"],
        "digits": int(facts.get("digits", 6)),
        "interval": int(facts.get("period", 30)),
        "digest": _DIGESTS[facts.get("algorithm", "SHA1").upper()],
    }


class CodeSeed:
    """A seed; it prints as nothing.

    given: base32, with or without blanks, or an `otpauth://totp/…` address.
    Raises ConfigError: pyotp isn't installed.
    Raises NotAllowed: it is no seed.
    """

    def __init__(self, given: str) -> None:
        try:
            import pyotp
        except ImportError:
            raise ConfigError("one-time codes need pyotp", hint='pip install "skillbook[state]"') from None
        self.seed = given
        try:
            options = _options(given)

            class Codes(pyotp.TOTP):
                """Sites hand out shorter seeds than is advised to them; theirs is the choice."""

                min_secret_length_bits = _FEWEST_BITS

            self._codes = Codes(**options)
        except Exception:  # its words would quote the seed
            raise NotAllowed(
                "the seed of one-time codes can't be read",
                hint="give base32 text, or an otpauth://totp/ address",
            ) from None

    def code(self) -> str:
        """The code of this moment."""
        return str(self._codes.now())

    def __repr__(self) -> str:
        return "<CodeSeed>"

"""Pairing: how an extension that knows nothing gets the kernel's token, with one click of the user's.

1. The notebook shows the link ``http://127.0.0.1:PORT/skillbook/pair?code=CODE``. The code has 256 random
   bits, works once and for five minutes. The page answers only to a live code.
2. The page holds
   ``<meta name="skillbook-pair" content='{"code": …, "kernel": {"id": …, "name": …}}'>``, and as "query"
   what a proxy wants to see on every socket's address, if anything.
   The extension's content script reads it (by itself on loopback; elsewhere once the user chose *Pair with this
   page* in the popup, so that no site can ask by itself), sets
   ``document.documentElement.dataset.skillbook = "recognised"`` (the page then hides its help) and hands it to the
   service worker, which asks the user to confirm.
3. After the confirmation the worker opens ``ws://127.0.0.1:PORT/skillbook/pair-socket`` (or wherever else
   the page was: a proxy's address, a tunnel's end; a WebSocket, because the browser then always sends the extension's
   Origin) and sends one message of type `pair`:
   ``{"v": 1, "type": "pair", "protocol": "1.0", "code": CODE, "profile": PROFILE}``.
4. The kernel answers ``{"v": 1, "type": "paired", "token": TOKEN, "kernel": {"id": …, "name": …}}`` or
   ``{"v": 1, "type": "refused", "error": {…}}`` and closes the socket. The worker stores token, address and
   kernel, and dials ``ws://127.0.0.1:PORT/skillbook/bridge`` with the greeting of
   `skillbook.protocol.envelopes`.
5. The content script sets ``dataset.skillbook`` to "paired" or "declined"; the page shows which.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from skillbook.errors import PairingFailed
from skillbook.protocol.envelopes import KernelInfo

CODE_SECONDS = 300.0
_MAX_CODES = 16


class Pairing:
    """One-time codes that are good for the kernel's token.

    Parameters
    ----------
    token : the kernel's token.
    kernel : who the kernel is, for the page.
    seconds : how long a code works.
    clock : a monotonic clock, in seconds.
    """

    def __init__(
        self,
        token: str,
        kernel: KernelInfo,
        seconds: float = CODE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kernel = kernel
        self._token = token
        self._seconds = seconds
        self._clock = clock
        self._codes: dict[bytes, float] = {}

    def __repr__(self) -> str:
        return f"<Pairing of kernel {self.kernel.id!r}, {len(self._codes)} codes>"

    def new_code(self) -> str:
        """A fresh code; the oldest of more than sixteen stops working."""
        code = secrets.token_urlsafe(32)
        self._forget_old()
        while len(self._codes) >= _MAX_CODES:
            del self._codes[next(iter(self._codes))]
        self._codes[_digest(code)] = self._clock() + self._seconds
        return code

    def revoke(self, token: str) -> None:
        """Give another token from now on; no code given out before works any more."""
        self._token = token
        self._codes.clear()

    def knows(self, code: str) -> bool:
        """Whether a code would work now; it still does afterwards."""
        return self._find(code) is not None

    def redeem(self, code: str, profile: str) -> str:
        """Give the token for a code, which is used up by it.

        Parameters
        ----------
        code : from the pairing page.
        profile : id of the browser profile that asks.

        Raises
        ------
        PairingFailed : the code is wrong, used or expired; which of them isn't said.
        """
        found = self._find(code)
        if found is None:
            raise PairingFailed("the pairing code is wrong, used or expired", profile=profile[:64])
        del self._codes[found]
        return self._token

    def _find(self, code: str) -> bytes | None:
        self._forget_old()
        given = _digest(code)
        matches = [known for known in self._codes if hmac.compare_digest(known, given)]
        return matches[0] if matches else None

    def _forget_old(self) -> None:
        now = self._clock()
        self._codes = {digest: end for digest, end in self._codes.items() if end > now}


def _digest(code: str) -> bytes:
    # Only digests are kept, so that no dump of this object shows a code that works.
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()

"""Pairing: how an extension that knows nothing gets the kernel's token, with one click of the user's.

1. The notebook shows the link ``http://127.0.0.1:PORT/skillbook/pair?code=CODE``. The code has 256 random
   bits, works once and for ten minutes. The page answers only to a live code.
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

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from html import escape
from typing import Any

from pydantic import TypeAdapter
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response

from skillbook.bridge.codec import check_version, decode, encode, read_as
from skillbook.bridge.request_guard import PublicAddress, code_in
from skillbook.errors import PairingFailed, SkillbookError
from skillbook.limits import CAUSE_SECONDS, PERSON_SECONDS
from skillbook.protocol.envelopes import KernelInfo, Pair, Paired, Refused, WireError

_MAX_CODES = 16


class Pairing:
    """One-time codes that are good for the kernel's token.

    token: the kernel's token.
    seconds: how long a code works.
    clock: a monotonic clock, in seconds.
    """

    def __init__(
        self,
        token: str,
        kernel: KernelInfo,
        seconds: float = PERSON_SECONDS,
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

        profile: id of the browser profile that asks.
        Raises PairingFailed: the code is wrong, used or expired; which of them isn't said.
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


_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
code { user-select: all; padding: .1em .3em; border-radius: .3em; background: #8882; }
.recognised, .paired, .declined { display: none; }
.help { animation: appear 0s 2s both; }
@keyframes appear { from { visibility: hidden; } to { visibility: visible; } }
html[data-skillbook] :is(.looking, .help) { display: none; }
html[data-skillbook="recognised"] .recognised { display: block; }
html[data-skillbook="paired"] .paired { display: block; }
html[data-skillbook="declined"] .declined { display: block; }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pair with skillbook</title>
{meta}<style nonce="{nonce}">{style}</style>
</head>
<body><main>{body}</main></body>
</html>
"""

_LIVE = """
<h1>Pair this browser with the notebook <q>{name}</q></h1>
{looking}
<p class="recognised" role="status">The extension asks you to confirm. The notebook will then see the
tabs that it opens and the tabs that you share with it, and no others.</p>
<p class="paired" role="status">Paired. You can close this tab and go back to the notebook.</p>
<p class="declined" role="status">Not paired. Open a new link in the notebook to try again.</p>
<section class="help">
<h2>The extension isn't in this browser?</h2>
<ol>
<li>Run <code>skillbook extension</code> in a terminal: it prints a folder.</li>
<li>Open <code>chrome://extensions</code>, switch on <b>Developer mode</b>, choose <b>Load unpacked</b> and
that folder.</li>
<li>Load this page again. The link works once, within ten minutes.</li>
</ol>
</section>
"""

_LOCAL = '<p class="looking">Looking for the skillbook extension …</p>'
# The extension doesn't look at pages from elsewhere by itself, else any site could ask to be paired.
_REMOTE = """<p class="looking">Click the skillbook button in the browser's toolbar, and there
<b>Pair with this page</b>.</p>"""

_DEAD = """
<h1>This pairing link no longer works</h1>
<p>A link works once and for ten minutes. Run <code>sb.connect()</code> in the notebook for a new one.</p>
"""


def make_page(
    kernel: KernelInfo, code: str | None, public: PublicAddress | None = None
) -> tuple[str, dict[str, str]]:
    """The page's HTML and its HTTP headers.

    code: the live one-time code, or None for the page that says the link is dead.
    public: the address of the proxy or tunnel, if any; behind a proxy the user has to bring the extension here.
    """
    nonce = secrets.token_urlsafe(16)
    meta, body = "", _DEAD
    if code is not None:
        facts: dict[str, Any] = {"code": code, "kernel": {"id": kernel.id, "name": kernel.name}}
        if public is not None and public.query:
            facts["query"] = public.query
        looking = _LOCAL if public is None or public.local else _REMOTE
        meta = f'<meta name="skillbook-pair" content="{escape(json.dumps(facts))}">\n'
        body = _LIVE.format(name=escape(kernel.name), looking=looking)
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": f"default-src 'none'; style-src 'nonce-{nonce}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    return _PAGE.format(meta=meta, nonce=nonce, style=_STYLE, body=body), headers


_DONE, _REFUSED = 1000, 1008
_pair: TypeAdapter[Pair] = TypeAdapter(Pair)


class PairingRequests:
    """Serves one kernel's pairing.

    on_refusal: called with the reason for which a code was refused.
    """

    def __init__(self, pairing: Pairing, on_refusal: Callable[[SkillbookError], object]) -> None:
        self._pairing = pairing
        self._on_refusal = on_refusal

    def show_page(self, path: str, public: PublicAddress | None) -> Response:
        """The answer to a request for the pairing page; only one with a live code is given the code."""
        code = code_in(path)
        alive = self._pairing.knows(code)
        html, headers = make_page(self._pairing.kernel, code if alive else None, public)
        body = html.encode()
        fields = Headers({**headers, "Content-Length": str(len(body)), "Connection": "close"})
        return Response(200, "OK", fields, body) if alive else Response(410, "Gone", fields, body)

    async def serve_socket(self, socket: ServerConnection) -> None:
        """Take one code, answer it, close."""
        try:
            async with asyncio.timeout(CAUSE_SECONDS):
                frame = await socket.recv(decode=False)
                try:
                    answer, code = self._redeem(frame), _DONE
                except SkillbookError as error:
                    self._on_refusal(error)
                    answer, code = encode(Refused(error=WireError(**error.to_wire()))), _REFUSED
                await socket.send(answer, text=True)
                await socket.close(code)
        except (ConnectionClosed, TimeoutError):
            return  # Nobody is there any more; the code stays good unless it was used.

    def _redeem(self, frame: bytes) -> bytes:
        raw = decode(frame)
        check_version(raw.get("protocol"))
        request: Pair = read_as(_pair, raw)
        token = self._pairing.redeem(request.code, request.profile)
        return encode(Paired(token=token, kernel=self._pairing.kernel))

"""Pairing over the wire: the page that a link opens, and the socket that turns its code into the token."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic import TypeAdapter
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response

from skillbook.bridge.address import PublicAddress
from skillbook.bridge.codec import check_version, decode, encode, read_as
from skillbook.bridge.pair_page import make_page
from skillbook.bridge.pairing import Pairing
from skillbook.bridge.request_guard import code_in
from skillbook.errors import SkillbookError
from skillbook.protocol.envelopes import Pair, Paired, Refused, WireError

_SECONDS = 10.0
_DONE, _REFUSED = 1000, 1008
_pair: TypeAdapter[Pair] = TypeAdapter(Pair)


class PairingRequests:
    """Serves one kernel's pairing.

    Parameters
    ----------
    pairing : the codes.
    on_refusal : called with the reason for which a code was refused.
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
            async with asyncio.timeout(_SECONDS):
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

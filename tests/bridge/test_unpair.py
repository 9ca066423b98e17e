"""Revoking a pairing: token and links are worthless, what waits ends, another browser can be paired."""

from __future__ import annotations

import asyncio

import pytest

from skillbook.bridge import BridgeServer
from skillbook.errors import AuthFailed, ConnectionLost, NotConnected, PairingFailed
from skillbook.testing.fake_extension import FakeExtension
from tests.bridge.helpers import ask


async def test_the_extension_is_told_and_the_token_is_worthless(server: BridgeServer) -> None:
    extension = FakeExtension(server, silent=True)
    await extension.connect()
    token, link = server.token, server.pairing_link()
    waiting = asyncio.create_task(ask(server, "get", {"what": "url"}))
    await extension.wait_for_request()
    await server.unpair()
    await extension.wait_closed()
    assert extension.bye is not None
    with pytest.raises(ConnectionLost):
        await waiting
    assert server.status.state == "waiting"
    assert (server.status.browser, server.status.session) == ("", "")
    with pytest.raises(NotConnected):
        await ask(server, "get", {"what": "url"})
    with pytest.raises(AuthFailed):
        await FakeExtension(server, token=token).connect()
    with pytest.raises(PairingFailed):
        await FakeExtension(server).pair(link.partition("code=")[2])


async def test_another_profile_can_be_paired_afterwards(server: BridgeServer) -> None:
    async with FakeExtension(server, profile="p1"):
        await server.unpair()
    fresh = FakeExtension(server, {"get": lambda params, tab: {"value": 1}}, profile="p2")
    await fresh.pair(server.pairing_link().partition("code=")[2])
    async with fresh:
        assert fresh.welcome is not None
        assert not fresh.welcome.resumed
        assert await ask(server, "get", {"what": "url"}) == {"value": 1}

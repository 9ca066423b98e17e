"""A kernel behind a proxy or tunnel answers under that address too, and under no other."""

from __future__ import annotations

import pytest
from websockets.asyncio.client import connect
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus

from skillbook.bridge.request_guard import PublicAddress, RequestGuard
from skillbook.errors import ConfigError
from tests.bridge.conftest import EXTENSION_ID, MakeServer

ORIGIN = f"chrome-extension://{EXTENSION_ID}"
HUB = "https://Hub.Example:443/user/me/proxy/{port}/"


def guard(url: str = HUB) -> RequestGuard:
    return RequestGuard(4000, EXTENSION_ID, PublicAddress.parse(url, 4000))


def knock(
    guard: RequestGuard, host: str, path: str = "/skillbook/bridge", origin: str | None = ORIGIN
) -> int:
    headers = Headers([("Host", host), *([("Origin", origin)] if origin else [])])
    refusal = guard.check(path, headers)
    return refusal.status if refusal else 200


def test_the_parts_of_an_address() -> None:
    address = PublicAddress.parse(HUB, 4000)
    assert (str(address), address.host, address.path) == (
        "https://hub.example/user/me/proxy/4000",
        "hub.example",
        "/user/me/proxy/4000",
    )
    assert (address.origin, address.local) == ("https://hub.example", False)
    assert PublicAddress.parse("http://127.0.0.1:9000/", 1).local
    assert PublicAddress.parse("http://[::1]:9000", 1).host == "[::1]:9000"
    secret = PublicAddress.parse("https://hub.example/?token=t0k", 1)
    assert secret.query == "token=t0k"
    assert "t0k" not in f"{secret} {secret!r}"
    assert not PublicAddress.parse("http://localhost:8888/proxy/{port}", 1).local


@pytest.mark.parametrize(
    "url",
    [
        "http://hub.example/proxy/1/",
        "ws://127.0.0.1:1",
        "hub.example/proxy",
        "https://me:secret@hub.example/",
        "https://hub.example/?next=//evil.test",
        "https://hub.example/#x",
        "https://hub.example\\@evil.test/",
        "https://hub.example/a b",
        "https://",
        "https://hüb.example/",
        "http://127.0.0.1.evil.test/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        PublicAddress.parse(url, 1)


@pytest.mark.parametrize(
    "host", ["hub.example", "HUB.example", "127.0.0.1:4000", "localhost:4000", "[::1]:4000"]
)
def test_the_configured_host_and_loopback_are_let_in(host: str) -> None:
    assert knock(guard(), host) == 200
    assert knock(guard(), host, "/user/me/proxy/4000/skillbook/bridge") == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.hub.example",
        "hub.example.evil.test",
        "hub.example:4000",
        "hub.example.",
        "127.0.0.1",
        "127.0.0.1:443",
        "",
    ],
)
def test_fault_02_any_other_host_is_refused(host: str) -> None:
    assert knock(guard(), host) == 403


def test_fault_02_two_hosts_are_refused() -> None:
    headers = Headers([("Host", "hub.example"), ("Host", "127.0.0.1:4000"), ("Origin", ORIGIN)])
    refusal = guard().check("/skillbook/bridge", headers)
    assert refusal is not None
    assert refusal.status == 403


@pytest.mark.parametrize("origin", ["https://hub.example", "http://evil.test", None])
def test_fault_01_the_proxys_own_pages_may_not_connect(origin: str | None) -> None:
    assert knock(guard(), "hub.example", origin=origin) == 403


def test_only_the_configured_prefix_is_taken_off() -> None:
    assert knock(guard(), "hub.example", "/user/you/proxy/4000/skillbook/bridge") == 404
    assert (
        knock(RequestGuard(4000, EXTENSION_ID), "127.0.0.1:4000", "/user/me/proxy/4000/skillbook/bridge")
        == 404
    )


async def test_a_server_with_a_public_address(make_server: MakeServer) -> None:
    server = await make_server({"public_url": HUB})
    assert server.pairing_link().startswith(
        f"https://hub.example/user/me/proxy/{server.port}/skillbook/pair?"
    )
    at = {"host": "127.0.0.1", "port": server.port, "origin": ORIGIN, "proxy": None}
    async with connect("ws://hub.example/skillbook/bridge", **at):
        pass
    with pytest.raises(InvalidStatus):
        await connect("ws://evil.test/skillbook/bridge", **at)


async def test_a_server_refuses_a_public_address_over_plain_http(make_server: MakeServer) -> None:
    with pytest.raises(ConfigError):
        await make_server({"public_url": "http://hub.example/"})

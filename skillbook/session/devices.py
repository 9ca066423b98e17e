"""Devices that a page can be shown as on, in the protocol's words, and as which one it is shown."""

from __future__ import annotations

import asyncio
import difflib
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from skillbook.errors import DebuggerUnavailable, InvalidParams, PageClosed, SkillbookError

_FILE = Path(__file__).with_name("devices.toml")
_IOS = (
    "Mozilla/5.0 ({system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1"
)
_ANDROID = (
    "Mozilla/5.0 (Linux; Android {version}; {model}) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/{{chrome}}{mobile} Safari/537.36"
)
NETWORKS: Mapping[str, Mapping[str, Any]] = {
    "offline": {"offline": True},
    "slow 3g": {"latency_ms": 2000, "download_rate": 50_000, "upload_rate": 50_000},
    "fast 3g": {"latency_ms": 560, "download_rate": 180_000, "upload_rate": 84_000},
    "4g": {"latency_ms": 165, "download_rate": 1_012_000, "upload_rate": 168_000},
}
"""Connections as Chrome's developer tools name them: latency in milliseconds, bytes a second."""


@cache
def _devices() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def device_named(name: str) -> dict[str, Any]:
    """A device as the command `emulate` has it.

    Raises InvalidParams: none has that name.
    """
    known = {each.casefold(): each for each in _devices()}
    found = known.get(name.casefold())
    if found is None:
        near = difflib.get_close_matches(name.casefold(), known, n=3, cutoff=0.3)
        raise InvalidParams(
            f"no device is called {name!r}",
            hint=f"perhaps {', '.join(repr(known[each]) for each in near or list(known)[:3])}",
        )
    device = _devices()[found]
    width, height, scale = device["screen"]
    kind = device.get("agent", "")
    screen = {"width": width, "height": height, "scale": scale, "mobile": bool(kind)}
    return {"screen": screen} | ({"touch": True, "user_agent": _agent(kind, device)} if kind else {})


def _agent(kind: str, device: Mapping[str, Any]) -> dict[str, Any]:
    if kind in {"ios", "ipad"}:
        is_phone = kind == "ios"
        system = "iPhone; CPU iPhone OS 17_4 like Mac OS X" if is_phone else "iPad; CPU OS 17_4 like Mac OS X"
        return {"text": _IOS.format(system=system), "platform": "iPhone" if is_phone else "iPad"}
    is_phone, version, model = kind == "android", device["os_version"], device["model"]
    text = _ANDROID.format(version=version, model=model, mobile=" Mobile" if is_phone else "")
    hints = {"os": "Android", "os_version": version, "model": model, "mobile": is_phone}
    return {"text": text, "platform": "Linux armv81", **hints}


def screen_of(viewport: Sequence[int] | Mapping[str, Any]) -> dict[str, Any]:
    """A viewport as the command has it: width and height, and `scale` and `mobile` of a dict.

    Raises InvalidParams: it is no size.
    """
    if isinstance(viewport, Mapping):
        return dict(viewport)
    if len(viewport) != 2:
        raise InvalidParams(
            f"viewport={viewport!r} is no size", hint="give (width, height), or a dict with scale and mobile"
        )
    return {"width": viewport[0], "height": viewport[1]}


def network_of(network: str | Mapping[str, Any]) -> dict[str, Any]:
    """A connection as the command has it, by its name or its figures.

    Raises InvalidParams: none has that name.
    """
    if isinstance(network, Mapping):
        return dict(network)
    if network.casefold() not in NETWORKS:
        raise InvalidParams(
            f"no connection is called {network!r}", hint=f"there are {', '.join(map(repr, NETWORKS))}"
        )
    return dict(NETWORKS[network.casefold()])


def place_of(geolocation: Sequence[float] | Mapping[str, float]) -> dict[str, float]:
    """A place as the command has it: latitude and longitude in degrees, and an accuracy in metres."""
    if isinstance(geolocation, Mapping):
        return dict(geolocation)
    if len(geolocation) not in {2, 3}:
        raise InvalidParams(f"geolocation={geolocation!r} is no place", hint="give (latitude, longitude)")
    return dict(zip(("latitude", "longitude", "accuracy"), geolocation, strict=False))


MOST_WORDS = 400
"""Characters that the extension's pages show of it."""


class EmulatedPage(Protocol):
    """The part of a page that its emulation needs."""

    closed: str | None

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Run one of its commands."""


@dataclass(frozen=True)
class ShownAs:
    """What a page is shown as.

    settings: as the command `emulate` has it; empty for the browser's own.
    words: the same for a person; "" for nothing.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    device: str = ""


class PageEmulation:
    """What a page is shown as."""

    def __init__(self, page: EmulatedPage) -> None:
        self._page = page
        self.now = ShownAs()
        self._again: asyncio.Task[None] | None = None

    async def set(self, wanted: ShownAs) -> ShownAs:
        """Show the page so from now on, and in documents to come; returns what was in force."""
        wire = {name: value for name, value in wanted.settings.items() if value is not None}
        await self._page.run("emulate", {**wire, "words": wanted.words[:MOST_WORDS]})
        before, self.now = self.now, wanted
        return before

    async def restore(self, before: ShownAs) -> None:
        """Show the page as before; nothing where it is closed."""
        if not self._page.closed:
            await self.set(before)

    @asynccontextmanager
    async def as_on(self, device: str) -> AsyncIterator[bool]:
        """Show the page as on a device meanwhile; gives whether it was shown otherwise before. "" changes nothing."""
        if not device or device == self.now.device:
            yield False
            return
        settings = dict(self.now.settings) | device_named(device)
        before = await self.set(ShownAs(settings, device, device))
        try:
            yield True
        finally:
            try:
                await asyncio.shield(self.restore(before))
            except (DebuggerUnavailable, PageClosed):
                self.ended()

    def lost(self) -> None:
        """The connection was lost, and with it perhaps what the browser was told: it is told anew."""
        if self.now.settings and not self._page.closed:
            self._again = asyncio.ensure_future(self._tell_again())

    async def _tell_again(self) -> None:
        with suppress(SkillbookError):
            await self.set(self.now)

    def ended(self) -> None:
        """The person ended debugging: the page is shown as it is."""
        self.now = ShownAs()

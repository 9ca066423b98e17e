"""Showing a tab's pages as on another device, and measuring them."""

from __future__ import annotations

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.commands.tabs import Acknowledged
from skillbook.protocol.model import WireModel


class EmulatedScreen(WireModel):
    width: int = Field(ge=50, le=10_000, description="CSS pixels.")
    height: int = Field(ge=50, le=10_000, description="CSS pixels.")
    scale: float = Field(1.0, gt=0, le=10, description="Device pixels a CSS pixel.")
    mobile: bool = Field(False, description="Lay pages out as phones do.")


class EmulatedAgent(WireModel):
    text: str = Field(
        min_length=1, description="The user agent; {chrome} stands for the browser's own version."
    )
    platform: str = Field("", description="What navigator.platform says.")
    os: str = Field("", description="What client hints call the system.")
    os_version: str = ""
    model: str = ""
    mobile: bool = False


class EmulatedNetwork(WireModel):
    offline: bool = False
    latency_ms: float = Field(0, ge=0, description="Milliseconds that each request takes at least.")
    download_rate: float = Field(-1, description="Bytes a second; -1 for no limit.")
    upload_rate: float = Field(-1, description="Bytes a second; -1 for no limit.")


class EmulatedPlace(WireModel):
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    accuracy: float = Field(10.0, ge=0, description="Metres.")


class EmulateParams(WireModel):
    screen: EmulatedScreen | None = None
    touch: bool | None = Field(None, description="Say that there is a touch screen.")
    user_agent: EmulatedAgent | None = None
    locale: str | None = Field(None, description="Such as de-DE.")
    timezone: str | None = Field(None, description="Such as Europe/Berlin.")
    dark: bool | None = Field(None, description="Prefer dark colours, or light ones.")
    reduced_motion: bool | None = Field(None, description="Prefer less motion, or any.")
    geolocation: EmulatedPlace | None = None
    cpu: float | None = Field(None, ge=1, le=100, description="How many times slower.")
    network: EmulatedNetwork | None = None
    words: str = Field("", max_length=400, description="All of it in words, for the extension's pages.")


class MetricsParams(WireModel):
    pass


class MetricsResult(WireModel):
    """What the browser has measured of a page; None for what it hasn't, or not yet."""

    lcp: float | None = Field(None, description="Largest contentful paint, ms.")
    cls: float = Field(0.0, description="Cumulative layout shift.")
    inp: float | None = Field(None, description="The slowest answer to an interaction so far, ms.")
    fcp: float | None = Field(None, description="First contentful paint, ms.")
    ttfb: float | None = Field(None, description="Until the document's first byte, ms.")
    nodes: float | None = Field(None, description="DOM nodes, those out of the document included.")
    heap: float | None = Field(None, description="Bytes that scripts use.")
    layouts: float | None = Field(None, description="How often the page was laid out.")
    styles: float | None = Field(None, description="How often styles were calculated.")
    long_tasks: int = Field(0, description="Tasks of more than 50 ms.")
    requests: int = Field(0, description="Of the document, as far as it keeps them (250).")
    bytes: float = Field(0, description="Of these over the network.")


EMULATION_COMMANDS: tuple[Command, ...] = (
    Command(
        name="emulate",
        params=EmulateParams,
        result=Acknowledged,
        effect=Effect.READ,
        description="Show a tab's pages as on another device, or no more.",
        internal=True,
        waits_turn=True,
        on_any_page=True,
    ),
    Command(
        name="metrics",
        params=MetricsParams,
        result=MetricsResult,
        effect=Effect.READ,
        description="Read what the browser has measured of a page.",
        internal=True,
        quiet=True,
    ),
)

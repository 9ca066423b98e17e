"""Showing a tab's pages as on another device, and measuring them."""

from __future__ import annotations

from typing import Literal

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


class SiteCookie(WireModel):
    """A cookie, as Chrome's extensions have it."""

    name: str
    value: str = Field(repr=False)
    domain: str
    path: str
    secure: bool
    http_only: bool
    host_only: bool
    same_site: Literal["no_restriction", "lax", "strict", "unspecified"]
    expires: float | None = Field(None, description="Seconds since 1970; none for the browser's session.")
    top_level_site: str | None = Field(None, description="Of a partitioned cookie.")


class CookiesParams(WireModel):
    set: list[SiteCookie] = Field([], description="Cookies to set; without any, all are read.")


class CookiesResult(WireModel):
    cookies: list[SiteCookie]
    refused: list[str] = Field([], description="Names of cookies that the browser doesn't take.")


class SiteStorageParams(WireModel):
    origin: str = Field(description="Of the tab's page; it fails if that is another one.")
    write: bool = False
    local: dict[str, str] = Field({}, repr=False, description="To write into localStorage.")
    session: dict[str, str] = Field({}, repr=False, description="To write into sessionStorage.")


class SiteStorageResult(WireModel):
    local: dict[str, str] = Field(repr=False)
    session: dict[str, str] = Field(repr=False)


class SiteIndex(WireModel):
    """An index of an object store."""

    name: str
    key_path: str | list[str]
    unique: bool
    multi_entry: bool


class SiteRecord(WireModel):
    """A record of an object store: texts that the extension writes and reads, since JSON has no dates or bytes."""

    key: str = Field(repr=False)
    value: str = Field(repr=False)


class SiteObjectStore(WireModel):
    """An object store of a database."""

    name: str
    key_path: str | list[str] | None
    auto_increment: bool
    indexes: list[SiteIndex]
    records: list[SiteRecord]


class SiteDatabase(WireModel):
    """A database of a site (IndexedDB)."""

    name: str
    version: int
    stores: list[SiteObjectStore]


class SiteDatabasesParams(WireModel):
    origin: str = Field(description="Of the tab's page; it fails if that is another one.")
    names: list[str] | None = Field(None, description="Of the databases to read; all by default.")
    write: list[SiteDatabase] | None = Field(None, description="To write; nothing is read then.")


class SiteDatabasesResult(WireModel):
    databases: list[SiteDatabase]


STATE_COMMANDS: tuple[Command, ...] = (
    Command(
        name="site_cookies",
        params=CookiesParams,
        result=CookiesResult,
        effect=Effect.READ,
        description="Read or set cookies, in a browser that skillbook started.",
        scope="browser",
        internal=True,
        quiet=True,
    ),
    Command(
        name="site_storage",
        params=SiteStorageParams,
        result=SiteStorageResult,
        effect=Effect.READ,
        description="Read or write the storage of a tab's page, in a browser that skillbook started.",
        internal=True,
        quiet=True,
    ),
    Command(
        name="site_databases",
        params=SiteDatabasesParams,
        result=SiteDatabasesResult,
        effect=Effect.READ,
        description="Read or write the databases of a tab's origin, in a browser that skillbook started.",
        internal=True,
        quiet=True,
    ),
)

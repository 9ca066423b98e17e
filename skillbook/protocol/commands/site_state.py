"""What keeps a person signed in, for browsers that skillbook started: cookies, storage and databases of a site.

The kernel sends these past the journal, since what they carry is as good as a password.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.model import WireModel


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

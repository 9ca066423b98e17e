"""What keeps a person signed in, for browsers that skillbook started: cookies, and the storage of a site.

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
)

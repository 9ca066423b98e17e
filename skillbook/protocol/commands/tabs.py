"""Tabs: the commands that work on the browser rather than on a page."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect, ModelWords
from skillbook.protocol.model import WireModel


class Tab(WireModel):
    """One shared tab."""

    id: int
    url: str
    title: str
    status: Literal["loading", "complete"]
    active: bool


class TabResult(WireModel):
    tab: Tab


class TabsResult(WireModel):
    tabs: list[Tab]


class Acknowledged(WireModel):
    """Nothing to say but that it happened."""


class NoParams(WireModel):
    """No parameters."""


class TabsOpenParams(WireModel):
    url: str = Field(description="Where to go; about:blank for an empty tab.")
    active: bool = Field(True, description="Bring the tab to the front.")
    wait: Literal["load", "dom", "none"] = Field("load", description="What to wait for.")
    cassette: Literal["off", "record", "replay"] = Field(
        "off",
        description="Record what the tab exchanges with the network, or answer for the network, from the start.",
    )
    watch_bytes: int | None = Field(
        None,
        gt=0,
        description="Report the tab's requests from the start, as watch_network does, and keep so much of answers.",
    )


TABS_COMMANDS = (
    Command(
        name="tabs_open",
        params=TabsOpenParams,
        result=TabResult,
        effect=Effect.WRITE,
        description="Open a URL in a new shared tab.",
        phrase="Open",
        scope="browser",
        destination="url",
        on_any_page=True,
        on_any_origin=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_list",
        params=NoParams,
        result=TabsResult,
        effect=Effect.READ,
        description="List the shared tabs.",
        phrase="List the tabs",
        scope="browser",
        on_any_document=True,
        quiet=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_switch",
        params=NoParams,
        result=TabResult,
        effect=Effect.WRITE,
        description="Bring this tab to the front.",
        phrase="Go on in another tab",
        on_any_page=True,
        on_any_origin=True,
        under_dialog=True,
        after_crash=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_close",
        params=NoParams,
        result=Acknowledged,
        effect=Effect.WRITE,
        description="Close this tab.",
        phrase="Close a tab",
        on_any_page=True,
        on_any_origin=True,
        under_dialog=True,
        after_crash=True,
        custom_tool=True,
    ),
)


LoadState = Literal["load", "dom", "none"]


class GotoParams(WireModel):
    url: str = Field(description="An http or https URL.")
    wait: LoadState = Field(
        "load", description="Wait for the load event, for the parsed DOM, or for nothing."
    )


class HistoryParams(WireModel):
    wait: LoadState = Field(
        "load", description="Wait for the load event, for the parsed DOM, or for nothing."
    )


class NavigationResult(WireModel):
    """Where the page is after a navigation, as the browser committed it."""

    url: str
    title: str
    status: int | None = Field(None, description="HTTP status, where it is known.")
    elapsed_ms: float
    act: str | None = Field(None, description="The act's id, by which `page_settled` knows what it caused.")
    awaits_decision: bool = Field(
        False,
        description="Whether it ended before its effects have landed: a request of it waits for a person.",
    )


class WaitForParams(WireModel):
    """Exactly one of the conditions."""

    url: str | None = Field(None, description="A part of the address, or a glob with `*`.")
    load: bool | None = Field(None, description="The load event has fired.")
    function: str | None = Field(
        None, description="JavaScript whose value becomes true, where evaluate is allowed."
    )
    changed: dict[str, int] | None = Field(
        None, description="The documents are other ones than these, or have other versions: key to version."
    )


class WaitForCall(WireModel):
    """Conditions that the kernel looks for."""

    idle: bool | None = Field(None, description="What acts and the load have caused is over.")

    text: str | None = Field(None, description="Text that appears.")
    text_gone: str | None = Field(None, description="Text that goes away.")
    selector: str | None = Field(None, description="A role selector that matches.")
    seconds: float | None = Field(None, gt=0, description="Just a pause, this long.")


class WaitForResult(WireModel):
    url: str
    elapsed_ms: float


NAVIGATE_COMMANDS = (
    Command(
        name="goto",
        params=GotoParams,
        result=NavigationResult,
        effect=Effect.WRITE,
        description="Go to a URL in this tab.",
        words=ModelWords(seldom=("wait",)),
        doc="""
        Its origin is allowed for writes.

        :raises PageUnreachable: It didn't load.
        :raises NotAllowed: It isn't an http or https URL, or hides where it leads.
        """,
        phrase="Go to",
        navigates=True,
        loads_anew=True,
        destination="url",
        on_any_page=True,
        on_any_origin=True,
        after_crash=True,
        undone_by_back=True,
    ),
    Command(
        name="back",
        params=HistoryParams,
        result=NavigationResult,
        effect=Effect.WRITE,
        description="Go back in this tab's history.",
        words=ModelWords(seldom=("wait",)),
        also="go_back",
        phrase="Go back",
        navigates=True,
        on_any_page=True,
        on_any_origin=True,
        after_crash=True,
    ),
    Command(
        name="forward",
        params=HistoryParams,
        result=NavigationResult,
        effect=Effect.WRITE,
        description="Go forward in this tab's history.",
        words=ModelWords(seldom=("wait",)),
        also="go_forward",
        phrase="Go forward",
        navigates=True,
        on_any_page=True,
        after_crash=True,
    ),
    Command(
        name="reload",
        params=HistoryParams,
        result=NavigationResult,
        effect=Effect.WRITE,
        description="Load this page again.",
        words=ModelWords(seldom=("wait",)),
        phrase="Load the page again",
        navigates=True,
        loads_anew=True,
        on_any_page=True,
        on_any_origin=True,
        after_crash=True,
    ),
    Command(
        name="wait_for",
        params=WaitForParams,
        result=WaitForResult,
        effect=Effect.READ,
        description="Wait for a condition on the page.",
        words=ModelWords(
            short="Wait for a condition.",
            arguments={"url": "A part of it, or a glob with `*`.", "seconds": "At most; alone, a pause."},
            seldom=("load",),
        ),
        phrase="Wait",
        local_params=WaitForCall,
        script_param="function",
        on_any_document=True,
        quiet=True,
        custom_tool=True,
        replayed=True,
    ),
)

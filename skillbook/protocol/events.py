"""Facts that the extension reports by itself. One entry here is one event."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.requests import Header
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.model import WireModel


class TabOpened(WireModel):
    """A shared tab appeared: opened by us, by a shared page, or shared by the user."""

    tab: Tab
    opener: int | None = None
    shared_by: Literal["kernel", "page", "user"]


class TabUpdated(WireModel):
    """A shared tab's address, title or loading state changed."""

    tab: Tab


class TabClosed(WireModel):
    """A shared tab is gone, or the user no longer shares it."""

    reason: Literal["closed", "unshared", "crashed"]


class DialogOpened(WireModel):
    """A JavaScript dialog holds the page until it is answered."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""


class DebuggerDetached(WireModel):
    """Trusted input stopped working on a tab."""

    reason: str


class RequestPaused(WireModel):
    """A request that may change something waits in the browser for `release_request`; nothing of it has left."""

    id: str
    method: str
    url: str = Field(repr=False)
    resource_type: str = Field(description="What Chrome calls it: Document, Fetch, XHR, Ping and so on.")
    frame_origin: str | None = Field(None, description="The origin that the request itself names.")
    content_type: str = ""
    headers: dict[str, str] = Field(
        default_factory=dict, repr=False, description="Its headers by name, as far as they are known."
    )
    body: str | None = Field(
        None, repr=False, description="The body's text where its bytes are UTF-8; never kept."
    )
    data: str | None = Field(None, repr=False, description="The body's bytes in base64 where they aren't.")
    size: int | None = Field(
        None,
        ge=0,
        description="How many bytes the body has, also where it is cut; null where that isn't known.",
    )
    navigation: bool = Field(
        False, description="Whether it loads a document, so that blocking keeps the page."
    )
    leaves: bool = Field(
        False,
        description="Whether a secret was filled in there, and this goes to an origin that it doesn't belong to.",
    )
    enters: bool = Field(
        False,
        description="Whether it brings a document of another origin: by a redirect, or into the tab itself.",
    )
    redirected_from: str | None = Field(None, description="The origin that redirected it here.")


class RequestBlocked(WireModel):
    """A page opened a tab with a request that may change something, which was blocked: it can't be held there."""

    url: str = Field(repr=False)


class MessagesSent(WireModel):
    """A page sent messages over a WebSocket, which can't be held."""

    url: str = Field(description="Empty where the page had opened it before anything was held.")
    count: int = Field(gt=0)


class RequestWanted(WireModel):
    """A page whose network is replayed sends a request; it waits for `answer_request`."""

    id: str
    method: str
    url: str = Field(repr=False)
    resource_type: str = Field(description="What Chrome calls it: Document, Fetch, XHR, Ping and so on.")
    content_type: str = ""
    body: str | None = Field(None, repr=False, description="The body's text, as far as it is known.")


class ExchangeRecorded(WireModel):
    """A request of a page whose network is recorded, and what came back."""

    method: str
    url: str = Field(repr=False)
    resource_type: str
    content_type: str = ""
    body: str | None = Field(None, repr=False, description="The request's body as text.")
    status: int = Field(ge=0, description="The response's status; 0 where the network failed.")
    headers: list[Header] = Field([], repr=False, description="The response's headers.")
    response: str | None = Field(
        None, repr=False, description="The response's body, base64; none where it wasn't read."
    )
    note: str = Field("", description="Why the body wasn't read, or the network failed.")


class RequestLogged(WireModel):
    """A request of a tab that is watched: reported when it is sent, and again once it has ended."""

    id: str
    method: str
    url: str = Field(repr=False)
    resource_type: str = Field(description="What Chrome calls it: Document, Fetch, XHR, Ping and so on.")
    document: str = Field("", description="Which document's request it is.")
    initiator: str = Field("", description="What began it, as Chrome calls it: script, parser and so on.")
    started: float = Field(description="When it was sent, in seconds since 1970.")
    request_headers: dict[str, str] = Field({}, repr=False)
    post_data: str | None = Field(None, repr=False, description="Its body as text, as far as it is known.")
    done: bool = Field(False, description="Whether it has ended: answered, failed or blocked.")
    status: int | None = Field(None, description="The answer's status.")
    status_text: str = ""
    protocol: str = Field("", description="Such as h2.")
    headers: dict[str, str] = Field({}, repr=False, description="The answer's headers.")
    mime: str = ""
    size: int | None = Field(None, ge=0, description="Bytes that came over the network, headers included.")
    body_size: int | None = Field(None, ge=0, description="Bytes of the answer's body, unpacked.")
    wait_ms: float | None = Field(None, description="Milliseconds until the answer's headers were there.")
    elapsed_ms: float | None = Field(None, description="Milliseconds until it ended.")
    source: str = Field("", description="Who answered if not the network: cache, worker, mock, block.")
    error: str = Field("", description="Why there is no answer.")


class RequestFailed(WireModel):
    """A request of a shared tab was answered with an error, or broke; or one like it was answered since."""

    method: str
    url: str = Field(repr=False)
    resource_type: str = Field(description="What Chrome's webRequest calls it: main_frame, xmlhttprequest …")
    initiator: str = Field("", description="The origin of the document that sent it.")
    status: int | None = Field(None, description="The answer's status; none where it broke.")
    error: str = Field("", description="Why it broke, as Chrome calls it.")
    age_ms: float = Field(ge=0, description="How long ago it was sent.")
    caused: bool = Field(description="Whether a command's act may have caused it.")
    act: int = Field(0, ge=0, description="The last act when it was sent, as results call it; 0 for none.")
    habit: bool = Field(description="Whether the page sends, or fails to send, the same by itself.")


class Gesture(WireModel):
    """A person did something in a tab that is recorded."""

    command: str = Field(description="The command that does the same.")
    params: dict[str, str | int | list[str]] = Field(description="Its parameters, without the elements.")
    path: list[int] = Field(
        description="Ref numbers of the element and of what is around it, innermost first."
    )
    to_path: list[int] = Field(description="The same of what something was dropped on.")
    key: str = Field(description="The document's key; empty for the tab.")
    frame: int = Field(ge=0, description="The document's frame number.")
    url: str = Field(description="The document's address.")
    replaces: int = Field(
        0, ge=0, description="How many steps before it on the same element are a part of it."
    )
    secret: bool = Field(description="Whether it was typed into a field whose value is never read.")
    at: tuple[float, float] | None = Field(
        None, description="Where a canvas or image was pressed, from its upper left corner."
    )
    wide: list[int] = Field(
        [],
        description="If nothing is written on what was pressed: ref numbers of what is around it and much larger, so "
        "that a press on its middle is one on something else.",
    )
    tree: str | None = Field(
        description="The document before it, as JSON; none where it is the one sent last."
    )


class PersonInput(WireModel):
    """A person pressed a key or a mouse button in a tab whose requests are paused."""


class Stop(WireModel):
    """The user pressed stop: what this kernel had under way was cancelled, and its runs are to end."""

    cancelled: int = Field(ge=0, description="How many commands were cut short.")


EVENTS: dict[str, type[WireModel]] = {
    "tab_opened": TabOpened,
    "tab_updated": TabUpdated,
    "tab_closed": TabClosed,
    "dialog_opened": DialogOpened,
    "debugger_detached": DebuggerDetached,
    "request_paused": RequestPaused,
    "request_blocked": RequestBlocked,
    "messages_sent": MessagesSent,
    "request_wanted": RequestWanted,
    "exchange_recorded": ExchangeRecorded,
    "request_logged": RequestLogged,
    "request_failed": RequestFailed,
    "gesture": Gesture,
    "person_input": PersonInput,
    "stop": Stop,
}

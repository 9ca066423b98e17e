"""What a page exchanges with the network: seen, blocked, mocked, and requested once more."""

from __future__ import annotations

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.commands.requests import Header
from skillbook.protocol.commands.tabs import Acknowledged
from skillbook.protocol.model import WireModel


class WatchNetworkParams(WireModel):
    on: bool = Field(description="Report the tab's requests from now on, or no more.")
    limit_bytes: int = Field(
        20_000_000, gt=0, description="How much of answers' bodies is kept; the oldest go first."
    )


class NetworkRule(WireModel):
    """How requests to some addresses are answered without the network."""

    pattern: str = Field(min_length=1, description="The whole address; each * stands for any text.")
    method: str | None = Field(None, description="Only requests of this method.")
    status: int = Field(0, ge=0, le=599, description="The answer's status; 0 blocks the request.")
    headers: list[Header] = Field([], description="The answer's headers.")
    body: str = Field("", repr=False, description="The answer's body, base64.")


class ExtraHeaders(WireModel):
    """Headers that requests to one origin get."""

    origin: str
    headers: list[Header] = Field(repr=False)


class NetworkRulesParams(WireModel):
    rules: list[NetworkRule] = Field([], description="Those in force from now on; the last that fits counts.")
    extra_headers: list[ExtraHeaders] = Field([], description="Sent with requests to these origins.")


class ResponseBodyParams(WireModel):
    id: str = Field(description="The request's id, as `request_logged` reported it.")


class ResponseBodyResult(WireModel):
    body: str = Field(repr=False)
    base64: bool = Field(description="Whether the body is no text, and written in base64.")


class FetchAlikeParams(WireModel):
    id: str = Field(description="A GET that the page sent, as `request_logged` reported it.")
    url: str = Field(
        repr=False, description="The same address with another query: requested with the same headers."
    )


class FetchAlikeResult(WireModel):
    status: int
    headers: list[Header] = Field([], repr=False)
    body: str = Field("", repr=False)


TRAFFIC_COMMANDS: tuple[Command, ...] = (
    Command(
        name="watch_network",
        params=WatchNetworkParams,
        result=Acknowledged,
        effect=Effect.READ,
        description="Report a tab's requests and keep their answers.",
        internal=True,
        quiet=True,
        under_dialog=True,
        on_any_page=True,
    ),
    Command(
        name="network_rules",
        params=NetworkRulesParams,
        result=Acknowledged,
        effect=Effect.READ,
        description="Block or mock a tab's requests, or add headers to them.",
        internal=True,
        quiet=True,
        under_dialog=True,
        on_any_page=True,
    ),
    Command(
        name="response_body",
        params=ResponseBodyParams,
        result=ResponseBodyResult,
        effect=Effect.READ,
        description="Read the body of an answer that the page got.",
        internal=True,
        quiet=True,
        under_dialog=True,
        on_any_page=True,
    ),
    Command(
        name="fetch_alike",
        params=FetchAlikeParams,
        result=FetchAlikeResult,
        effect=Effect.READ,
        description="Have the page request an address that it requested before, with another query.",
        internal=True,
        waits_turn=True,
    ),
)

"""Holding requests before they leave the browser; see `skillbook.policy.request_facts` for what is judged."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.commands.tabs import Acknowledged
from skillbook.protocol.model import WireModel


class PauseRequestsParams(WireModel):
    on: bool = Field(description="Hold requests of the tab that may change something, or let all go again.")
    unless_waiting: bool = Field(
        False,
        description="Let go only if no request waits for its first verdict; without it those are blocked.",
    )
    words: list[str] = Field([], description="Words in an address that make a GET be reported as well.")
    new_tab_words: list[str] = Field(
        [], description="Words in an address that block it where the page opens a new tab with it."
    )
    origins: list[str] = Field(
        [],
        description="Where documents may go unasked: these sites redirect tabs that the page opens to no others.",
    )
    secret_origins: list[str] | None = Field(
        None,
        description="Where a filled secret may go: requests to other origins are reported, whatever their method.",
    )
    filled_origins: list[str] | None = Field(
        None,
        description="A secret for these origins is filled into the tab now: until its documents are gone, requests "
        "to other origins are reported as `leaves`, or blocked. Also without holding anything.",
    )


class PauseRequestsResult(WireModel):
    frames: int = Field(
        ge=0, description="How many frames and workers in processes of their own are held as well."
    )
    related: list[int] = Field(
        [], description="This kernel's other tabs that can script the tab, or that it can script."
    )
    unshared: int = Field(
        0,
        ge=0,
        description="How many such windows aren't shared with this kernel; nothing else is known of them.",
    )
    waiting: int = Field(
        0, ge=0, description="How many requests wait, so that nothing was let go: `unless_waiting`."
    )


class ReleaseRequestParams(WireModel):
    id: str = Field(description="The request's id, as `request_paused` reported it.")
    verdict: Literal["allow", "block", "ask"] = Field(
        description="Let it go, block it, or keep it until a person has decided."
    )


class ReleaseRequestResult(WireModel):
    released: bool = Field(description="False where the page had given the request up.")


class Header(WireModel):
    """One header of a response."""

    name: str
    value: str


CassetteMode = Literal["off", "record", "replay"]


class CassetteParams(WireModel):
    mode: CassetteMode = Field(
        description="Report what the tab's pages exchange with the network, answer for the network, or neither."
    )


class AnswerRequestParams(WireModel):
    id: str = Field(description="The request's id, as `request_wanted` reported it.")
    status: int = Field(ge=0, description="The response's status; 0 blocks the request.")
    headers: list[Header] = Field([], description="The response's headers.")
    body: str = Field("", repr=False, description="The response's body, base64.")


class AnswerRequestResult(WireModel):
    answered: bool = Field(description="False where the page had given the request up.")


REQUEST_COMMANDS = (
    Command(
        name="pause_requests",
        params=PauseRequestsParams,
        result=PauseRequestsResult,
        effect=Effect.READ,
        description="Hold requests that may change something until they are released.",
        internal=True,
        quiet=True,
        under_dialog=True,
        after_crash=True,
        on_any_page=True,
    ),
    Command(
        name="release_request",
        params=ReleaseRequestParams,
        result=ReleaseRequestResult,
        effect=Effect.READ,
        description="Decide on a held request.",
        internal=True,
        quiet=True,
        under_dialog=True,
        after_crash=True,
        on_any_page=True,
    ),
    Command(
        name="set_cassette",
        params=CassetteParams,
        result=Acknowledged,
        effect=Effect.READ,
        description="Record what a tab exchanges with the network for a cassette, or replay one.",
        internal=True,
        quiet=True,
        under_dialog=True,
        after_crash=True,
        on_any_page=True,
    ),
    Command(
        name="answer_request",
        params=AnswerRequestParams,
        result=AnswerRequestResult,
        effect=Effect.READ,
        description="Answer a request of a page from a cassette.",
        internal=True,
        quiet=True,
        under_dialog=True,
        after_crash=True,
        on_any_page=True,
    ),
)


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

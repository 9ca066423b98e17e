"""The messages themselves. Each is one JSON text frame with `v` and `type`.

Greeting, so that neither side obeys a stranger and the token never crosses the wire::

    extension -> hello(nonce)            kernel -> challenge(nonce, proof over both nonces)
    extension -> auth(proof)             kernel -> welcome | refused

A proof is HMAC-SHA256(token, role + ":" + hello.nonce + ":" + challenge.nonce), hex, with the role "kernel" or
"extension". Then requests go down; responses and events come up; heartbeats go both ways. A person's asks come up
from the extension's own pages; answers and notices go down.

Pairing happens before that, on a socket of its own that is closed after one answer::

    extension -> pair(code)              kernel -> paired(token) | refused
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from skillbook.protocol.commands.read import FindQuery
from skillbook.protocol.model import Ref, WireModel


class WireError(WireModel):
    """A failure as the wire carries it."""

    code: str
    message: str
    hint: str = ""
    data: dict[str, Any] = Field({})
    retryable: bool | None = Field(
        None, description="Whether the same call may succeed if it is made again; without: as its code says."
    )


class Hello(WireModel):
    v: Literal[1] = 1
    type: Literal["hello"] = "hello"
    protocol: str = Field(description="MAJOR.MINOR; the kernel's minor must be at least the extension's.")
    nonce: str = Field(min_length=32, max_length=128)
    kernel: str = Field(description="Id of the kernel that the extension wants to talk to.")
    profile: str = Field(description="Random id of the browser profile.")
    browser: str = Field(description="Name and version, such as Chromium 156.")
    extension: str = Field(description="The extension's version.")
    session: str | None = Field(None, description="The session to resume, if there was one.")
    last_seq: int = Field(0, description="Sequence number of the last event sent in that session.")


class Challenge(WireModel):
    v: Literal[1] = 1
    type: Literal["challenge"] = "challenge"
    protocol: str
    nonce: str
    proof: str


class Auth(WireModel):
    v: Literal[1] = 1
    type: Literal["auth"] = "auth"
    proof: str


class KernelInfo(WireModel):
    """Who the kernel is, as the popup shows it."""

    id: str
    name: str


class Welcome(WireModel):
    v: Literal[1] = 1
    type: Literal["welcome"] = "welcome"
    session: str
    resumed: bool
    kernel: KernelInfo
    heartbeat_ms: int
    allow_evaluate: bool
    input: Literal["trusted", "synthetic"]
    effects: bool = Field(False, description="Show in pages what is done to them.")
    lasting: bool = Field(
        False,
        description="Keep the pairing when the browser is closed: the kernel comes back with its token.",
    )


class Refused(WireModel):
    v: Literal[1] = 1
    type: Literal["refused"] = "refused"
    error: WireError


class SeenRecord(WireModel):
    """What tells the record around an element from its neighbours, as somebody saw it."""

    ref: Ref = Field(description="The row, item, card or title that says it.")
    words: str = Field(description="What a person calls it, such as row 'Bob'.")
    texts: list[str] = Field([], description="Names and texts that are in it.")
    links: list[str] = Field(
        [], description="Addresses of links that are in it, and keys of what the element is in."
    )
    facts: list[str] = Field(
        [],
        description="What else it says that a person saw when they approved the command: prices, amounts, counts.",
    )
    loose: bool = Field(False, description="Counts in brackets, clocks and amounts in the texts may differ.")
    before: bool = Field(False, description="The texts stand right before the element, or what it is in.")
    apart: bool = Field(False, description="The element isn't in it.")


class SeenPart(WireModel):
    """What a selector demands of the element, or of what is around it, as it was when the selector was resolved."""

    ref: Ref = Field(description="The element, or what is around it.")
    words: str = Field(description="That part of the selector.")
    name: str = Field("", description="Its name; empty where that isn't compared.")
    text: str = Field("", description="A text in it by which the selector knew it.")
    has: int = Field(0, description="State flags that it has.")
    lacks: int = Field(0, description="State flags none of which it has.")


class SeenCount(WireModel):
    """What a selector with a number counted before the element that has the number."""

    ref: Ref = Field(description="The element with the number: the one that is acted on, or one around it.")
    words: str = Field(description="That part of the selector.")
    css: str = Field("", description="The CSS selector that was counted; empty where none was.")
    query: FindQuery | None = Field(None, description="What new elements before it may not be.")
    before: list[SeenPart] = Field([], description="What was counted before it, as it was.")
    others: list[SeenPart] = Field([], description="What wasn't counted, and what it would be if it were.")
    inside: list[SeenPart] = Field([], description="What everything that is counted is in one of, as it was.")
    known: list[int] = Field(
        [], description="Numbers of refs that the query might have found; what has another is new."
    )


class SeenTarget(WireModel):
    """What the caller saw of an element; the call fails with `stale_ref` where that isn't so by then."""

    name: str = Field("", description="Its name; empty where it had none.")
    record: SeenRecord | None = None
    css: str = Field("", description="A CSS selector that it matches; empty where none named it.")
    parts: list[SeenPart] = Field([], description="What else the selector says that named it.")
    counts: list[SeenCount] = Field([], description="Its numbers.")


class ExpectedTarget(WireModel):
    """What a command was judged on, beyond its origin."""

    role: str | None = Field(None, description="The element's role, as `describe` reported it.")
    name: str | None = Field(None, description="Its name or text, as `describe` reported it.")
    controls: list[str] | None = Field(
        None, description="Role and name of the controls inside it that a press may come to; None for any."
    )
    form: str | None = Field(
        None,
        description="How and where its form is sent, as METHOD ADDRESS; empty where it belongs to no form.",
    )
    link: str | None = Field(None, description="Where the link that it is, or is in, leads; empty for none.")
    values: str | None = Field(
        None, description="The digest of its form's other values, for an approved command."
    )
    covered: bool | None = Field(None, description="False where nothing lay over it.")
    focused: str | None = Field(
        None,
        description="What has the keyboard focus, for keys without a target: an element's ref; for a document in "
        "which no element has it, the frame's part of a ref, which is empty for the main document.",
    )
    seen: SeenTarget | None = None
    onto: SeenTarget | None = Field(None, description="What the caller saw of the element to drop on.")
    secret: bool = Field(
        False, description="The value that is filled in is a secret: screenshots mask the field."
    )
    hide: list[str] = Field([], repr=False, description="Texts that a screenshot masks.")


class RequestBody(WireModel):
    """What the kernel wants done, before the bridge gives it a number and a deadline."""

    command: str
    tab: int | None = None
    params: dict[str, Any]
    origin: str | None = Field(
        None,
        description="The origin that the command was judged for; it fails where the document has another.",
    )
    observe: dict[str, Any] | None = Field(
        None,
        description="Parameters of a snapshot to take right after an action (with `refs`: of `find_elements`), unless "
        "it went to another page: the result then has it as `observation`.",
    )
    patience_ms: int | None = Field(
        None,
        gt=0,
        description="How long it may wait until its element can be acted on; nearly to its deadline by default.",
    )
    expected_target: ExpectedTarget | None = Field(
        None,
        description="It fails with `approval_required` where the element isn't that by then.",
    )


class Request(RequestBody):
    v: Literal[1] = 1
    type: Literal["request"] = "request"
    id: int
    deadline_ms: int = Field(
        gt=0, description="Time the extension has, counted from when it gets the request."
    )


class Cancel(WireModel):
    v: Literal[1] = 1
    type: Literal["cancel"] = "cancel"
    id: int


class Response(WireModel):
    """Either a result or an error, never both."""

    v: Literal[1] = 1
    type: Literal["response"] = "response"
    id: int
    result: Any = None
    error: WireError | None = None


class Event(WireModel):
    v: Literal[1] = 1
    type: Literal["event"] = "event"
    seq: int = Field(gt=0)
    event: str
    tab: int | None = None
    data: dict[str, Any] = Field({})


class AskMessage(WireModel):
    """What a person wants of the kernel, from one of the extension's own pages."""

    v: Literal[1] = 1
    type: Literal["ask"] = "ask"
    id: int = Field(gt=0)
    name: str = Field(max_length=64)
    params: dict[str, Any] = Field({}, repr=False)


class AnswerMessage(WireModel):
    """Either a result or an error, never both."""

    v: Literal[1] = 1
    type: Literal["answer"] = "answer"
    id: int
    result: Any = None
    error: WireError | None = None


class NoticeMessage(WireModel):
    """What the kernel reports by itself."""

    v: Literal[1] = 1
    type: Literal["notice"] = "notice"
    notice: str
    data: dict[str, Any] = Field({})


class Ping(WireModel):
    v: Literal[1] = 1
    type: Literal["ping"] = "ping"
    n: int


class Pong(WireModel):
    v: Literal[1] = 1
    type: Literal["pong"] = "pong"
    n: int


class Pair(WireModel):
    """Requests the kernel's token with the one-time code of a pairing page."""

    v: Literal[1] = 1
    type: Literal["pair"] = "pair"
    protocol: str
    code: str = Field(max_length=256, repr=False)
    profile: str = Field(description="Random id of the browser profile.")


class Paired(WireModel):
    """The kernel's token; it never crosses the wire again."""

    v: Literal[1] = 1
    type: Literal["paired"] = "paired"
    token: str = Field(repr=False)
    kernel: KernelInfo


class Bye(WireModel):
    """The sender goes away on purpose: no reconnecting until it says so."""

    v: Literal[1] = 1
    type: Literal["bye"] = "bye"
    reason: str = ""


FromExtension = Annotated[
    Hello | Auth | Response | Event | AskMessage | Ping | Pong | Bye, Field(discriminator="type")
]
FromKernel = Annotated[
    Challenge | Welcome | Refused | Request | Cancel | AnswerMessage | NoticeMessage | Ping | Pong | Bye,
    Field(discriminator="type"),
]
from_extension: TypeAdapter[FromExtension] = TypeAdapter(FromExtension)
from_kernel: TypeAdapter[FromKernel] = TypeAdapter(FromKernel)

"""Reading a page."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect, ModelWords
from skillbook.protocol.model import Ref, WireModel
from skillbook.protocol.snapshot import DocumentTree, MissingFrame, SnapshotResult


class TableRows(WireModel):
    """Which rows to read of tables that have very many: those after the headers are counted from 0."""

    first: int = Field(0, ge=0, description="The row to begin with.")
    count: int = Field(
        ge=1, description="How many rows at most; tables with fewer rows and nodes are read whole."
    )
    nodes: int = Field(100_000, ge=1, description="No further row is read once there are so many nodes.")
    plain: bool = Field(
        False,
        description="Rows that hold texts and nothing else come as columns of these, whatever their number.",
    )


class ElementQuery(WireModel):
    """Elements that the page itself looks for, whatever a snapshot keeps."""

    css: list[str] = Field([], description="CSS selectors, each for `querySelectorAll` of each root.")
    texts: list[str] = Field(
        [], description="Texts: the innermost elements that show just one, else have it in them."
    )
    keep: bool = Field(
        False,
        description="Those that are found are nodes of this snapshot; it is sent whole, and no base of later changes.",
    )


class SnapshotParams(WireModel):
    engine: Literal["dom", "cdp"] = Field("dom", description="Who reads the page.")
    after: int = Field(0, ge=0, description="Highest ref number ever given out in this tab's main documents.")
    frames_after: int = Field(0, ge=0, description="Highest frame number ever given out in this tab.")
    known: dict[str, int] = Field(
        {},
        description="Documents of which the kernel has a snapshot: key to stamp. They may be answered by deltas.",
    )
    rows: TableRows | None = Field(None, description="Read tables with very many rows in part.")
    elements: ElementQuery | None = Field(None, description="Elements to look for in each document.")


class FindQuery(WireModel):
    """What a role selector says of an element that the page can tell from others by itself."""

    roles: list[str] = Field(description="It has one of these roles.")
    editable: bool = Field(False, description="Whatever can be edited counts as well.")
    name: str | None = Field(
        None, description="A text that its name has in it, or is a part of; None for any name."
    )
    part: bool = Field(False, description="The text may be a small part of the name.")
    within: FindQuery | None = Field(None, description="What it is in.")


class WantedFact(WireModel):
    """What is read of the one element that a query may name."""

    command: Literal["get", "is"]
    params: dict[str, Any] = Field(description="That command's, without a ref.")


class FoundFact(WireModel):
    ref: Ref
    value: Any = None


class FindParams(WireModel):
    query: FindQuery | None = Field(None, description="Which elements may be meant.")
    fact: WantedFact | None = Field(None, description="Also read this, if only one element may be meant.")
    refs: list[Ref] = Field([], max_length=100, description="Elements that are known, instead of a query.")
    records: bool = Field(False, description="Also read what the records around few elements are found in.")
    after: int = Field(0, ge=0, description="Highest ref number ever given out in this tab's main documents.")
    frames_after: int = Field(0, ge=0, description="Highest frame number ever given out in this tab.")


class FindResult(WireModel):
    documents: list[DocumentTree] = Field(
        description="The elements, with all that is in them, as a snapshot has them; empty where the page can't say "
        "which elements may be meant."
    )
    around: list[DocumentTree] | None = Field(
        None,
        description="For each of few elements, what the record around it is found in; None where that wasn't wanted, "
        "or takes the whole page.",
    )
    fact: FoundFact | None = Field(
        None,
        description="What was wanted of the element; None where several may be meant, or that can't be read.",
    )


class GetParams(WireModel):
    what: Literal[
        "text",
        "value",
        "html",
        "attribute",
        "attributes",
        "style",
        "href",
        "box",
        "name",
        "role",
        "css",
        "options",
        "url",
        "title",
        "status",
        "retry_after",
    ] = Field(
        description="What to read; url, title, status (HTTP) and retry_after (seconds that it asks to wait, or null) "
        "need no target."
    )
    ref: Ref | None = None
    name: str | None = Field(None, description="The attribute's or style property's name.")


class GetResult(WireModel):
    value: Any = None


class IsParams(WireModel):
    what: Literal[
        "visible",
        "hidden",
        "in_view",
        "enabled",
        "disabled",
        "checked",
        "mixed",
        "pressed",
        "editable",
        "readonly",
        "required",
        "invalid",
        "focused",
        "selected",
        "expanded",
    ] = Field(description="The state to look for.")
    ref: Ref


class IsResult(WireModel):
    value: bool


class ScreenshotParams(WireModel):
    full_page: bool = Field(False, description="The whole page rather than the viewport.")
    ref: Ref | None = Field(None, description="Only this element.")
    format: Literal["png", "jpeg"] = Field("png", description="The image's format.")
    quality: int | None = Field(None, ge=1, le=100, description="1 to 100, for jpeg.")
    max_width: int | None = Field(
        None, ge=16, description="Pixels to which it is scaled down if it is wider."
    )
    for_ai: bool = Field(False, description="Without what asks not to be used by AI.")
    origins: list[str] = Field(
        [], description="For AI: the origins whose frames are shown, besides those of the page's own."
    )


class ScreenshotResult(WireModel):
    data: str = Field(description="Base64.")
    format: Literal["png", "jpeg"]
    width: int = Field(description="CSS pixels.")
    height: int = Field(description="CSS pixels.")
    scale: float = Field(description="Image pixels a CSS pixel.")
    origin: tuple[int, int] = Field(description="Where the image begins, in viewport coordinates.")


class MarkdownParams(WireModel):
    ref: Ref | None = Field(None, description="Only this element.")


class ShownDocument(WireModel):
    """What one document shows, as plain HTML: shadow roots in place, roles as tags, no scripts, nothing hidden."""

    key: str = Field(description="Random id of the document, for as long as it lives.")
    url: str
    frame: int = Field(ge=0, description="0 for the main document, else the n of its refs' prefix fn.")
    owner_key: str = Field(description="Key of the document around it; empty for none.")
    owner_number: int = Field(description="The number of its frame there, as in `data-number`.")
    html: str
    canvases: int = Field(ge=0, description="Canvases in it, whose content is no text.")


class MarkdownResult(WireModel):
    documents: list[ShownDocument] = Field(description="The one that was asked for comes first.")
    unread: list[MissingFrame] = Field(description="Documents that can't be read, and why.")


class SavePageParams(WireModel):
    format: Literal["pdf", "mhtml"]
    landscape: bool = False
    background: bool = Field(True, description="Print colours and images behind the text.")
    width: float = Field(8.27, gt=0, description="Of the paper, in inches.")
    height: float = Field(11.69, gt=0, description="Of the paper, in inches.")
    scale: float = Field(1.0, ge=0.1, le=2)
    pages: str = Field("", description="Such as 1-3, 5; empty for all.")


class SavePageResult(WireModel):
    data: str = Field(description="Base64.")


class ConsoleParams(WireModel):
    level: Literal["all", "errors", "warnings"] = Field("all", description="Which messages.")


class ConsoleMessage(WireModel):
    level: str
    text: str
    url: str = ""
    line: int = 0
    time: float = Field(description="Seconds since 1970.")


class ConsoleResult(WireModel):
    messages: list[ConsoleMessage]


class EvaluateParams(WireModel):
    expression: str = Field(description="JavaScript; its value must be JSON.")
    ref: Ref | None = Field(None, description="The element to pass, where the expression is a function.")


class EvaluateResult(WireModel):
    value: Any = None


class DescribeParams(WireModel):
    ref: Ref


class FormFacts(WireModel):
    """The form that an element belongs to."""

    action: str
    method: str
    fields: list[str] = Field(description="Type and name of each, such as password:pw.")
    submit_label: str = ""
    verbs: list[str] = Field(
        [], description="Values of hidden fields and lists that say what to do, such as _method."
    )
    sent: list[tuple[str, str | None]] = Field(
        [], description="Name and value of each field that is sent; no value of files and secret fields."
    )
    values: str = Field(
        "", description="A digest of what the form's other fields hold, good in this document alone."
    )


class ShownField(WireModel):
    """A field that the page shows."""

    name: str = Field("", description="By which its form sends it.")
    label: str = Field(description="Empty where it has none, and where there are very many fields.")
    kind: Literal["text", "choice", "box"] = "text"
    value: str = Field("", repr=False, description="What it holds; of a box what it sends if it is ticked.")
    options: list[str] = Field([], repr=False, description="The values that a list or radio buttons offer.")
    as_loaded: bool = Field(
        False, description="Whether it sends what it would have sent when its document was loaded."
    )


class DescribeResult(WireModel):
    """What the policy and locators want to know of an element beyond the snapshot."""

    tag: str
    css: str = Field("", description="Said by older extensions; `get` reads it.")
    attributes: dict[str, str]
    frame_origin: str
    submits: bool = Field(description="Whether activating it submits its form.")
    form: FormFacts | None = None
    role: str | None = Field(None, description="Its role now.")
    name: str | None = Field(None, description="Its accessible name now; without one the text that it shows.")
    controls: list[str] = Field([], description="Role and name of each control inside it.")
    dialog: str = Field("", description="Name and text of the dialog it is in; empty for none.")
    secret: bool = Field(False, description="Whether it is a field for a password, card or one-time code.")
    link: str = Field("", description="Where the link that it is, or is in, leads; empty for none.")
    options: list[tuple[str, str]] = Field([], description="Label and value of each option of a native list.")
    no_ai: bool = Field(False, description="Whether the page asks that no AI uses it, or the part it is in.")
    no_ai_inside: bool = Field(False, description="Whether a part of it asks so.")
    shown: list[ShownField] = Field(
        [], repr=False, description="The fields with labels of its form; where it has none, of its document."
    )
    covered_by: str = Field("", description="What lies over its middle, in words; empty where nothing does.")
    leads_on: bool = Field(
        False, description="Whether the page loads more behind it once that comes into view."
    )


class ElementAtParams(WireModel):
    x: float = Field(description="In CSS pixels of the main document's viewport.")
    y: float = Field(description="In CSS pixels of the main document's viewport.")


class ElementAtResult(WireModel):
    """What gets the mouse at a point."""

    frame: int = Field(ge=0, description="The document's frame number.")
    path: list[int] = Field(
        description="Ref numbers of the element there and of what is around it, innermost first."
    )
    surface: bool = Field(description="Whether the first is a canvas or an image, in which places matter.")
    at: tuple[float, float] = Field(description="The point in the first, in CSS pixels of its document.")


READ_COMMANDS = (
    Command(
        name="snapshot",
        params=SnapshotParams,
        result=SnapshotResult,
        effect=Effect.READ,
        description="Read the page.",
        phrase="Read the page",
        on_any_document=True,
        quiet=True,
        custom_tool=True,
    ),
    Command(
        name="find_elements",
        params=FindParams,
        result=FindResult,
        effect=Effect.READ,
        description="Read the elements that a role selector may name, without the rest of the page.",
        internal=True,
        on_any_document=True,
        quiet=True,
    ),
    Command(
        name="get",
        params=GetParams,
        result=GetResult,
        effect=Effect.READ,
        description="Read something of the page or of an element.",
        words=ModelWords(arguments={"name": "Of the attribute or style."}),
        phrase="Read",
        reads_element=True,
        quiet=True,
        gives_fact=True,
    ),
    Command(
        name="is",
        params=IsParams,
        result=IsResult,
        effect=Effect.READ,
        description="Query an element's state.",
        phrase="Look at",
        reads_element=True,
        quiet=True,
        gives_fact=True,
    ),
    Command(
        name="screenshot",
        params=ScreenshotParams,
        result=ScreenshotResult,
        effect=Effect.READ,
        description="Take a screenshot of the page or an element.",
        words=ModelWords(seldom=("full_page",)),
        phrase="Take a screenshot",
        captures_image=True,
        resizing=frozenset({"full_page", "ref"}),
        custom_tool=True,
    ),
    Command(
        name="markdown",
        params=MarkdownParams,
        result=MarkdownResult,
        effect=Effect.READ,
        description="Read the text of the page or of an element.",
        phrase="Read the text",
        custom_tool=True,
    ),
    Command(
        name="save_page",
        params=SavePageParams,
        result=SavePageResult,
        effect=Effect.READ,
        description="Print the page, or archive it with its images and styles.",
        internal=True,
        captures_image=True,
    ),
    Command(
        name="console",
        params=ConsoleParams,
        result=ConsoleResult,
        effect=Effect.READ,
        description="Read the page's console messages.",
        words=ModelWords(short="Read console messages.", seldom=("level",)),
        phrase="Read the page's messages",
        under_dialog=True,
    ),
    Command(
        name="describe",
        params=DescribeParams,
        result=DescribeResult,
        effect=Effect.READ,
        description="Describe an element's form and selector.",
        internal=True,
        quiet=True,
    ),
    Command(
        name="element_at",
        params=ElementAtParams,
        result=ElementAtResult,
        effect=Effect.READ,
        description="Find what gets the mouse at a point.",
        internal=True,
        on_any_document=True,
        quiet=True,
    ),
    Command(
        name="evaluate",
        params=EvaluateParams,
        result=EvaluateResult,
        effect=Effect.IRREVERSIBLE,
        description="Run JavaScript in the page, if allowed.",
        reads_element=True,
        runs_script=True,
    ),
)

"""Actions on elements."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from skillbook.protocol.commands.registry import Command, Effect, ModelWords
from skillbook.protocol.commands.tabs import Acknowledged
from skillbook.protocol.model import Ref, WireModel
from skillbook.protocol.refs import canonical_keys

Modifier = Literal["Alt", "Control", "Meta", "Shift"]


class DialogSeen(WireModel):
    """A JavaScript dialog that opened during an action."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str


class ActionOutcome(WireModel):
    """What the browser saw an action do."""

    changed: bool = Field(description="Whether any document of the page changed, or went elsewhere.")
    navigated: bool = Field(description="Whether the main document is another one now.")
    url: str = Field(description="The address after the action, as the browser committed it.")
    input: Literal["trusted", "synthetic"]
    dialog: DialogSeen | None = None
    opened_tabs: list[int] = Field([])
    closed: bool = Field(False, description="Whether it closed the page.")
    elapsed_ms: float
    act: str | None = Field(None, description="The act's id, by which `page_settled` knows what it caused.")
    awaits_decision: bool = Field(
        False,
        description="Whether it ended before its effects have landed: a request of it waits for a person.",
    )


class DownloadedFile(WireModel):
    """A file that the browser has saved."""

    path: str = Field(description="Where it is on the browser's machine.")
    name: str = Field(description="The name that the page or its server gave it.")
    bytes: int = Field(ge=0)
    mime: str = ""
    url: str = Field(description="Where it came from.")


class DownloadOutcome(ActionOutcome):
    files: list[DownloadedFile] = Field(min_length=1)


class ElementParams(WireModel):
    ref: Ref


class ClickParams(WireModel):
    ref: Ref
    at: tuple[float, float] | None = Field(
        None,
        description="Where in a canvas or image, in CSS pixels from its upper left corner; its middle by default.",
    )
    button: Literal["left", "middle", "right"] = Field("left", description="The mouse button.")
    modifiers: list[Modifier] = Field([], description="Keys that are down meanwhile.")


class FillParams(WireModel):
    ref: Ref
    value: str = Field(description="The new value; it replaces what is there.")


class TypeParams(WireModel):
    ref: Ref
    text: str = Field(description="Text to type, key by key, after what is there.")
    delay_ms: int = Field(0, ge=0, le=1000, description="Milliseconds between keys, at most 1000.")
    clear: bool = Field(False, description="Empty the field first.")


Keys = Annotated[str, AfterValidator(canonical_keys)]


class PressParams(WireModel):
    key: Keys = Field(description="A key or a combination, such as Enter, ArrowDown or Control+A.")
    ref: Ref | None = Field(None, description="The element to focus first.")


class SelectParams(WireModel):
    ref: Ref
    values: list[str] = Field(min_length=1, description="Options by label, else by value, else by number.")
    by: Literal["label", "value", "index"] | None = Field(
        None, description="What the values are, where that would be guessed wrongly; an index counts from 0."
    )


class ScrollParams(WireModel):
    ref: Ref | None = Field(
        None, description="Bring this element into view, or scroll inside it with dx and dy."
    )
    dx: int = Field(0, description="Pixels to the right.")
    dy: int = Field(0, description="Pixels down.")
    to: Literal["top", "bottom", "left", "right", "end"] | None = Field(
        None, description="Go to an end of the page or element; end goes on down as long as more is loaded."
    )


class ScrollCall(WireModel):
    until: str | None = Field(
        None,
        description="Scroll down, a screen at a time, until this role selector matches; also in virtual lists.",
    )
    to_row: int | None = Field(
        None,
        ge=0,
        description="Scroll in a few leaps to the row or item that the page gives this number (aria-rowindex, where a "
        "header often is 1, or aria-posinset), also in virtualised grids.",
    )


class DragParams(WireModel):
    ref: Ref
    to_ref: Ref | None = None
    dx: int = Field(0, description="Pixels to the right, where there is no element to drop on.")
    dy: int = Field(0, description="Pixels down.")
    position: Literal["center", "before", "after"] = Field(
        "center", description="Where on the other element to drop: its middle, or just before or after it."
    )


class UploadParams(WireModel):
    ref: Ref
    files: list[str] = Field(description="Absolute paths on the browser's machine.")


class DownloadCall(WireModel):
    folder: str | None = Field(None, description="Where to put the file; a folder named downloads otherwise.")


class RecordParams(WireModel):
    on: bool = Field(description="Whether what a person does in the tab is reported from now on.")
    text: str = Field(max_length=200, description="What the page shows meanwhile.")


class PickParams(WireModel):
    text: str = Field(max_length=200, description="What the page shows meanwhile.")


class PickResult(WireModel):
    """The element that a person pressed; nothing where they pressed Escape."""

    frame: int = Field(ge=0, description="The document's frame number.")
    path: list[int] = Field(
        description="Ref numbers of the element and of what is around it, innermost first."
    )


class InputEvent(WireModel):
    """Something that a person's mouse or keyboard does, with no element named: whatever is there gets it."""

    kind: Literal["move", "down", "up", "wheel", "key", "text"]
    x: float = Field(0, description="In CSS pixels of the main document's viewport.")
    y: float = Field(0, description="In CSS pixels of the main document's viewport.")
    button: Literal["left", "middle", "right"] | None = Field(
        None, description="The mouse button; for a move the one that is held, or none."
    )
    count: int = Field(1, ge=1, le=3, description="2 for the second press of a double click.")
    dx: float = Field(0, description="How far the wheel scrolls to the right, in pixels.")
    dy: float = Field(0, description="How far the wheel scrolls down, in pixels.")
    modifiers: list[Modifier] = Field([], description="Keys that are held.")
    text: str = Field(
        "", max_length=10_000, description="A key or combination for `key`, else what is typed."
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> InputEvent:
        if self.kind in ("key", "text") and not self.text:
            raise ValueError(f"a {self.kind} event needs a text")
        return self


class RemoteInputParams(WireModel):
    events: list[InputEvent] = Field(min_length=1, max_length=500)


class HandleDialogParams(WireModel):
    accept: bool = Field(True, description="OK rather than Cancel.")
    text: str | None = Field(None, description="The answer to a prompt.")


class HighlightParams(WireModel):
    refs: list[Ref] = Field(description="Elements to outline; none clears.")


ACT_COMMANDS = (
    Command(
        name="click",
        params=ClickParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Click an element.",
        words=ModelWords(seldom=("modifiers", "at")),
        doc="""
        :param target: What to click.
        :raises NotActionable: It stays hidden, disabled, moving, or covered by something else. At a point:
            something else than a canvas or image is there; the hint has its ref.

        >>> page.click("button 'Save'")
        >>> page.click("e12", modifiers=["Control"])
        >>> page.click(x=320, y=200)
        """,
        phrase="Click",
        activates=True,
        follows_links=True,
        takes_focus=True,
        undone_by_back=True,
        shows_outcome=True,
        in_page=True,
    ),
    Command(
        name="dblclick",
        params=ClickParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Double-click an element.",
        words=ModelWords(seldom=("modifiers", "at")),
        phrase="Double-click",
        activates=True,
        follows_links=True,
        takes_focus=True,
        shows_outcome=True,
        in_page=True,
    ),
    Command(
        name="fill",
        params=FillParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Replace a field's value.",
        doc="""
        The focus stays in the field, as in Playwright. A page that takes a value only once its field is left, as those
        of Streamlit do, has it after the next action on another element, or after `press("Tab")`.

        :param target: The field.
        :raises NotActionable: The field holds something else now ("not_taken").

        >>> page.fill("label 'Name'", "Ann")
        """,
        phrase="Fill in",
        text_param="value",
        edits_text=True,
        sets_value=True,
        takes_focus=True,
        in_page=True,
    ),
    Command(
        name="clear",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Empty a field.",
        words=ModelWords(hidden=True),
        doc="""
        :param target: The field.
        :raises InvalidParams: It always has a value, as sliders and colour fields have.
        """,
        phrase="Empty",
        edits_text=True,
        sets_value=True,
        takes_focus=True,
    ),
    Command(
        name="type",
        params=TypeParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Type text into a field, key by key.",
        words=ModelWords(short="Type key by key.", seldom=("delay_ms",)),
        doc=":param target: The field.",
        phrase="Type into",
        activates=True,
        presses_keys=True,
        text_param="text",
        edits_text=True,
        takes_focus=True,
        in_page=True,
    ),
    Command(
        name="press",
        params=PressParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Press a key or a combination of keys.",
        words=ModelWords(
            short="Press a key or keys.",
            arguments={"key": "Such as Enter or Control+A.", "target": "To focus first."},
        ),
        doc="""
        The key comes first, the target second.

        :param target: What to focus before; by default the key goes to what has the focus.
        """,
        phrase="Press a key on",
        activates=True,
        follows_links=True,
        presses_keys=True,
        takes_focus=True,
        shows_outcome=True,
        in_page=True,
    ),
    Command(
        name="hover",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Move the mouse over an element.",
        phrase="Point at",
        only_prepares=True,
        in_page=True,
    ),
    Command(
        name="focus",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Give an element the keyboard focus.",
        words=ModelWords(hidden=True),
        phrase="Put the focus on",
        only_prepares=True,
        in_page=True,
    ),
    Command(
        name="check",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Check a checkbox, radio button or switch.",
        doc="""
        Nothing happens if it is checked.

        :param target: The control.
        """,
        phrase="Tick",
        activates=True,
        takes_focus=True,
        in_page=True,
    ),
    Command(
        name="uncheck",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Uncheck a checkbox or switch.",
        doc="""
        Nothing happens if it is unchecked.

        :param target: The control.
        """,
        phrase="Untick",
        takes_focus=True,
        in_page=True,
    ),
    Command(
        name="select",
        params=SelectParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Choose options of a list by label, value or number.",
        words=ModelWords(short="Choose options.", seldom=("by",)),
        doc="""
        The list may be native or custom.

        :param target: The list.
        :param values: Options by label, else by value, else by number from 0; several, or a list of them. A native list
            of several choices has just these afterwards; a custom one has them beside those it had.

        >>> page.select("combobox 'Country'", "Norway")
        """,
        phrase="Choose in",
        sets_value=True,
        takes_focus=True,
        in_page=True,
    ),
    Command(
        name="drag",
        params=DragParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Drag an element onto another one or by a distance.",
        words=ModelWords(
            short="Drag an element.", arguments={"to": "Where to drop, or dx, dy."}, seldom=("position",)
        ),
        doc="""
        :param target: What to drag.
        :param to: What to drop it on.
        :param timeout: Seconds in all; by default 5 to find each target and 30 to act; 0 doesn't wait for them.
        """,
        phrase="Drag",
        activates=True,
        in_page=True,
    ),
    Command(
        name="scroll",
        params=ScrollParams,
        result=ActionOutcome,
        effect=Effect.READ,
        description="Scroll the page or an element.",
        words=ModelWords(
            arguments={
                "target": "To bring into view, or scroll in.",
                "until": "Down to this selector.",
                "to": "end: while more loads.",
            },
            seldom=("to_row",),
        ),
        doc="""
        A target is brought into view; with `dx`, `dy` or `to` it is scrolled in.

        :param target: An element, or a frame.
        :raises NoMatch: The end came before what was scrolled for.
        :raises CommandTimeout: The time was over before that.
        """,
        phrase="Scroll",
        local_params=ScrollCall,
        on_any_page=True,
        on_any_origin=True,
        waits_turn=True,
        resendable=False,
        replayed=True,
        in_page=True,
    ),
    Command(
        name="submit",
        params=ElementParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Submit the form that an element belongs to.",
        words=ModelWords(hidden=True),
        doc=":param target: The form, or anything in it.",
        phrase="Submit the form of",
        activates=True,
        submits=True,
        shows_outcome=True,
        in_page=True,
    ),
    Command(
        name="upload",
        params=UploadParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Choose files in a file field.",
        doc="""
        :param target: The field, or the button that opens the file chooser.
        :param files: Their paths.
        :raises InvalidParams: There is no such file.
        """,
        phrase="Give files to",
        file_param="files",
        activates=True,
        takes_focus=True,
    ),
    Command(
        name="download",
        params=ElementParams,
        result=DownloadOutcome,
        effect=Effect.WRITE,
        description="Click an element that downloads one or more files, and wait for them.",
        doc="""
        A file in a tab of its own comes too, also one that the browser shows there; the tab is closed.

        :param target: What to click.
        :param folder: Where to put the files; the setting `SKILLBOOK_DOWNLOADS` (./downloads) by default.
        :param timeout: Seconds in all; by default 5 to find the target and 30 for the file; 0 doesn't wait for
            the target.
        :returns: Its `path` is the first file, and `paths` all of them; `data` has the first one's "name", "bytes",
            "mime" and "url", and "files" with those of each. Nothing is overwritten.
        :raises CommandTimeout: No download began, or it took longer.
        :raises NotAllowed: The browser holds it to be dangerous.
        """,
        phrase="Download by",
        local_params=DownloadCall,
        human_only=frozenset({"folder"}),
        activates=True,
    ),
    Command(
        name="handle_dialog",
        params=HandleDialogParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Answer a JavaScript dialog.",
        doc="""
        A dialog that opened while no debugger was attached can only be dismissed.

        :returns: What the answer changed.
        :raises DialogBlocked: It can only be dismissed.
        :raises NotActionable: No dialog is open.
        """,
        phrase="Answer the page's dialog",
        answers_dialog=True,
        on_any_page=True,
        on_any_origin=True,
        under_dialog=True,
    ),
    Command(
        name="highlight",
        params=HighlightParams,
        result=ActionOutcome,
        effect=Effect.READ,
        description="Outline elements on the screen.",
        internal=True,
        on_any_document=True,
        waits_turn=True,
        quiet=True,
    ),
    Command(
        name="record",
        params=RecordParams,
        result=Acknowledged,
        effect=Effect.READ,
        description="Report what a person does in the tab.",
        internal=True,
        on_any_document=True,
        under_dialog=True,
        quiet=True,
    ),
    Command(
        name="pick",
        params=PickParams,
        result=PickResult,
        effect=Effect.READ,
        description="Let a person point at an element in the page.",
        internal=True,
        on_any_document=True,
        resendable=False,
        quiet=True,
    ),
    Command(
        name="remote_input",
        params=RemoteInputParams,
        result=Acknowledged,
        effect=Effect.WRITE,
        description="Hand a person's mouse and keys to the page.",
        internal=True,
        on_any_origin=True,
        on_any_document=True,
        quiet=True,
    ),
)

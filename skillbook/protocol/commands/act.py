"""Actions on elements."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.model import Ref, WireModel

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
    elapsed_ms: float


class DownloadedFile(WireModel):
    """A file that the browser has saved."""

    path: str = Field(description="Where it is on the browser's machine.")
    name: str = Field(description="The name that the page or its server gave it.")
    bytes: int = Field(ge=0)
    mime: str = ""
    url: str = Field(description="Where it came from.")


class DownloadOutcome(ActionOutcome):
    file: DownloadedFile


class ElementParams(WireModel):
    ref: Ref


class ClickParams(WireModel):
    ref: Ref
    button: Literal["left", "middle", "right"] = Field("left", description="The mouse button.")
    modifiers: list[Modifier] = Field([], description="Keys held down.")


class FillParams(WireModel):
    ref: Ref
    value: str = Field(description="The new value; it replaces what is there.")


class TypeParams(WireModel):
    ref: Ref
    text: str = Field(description="Text to type, key by key, after what is there.")
    delay_ms: int = Field(0, ge=0, le=1000, description="Pause between keys.")
    clear: bool = Field(False, description="Empty the field first.")


class PressParams(WireModel):
    key: str = Field(description="A key or a combination, such as Enter, ArrowDown or Control+A.")
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
        None, description="Scroll down, a screen at a time, until this role selector matches."
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


class HandleDialogParams(WireModel):
    accept: bool = Field(True, description="OK or Cancel.")
    text: str | None = Field(None, description="The answer to a prompt.")


class HighlightParams(WireModel):
    refs: list[Ref] = Field(description="Elements to outline; none clears.")


_E = Effect
ACT_COMMANDS = (
    Command("click", ClickParams, ActionOutcome, _E.WRITE, "Click an element."),
    Command("dblclick", ClickParams, ActionOutcome, _E.WRITE, "Double-click an element."),
    Command("fill", FillParams, ActionOutcome, _E.WRITE, "Replace a field's value."),
    Command("type", TypeParams, ActionOutcome, _E.WRITE, "Type text into a field, key by key."),
    Command("press", PressParams, ActionOutcome, _E.WRITE, "Press a key or a combination of keys."),
    Command("hover", ElementParams, ActionOutcome, _E.WRITE, "Move the mouse over an element."),
    Command("focus", ElementParams, ActionOutcome, _E.WRITE, "Give an element the keyboard focus."),
    Command("check", ElementParams, ActionOutcome, _E.WRITE, "Check a checkbox, radio button or switch."),
    Command("uncheck", ElementParams, ActionOutcome, _E.WRITE, "Uncheck a checkbox or switch."),
    Command("select", SelectParams, ActionOutcome, _E.WRITE, "Choose options of a list by label or value."),
    Command(
        "drag", DragParams, ActionOutcome, _E.WRITE, "Drag an element onto another one or by a distance."
    ),
    Command(
        "scroll",
        ScrollParams,
        ActionOutcome,
        _E.READ,
        "Scroll the page or an element.",
        local_params=ScrollCall,
    ),
    Command("submit", ElementParams, ActionOutcome, _E.WRITE, "Submit the form that an element belongs to."),
    Command("upload", UploadParams, ActionOutcome, _E.WRITE, "Choose files in a file field."),
    Command(
        "download",
        ElementParams,
        DownloadOutcome,
        _E.WRITE,
        "Click an element that downloads a file, and wait for the file.",
        local_params=DownloadCall,
        human_only=frozenset({"folder"}),
    ),
    Command("handle_dialog", HandleDialogParams, ActionOutcome, _E.WRITE, "Answer a JavaScript dialog."),
    Command(
        "highlight", HighlightParams, ActionOutcome, _E.READ, "Outline elements on the screen.", internal=True
    ),
)

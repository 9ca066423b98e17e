"""What the panel shows, as plain data, and what it needs of whatever it shows.

The panel knows no agent: it reads a `PanelSource`, so a run, a replay or a recording can stand behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from skillbook.protocol.asks.run_asks import DecideParams, RunView, TaskEdit


@dataclass(frozen=True)
class PastStep:
    """A step whose page is shown as it was before it: its number, of how many, the call in words, and its target."""

    number: int
    of: int
    call: str
    target: str = ""


@dataclass(frozen=True)
class PanelState:
    """Everything the panel shows but the page: the run as every door shows it, and what only a notebook has.

    `visited` are the pages that it came over, on one line. `waits` is what a saved notebook keeps of the question that
    waits, and `refusals` how many answers were refused. `offers` are what can be made of a run that is over: the
    buttons' labels, and the cells that each writes into the notebook. `picking` says whether a click in the real page
    points at an element for the question, `picked` at which one the person pointed last, as `{"id", "serial", "ref"}`,
    and `pick_problem` why that failed. `remote_input_problem` says why what the person did in the screenshot did not
    arrive, and `has_window` whether the browser has a window that can be shown. `past` is the step that is looked at in
    the place of the page now. `gone` says that the page or its browser is, and the way on.
    """

    run: RunView
    visited: str = ""
    waits: str = ""
    refusals: int = 0
    offers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    picking: bool = False
    picked: dict[str, Any] | None = None
    pick_problem: str = ""
    remote_input_problem: str = ""
    has_window: bool = False
    past: PastStep | None = None
    gone: str = ""

    def to_json(self) -> dict[str, Any]:
        """The state as the widget gets it."""
        run, past = self.run.model_dump(mode="json"), self.past and vars(self.past)
        shown = {**vars(self), "run": run, "past": past}
        del shown["waits"]
        return shown


@dataclass(frozen=True)
class Row:
    """One node of the page.

    `box` is x, y, width, height in CSS pixels of the main document's viewport; `no_text` says that it takes no text.
    """

    ref: str
    role: str
    name: str
    depth: int
    states: str = ""
    actionable: bool = False
    box: tuple[float, float, float, float] | None = None
    no_text: bool = False

    def to_json(self) -> list[Any]:
        """The row as the widget gets it: an array, because a page has thousands."""
        return [
            self.ref,
            self.role,
            self.name,
            self.depth,
            self.states,
            int(self.actionable) | int(self.no_text) << 1,
            list(self.box) if self.box else None,
        ]


@dataclass(frozen=True)
class Shot:
    """A screenshot: image bytes, its size in CSS pixels and where it begins in viewport coordinates."""

    data: bytes = field(repr=False)
    format: Literal["png", "jpeg"]
    width: float
    height: float
    origin: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class PageView:
    """A page at one moment: its nodes as rows, and a screenshot where there is one.

    `key` is another one after every change of the page; empty where it isn't known. `document` names its document: one
    address may have another one by now. `shown_as` is the device that the page is shown as on.
    """

    url: str
    title: str
    rows: tuple[Row, ...]
    omitted: int = 0
    shot: Shot | None = None
    key: str = ""
    document: str = ""
    shown_as: str = ""

    def to_json(self) -> dict[str, Any]:
        """The view as the widget gets it; the image's bytes go apart."""
        shot = self.shot and {
            "format": self.shot.format,
            "width": self.shot.width,
            "height": self.shot.height,
            "origin": list(self.shot.origin),
        }
        return {
            "url": self.url,
            "title": self.title,
            "shown_as": self.shown_as,
            "rows": [row.to_json() for row in self.rows],
            "omitted": self.omitted,
            "key": self.key,
            "shot": shot,
        }


class PanelSource(Protocol):
    """What the panel shows. Every method is called on skillbook's I/O thread and must not block."""

    def panel_state(self) -> PanelState:
        """What is going on now."""

    def page_view(self) -> PageView | None:
        """The page's newest view; None where there is none yet."""

    def past_view(self) -> PageView | None:
        """The page as it was before the step that is looked at; None where none is."""

    def look_at(self, number: int | None) -> None:
        """Show the page as it was before a step; None shows it as it is now."""

    def note_read(self, question: str, since: float | None = None) -> None:
        """The front end reports that a question is on the screen; `since` is when it said so, if that is known."""

    def answer(self, given: DecideParams) -> None:
        """Take the person's answer, once: an answer to a question that no longer waits is ignored.

        One that can't be taken leaves the question waiting, with its `refusal` saying why.
        """

    def edit_tasks(self, edit: TaskEdit) -> None:
        """Change the task list; what can't be done changes nothing."""

    def stop(self) -> None:
        """End the work."""

    def pause(self) -> None:
        """Wait before the next call, whatever it is."""

    def go_on(self, n: int | None, until: Literal["write", "irreversible"]) -> None:
        """Go on; `n` calls pass that would ask, None for any number, until one has the effect `until`."""

    def point(self, ref: object) -> None:
        """Outline an element in the real page, as a ref; anything else ends it."""

    def step_details(self, number: int) -> dict[str, str] | None:
        """What a step opens to beside its line: `outcome` in full, and `changes`; None where there is no such step."""

    def fork(self, number: int) -> object | None:
        """Go another way from a step, and show that from now on; gives the run that does so, None where none can."""

    def pick(self, question: str | None) -> None:
        """Let the person point at an element in the real page for the question that waits; None ends it."""

    def use_remote_input(self, content: dict[str, Any]) -> None:
        """Pass on what the person's mouse and keys do in the picture; see `RemoteInput.take`."""

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, from any thread, after each change; the result ends it."""

"""The cells of one run: its history, what they read, where the one under way stands, and its variables."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from skillbook.agents.state.step_records import CellPlace
from skillbook.cells.crossing import SkillResult, from_plain
from skillbook.cells.foresight import Forecast, foresee
from skillbook.cells.parsed_code import Fault
from skillbook.cells.sandbox import CellEnd, HostCall, Sandbox, tool_of
from skillbook.cells.traced_rows import Reading, frame_of_rows, origin_of_frame
from skillbook.cells.written_secrets import as_tool_args

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.state.step_records import StepRecord
    from skillbook.perception.nodes.base_snapshot import BaseSnapshot


# A cell with the same text and the same answers does the same again. So this is all that another kernel needs to go
# on at the very call where this one stopped.

_INNER = re.compile(r"(?P<cell>.+)\.(?P<number>\d+)L(?P<line>\d+)")

Cell = dict[str, Any]
"""`id`, `code`, `began`, `answers`, `ended` once it has, and `edited` where a person wrote its code.

An answer has a `value` or an `error`, and `by_person` where a person decided otherwise than the code.
"""


def merge_cells(left: Sequence[Cell] | None, right: Sequence[Mapping[str, Any]] | None) -> list[Cell]:
    """The cells with what is new of them: a new one, an answer, or an end."""
    cells = [dict(cell) for cell in left or ()]
    for change in right or ():
        known = next((cell for cell in reversed(cells) if cell["id"] == change["id"]), None)
        if "code" in change:
            if known is None or known.get("ended") is not None:
                cells.append({**change, "answers": list(change.get("answers", ()))})
        elif known is not None and "answer" in change:
            answers = list(known["answers"])
            if change["number"] == len(answers):
                known["answers"] = [*answers, change["answer"]]
        elif known is not None:
            known["ended"] = change["ended"]
    return cells


def open_cell(cells: Sequence[Cell]) -> Cell | None:
    """The cell that is under way; None where none is."""
    last = cells[-1] if cells else None
    return last if last is not None and last.get("ended") is None else None


def inner_id(cell: Cell, line: int) -> str:
    """The id of a cell's next call, which names cell, call and line in the journal."""
    return f"{cell['id']}.{len(cell['answers'])}L{line}"


def line_of(call_id: str) -> int:
    """The line of a cell's call; 0 where it isn't known."""
    found = _INNER.fullmatch(call_id)
    return int(found["line"]) if found else 0


def place_of(call_id: str) -> tuple[str, int] | None:
    """The cell of a call and the call's number in it, from 0; None for a call of the model."""
    found = _INNER.fullmatch(call_id)
    return (found["cell"], int(found["number"])) if found else None


def is_inner(cells: Sequence[Cell], call_id: str) -> bool:
    """Whether a call was made by one of the cells."""
    found = _INNER.fullmatch(call_id)
    return found is not None and any(cell["id"] == found["cell"] for cell in cells)


def is_next(cells: Sequence[Cell], call_id: str) -> bool:
    """Whether a call is the one at which the cell stands that is under way."""
    cell, found = open_cell(cells), _INNER.fullmatch(call_id)
    return (
        cell is not None
        and found is not None
        and found["cell"] == cell["id"]
        and int(found["number"]) == len(cell["answers"])
    )


def without_inner(messages: Sequence[AnyMessage], cells: Sequence[Cell]) -> list[AnyMessage]:
    """The conversation as the model had it: it made the cells, not their calls."""
    kept: list[AnyMessage] = []
    for message in messages:
        made = message.tool_calls if isinstance(message, AIMessage) else []
        inner = made and all(is_inner(cells, str(call["id"])) for call in made)
        answers = isinstance(message, ToolMessage) and is_inner(cells, message.tool_call_id)
        if not (inner or answers):
            kept.append(message)
    return kept


def cells_before(cells: Sequence[Cell], call_id: str) -> list[Cell]:
    """The cells as they were before a call, of the model or of a cell, was made."""
    found = _INNER.fullmatch(call_id)
    kept: list[Cell] = []
    for cell in cells:
        if cell["id"] == call_id:
            break
        if found is not None and cell["id"] == found["cell"]:
            kept.append({**cell, "answers": cell["answers"][: int(found["number"])], "ended": None})
            break
        kept.append(dict(cell))
    return kept


_READ_ROWS = {"extract", "run_skill"}


def frame_of_cell(value: Any, cells: Sequence[Cell], steps: Sequence[StepRecord]) -> pd.DataFrame | None:
    """The rows that a cell ended with; None where it ended with something else, or none of them was read.

    value: the cell's last expression.
    cells: the run's cells up to that one, with the answers that their code got.
    """
    return frame_of_rows(value, _readings(cells, steps), [str(cell["code"]) for cell in cells])


def _readings(cells: Sequence[Cell], steps: Sequence[StepRecord]) -> list[Reading]:
    """The rows that each extraction gave the code; their sources, if this kernel extracted them."""
    extracted = {place_of(step.call_id): step for step in steps if step.tool in _READ_ROWS}
    found: list[Reading] = []
    for cell in cells:
        for number, answer in enumerate(cell["answers"]):
            step = extracted.get((str(cell["id"]), number))
            rows = from_plain(answer["value"]) if step is not None and "value" in answer else None
            rows = rows.rows if isinstance(rows, SkillResult) else rows
            if step is None or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                continue
            found.append((rows, origin_of_frame(step.extra.get("frame"))))
    return found


MOST_CALLS = 200
"""How many calls one cell makes at most."""


@dataclass(frozen=True)
class CellCall:
    """The call at which a cell stands, as a call of the run.

    call_id: names cell, call and line.
    host: the call as the code makes it.
    """

    call_id: str
    tool: str
    args: dict[str, Any]
    host: HostCall


@dataclass(frozen=True)
class Variable:
    """A variable after the cells so far."""

    name: str
    type: str
    size: int | None
    value: Any


class RunCells:
    """Drives the cells of one run. Touched on the I/O thread only.

    records: the cells of an earlier kernel, or of the run that this one was forked from.
    """

    def __init__(self, records: Sequence[Cell] = ()) -> None:
        self.records: list[Cell] = list(records)
        self.given = list(records)
        """What a fork begins with."""
        self.forecasts: dict[str, Forecast] = {}
        self.approved: set[str] = set()
        """The cells that a person approved as a whole, in this kernel."""
        self.here: set[str] = set()
        """The cells that began in this kernel."""
        self.given_refs: set[str] = set()
        """The refs that code was given in this kernel."""
        self.seen: dict[str, BaseSnapshot | None] = {}
        """The page as the model knew it before each cell."""
        self.notes: list[str] = []
        """What is to be said of requests when the cell ends."""
        self.home: Any = None
        """The page that `page` is in the cell under way; None before the first in this kernel."""
        self.beside: list[Any] = []
        """The other pages that the cell under way works in, in the order of its last calls."""
        self.variables: tuple[Variable, ...] = ()
        self._sandbox: Sandbox | None = None
        self._at: tuple[str, int] | None = None
        self._step: HostCall | CellEnd | None = None
        self._replayed: tuple[str, ...] = ()
        self._born = time.time()
        self._begun: Cell | None = None

    @property
    def began(self) -> float:
        """What the clock says in the sandbox: the moment of the first cell."""
        return float(self.records[0]["began"]) if self.records else self._born

    @property
    def earlier(self) -> list[str]:
        """The code of the cells whose names are there."""
        return [cell["code"] for cell in self.records if _counts(cell)]

    async def check(self, code: str) -> list[Fault]:
        """What is wrong with a cell's text, given the variables of those before."""
        await self._bring_up(self.records)
        assert self._sandbox is not None
        faults = await self._sandbox.check(code)
        if self._sandbox.process is None:
            await self.close()  # it ended over this text; those before are run again
        return faults

    def begin(
        self, call_id: str, code: str, forecast: Forecast, *, approved: bool, seen: Any, page: Any
    ) -> None:
        """A cell is to run: its first call is made in the model's place."""
        self.forecasts[call_id], self.seen[call_id] = forecast, seen
        self.home, self.beside = page, []
        self.here.add(call_id)
        if approved:
            self.approved.add(call_id)
        self._begun = {"id": call_id, "code": code, "began": self.began}

    def take_begun(self, call_id: str) -> Cell | None:
        """The cell that a call began, once; None where it began none."""
        begun, self._begun = self._begun, None
        return begun if begun is not None and begun["id"] == call_id else None

    async def work_in(self, tab: int, page: Any) -> Any:
        """The page of a tab that a call of the cell under way is for.

        tab: its number; 0 for the page that the cell began with.
        Raises PageClosed: it is gone.
        """
        self.home = self.home or page
        if not tab or tab == self.home.tab.id:
            self.home.require_open()
            return self.home
        browser = self.home.browser
        if tab not in browser.pages:
            await browser.refresh_tabs()
        found = browser.page(tab)
        self.beside = [*(each for each in self.beside if each is not found), found]
        return found

    @property
    def tab(self) -> int:
        """Which page the call is for at which the cell under way stands; 0 for the one that it began with."""
        return self._step.tab if isinstance(self._step, HostCall) else 0

    def place(self, call_id: str, code: str = "") -> CellPlace | None:
        """Where a call stands that waits: a whole cell, or a line of the one under way; None for any other call."""
        cell = open_cell(self.records)
        step = self._step
        if code:
            forecast = self.forecasts.get(call_id)
            return CellPlace(self.number(call_id), code, forecast=forecast.text if forecast else "")
        if cell is None or not is_next(self.records, call_id) or not isinstance(step, HostCall):
            return self._place_of_earlier(call_id)
        return CellPlace(self.number(cell["id"]), cell["code"], step.line, step.start, step.end)

    def _place_of_earlier(self, call_id: str) -> CellPlace | None:
        """Where a call was made of which something still waits, such as a request that it caused."""
        made = place_of(call_id)
        for cell in reversed(self.records):
            if made is not None and cell["id"] == made[0]:
                return CellPlace(self.number(cell["id"]), cell["code"], line_of(call_id))
        return None

    async def advance(self) -> CellCall | CellEnd | None:
        """Go on with the cell under way up to its next call or its end; None where none is under way."""
        cell = open_cell(self.records)
        if cell is None:
            return None
        if len(cell["answers"]) >= MOST_CALLS:
            await self.close()
            return CellEnd("", None, f"RuntimeError: a cell makes at most {MOST_CALLS} calls", lost=True)
        place = (str(cell["id"]), len(cell["answers"]))
        if self._at != place:
            await self._go_to(cell)
            self._at = place
        step = self._step
        assert step is not None
        if isinstance(step, CellEnd):
            if step.lost:
                await self.close()
            return step
        return self._as_call(cell, step)

    def covers(self, call_id: str, tool: str) -> bool:
        """Whether a person's approval of the whole cell is for a call of it."""
        cell = open_cell(self.records)
        if cell is None or not call_id.startswith(f"{cell['id']}.") or cell["id"] not in self.approved:
            return False
        forecast = self.forecasts.get(cell["id"])
        return forecast is not None and forecast.covers(tool)

    def is_foreign(self, call_id: str) -> bool:
        """Whether a call is one of a cell that began in an earlier kernel."""
        cell = open_cell(self.records)
        return cell is not None and is_next(self.records, call_id) and cell["id"] not in self.here

    def inherits(self, refs: Iterable[str]) -> bool:
        """Whether one of the refs that a foreign cell names may be an earlier kernel's."""
        cell = open_cell(self.records)
        code = cell["code"] if cell is not None else ""
        return any(ref not in self.given_refs or re.search(rf"\b{ref}\b", code) for ref in refs)

    def number(self, cell_id: str) -> int:
        """A cell's number in the run, from 1; that of the next one for a cell that hasn't begun."""
        known = [at for at, cell in enumerate(self.records, 1) if cell["id"] == cell_id]
        return known[-1] if known else len(self.records) + 1

    async def note_variables(self) -> None:
        """Look what the cells so far have left."""
        names = dict.fromkeys(
            name for cell in self.records if _counts(cell) for name in foresee(cell["code"]).names
        )
        found = []
        for name in names:
            if self._sandbox is None:
                break
            known = await self._sandbox.evaluate(f"[type({name}).__name__, {name}]")
            if isinstance(known, list):
                value = known[1]
                size = len(value) if isinstance(value, str | list | dict) else None
                found.append(Variable(name, str(known[0]), size, value))
        self.variables = tuple(found)

    async def close(self) -> None:
        """End the sandbox; what is used next begins it anew, from the records."""
        sandbox, self._sandbox = self._sandbox, None
        self._at = self._step = None
        self._replayed = ()
        if sandbox is not None:
            await sandbox.close()

    async def _go_to(self, cell: Cell) -> None:
        """Bring the sandbox to where a cell stands: by its last answer, or from the beginning."""
        answers = cell["answers"]
        if self._at == (cell["id"], len(answers) - 1) and isinstance(self._step, HostCall):
            self._step = await self._answered(answers[-1])
            return
        if self._at is not None:
            await self.close()
        await self._bring_up([each for each in self.records if each is not cell])
        self._step = await self._run(cell)

    async def _bring_up(self, records: Sequence[Cell]) -> None:
        """Run again, with the answers that they had, the cells that this sandbox hasn't run."""
        wanted = tuple(str(cell["id"]) for cell in records if _counts(cell))
        if self._sandbox is None or self._replayed != wanted[: len(self._replayed)]:
            await self.close()
            self._sandbox = Sandbox(self.began)
        for cell in [each for each in records if _counts(each)][len(self._replayed) :]:
            if not (self._at and self._at[0] == cell["id"] and isinstance(self._step, CellEnd)):
                await self._run(cell)
            self._replayed = (*self._replayed, str(cell["id"]))

    async def _run(self, cell: Cell) -> HostCall | CellEnd:
        assert self._sandbox is not None
        step = await self._to_call(await self._sandbox.start(cell["code"]))
        for answer in cell["answers"]:
            if isinstance(step, CellEnd):
                break
            self._step = step
            step = await self._answered(answer)
        return step

    async def _answered(self, answer: dict[str, Any]) -> HostCall | CellEnd:
        assert self._sandbox is not None
        if "error" in answer:
            return await self._to_call(await self._sandbox.fail(RuntimeError, answer["error"]))
        return await self._to_call(await self._sandbox.answer(from_plain(answer["value"])))

    async def _to_call(self, step: HostCall | CellEnd) -> HostCall | CellEnd:
        """Pass over the calls that no tool does: they fail in the cell."""
        assert self._sandbox is not None
        while isinstance(step, HostCall):
            try:
                tool_of(step)
            except (TypeError, AttributeError) as error:
                step = await self._sandbox.fail(type(error), str(error))
                continue
            break
        return step

    def _as_call(self, cell: Cell, host: HostCall) -> CellCall:
        tool, args = tool_of(host)
        return CellCall(inner_id(cell, host.line), tool, as_tool_args(tool, args), host)


def _counts(cell: Cell) -> bool:
    """Whether a cell has left variables: one that was cut short hasn't."""
    ended = cell.get("ended")
    return ended is not None and not ended["lost"]

"""Tools that read rows: code reads every one of them, the model says only which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field, field_validator

from skillbook.agents.fence import fence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.formatting import as_tools
from skillbook.agents.tools.tool_base import make_tool
from skillbook.errors import ExtractionError
from skillbook.perception.escape import quote
from skillbook.protocol.commands import ModelWords
from skillbook.protocol.refs import is_ref

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from skillbook.extraction.walking.partial_result import PartialResult
    from skillbook.perception.collections import Collection
    from skillbook.perception.snapshot import Snapshot
    from skillbook.session.page.act_requests import ActLog
    from skillbook.session.page.page_rest import Need, Settled

_FIND_IT = "true"
_SHOWN_ROWS = 5
_SHOWN_CHARACTERS = 80
_SHOWN_LISTS = 12


class ListArgs(BaseModel):
    """No arguments."""

    model_config = ConfigDict(extra="forbid")


class ExtractArgs(BaseModel):
    """Which rows to read."""

    model_config = ConfigDict(extra="forbid")
    fields: dict[str, str] | None = Field(
        None,
        description=(
            "Column name to a field that `list_tables` names, or to a role selector inside a row such as "
            "heading or link@href. Leave out for all fields."
        ),
    )
    within: str | None = Field(
        None, description="The list's name, a ref, or a role selector; leave out for the page's main one."
    )
    next: str | None = Field(
        None,
        description=(
            "true to find what shows the next page, or that control as a ref or role selector: every page is read."
        ),
    )
    max_pages: int | None = Field(None, ge=1, le=1000, description="How many pages to read at most.")
    scroll: bool = Field(False, description="Scroll down for more rows until there are none.")
    append: bool = Field(False, description="Add the rows to those extracted before.")

    @field_validator("next", mode="before")
    @classmethod
    def _find_it(cls, given: Any) -> Any:
        return _FIND_IT if given is True else given


class AgentSource:
    """The page as extraction needs it, with the agent as the one who acts, so that the policy judges it as one."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    @property
    def url(self) -> str:
        """The page's address."""
        return str(self._context.page.url)

    async def snapshot(self) -> Snapshot:
        """Read the page now."""
        return await self._context.snapshot()

    async def snapshot_for(self, *selectors: str, texts: bool = True) -> Snapshot:
        """Read the page now, so that it answers the selectors as the page does."""
        return await self._context.snapshot_for(*selectors, texts=texts)

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now, but of tables that have more rows than so many only those from `first` on."""
        context = self._context
        part: Snapshot = await context.page.snapshot_in_part(first, rows)
        return context.visible_to_ai(part)

    async def act(self, command: str, target: Any = None, **params: Any) -> Any:
        """Turn the page or scroll; a step that can't be undone is refused, whoever approved the extraction."""
        context = self._context
        return await context.page.act(command, target, actor="agent", run=context.journal_key(), **params)

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Send a command without looking at what it changed."""
        context = self._context
        return await context.page.run(command, params, actor="agent", run=context.journal_key())

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""
        return bool(await self._context.page.changed_since(snapshot, seconds))

    async def status(self) -> int:
        """The HTTP status of the page's document; 0 where it isn't known."""
        return int(await self._context.page.status())

    @property
    def acts(self) -> ActLog:
        """What became of the requests of each act on the page."""
        acts: ActLog = self._context.page.acts
        return acts

    async def retry_after(self) -> float | None:
        """How many seconds the server asked to wait that was asked too often; None where it didn't."""
        found: float | None = await self._context.page.retry_after()
        return found

    async def settled(self, need: Need = "rest", seconds: float | None = None) -> Settled:
        """Wait until what was caused is over."""
        answer: Settled = await self._context.page.settled(need, seconds)
        return answer


class DataTools:
    """The tools that read tables and lists of a run's page."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def list_tables(self) -> str:
        """The page's lists and tables, a line each."""
        from skillbook.perception.collections import empty_tables, find_collections

        seen = await self._context.snapshot()
        self._context.notes.url, self._context.notes.after = seen.url, seen
        found = find_collections(seen)
        self._context.notes.summary = f"{len(found)} lists and tables"
        self._context.notes.value = [
            {
                "kind": one.kind,
                "name": one.name,
                "ref": one.node.ref,
                "rows": one.total,
                "fields": list(one.fields),
            }
            for one in found
        ]
        self._context.notes.extra["tables"] = [_table_facts(one) for one in found[:_SHOWN_LISTS]]
        if not found:
            without_rows = "; ".join(map(str, empty_tables(seen)))
            return fence(without_rows) if without_rows else "The page has no table, list or cards."
        lines = [
            f"- {one.kind} {one.name!r} [ref={one.node.ref}]: "
            f"{'about ' * one.estimated}{one.total} rows, fields {', '.join(one.fields)}"
            for one in found[:_SHOWN_LISTS]
        ]
        return fence("\n".join(lines))

    async def extract(self, append: bool = False, **wanted: Any) -> str:
        """Read rows, for the person as a frame; the model gets its first ones."""
        from skillbook.extraction.driver import extract_frame

        page = self._context.page
        self._context.notes.before = page.latest or await page.snapshot()
        lasting: dict[str, Any] = {
            name: _outlive(self._context, name, value) if name in {"within", "next"} else value
            for name, value in wanted.items()
            if value is not None and value is not False
        }
        self._context.notes.carried = lasting | ({"append": True} if append else {})
        try:
            with page.recorded_as("extract", self._context.notes.carried, "agent") as done:
                frame = await extract_frame(
                    AgentSource(self._context),
                    **lasting,
                    so_far=_kept_rows(self._context),
                    progress=_page_report(self._context, lasting.get("max_pages")),
                )
                done.frame = frame.copy()  # the model's code may change its own
        except ExtractionError as error:
            partial = getattr(error, "frame", None)
            if partial is not None and len(partial):
                self._context.frame = _join(self._context.frame, partial) if append else partial
            raise
        self._context.frame = _join(self._context.frame, frame) if append else frame
        self._context.notes.extra["frame"] = frame
        self._context.notes.value = frame
        self._context.notes.url, self._context.notes.after = page.url, page.latest
        self._context.notes.summary = f"{len(frame)} rows × {len(frame.columns)} columns"
        return describe_frame(frame, self._context.frame)


def data_tools(context: RunContext) -> list[BaseTool]:
    """The tools `list_tables` and `extract`."""
    tools = DataTools(context)
    return [
        make_tool(
            "list_tables",
            "List the page's tables, lists and cards with their fields and row counts.",
            ListArgs,
            tools.list_tables,
            effect="read",
            words=ModelWords(short="List tables, lists and cards."),
        ),
        make_tool(
            "extract",
            "Read rows of a table, list or cards, over several pages with `next`; the person gets them as a table.",
            ExtractArgs,
            tools.extract,
            effect="read",
            kind="extract",
            words=ModelWords(
                short="Read rows; the person and a skill get them.",
                arguments={
                    "fields": "Column: a field of list_tables, or a selector in a row (heading, link@href). "
                    "Default: all.",
                    "within": "The list's name or selector.",
                    "next": "true, or the control for the next page: reads all.",
                    "scroll": "For more rows.",
                    "append": "To rows read before.",
                },
            ),
        ),
    ]


def _page_report(context: RunContext, most: int | None) -> Callable[[int, int], None] | None:
    """Reports how many pages were read, where somebody wants to know."""
    report = context.report
    if report is None:
        return None
    return lambda pages, rows: report(f"page {pages}, {rows:,} rows so far", pages, most)


def _table_facts(found: Collection) -> dict[str, Any]:
    """What can be said of a list without words of the page."""
    return {
        "ref": found.node.ref,
        "kind": found.kind,
        "rows": found.total,
        "columns": len(found.fields),
        "estimated": found.estimated,
    }


def _kept_rows(context: RunContext) -> PartialResult:
    """Takes rows, and keeps them on disk while they are read."""
    from skillbook.extraction.frames.row_log import RowLog
    from skillbook.extraction.walking.partial_result import PartialResult

    return PartialResult(log=RowLog.of(context.page.browser.settings, context.page.url))


def describe_frame(frame: pd.DataFrame, whole: pd.DataFrame | None = None) -> str:
    """A frame in a few lines: its size, and its first rows shortened and fenced."""
    total = f" ({len(whole)} with those before)" if whole is not None and len(whole) != len(frame) else ""
    if not len(frame):
        return f"0 rows were read{total}. Call `list_tables`, or give other fields."
    shown = frame.head(_SHOWN_ROWS).apply(_shorten_texts)
    rows = shown.to_csv(index=False).strip()
    more = f"\n… and {len(frame) - _SHOWN_ROWS} more" if len(frame) > _SHOWN_ROWS else ""
    missing = _missing(frame)
    partly = "That isn't all; why stands before them. " if missing else ""
    read = f"{len(frame)} rows were read{total} and are kept for the person. {partly}The first:"
    return f"{read}\n{fence(missing + rows)}{more}"


def _missing(frame: pd.DataFrame) -> str:
    """A line where the frame isn't whole; the reason may quote the page's columns and errors."""
    from skillbook.extraction.frames.provenance import KEY, OriginKey

    key = frame.attrs.get(KEY)
    if not isinstance(key, OriginKey) or key.origin.completeness.complete:
        return ""
    name = f" ({quote(key.origin.name)})" if key.origin.name else ""
    reason = as_tools(key.origin.completeness.reason, {"extract": "extract"})
    return f"Not complete{name}: {reason}.\n"


def _shorten_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column whose texts are shortened. Mapped, whole numbers with blanks would become decimals in pandas 2."""
    return column.map(_shorten, na_action="ignore") if column.dtype.kind == "O" else column


def _shorten(value: object) -> object:
    return value[:_SHOWN_CHARACTERS] if isinstance(value, str) else value


def _outlive(context: RunContext, name: str, target: str) -> str | bool:
    """A ref as a role selector, which the next page and a skill understand; True for the way on that is to be found."""
    if name == "next" and target.lower() == _FIND_IT:
        return True
    if not is_ref(target):
        return target
    from skillbook.perception.selectors import build_container_locator, build_locator

    node = context.page.known(target)
    return str(build_container_locator(node) if name == "within" else build_locator(node))


def _join(earlier: pd.DataFrame | None, later: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return later if earlier is None else pd.concat([earlier, later], ignore_index=True)

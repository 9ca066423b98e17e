"""A page as a model reads it: its lines within a budget, and the tools that the page declares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from skillbook.perception.escape import clean, plain, quote, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.text.budget import fit
from skillbook.perception.text.describe import hides_by_modal
from skillbook.perception.text.lines import Line, page_lines, walk
from skillbook.perception.text.omissions import (
    LONGEST_LABEL,
    leave_out_repeated_names,
    named_refs,
    without_named_refs,
)
from skillbook.protocol.commands.page_tools import FRAME_LENGTH, PageTool

_MOST, _MOST_ARGUMENTS = 12, 8
_WORDS = 100


def tools_text(tools: Sequence[PageTool], silent: Sequence[str] = ()) -> str:
    """A line for each tool: its name, its arguments with a star for those that it needs, what it says it does.

    `silent` are the addresses of frames that don't say which they have, an empty one for the page itself.
    """
    lines = ["page's own tools (untrusted; call_page_tool):"]
    lines += [f"- {_line(tool)}" for tool in tools[:_MOST]]
    lines += [f"- … {len(tools) - _MOST} more"] if len(tools) > _MOST else []
    for frame in silent[:_MOST]:
        which = f"the frame {quote(frame, FRAME_LENGTH)}" if frame else "the page"
        lines.append(f"- unknown: the browser doesn't say which tools {which} has; reload the page")
    return "\n".join(lines)


def arguments(tool: PageTool) -> dict[str, dict[str, Any]]:
    """The schema of each argument by its name, with `required`; empty where the schema can't be read."""
    try:
        schema = json.loads(tool.input_schema or "{}")
        needed = schema.get("required") or ()
        return {
            str(name): {**given, "required": name in needed}
            for name, given in (schema.get("properties") or {}).items()
            if isinstance(given, dict)
        }
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {}


def _line(tool: PageTool) -> str:
    given = list(arguments(tool).items())
    named = [f"{plain(name)}{'*' if facts['required'] else ''}" for name, facts in given[:_MOST_ARGUMENTS]]
    more = ", …" if len(given) > _MOST_ARGUMENTS else ""
    words = f": {quote(shorten(clean(tool.description), _WORDS), _WORDS)}" if tool.description else ""
    frame = f" in frame {quote(tool.frame, FRAME_LENGTH)}" if tool.frame else ""
    says = " (can't be undone)" if tool.consequential else ""
    return f"{quote(tool.name, 60)}({', '.join(named)}{more}){frame}{says}{words}"


Mode = Literal["full", "interactive", "viewport"]


def render(
    snapshot: BaseSnapshot,
    budget: int | None = 4000,
    mode: Literal["full", "interactive", "viewport"] = "full",
    refs: Literal["all", "needed"] = "all",
) -> str:
    """A snapshot as text; see `Snapshot.text`."""
    lines = page_lines(snapshot)
    named = named_refs(snapshot) if refs == "needed" else {}
    if mode != "full":
        lines = _only(lines, mode)
    title, url = shorten(clean(snapshot.title), 120), short_url(snapshot.url)
    modal = (
        ": outside of what is modal only popups that it opened can be used"
        if hides_by_modal(snapshot)
        else ""
    )
    head = [f"# {title or url}{modal}".replace("[", "(")]
    if snapshot.instead:
        why = shorten(clean(snapshot.instead), 120)
        head.append(f"# read by the debugger, for {why}; what covers a control isn't known".replace("[", "("))
    head += [
        f"# a frame that can't be read: {quote(frame.url, 120)}: {quote(frame.reason, 120)}"
        for frame in snapshot.missing
    ]
    if budget is None:
        whole = leave_out_repeated_names((depth, str(line)) for depth, line in walk(lines))
        return "\n".join([*head, *(without_named_refs(line, named) for line in whole)])
    return fit(snapshot, head, lines, budget, named)


def short_url(url: str) -> str:
    """An address without its scheme; the middle of a long one is left out."""
    short = clean(url).removeprefix("http://").removeprefix("https://").removesuffix("/")
    if len(short) <= LONGEST_LABEL:
        return short
    host, _, path = short.partition("/")
    end = path.rpartition("/")[2]
    return shorten(f"{shorten(host, 60)}/…/{end}" if "/" in path else short, 2 * LONGEST_LABEL)


def _only(lines: list[Line], mode: Mode) -> list[Line]:
    kept = []
    for line in lines:
        line.children = _only(line.children, mode)
        wanted = (
            line.on_screen if mode == "viewport" else line.actionable or line.kind in {"heading", "dialog"}
        )
        if line.children or wanted:
            kept.append(line)
    return kept

"""The tools that a page declares, as lines of its text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from skillbook.perception.escape import clean, plain, quote, shorten
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

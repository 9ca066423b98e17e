"""A skill's patch for review: each change with the element as it was and as it is now."""

from __future__ import annotations

import base64

from skillbook.notebook.escaping import escape, shorten
from skillbook.notebook.html.page_and_run import wrap
from skillbook.skill.replay.skill_result import Change, Patch

_LONGEST = 200
_SIDE = 'style="text-align:left;vertical-align:top"'


def patch_html(patch: Patch) -> str:
    """Render a patch."""
    heads = "".join(f"<th>{name}</th>" for name in ("step", "recorded", "now", "why"))
    rows = "".join(_row(change) for change in patch.changes)
    count = f"{len(patch)} change{'s' if len(patch) != 1 else ''}"
    return wrap(
        f'<div class="hd"><b>{escape(patch.skill)}</b><span class="m">{count}, made by '
        "<code>skill.apply(patch)</code></span></div>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(change: Change) -> str:
    where = f"{change.step}{' (to)' if change.part == 'to' else ''}"
    sides = "".join(
        f"<td {_SIDE}><code>{escape(shorten(side.selectors[0], _LONGEST))}</code><br>{_image(png)}</td>"
        for side, png in ((change.old, change.before), (change.new, change.after))
    )
    why = escape(shorten(change.why, 2 * _LONGEST))
    return f"<tr><td {_SIDE}>{where}</td>{sides}<td {_SIDE}><b>{change.sureness}</b><br>{why}</td></tr>"


def _image(png: bytes) -> str:
    if not png:
        return '<span class="m">no screenshot</span>'
    data = base64.b64encode(png).decode()
    return f'<img alt="" style="max-width:300px;max-height:200px" src="data:image/png;base64,{data}">'

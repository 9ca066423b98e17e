"""Which requests failed while something was recorded, as a skill's file says it."""

from __future__ import annotations

from collections.abc import Iterable

from skillbook.session.page.act_requests import FailedRequest
from skillbook.skill.recording.literals import Literals


def failed_shapes(failed: Iterable[FailedRequest], literals: Literals) -> list[str]:
    """A line for each, by what another run would have, too: `*` where an address has something of an input."""
    found = []
    for request in failed:
        method, path, status = request.shape
        parts = ["*" if _varies(part, literals) else part for part in path.split("/")]
        found.append(f"{method} {'/'.join(parts)} {status}")
    return found


def _varies(part: str, literals: Literals) -> bool:
    return literals.template(part) != part or literals.mentions(part) or any(map(str.isspace, part))

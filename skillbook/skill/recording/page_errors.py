"""What a page finds wrong: fields that it takes for invalid, and messages that it shows as errors."""

from __future__ import annotations

import re

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot

_ERROR = re.compile(r"(?i)(?:^|[-_])(?:errors?|danger|invalid|errorlist|errornote)(?:[-_]|$)")
_LONGEST = 200


def page_error(before: BaseSnapshot | None, after: BaseSnapshot | None) -> str:
    """What a page finds wrong that it didn't before; "" for nothing.

    Parameters
    ----------
    before, after : the page before and after something was done.
    """
    if after is None:
        return ""
    known = {clean(node.label) for node in before.nodes} if before is not None else set()
    for node in after.nodes:
        said = clean(node.label)
        if not 0 < len(said) <= _LONGEST or said in known:
            continue
        if any(map(_ERROR.search, node.classes)) or (node.role == "alert" and lexicon.matches("error", said)):
            return said
    was = {node.label for node in before.nodes if "invalid" in node.states} if before is not None else set()
    wrong = [node.label for node in after.nodes if "invalid" in node.states and node.label not in was]
    return f"{clean(wrong[0])[:60]!r} is invalid" if wrong else ""

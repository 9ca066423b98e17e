"""What a goal says beside itself, in any language."""

from __future__ import annotations

import re
from functools import cache

from skillbook import lexicon
from skillbook.perception.escape import clean


def goal_itself(goal: str) -> str:
    """A goal, folded, without "please" and what joins it to the one before."""
    return re.sub(f"^{before_goal()}", "", lexicon.fold(clean(goal)))


@cache
def before_goal() -> str:
    """What may stand before a goal, as a part of a regular expression."""
    return rf"(?:{lexicon.alternation('polite', 'then')}[ ,]+(?=\S))*"

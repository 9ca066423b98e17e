"""Goals: what must be true of a page for a task to be done, as predicates over page summaries."""

from __future__ import annotations

from skillbook.goals.from_words import beyond_one_skill, from_words, only_looks, wants_action
from skillbook.goals.goal_words import Period, period_in
from skillbook.goals.predicates import Goal, action, collection, dated, download, form, text, url

__all__ = [
    "Goal",
    "Period",
    "action",
    "beyond_one_skill",
    "collection",
    "dated",
    "download",
    "form",
    "from_words",
    "only_looks",
    "period_in",
    "text",
    "url",
    "wants_action",
]

"""Exploration: the way to a goal on a site that nobody has described, by following links that only read."""

from __future__ import annotations

from skillbook.exploration.api import explore
from skillbook.exploration.result import Exploration

__all__ = ["Exploration", "explore"]

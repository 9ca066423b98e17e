"""Exploration: the way to a goal on a site that nobody has described, by following links that only read."""

from __future__ import annotations

from skillbook.exploration.exploring import explore
from skillbook.exploration.outcome import Exploration

__all__ = ["Exploration", "explore"]

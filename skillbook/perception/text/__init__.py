"""A page as text for a model."""

from __future__ import annotations

from skillbook.perception.text.render import render
from skillbook.perception.text.tokens import tokens

__all__ = ["render", "tokens"]

"""A page as text for a model."""

from __future__ import annotations

from skillbook.perception.text.rendering import render
from skillbook.perception.text.tokens import count_tokens

__all__ = ["count_tokens", "render"]

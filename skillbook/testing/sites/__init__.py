"""The bundled demo sites, by name."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.testing.sites.chat import Chat
from skillbook.testing.sites.portal import Portal
from skillbook.testing.sites.shop import Shop
from skillbook.testing.sites.web import Application

SITES: dict[str, Callable[[], Application]] = {"chat": Chat, "portal": Portal, "shop": Shop}

__all__ = ["SITES", "Application", "Chat", "Portal", "Shop"]

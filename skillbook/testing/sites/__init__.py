"""The bundled demo sites, by name."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.testing.sites.admin import Admin
from skillbook.testing.sites.chat import Chat
from skillbook.testing.sites.portal import Portal
from skillbook.testing.sites.shop import Shop
from skillbook.testing.sites.web import Application

SITES: dict[str, Callable[[], Application]] = {"admin": Admin, "chat": Chat, "portal": Portal, "shop": Shop}

__all__ = ["SITES", "Admin", "Application", "Chat", "Portal", "Shop"]

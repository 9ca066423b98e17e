"""Quayside, a customer portal: a sign-in page in front of everything, and invoices some clicks behind it."""

from __future__ import annotations

from skillbook.testing.sites.portal.portal_app import PASSWORD, USERNAME, Portal

__all__ = ["PASSWORD", "USERNAME", "Portal"]

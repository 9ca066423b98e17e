"""Halyard, an administration: people in a table with pages, forms, deletions that ask, and two of one name."""

from __future__ import annotations

from skillbook.testing.sites.admin.admin_app import Admin

__all__ = ["Admin"]

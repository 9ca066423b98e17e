"""Oak & Lumen, a small furniture shop: every kind of page that the demo and the tests need."""

from __future__ import annotations

from skillbook.testing.sites.shop.shop_app import Shop
from skillbook.testing.sites.shop.visit import PASSWORD, USERNAME

__all__ = ["PASSWORD", "USERNAME", "Shop"]

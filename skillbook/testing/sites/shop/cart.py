"""A visitor's cart, kept in a cookie so that visitors never meet: `101x2.107x1`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbook.testing.sites.shop.catalogue import Catalogue, Product

LARGEST = 20


class Cart:
    """How many of which product, in the order they were added."""

    def __init__(self, catalogue: Catalogue, cookie: str = "") -> None:
        self._catalogue = catalogue
        self._counts: dict[int, int] = {}
        for entry in re.findall(r"(\d+)x(\d+)", cookie):
            self.add(int(entry[0]), int(entry[1]))

    def add(self, product: int, count: int) -> bool:
        """Put `count` more of a product in; False where it isn't sold or sold out."""
        known = self._catalogue.by_id.get(product)
        if known is None or not known.stock or count < 1:
            return False
        self._counts[product] = min(self._counts.get(product, 0) + count, LARGEST, known.stock)
        return True

    def remove(self, product: int) -> None:
        """Take a product out wholly."""
        self._counts.pop(product, None)

    @property
    def lines(self) -> list[tuple[Product, int]]:
        """Each product with its count."""
        return [(self._catalogue.by_id[product], count) for product, count in self._counts.items()]

    @property
    def count(self) -> int:
        """How many pieces in all."""
        return sum(self._counts.values())

    @property
    def total(self) -> float:
        """What it costs, in dollars."""
        return round(sum(product.price * count for product, count in self.lines), 2)

    @property
    def cookie(self) -> str:
        """The cart as the cookie that makes it again."""
        return ".".join(f"{product}x{count}" for product, count in self._counts.items())


def shipping(weight_kg: float, country: str) -> float:
    """What sending costs, in dollars."""
    zones: Mapping[str, float] = {"DK": 4.0, "DE": 6.0, "FR": 7.5, "PT": 8.5, "US": 24.0}
    return round(zones.get(country, 30.0) + 0.9 * weight_kg, 2)

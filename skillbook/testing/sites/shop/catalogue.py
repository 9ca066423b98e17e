"""The shop's goods: loading, searching, sorting and paging them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE_SIZE = 8


@dataclass(frozen=True)
class Product:
    """One thing for sale; `price` in dollars, `stock` in pieces."""

    id: int
    slug: str
    name: str
    category: str
    brand: str
    price: float
    rating: float
    reviews: int
    stock: int
    colour: str
    material: str
    weight_kg: float
    description: str

    @property
    def words(self) -> str:
        """What a search looks through."""
        return f"{self.name} {self.category} {self.brand} {self.colour} {self.material}".lower()

    @property
    def availability(self) -> str:
        """The stock as a shopper reads it."""
        if not self.stock:
            return "Sold out"
        return f"Only {self.stock} left" if self.stock < 5 else f"In stock ({self.stock})"


SORTS: dict[str, tuple[str, Callable[[Product], Any]]] = {
    "relevance": ("Relevance", lambda product: product.id),
    "price": ("Price, low to high", lambda product: product.price),
    "price-desc": ("Price, high to low", lambda product: -product.price),
    "rating": ("Best rated", lambda product: -product.rating),
    "name": ("Name", lambda product: product.name),
}


def load(name: str) -> list[dict[str, Any]]:
    """The rows of one of the shop's JSON files."""
    rows: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return rows


class Catalogue:
    """All products, in the shop's own order."""

    def __init__(self) -> None:
        self.products = [Product(**row) for row in load("products")]
        self.by_slug = {product.slug: product for product in self.products}
        self.by_id = {product.id: product for product in self.products}
        self.categories = list(dict.fromkeys(product.category for product in self.products))

    def search(self, words: str = "", category: str = "", sort: str = "relevance") -> list[Product]:
        """The products that have every word, within a category where one is given."""
        wanted = words.lower().split()
        found = [
            product
            for product in self.products
            if all(word in product.words for word in wanted) and category in ("", product.category)
        ]
        return sorted(found, key=SORTS.get(sort, SORTS["relevance"])[1])


def page_of(products: list[Product], number: int) -> tuple[list[Product], int, int]:
    """The products of one page, with the number it really has and how many pages there are."""
    pages = max(1, -(-len(products) // PAGE_SIZE))
    number = min(max(number, 1), pages)
    return products[(number - 1) * PAGE_SIZE : number * PAGE_SIZE], number, pages


def money(amount: float) -> str:
    """A price as the shop writes it: $1,249.00."""
    return f"${amount:,.2f}"

"""What the shop sells, a visitor's cart, and the frame around every page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook.testing.sites.web import Html, Request, Response, Templates

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


_TONES = {
    "white": "#b9b4aa",
    "black": "#3a3a40",
    "oak": "#b58550",
    "forest green": "#3f6b52",
    "terracotta": "#c0644a",
    "navy": "#34466e",
    "brass": "#b8923a",
}


def draw(product: Product) -> str:
    """The product's picture, as SVG."""
    shape = (HERE / "art" / f"{product.category.lower()}.svg").read_text(encoding="utf-8")
    return shape.replace("currentColor", _TONES[product.colour])


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


class Front:
    """The shop behind its pages; `orders` has what visitors placed, `subscribers` who wants the newsletter."""

    def __init__(self) -> None:
        self.catalogue = Catalogue()
        self.orders: list[dict[str, Any]] = []
        self.subscribers: list[str] = []
        self.templates = Templates(HERE / "templates")

    def page(self, request: Request, title: str, body: Html, status: int = 200) -> Response:
        """Put a body into the shop's frame."""
        user = request.cookies.get("user", "")
        text = self.templates.fill(
            "layout",
            title=title,
            body=body,
            q=request.query.get("q", "") if request.path == "/search" else "",
            cart=self.cart(request).count,
            account="My account" if user else "Log in",
            account_url="/account" if user else "/login",
        )
        return Response(text, status=status)

    def missing(self, request: Request) -> Response:
        """The page for an address that leads nowhere."""
        body = self.templates.fill("missing", path=request.path)
        return self.page(request, "Not found", body, status=404)

    def cart(self, request: Request) -> Cart:
        """The visitor's cart."""
        return Cart(self.catalogue, request.cookies.get("cart", ""))

    def cards(self, products: list[Product]) -> Html:
        """A card for each product."""
        return self.templates.fill_each("card", [describe(product) for product in products])

    def options(self, choices: list[tuple[str, str]], chosen: str) -> Html:
        """The options of a select: (value, label) each."""
        rows: list[dict[str, object]] = [
            {"value": value, "label": label, "selected": "selected" if value == chosen else ""}
            for value, label in choices
        ]
        return self.templates.fill_each("option", rows)


def describe(product: Product) -> dict[str, object]:
    """A product as its templates want it."""
    return {
        **vars(product),
        "price": money(product.price),
        "availability": product.availability,
        "availability_class": "" if product.stock else "sold-out",
        "disabled": "" if product.stock else "disabled",
    }

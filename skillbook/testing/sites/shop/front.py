"""What every page of the shop shares: the goods, the templates, the frame around a page."""

from __future__ import annotations

from typing import Any

from skillbook.testing.sites.shop.cart import Cart
from skillbook.testing.sites.shop.catalogue import HERE, Catalogue, Product, money
from skillbook.testing.sites.web import Html, Request, Response, Templates


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

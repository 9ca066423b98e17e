"""Buying: the cart, the checkout, the order that can't be taken back, what shipping costs."""

from __future__ import annotations

from skillbook.testing.sites.shop.cart import Cart, shipping
from skillbook.testing.sites.shop.catalogue import money
from skillbook.testing.sites.shop.front import Front
from skillbook.testing.sites.web import Html, Request, Response, redirect

_FIRST_ORDER = 2001
_NEEDED = {
    "name": "your name",
    "email": "an e-mail address",
    "street": "a street",
    "city": "a city",
    "country": "a country",
    "terms": "your agreement to the terms",
}
_COUNTRIES = [
    ("", "Choose…"),
    ("DK", "Denmark"),
    ("DE", "Germany"),
    ("FR", "France"),
    ("PT", "Portugal"),
    ("US", "United States"),
]


def show_cart(shop: Front, request: Request) -> Response:
    """What is in the cart."""
    cart = shop.cart(request)
    if not cart.count:
        return shop.page(request, "Cart", shop.templates.fill("cart_empty"))
    body = shop.templates.fill("cart", rows=_rows(shop, cart), total=money(cart.total))
    return shop.page(request, "Cart", body)


def add(shop: Front, request: Request) -> Response:
    """Put something into the cart."""
    cart = shop.cart(request)
    chosen, count = request.form.get("product", ""), request.form.get("quantity", "1")
    known = chosen.isdecimal() and count.isdecimal() and cart.add(int(chosen), int(count))
    return redirect("/cart", cart=cart.cookie) if known else shop.missing(request)


def remove(shop: Front, request: Request) -> Response:
    """Take something out of the cart."""
    cart = shop.cart(request)
    if (chosen := request.form.get("product", "")).isdecimal():
        cart.remove(int(chosen))
    return redirect("/cart", cart=cart.cookie)


def checkout(shop: Front, request: Request, error: str = "") -> Response:
    """The form that an order needs."""
    cart = shop.cart(request)
    if not cart.count:
        return redirect("/cart")
    body = shop.templates.fill(
        "checkout",
        error=shop.templates.fill("error", message=error) if error else Html(""),
        name=request.form.get("name", ""),
        email=request.form.get("email", ""),
        street=request.form.get("street", ""),
        city=request.form.get("city", ""),
        countries=shop.options(_COUNTRIES, request.form.get("country", "")),
        count=f"{cart.count} item{'' if cart.count == 1 else 's'}",
        total=money(cart.total),
    )
    return shop.page(request, "Checkout", body, status=422 if error else 200)


def place_order(shop: Front, request: Request) -> Response:
    """Take the order; there is no way back."""
    cart = shop.cart(request)
    lacking = [what for name, what in _NEEDED.items() if not request.form.get(name, "").strip()]
    if lacking or not cart.count:
        return checkout(shop, request, error=f"We still need {', '.join(lacking)}.")
    number = f"SB-{_FIRST_ORDER + len(shop.orders)}"
    kept = {name: value for name, value in request.form.items() if name not in {"card", "cvc"}}
    lines = {product.name: count for product, count in cart.lines}
    shop.orders.append({"number": number, "total": cart.total, "lines": lines, **kept})
    return redirect(f"/order/{number}", cart="")


def thanks(shop: Front, request: Request, number: str) -> Response:
    """An order that was placed."""
    order = next((order for order in shop.orders if order["number"] == number), None)
    if order is None:
        return shop.missing(request)
    body = shop.templates.fill("thanks", number=number, name=order["name"], total=money(order["total"]))
    return shop.page(request, f"Order {number}", body)


def shipping_frame(shop: Front, request: Request) -> Response:
    """The calculator inside a product's page: a document of its own."""
    weight, country = request.query.get("weight", "1"), request.query.get("country", "")
    kilograms = float(weight) if weight.replace(".", "", 1).isdecimal() else 1.0
    cost = f"Shipping costs {money(shipping(kilograms, country))}." if country else ""
    text = shop.templates.fill(
        "frame_shipping", weight=weight, countries=shop.options(_COUNTRIES, country), cost=cost
    )
    return Response(text)


def _rows(shop: Front, cart: Cart) -> Html:
    return shop.templates.fill_each(
        "cart_row",
        [
            {
                "id": product.id,
                "slug": product.slug,
                "name": product.name,
                "count": count,
                "price": money(product.price),
                "sum": money(product.price * count),
            }
            for product, count in cart.lines
        ],
    )

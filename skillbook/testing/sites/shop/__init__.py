"""Oak & Lumen, a small furniture shop: every kind of page that the demo and the tests need."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from urllib.parse import quote, urlencode

from skillbook.testing.sites.shop.front import (
    HERE,
    SORTS,
    Cart,
    Front,
    describe,
    draw,
    load,
    money,
    page_of,
    shipping,
)
from skillbook.testing.sites.web import Html, Request, Response, redirect

USERNAME = "demo"
PASSWORD = "oak-and-lumen"


def login(shop: Front, request: Request, error: str = "") -> Response:
    """The login form."""
    body = shop.templates.fill(
        "login",
        error=shop.templates.fill("error", message=error) if error else Html(""),
        username=request.form.get("username", ""),
    )
    return shop.page(request, "Log in", body, status=401 if error else 200)


def log_in(shop: Front, request: Request) -> Response:
    """Let a visitor in who knows the password."""
    if (request.form.get("username"), request.form.get("password")) != (USERNAME, PASSWORD):
        return login(shop, request, error="That username and password do not go together.")
    return redirect("/account", user=USERNAME)


def log_out(shop: Front, request: Request) -> Response:
    """Forget who the visitor is."""
    return redirect("/", user="")


def account(shop: Front, request: Request) -> Response:
    """The order history, for those who are logged in."""
    if request.cookies.get("user") != USERNAME:
        return redirect("/login")
    rows: list[dict[str, object]] = [
        {**row, "total": money(row["total"]), "kind": row["status"].lower()} for row in load("orders")
    ]
    body = shop.templates.fill("account", user=USERNAME, rows=shop.templates.fill_each("order_row", rows))
    return shop.page(request, "My account", body)


def subscribe(shop: Front, request: Request) -> Response:
    """Put an address on the newsletter's list."""
    address = request.form.get("email", "").strip()
    if address:
        shop.subscribers.append(address)
    return shop.page(request, "Newsletter", shop.templates.fill("subscribed", email=address or "nobody"))


def stores(shop: Front, request: Request) -> Response:
    """The store locator; its frame is served from the other loopback name, so that it is another origin."""
    here, _, port = request.host.partition(":")
    other = "localhost" if here == "127.0.0.1" else "127.0.0.1"
    body = shop.templates.fill("stores", frame=f"http://{other}:{port}/frame/stores")
    return shop.page(request, "Stores", body)


def stores_frame(shop: Front, request: Request) -> Response:
    """The list inside the store locator: a document of its own."""
    city = request.query.get("city", "").strip()
    rows = [row for row in load("stores") if city.lower() in row["city"].lower()]
    listed = shop.templates.fill_each("store_row", rows)
    text = shop.templates.fill("frame_stores", city=city, rows=listed, count=len(rows))
    return Response(text)


def home(shop: Front, request: Request) -> Response:
    """The best rated products and the categories."""
    categories: list[dict[str, object]] = [
        {
            "name": name,
            "url": f"/search?category={quote(name)}",
            "count": len(shop.catalogue.search("", name)),
        }
        for name in shop.catalogue.categories
    ]
    body = shop.templates.fill(
        "home",
        cards=shop.cards(shop.catalogue.search(sort="rating")[:4]),
        categories=shop.templates.fill_each("category", categories),
    )
    return shop.page(request, "Home", body)


def search(shop: Front, request: Request) -> Response:
    """One page of the products that match."""
    words, category = request.query.get("q", ""), request.query.get("category", "")
    sort = request.query.get("sort", "relevance")
    wanted = request.query.get("page", "1")
    found = shop.catalogue.search(words, category, sort)
    shown, number, pages = page_of(found, int(wanted) if wanted.isdecimal() else 1)
    categories = [("", "All categories"), *((name, name) for name in shop.catalogue.categories)]
    body = shop.templates.fill(
        "search",
        heading=f"Results for “{words}”" if words else category or "All products",
        count=f"{len(found)} product{'' if len(found) == 1 else 's'}",
        q=words,
        categories=shop.options(categories, category),
        sorts=shop.options([(key, label) for key, (label, _) in SORTS.items()], sort),
        cards=shop.cards(shown) or Html('<p class="empty">Nothing matches. Try another word.</p>'),
        pagination=_pagination({"q": words, "category": category, "sort": sort}, number, pages),
    )
    return shop.page(request, words or category or "All products", body)


def product(shop: Front, request: Request, slug: str) -> Response:
    """One product with everything about it."""
    found = shop.catalogue.by_slug.get(slug)
    if found is None:
        return shop.missing(request)
    body = shop.templates.fill(
        "product", **describe(found), category_url=f"/search?category={quote(found.category)}"
    )
    return shop.page(request, found.name, body)


def _pagination(query: dict[str, str], number: int, pages: int) -> Html:
    if pages == 1:
        return Html("")
    kept = {key: value for key, value in query.items() if value and value != "relevance"}

    def link(label: str, page: int, extra: str = "") -> str:
        address = html.escape(f"/search?{urlencode({**kept, 'page': page})}")
        return f'<a href="{address}"{extra}>{label}</a>'

    links = [link("Previous", number - 1, ' rel="prev"')] if number > 1 else []
    for page in range(1, pages + 1):
        here = f'<span aria-current="page">{page}</span>'
        links.append(here if page == number else link(str(page), page))
    if number < pages:
        links.append(link("Next", number + 1, ' rel="next"'))
    return Html(f'<nav class="pagination" aria-label="Pages">{"".join(links)}</nav>')


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


_KINDS = {"css": "text/css", "js": "text/javascript"}

_ROUTES: dict[tuple[str, str], Callable[[Front, Request], Response]] = {
    ("GET", "/"): home,
    ("GET", "/search"): search,
    ("GET", "/cart"): show_cart,
    ("POST", "/cart/add"): add,
    ("POST", "/cart/remove"): remove,
    ("GET", "/checkout"): checkout,
    ("POST", "/order"): place_order,
    ("GET", "/frame/shipping"): shipping_frame,
    ("GET", "/login"): login,
    ("POST", "/login"): log_in,
    ("POST", "/logout"): log_out,
    ("GET", "/account"): account,
    ("POST", "/newsletter"): subscribe,
    ("GET", "/stores"): stores,
    ("GET", "/frame/stores"): stores_frame,
}


class Shop(Front):
    """The site; what visitors did is in `orders` and `subscribers`."""

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        if handler := _ROUTES.get((request.method, request.path)):
            return handler(self, request)
        if request.method == "GET":
            if match := re.fullmatch(r"/product/([a-z0-9-]+)", request.path):
                return product(self, request, match[1])
            if match := re.fullmatch(r"/order/(SB-\d+)", request.path):
                return thanks(self, request, match[1])
            if match := re.fullmatch(r"/static/(shop\.(css|js))", request.path):
                text = (HERE / "static" / match[1]).read_text(encoding="utf-8")
                return Response(text, kind=_KINDS[match[2]])
            if (match := re.fullmatch(r"/art/(\d{1,6})\.svg", request.path)) and (
                found := self.catalogue.by_id.get(int(match[1]))
            ):
                return Response(draw(found), kind="image/svg+xml")
        return self.missing(request)

"""The visitor's own things: login, order history, newsletter, the store locator."""

from __future__ import annotations

from skillbook.testing.sites.shop.catalogue import load, money
from skillbook.testing.sites.shop.front import Front
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

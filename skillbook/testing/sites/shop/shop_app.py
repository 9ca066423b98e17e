"""The shop's addresses."""

from __future__ import annotations

import re
from collections.abc import Callable

from skillbook.testing.sites.shop import browse, buy, visit
from skillbook.testing.sites.shop.catalogue import HERE
from skillbook.testing.sites.shop.front import Front
from skillbook.testing.sites.shop.picture import draw
from skillbook.testing.sites.web import Request, Response

_KINDS = {"css": "text/css", "js": "text/javascript"}

_ROUTES: dict[tuple[str, str], Callable[[Front, Request], Response]] = {
    ("GET", "/"): browse.home,
    ("GET", "/search"): browse.search,
    ("GET", "/cart"): buy.show_cart,
    ("POST", "/cart/add"): buy.add,
    ("POST", "/cart/remove"): buy.remove,
    ("GET", "/checkout"): buy.checkout,
    ("POST", "/order"): buy.place_order,
    ("GET", "/frame/shipping"): buy.shipping_frame,
    ("GET", "/login"): visit.login,
    ("POST", "/login"): visit.log_in,
    ("POST", "/logout"): visit.log_out,
    ("GET", "/account"): visit.account,
    ("POST", "/newsletter"): visit.subscribe,
    ("GET", "/stores"): visit.stores,
    ("GET", "/frame/stores"): visit.stores_frame,
}


class Shop(Front):
    """The site; what visitors did is in `orders` and `subscribers`."""

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        if handler := _ROUTES.get((request.method, request.path)):
            return handler(self, request)
        if request.method == "GET":
            if match := re.fullmatch(r"/product/([a-z0-9-]+)", request.path):
                return browse.product(self, request, match[1])
            if match := re.fullmatch(r"/order/(SB-\d+)", request.path):
                return buy.thanks(self, request, match[1])
            if match := re.fullmatch(r"/static/(shop\.(css|js))", request.path):
                text = (HERE / "static" / match[1]).read_text(encoding="utf-8")
                return Response(text, kind=_KINDS[match[2]])
            if (match := re.fullmatch(r"/art/(\d{1,6})\.svg", request.path)) and (
                found := self.catalogue.by_id.get(int(match[1]))
            ):
                return Response(draw(found), kind="image/svg+xml")
        return self.missing(request)

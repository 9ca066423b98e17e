from __future__ import annotations

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, build_opener, urlopen

import pytest
from lxml import html

from skillbook.testing.site import Site, serve_folder, serve_site
from skillbook.testing.sites.shop.front import Catalogue


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_site() as running:
        yield running


class Visitor:
    """A person with a browser's cookies and no JavaScript."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._opener = build_opener(HTTPCookieProcessor(), HTTPRedirectHandler())

    def open(self, path: str, form: dict[str, str] | None = None) -> Any:
        """Open a page; its parsed document, with the final address in `url`."""
        body = urlencode(form).encode() if form is not None else None
        try:
            answer = self._opener.open(self.site.url + path, body, timeout=10)
        except HTTPError as error:
            answer = error
        page = html.fromstring(answer.read().decode("utf-8"))
        self.status, self.url = answer.status, answer.url.removeprefix(self.site.url)
        return page


def names(page: Any) -> list[str]:
    return [link.text_content() for link in page.cssselect(".card h3 a")]


def test_the_next_link_walks_every_product_once(site: Site) -> None:
    visitor, seen, path = Visitor(site), [], "/search"
    while path:
        page = visitor.open(path)
        seen += names(page)
        path = next((link.get("href") for link in page.cssselect("a[rel=next]")), "")
    assert len(seen) == 60
    assert seen == [product.name for product in Catalogue().products]
    assert visitor.url == "/search?page=8"


def test_a_search_goes_over_pages(site: Site) -> None:
    visitor = Visitor(site)
    first = visitor.open("/search?q=lamp")
    assert first.cssselect("output")[0].text == "12 products"
    follow = first.cssselect("a[rel=next]")[0].get("href")
    assert follow == "/search?q=lamp&page=2"
    found = names(first) + names(visitor.open(follow))
    assert len(set(found)) == 12
    assert all("Lamp" in name for name in found)


def test_sorting_and_categories(site: Site) -> None:
    page = Visitor(site).open("/search?category=Desks&sort=price-desc")
    prices = [float(price.text[1:].replace(",", "")) for price in page.cssselect(".card .price")]
    assert len(prices) == 8
    assert prices == sorted(prices, reverse=True)
    assert page.cssselect("select[name=category] option[selected]")[0].text == "Desks"


def test_a_search_without_a_match(site: Site) -> None:
    page = Visitor(site).open("/search?q=submarine")
    assert names(page) == []
    assert "Nothing matches" in page.text_content()


@pytest.mark.parametrize("number", ["0", "99", "x", "-1", "²"])
def test_a_page_number_that_is_none(site: Site, number: str) -> None:
    visitor = Visitor(site)
    page = visitor.open(f"/search?{urlencode({'page': number})}")
    assert visitor.status == 200
    assert names(page)


def test_what_a_visitor_writes_stays_text(site: Site) -> None:
    page = Visitor(site).open("/search?" + urlencode({"q": '"><script>x</script>'}))
    assert page.cssselect("h1")[0].text == 'Results for “"><script>x</script>”'
    assert len(page.cssselect("script")) == 1


def test_every_link_of_the_shop_leads_somewhere(site: Site) -> None:
    visitor, done, todo = Visitor(site), set(), ["/"]
    while todo:
        path = todo.pop()
        done.add(path)
        page = visitor.open(path)
        assert visitor.status == 200, path
        found = {link.get("href") for link in page.cssselect("a[href]")}
        found |= {part.get("src") for part in page.cssselect("img[src], script[src]")}
        pages = {link for link in found if link.startswith("/") and not link.startswith(("/art", "/static"))}
        todo += [link for link in pages if link not in done and link not in todo]
        for part in found - pages:
            with urlopen(site.url + part, timeout=10) as answer:
                assert answer.status == 200
    assert len([path for path in done if path.startswith("/product/")]) == 60


def test_buying_until_the_order_is_placed(site: Site) -> None:
    visitor = Visitor(site)
    page = visitor.open("/cart/add", {"product": "101", "quantity": "2"})
    assert visitor.url == "/cart"
    assert "$222.46" in page.text_content()
    visitor.open("/cart/add", {"product": "107", "quantity": "1"})
    page = visitor.open("/cart/remove", {"product": "107"})
    assert len(page.cssselect("tbody tr")) == 1

    lacking = visitor.open("/order", {"name": "Ada", "email": "", "street": "", "city": "", "country": ""})
    assert visitor.status == 422
    assert "We still need an e-mail address" in lacking.cssselect("[role=alert]")[0].text
    assert site.app.orders == []

    full = {"name": "Ada", "email": "ada@example.org", "street": "1 Way", "city": "Lyon", "country": "FR"}
    page = visitor.open("/order", {**full, "terms": "yes", "card": "4111111111111111", "cvc": "123"})
    assert visitor.url == "/order/SB-2001"
    assert "Thank you, Ada" in page.text_content()
    assert [order["lines"] for order in site.app.orders] == [{"Aurora Desk Lamp": 2}]
    assert not {"card", "cvc"} & set(site.app.orders[0])
    visitor.open("/checkout")
    assert visitor.url == "/cart"


def test_a_sold_out_product_cannot_be_bought(site: Site) -> None:
    gone = next(product for product in Catalogue().products if not product.stock)
    visitor = Visitor(site)
    page = visitor.open(f"/product/{gone.slug}")
    assert "disabled" in page.xpath("//button[.='Add to cart']")[0].attrib
    visitor.open("/cart/add", {"product": str(gone.id), "quantity": "1"})
    assert visitor.status == 404


def test_logging_in(site: Site) -> None:
    visitor = Visitor(site)
    visitor.open("/account")
    assert visitor.url == "/login"
    page = visitor.open("/login", {"username": "demo", "password": "wrong"})
    assert visitor.status == 401
    assert page.cssselect("[role=alert]")
    page = visitor.open("/login", {"username": "demo", "password": "oak-and-lumen"})
    assert visitor.url == "/account"
    rows = page.cssselect("table tbody tr")
    assert len(rows) == 24
    assert [cell.text_content() for cell in rows[0]][:2] == ["SB-1024", "2025-12-01"]
    visitor.open("/logout", {})
    visitor.open("/account")
    assert visitor.url == "/login"


def test_frames_are_separate_documents(site: Site) -> None:
    visitor = Visitor(site)
    frame = visitor.open("/stores").cssselect("iframe")[0].get("src")
    assert frame == f"http://localhost:{site.port}/frame/stores"
    page = visitor.open("/frame/stores?city=li")
    assert [store.text for store in page.cssselect("li strong")] == ["Berlin", "Lisbon"]
    page = visitor.open("/frame/shipping?weight=6.0&country=FR")
    assert page.cssselect("[role=status]")[0].text == "Shipping costs $12.90."


def test_two_servers_do_not_share_orders() -> None:
    with serve_site() as one, serve_site() as other:
        assert one.url != other.url
        one.app.orders.append({})
        assert other.app.orders == []


def test_cookies_come_from_the_visitor_alone(site: Site) -> None:
    visitor = Visitor(site)
    visitor.open("/cart/add", {"product": "101", "quantity": "1"})
    assert "empty" in Visitor(site).open("/cart").text_content()
    with urlopen(site.url + "/", timeout=10) as answer:
        assert not SimpleCookie(answer.headers.get("Set-Cookie", ""))


def test_an_unknown_site_and_an_unknown_page(site: Site) -> None:
    with pytest.raises(KeyError):
        serve_site("bank")
    visitor = Visitor(site)
    assert "/nowhere" in visitor.open("/nowhere").text_content()
    assert visitor.status == 404


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>Hello</h1>", encoding="utf-8")
    with serve_folder(tmp_path) as site:
        with urlopen(f"{site.url}/page.html", timeout=10) as answer:
            assert answer.read() == b"<h1>Hello</h1>"
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{site.url}/../../etc/hostname", timeout=10)
    with pytest.raises(NotADirectoryError):
        serve_folder(tmp_path / "page.html")


def test_it_listens_on_loopback_alone_and_ends(site: Site) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", site.url)
    assert site._server.server_address[0] == "127.0.0.1"
    site.close()
    with pytest.raises(OSError, match="refused"):
        urlopen(site.url, timeout=2)

"""Looking around: home, search results, a product."""

from __future__ import annotations

import html
from urllib.parse import quote, urlencode

from skillbook.testing.sites.shop.catalogue import SORTS, page_of
from skillbook.testing.sites.shop.front import Front, describe
from skillbook.testing.sites.web import Html, Request, Response


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
    asked = request.query.get("page", "1")
    found = shop.catalogue.search(words, category, sort)
    shown, number, pages = page_of(found, int(asked) if asked.isdecimal() else 1)
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

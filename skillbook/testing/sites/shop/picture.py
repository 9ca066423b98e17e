"""A drawing for every product: its category's shape in its own colour."""

from __future__ import annotations

from skillbook.testing.sites.shop.catalogue import HERE, Product

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

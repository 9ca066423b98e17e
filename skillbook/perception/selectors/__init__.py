"""Role selectors: how they are written, which nodes they name, and which ones find an element again."""

from __future__ import annotations

from skillbook.perception.records.neighbours import (
    GROUPS,
    Neighbours,
    others_like,
    said_in,
)
from skillbook.perception.selectors.grammar import (
    PROPERTIES,
    STATES,
    Name,
    Selector,
    Test,
    looked_for,
    parse_selector,
)
from skillbook.perception.selectors.locator import (
    Locator,
    build_container_locator,
    build_locator,
    container_selectors,
    frame_place,
    place_of,
)
from skillbook.perception.selectors.one_match import find_one
from skillbook.perception.selectors.seen_parts import seen_counts, seen_parts
from skillbook.perception.selectors.selector_matching import find_all, find_within

__all__ = [
    "GROUPS",
    "PROPERTIES",
    "STATES",
    "Locator",
    "Name",
    "Neighbours",
    "Selector",
    "Test",
    "build_container_locator",
    "build_locator",
    "container_selectors",
    "find_all",
    "find_one",
    "find_within",
    "frame_place",
    "looked_for",
    "others_like",
    "parse_selector",
    "place_of",
    "said_in",
    "seen_counts",
    "seen_parts",
]

"""Carousels as Slick, Swiper and Splide write them: copies are no rows, and hidden items aren't lost in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Read = Callable[[str], Page]

NAMES = [f"Lamp {letter}" for letter in "ABCDEF"]
STYLE = (
    "<style>.list{{width:630px;overflow:hidden}}.slide{{width:210px;flex:none}}"
    ".track{{display:flex;width:9000px;transform:translate3d(-{before}px,0,0);padding:0;list-style:none}}</style>"
)
SLICK = (
    "<div class=slick-slider><div class='slick-list list'><div class='slick-track track'>{slides}</div></div></div>",
    "<div class='slick-slide slide {clone}' data-slick-index={place} {hidden} tabindex=-1><div><div class=card>"
    "<h3>{name}</h3><span class=price>${price}</span></div></div></div>",
    "slick-cloned",
)
SWIPER = (
    "<div class='swiper list'><div class='swiper-wrapper track'>{slides}</div></div>",
    "<div class='swiper-slide slide {clone}' data-swiper-slide-index={index} role=group aria-label='{number} / 6'>"
    "<h3>{name}</h3><span class=price>${price}</span></div>",
    "swiper-slide-duplicate",
)
SPLIDE = (
    "<section class=splide aria-roledescription=carousel><div class='splide__track list'>"
    "<ul class='splide__list track' role=presentation>{slides}</ul></div></section>",
    "<li class='splide__slide slide {clone}' role=group aria-roledescription=slide aria-label='{number} of 6' {hidden}>"
    "<h3>{name}</h3><span class=price>${price}</span></li>",
    "splide__slide--clone",
)
NO_LIBRARY = (
    "<div class=list><ul class=track>{slides}</ul></div>",
    "<li class=slide><h3>{name}</h3><span class=price>${price}</span></li>",
    "",
)


def carousel(kind: tuple[str, str, str], *, before: int, after: int, shown: int = 0) -> str:
    whole, slide, clone = kind
    slides = "".join(
        slide.format(
            place=place, index=place % 6, number=place % 6 + 1, name=NAMES[place % 6], price=10 + place % 6,
            clone="" if 0 <= place < 6 else clone, hidden="" if shown <= place < shown + 3 else "aria-hidden=true",
        )
        for place in range(-before, 6 + after)
    )  # fmt: skip
    style = STYLE.format(before=210 * (before + shown))
    return f"<meta charset=utf-8>{style}<h2>Lamps</h2>{whole.format(slides=slides)}"


@pytest.mark.parametrize(
    ("kind", "before", "after", "shown"), [(SWIPER, 3, 3, 0), (NO_LIBRARY, 4, 6, 2), (NO_LIBRARY, 0, 3, 0)]
)
def test_copies_outside_of_what_a_list_shows_are_no_rows(
    read_html: Read, kind: tuple[str, str, str], before: int, after: int, shown: int
) -> None:
    (frame,) = sb.tables(read_html(carousel(kind, before=before, after=after, shown=shown)))
    assert sorted(frame["title"]) == NAMES
    assert frame.skillbook.complete
    copies = f"{before + after} rows are there again outside of what the list shows"
    assert any(copies in note for note in frame.skillbook.notes), frame.skillbook.notes


@pytest.mark.parametrize("kind", [SLICK, SPLIDE], ids=["slick", "splide"])
def test_items_that_a_carousel_hides_are_told(read_html: Read, kind: tuple[str, str, str]) -> None:
    (frame,) = sb.tables(read_html(carousel(kind, before=4, after=6)))
    assert frame["title"].tolist() == NAMES[:3]
    assert not frame.skillbook.complete
    assert "3 other items are hidden from assistive technology" in frame.skillbook.reason


def test_rows_that_are_twice_in_view_stay_twice(read_html: Read) -> None:
    page = carousel(NO_LIBRARY, before=0, after=6).replace("630px", "9000px")
    (frame,) = sb.tables(read_html(page))
    assert frame["title"].tolist() == NAMES * 2


@pytest.mark.parametrize("room", ["overflow:auto", "overflow:hidden"])
def test_rows_that_say_the_same_elsewhere_in_a_list_stay(read_html: Read, room: str) -> None:
    says = (
        ["up", "down", "down", "up", "up", "down", "down", "up"] if "hidden" in room else ["up", "down"] * 4
    )
    items = "".join(f"<li style=height:60px><b>Line</b> <i class=state>{text}</i>" for text in says)
    (frame,) = sb.tables(read_html(f"<ul style='height:150px;{room}'>{items}</ul>"))
    assert len(frame) == 8


def test_copies_for_the_eye_alone_are_no_hidden_items(read_html: Read) -> None:
    slides = "".join(f"<li class=slide><b>{name}</b> <i>${at}</i></li>" for at, name in enumerate(NAMES))
    lists = f"<ul>{slides}</ul><ul aria-hidden=true>{slides}</ul>"
    (frame,) = sb.tables(read_html(f"<meta charset=utf-8><div>{lists}</div>"))
    assert len(frame) == 6
    assert frame.skillbook.complete

"""The picture of a site has the pages that were seen, and page text stays text."""

from __future__ import annotations

from xml.etree import ElementTree

from skillbook.exploration.outcome import draw

SVG = "{http://www.w3.org/2000/svg}"


def page(title: str, depth: int, status: str = "seen") -> dict[str, object]:
    return {"title": title, "depth": depth, "status": status}


def test_pages_links_and_the_path() -> None:
    pages = {"/": page("Start", 0), "/a": page("<b>A & a</b>", 1), "/b": page("", 1, "found")}
    tree = ElementTree.fromstring(draw(pages, [("/", "/a"), ("/", "/b"), ("/a", "/b")], ["/", "/b"]))
    assert [text.text for text in tree.iter(f"{SVG}text")] == ["Start", "/b", "<b>A & a</b>"]
    assert len(list(tree.iter(f"{SVG}path"))) == 2
    assert sum("fill" in box.attrib for box in tree.iter(f"{SVG}rect")) == 1


def test_what_has_no_room_is_counted() -> None:
    pages = {"/": page("Start", 0)} | {f"/{n}": page(f"Page {n}", 1) for n in range(40)}
    tree = ElementTree.fromstring(draw(pages, [("/", f"/{n}") for n in range(40)], ["/", "/39"]))
    texts = [text.text for text in tree.iter(f"{SVG}text")]
    assert "and 26 more" in texts
    assert "Page 39" in texts


def test_a_thumbnail_is_shown_above_its_title_and_the_paths_come_first() -> None:
    pages = {"/": page("Start", 0)} | {f"/{n}": page(f"Page {n}", 1) for n in range(40)}
    tree = ElementTree.fromstring(draw(pages, [], ["/", "/39"], dict.fromkeys(pages, b"\xff\xd8")))
    images = list(tree.iter(f"{SVG}image"))
    assert len(images) == 8
    assert all(image.attrib["href"] == "data:image/jpeg;base64,/9g=" for image in images)
    texts = [text.text for text in tree.iter(f"{SVG}text")]
    assert "Page 39" in texts
    assert "and 33 more" in texts

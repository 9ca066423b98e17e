"""What is kept of a site outlives the kernel, and what can't be read or written is no error."""

from __future__ import annotations

from pathlib import Path

from skillbook.exploration.known import keep_pages, known_pages

SITE = "https://site.test:8443"


def test_pages_are_added_and_those_that_are_gone_are_left_out(tmp_path: Path) -> None:
    assert known_pages(tmp_path, SITE) == {}
    keep_pages(
        tmp_path, SITE, {"https://site.test:8443/a": ("A", "to a"), "https://site.test:8443/b": ("B", "")}
    )
    keep_pages(
        tmp_path, SITE, {"https://site.test:8443/c": ("C é", "to c")}, gone=["https://site.test:8443/b"]
    )
    assert known_pages(tmp_path, SITE) == {
        "https://site.test:8443/a": ("A", "to a"),
        "https://site.test:8443/c": ("C é", "to c"),
    }
    assert known_pages(tmp_path, "https://site.test") == {}
    assert len(list((tmp_path / "sites").iterdir())) == 1


def test_a_broken_file_is_nothing_known_and_is_written_anew(tmp_path: Path) -> None:
    keep_pages(tmp_path, SITE, {"https://site.test:8443/a": ("A", "")})
    (file,) = (tmp_path / "sites").iterdir()
    for broken in (
        "{",
        "[]",
        '{"version": 1}',
        '{"version": 1, "pages": {"a": 3}}',
        '{"version": 9, "pages": {}}',
    ):
        file.write_text(broken)
        assert known_pages(tmp_path, SITE) == {}
    keep_pages(tmp_path, SITE, {"https://site.test:8443/b": ("B", "")})
    assert list(known_pages(tmp_path, SITE)) == ["https://site.test:8443/b"]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "sites").write_text("a file in the way")
    keep_pages(tmp_path, SITE, {"https://site.test:8443/a": ("A", "")})
    assert known_pages(tmp_path, SITE) == {}

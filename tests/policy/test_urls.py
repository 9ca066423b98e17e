from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.errors import NotAllowed
from skillbook.policy.urls import origin_of, same_server, same_site, screen_url, shares_domain

REFUSED = [
    "https://evil.test\\@allowed.test/",
    "https://allowed.test@evil.test/",
    "https://user:pw@allowed.test/",
    "https://allowed.test\\.evil.test/",
    "https://al\u00adlowed.test/",
    "https://allowed.test/\n",
    "https://allowed.test/a b",
    "https://allowed\u202e.test/",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "blob:https://allowed.test/1",
    "file:///etc/passwd",
    "view-source:https://allowed.test/",
    "chrome://settings",
    "chrome-extension://abc/popup.html",
    "ftp://allowed.test/",
    "https://",
    "https://allowed.test:99999/",
    "https://[::1",
    "",
]


@pytest.mark.parametrize("url", REFUSED)
def test_fault_17_and_19_urls_are_refused(url: str) -> None:
    if url.endswith("\n"):
        url = "https://allowed.test/a\nb"
    with pytest.raises(NotAllowed):
        screen_url(url)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("example.com", "https://example.com"),
        ("localhost:8888/tree", "http://localhost:8888/tree"),
        ("127.0.0.1:1", "http://127.0.0.1:1"),
        ("  https://example.com/a?b=c#d ", "https://example.com/a?b=c#d"),
        ("about:blank", "about:blank"),
    ],
)
def test_what_people_type_is_completed(given: str, wanted: str) -> None:
    assert screen_url(given) == wanted


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://EXAMPLE.com:443/a", "https://example.com"),
        ("http://example.com.:80/", "http://example.com"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080"),
        ("about:blank", None),
        ("data:text/html,x", None),
        ("https://[bad", None),
    ],
)
def test_origins(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


def test_a_site_redirects_to_its_own_names_only() -> None:
    assert same_site("http://example.com", "https://www.example.com")
    assert same_site("https://www.example.com", "https://example.com")
    assert not same_site("https://example.com", "https://example.com.evil.test")
    assert not same_site("https://example.com", "http://example.com")
    assert not same_site("https://example.com", "https://example.com:8443")
    assert not same_site("https://a.example.com", "https://b.example.com")


def test_loopback_has_several_names() -> None:
    assert same_server("http://localhost:8888", "http://127.0.0.1:8888")
    assert same_server("http://127.0.0.5:8888", "http://[::1]:8888")
    assert not same_server("http://localhost:8888", "http://localhost:8889")


@given(st.text(max_size=60))
def test_screening_either_refuses_or_returns_a_web_url_without_user_info(text: str) -> None:
    try:
        url = screen_url(text)
    except NotAllowed:
        return
    if url != "about:blank":
        assert url.lower().startswith(("http://", "https://"))
        assert "\\" not in url
        assert "@" not in url.split("//", 1)[1].split("/", 1)[0]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("https://www.shop.example", "https://api.shop.example", True),
        ("https://shop.example", "https://api.eu.shop.example", True),
        ("https://shop.example", "https://ads.example", False),
        ("https://one.co.uk", "https://two.co.uk", False),
        ("https://api.shop.co.uk", "https://shop.co.uk", True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:9000", False),
        ("http://10.0.0.1", "http://11.0.0.1", False),
        ("http://localhost:1", "http://localhost:2", False),
        ("https://shop.example:8443", "https://shop.example", True),
    ],
)
def test_hosts_of_one_domain_are_one_owners(first: str, second: str, same: bool) -> None:
    assert shares_domain(first, second) is same
    assert shares_domain(second, first) is same

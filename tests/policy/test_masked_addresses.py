"""Addresses without the values that nobody may read."""

from __future__ import annotations

import pytest

from skillbook.policy.masked_addresses import mask_address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://a.b/pay?f=pa%24s+word&n=x#top", "https://a.b/pay?f=*&n=x#top"),
        ("/pay?n=x&f=pa%252424s;g=pa$s%20word", "/pay?n=x&f=pa%252424s;g=*"),
        ("https://a.b/#/PA%24S%20WORD", "https://a.b/#*"),
        ("?code=123&n=1234", "?code=*&n=1234"),
        ("https://a.b/123", "https://a.b/123"),
        ("Is it pa$s word?", "Is it pa$s word?"),
        ("#123", "#123"),
    ],
)
def test_values_in_query_and_fragment_are_masked(address: str, shown: str) -> None:
    assert mask_address(address, ["pa$s word", "123"], "*") == shown

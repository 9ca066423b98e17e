"""Which ids of a page's address a skill's requests may have, and what is put in their places."""

from __future__ import annotations

import pytest

from skillbook.skill.consent.send_allowlist import fill_page_ids, ids_of, new_ids, with_page_ids

PAGE = "https://shop.example/admin/orders/12/change/?tab=lines&at=2026&at=2027#/parts/p-7"


def test_ids_of_path_query_and_route_are_found() -> None:
    assert ids_of(PAGE) == {"3": "12", "#2": "p-7"}
    assert ids_of("https://shop.example/edit?order=12&4=5") == {"order": "12"}


def test_ids_that_the_address_had_before_are_not_new() -> None:
    assert new_ids("https://shop.example/3/orders/12", "https://shop.example/3/orders") == {"12": "3"}


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (
            "/admin/orders/12/change/?_changelist_filters",
            "/admin/orders/{page[3]}/change/?_changelist_filters",
        ),
        ("/api/save?order=12&kind=paid", "/api/save?order={page[3]}&kind=paid"),
        ("/orders/1200", "/orders/1200"),
    ],
)
def test_a_path_is_written_with_the_page_and_filled_with_another(path: str, written: str) -> None:
    assert with_page_ids(path, new_ids(PAGE, "https://shop.example/admin/orders/")) == written
    assert fill_page_ids(written, PAGE.replace("12", "777")) == path.replace("12/", "777/").replace(
        "=12", "=777"
    )


@pytest.mark.parametrize(
    "address", ["", "https://shop.example/admin/orders/", "https://shop.example/a/b/{id}/c"]
)
def test_where_the_page_has_no_id_nothing_is_filled(address: str) -> None:
    assert fill_page_ids("/orders/{page[3]}", address) == "/orders/{page[3]}"

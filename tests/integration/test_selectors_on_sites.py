"""What the page of a site answers to a selector, through the browser, is what its whole snapshot says, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest

from skillbook.session.sync import Page
from skillbook.testing.site import serve_site
from skillbook.testing.sites import SITES
from tests.integration.selector_agreement import compare_page

pytestmark = pytest.mark.gym


@pytest.mark.parametrize(
    ("site", "path"),
    [
        ("shop", "/"), ("admin", "/"), ("portal", "/"), ("chat", "/"), ("shoelace", ""), ("antd", ""), ("swagger", ""),
        ("jqueryui", "/usr/share/doc/libjs-jquery-ui-docs/examples/dialog/modal-form.html"),
    ],
)  # fmt: skip
def test_pages_of_many_kinds(
    site: str, path: str, request: pytest.FixtureRequest, open_page: Callable[[str], Page]
) -> None:
    known = site in SITES
    with serve_site(site) if known else nullcontext(request.getfixturevalue(site)) as served:
        found = compare_page(open_page(served.url + path), 25)
    assert not found.wrong, "\n".join(found.wrong)
    assert found.answered, found.left

"""What was granted in advance covers that and nothing else, in a real browser."""

from __future__ import annotations

from pathlib import Path

import skillbook as sb
from skillbook.session.sync import Browser
from tests.faults.attack.grants import record_deleting, serve_orders, try_grants


def test_a_grant_is_used_for_nothing_else(browser: Browser, tmp_path: Path) -> None:
    tried = list(try_grants(browser, tmp_path))
    assert len(tried) == 13
    assert {one.name: one.arrived for one in tried if one.arrived} == {}


def test_each_use_is_in_the_journal(browser: Browser, tmp_path: Path) -> None:
    with serve_orders() as orders:
        skill = record_deleting(browser, orders, tmp_path)
        made = skill.grant(only={"name": ["Bob", "Ann"]}, count=2).confirm(expect="Delete order")
        page = browser.open("about:blank")
        for name in ("Bob", "Ann"):
            result = skill.run(page, start="always", name=name, approve=lambda question: False)
            assert result.ok, result.error
        assert [id for id, _ in orders.cancelled] == ["1", "2"]
        uses = browser.journal
        uses = uses[uses["verdict"] == f"grant {made.id}"]
        assert len(uses) == 2
        assert sb.grants[made.id].left == 0
        page.close()
        sb.grants.revoke(made)

from __future__ import annotations

import pytest

from skillbook.hooks import hooks
from skillbook.perception.site_hints import SiteHints
from tests.session.rig import URL, Rig


async def test_a_sites_hints_come_with_each_snapshot(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.text = "main\n  button + html_id=cart\n"
    page = await rig.open()
    known = SiteHints(origin="http://site.test", names={"button [id=cart]": "Cart"}, crawl_delay=2)
    monkeypatch.setattr(hooks, "site_hints", lambda url, home: known if url.startswith(URL) else None)
    assert (await page.snapshot()).find("button 'Cart'").hint == "Cart"
    result = await page.act("click", "button 'Cart'")
    assert rig.sent("click") == [{"ref": "e2"}]
    assert result.target is not None
    assert result.target.name == ""  # the policy, the journal and the page know it by what it says itself
    assert await page.browser.crawl_delay(URL) == 2.0
    assert await page.browser.crawl_delay("http://other.test/") == 0.0

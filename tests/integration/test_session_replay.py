"""Exported sessions done again, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import ApprovalRequired, InvalidSkill, SkillNotApproved
from skillbook.session.sync import Browser, Page
from skillbook.skill import SavedSession
from skillbook.testing.site import serve_site

FORM = """<label>Token <input id=t></label><input type=checkbox aria-label=Sure id=s>
<button onclick="window.done = t.value.length + (s.checked ? 100 : 0)">Delete account</button>"""


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def exported(browser: Browser, page: Page, path: Path, *, values: bool = True) -> SavedSession:
    """What was done on one page."""
    saved = sb.load_journal(browser.export_journal(path / "session.json", values=values))
    tab = page.driver.tab.id
    return SavedSession(tuple(step for step in saved.steps if step.tab == tab), saved.measures)


def test_a_session_in_the_shop_is_done_again(
    browser: Browser, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    with serve_site("shop") as shop:
        page = open_page(shop.url)
        page.fill("searchbox", "lamp")
        page.press("Enter", "searchbox")
        first = page.snapshot().find_all("link in main")[0]
        page.hover(first)
        went = page.url
        saved = exported(browser, page, tmp_path)
        again = open_page(shop.url)
        result = saved.replay(again, raise_on_error=True)
        assert result.ok
        assert again.url == went
        assert result.model_calls == 0
        with pytest.raises(InvalidSkill, match="doesn't say"):
            exported(browser, page, tmp_path, values=False).replay(again)


def test_secrets_go_by_name_and_what_cannot_be_undone_asks(
    serve_html: Callable[[str], Page], browser: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_REPLAYED_TOKEN", "mellon")
    page = serve_html(FORM)
    page.fill("textbox 'Token'", sb.secret("replayed.token"))
    page.check("checkbox 'Sure'")
    page.click("button 'Delete account'")
    assert page.evaluate("window.done") == 106
    saved = exported(browser, page, tmp_path)
    assert saved.skill("again").spec.secrets == ["replayed.token"]
    assert "mellon" not in (tmp_path / "session.json").read_text(encoding="utf-8")
    page.reload()
    with pytest.raises(SkillNotApproved, match=r"replayed\.token"):
        saved.replay(page)
    saved.skill().approve()
    refused = saved.replay(page)
    assert isinstance(refused.error, ApprovalRequired)
    assert page.evaluate("window.done ?? 0") == 0
    page.reload()
    asked: list[str] = []

    def approve(question: str) -> bool:
        asked.append(question)
        return True

    assert saved.replay(page, approve=approve, raise_on_error=True).ok
    assert page.evaluate("window.done") == 106
    assert len(asked) == 1
    assert "Delete account" in asked[0]

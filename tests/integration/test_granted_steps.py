"""What was granted in advance covers that and nothing else, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.grant_book import change_rows
from skillbook.session.sync import Browser
from tests.faults.attack.grants import Orders, record_deleting, serve_orders, try_grants

ASKS_BY_SCRIPT = """addEventListener('submit', event => {
    if (!confirm('Delete this order?')) event.preventDefault()
})"""
ASKS_IN_PAGE = """for (const button of document.querySelectorAll('button')) {
    const link = document.createElement('a')
    link.href = '#'
    link.textContent = button.textContent
    link.onclick = () => {
        const dialog = document.body.appendChild(document.createElement('div'))
        dialog.role = 'dialog'
        dialog.innerHTML = '<p>Delete this order?</p><button>Cancel</button><button>Yes, delete</button>'
        dialog.lastChild.onclick = () => link.closest('form').submit()
        return false
    }
    button.replaceWith(link)
}"""
OPEN_BEFORE = """(link)
    document.querySelector('[role=dialog]') || link.onclick()
    link.onclick = () => false
"""
ASKING = {"button": ASKS_BY_SCRIPT, "link": ASKS_IN_PAGE}


def test_a_grant_is_used_for_nothing_else(browser: Browser, tmp_path: Path) -> None:
    tried = list(try_grants(browser, tmp_path))
    assert len(tried) == 16
    assert [each.name for each in tried if not each.fired] == []
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


@pytest.fixture(params=ASKING)
def confirmed(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path
) -> Iterator[tuple[Orders, Any]]:
    """A site that asks before it deletes, by a JavaScript dialog or one of the page; and a skill that answers."""
    with serve_orders() as orders:
        orders.script = ASKING[request.param]
        page = browser.open(f"{orders.url}/")
        with sb.recording(page, "Delete the order of 'Bob'") as rec:
            page.click(f"{request.param} 'Delete order' in row 'Bob'")
            if request.param == "link":
                page.click("button 'Yes, delete'")
            else:
                page.handle_dialog(accept=True)
        skill = rec.save_skill("delete-asking", tmp_path, prove=False)
        page.close()
        assert [id for id, _ in orders.cancelled] == ["1"]
        orders.cancelled.clear()
        _revoke_all()
        yield orders, skill
        _revoke_all()


def _revoke_all() -> None:
    for each in list(sb.grants):
        sb.grants.revoke(each)


def _run(browser: Browser, skill: Any, **inputs: str) -> tuple[Any, list[str]]:
    """The result of an unattended run, and what it asked."""
    asked: list[str] = []

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    page = browser.open("about:blank")
    result = skill.run(page, start="always", approve=refuse, **inputs)
    page.close()
    return result, asked


def test_one_grant_is_for_the_step_and_what_confirms_it(
    browser: Browser, confirmed: tuple[Orders, Any]
) -> None:
    orders, skill = confirmed
    offers = [skill.grant(step=step).grant for step in (None, 1, 2)]
    assert len({(offer.step, offer.command, offer.label, offer.then) for offer in offers}) == 1
    made = skill.grant(only={"name": ["Bob", "Ann"]}, count=2).confirm(expect="Delete order")
    assert "step 1 (click 'Delete order' and confirm " in str(made)
    for left, name in ((1, "Bob"), (0, "Ann")):
        result, asked = _run(browser, skill, name=name)
        assert (result.ok, asked) == (True, []), result.error
        assert sb.grants[made.id].left == left
    assert [id for id, _ in orders.cancelled] == ["1", "2"]
    for name in ("Ann", "Eve"):
        assert not _run(browser, skill, name=name)[0].ok
    assert [id for id, _ in orders.cancelled] == ["1", "2"]


@pytest.mark.parametrize(
    ("confirmed", "was", "now", "asks"),
    [
        ("button", "Delete this order?", "Delete all orders?", 1),
        ("button", "event.preventDefault()", "event.preventDefault()\n    event.target.elements.id.value = '3'", 0),
        ("link", "Delete this order?", "Delete all orders?", 1),
        ("link", "Yes, delete", "Delete all", 0),
        ("link", "<p>Delete", "<p>And Eve too</p><p>Delete", 1),
        ("link", "link.closest('form')", "document.forms[2]", 0),
        ("link", "(link)\n", OPEN_BEFORE, 1),
    ],
    indirect=["confirmed"],
)  # fmt: skip
def test_a_grant_is_for_no_other_confirmation(
    browser: Browser, confirmed: tuple[Orders, Any], was: str, now: str, asks: int
) -> None:
    orders, skill = confirmed
    skill.grant(only={"name": "Bob", "id": "1"}).confirm(expect="Delete order")
    assert was in orders.script
    orders.script = orders.script.replace(was, now)
    result, asked = _run(browser, skill)
    assert not result.ok
    assert result.outcomes[-1].index == 2
    assert len(asked) == asks
    assert orders.cancelled == []


def test_a_grant_is_for_one_button(browser: Browser, confirmed: tuple[Orders, Any]) -> None:
    orders, skill = confirmed
    skill.grant().confirm(expect="Delete order")
    orders.button = "Delete all orders"
    assert not _run(browser, skill)[0].ok
    assert orders.cancelled == []


def test_an_earlier_grant_is_for_no_confirmation(browser: Browser, confirmed: tuple[Orders, Any]) -> None:
    orders, skill = confirmed
    skill.grant().confirm(expect="Delete order")
    change_rows(
        sb.grants.path,
        lambda rows: [{name: row[name] for name in row if name != "then"} for row in rows],
    )
    assert [grant.then for grant in sb.grants] == [""]
    result, asked = _run(browser, skill)
    assert not result.ok
    assert len(asked) == 1
    assert orders.cancelled == []

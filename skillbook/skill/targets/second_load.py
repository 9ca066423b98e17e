"""A record whose key is another one than the recorded: a second load of the page says whether keys of the kind last.

Ids that scripts make look like any other. Where two loads of one page give the same record two keys, those say nothing;
where they give it one, a record with another key is another record.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from skillbook.errors import SkillbookError
from skillbook.perception.nodes import Node
from skillbook.perception.records import ChangedFact, Record, record_of
from skillbook.perception.records.record_pieces import conflicts, kind_of_key
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.page_driver import PageDriver
from skillbook.skill.targets.healing import Found, Wanted, find_now
from skillbook.skill.targets.surroundings import seen_record, without_keys


@dataclass(eq=False)
class _OnlyReads:
    """Nothing is sent from the tab of a second load."""

    key: str
    actor: Actor = "replay"
    send_allowlist: bool = True
    announced_is_approved: bool = False

    async def judge(self, request: HeldRequest) -> RequestDecision:
        return RequestDecision(False, f"{request.fact} isn't needed to look at the page")


async def by_second_load(driver: PageDriver, wanted: Wanted, snapshot: Snapshot, key: str) -> Found | None:
    """The target in the record of the same names, if a second load proves that its key says nothing; None if not.

    key: of the replay, under which the journal has what is done.
    """
    seen = seen_record(wanted.fingerprint)
    is_page = urlsplit(snapshot.url).scheme in {"http", "https"}
    if seen is None or not seen.names or wanted.by_input or not is_page:
        return None
    bare = replace(wanted, fingerprint=without_keys(wanted.fingerprint))
    found = find_now(snapshot, bare)
    now = record_of(found.node) if found is not None else None
    if found is None or now is None:
        return None
    others = [*_conflicts(seen, now)]
    if not others:
        return None
    kinds = frozenset(kind_of_key(was) for was, _ in others)
    again = await _again(driver, snapshot.url, bare, key)
    then = record_of(again) if again is not None else None
    if then is None or not kinds <= {kind_of_key(was) for was, _ in _conflicts(now, then)}:
        return None
    words = " and ".join(sorted(kind or "the link" for kind in kinds))
    why = f"{words} changes with each load of the page, and the record's names are the same"
    changed = tuple(ChangedFact(was, becomes) for was, becomes in others)
    return Found(found.node, "alternative", why, found.score, changed, kinds)


def _conflicts(one: Record, other: Record) -> list[tuple[str, str]]:
    return [*conflicts(one.keys, one.counted, other.keys, other.counted)]


async def _again(driver: PageDriver, url: str, wanted: Wanted, key: str) -> Node | None:
    """A target in a tab of its own, which is closed afterwards."""
    browser, front = driver.browser, driver.browser.active
    tab: PageDriver | None = None
    try:
        tab = await browser.open("about:blank", active=False)
        await tab.requests.attach(_OnlyReads(key))
        await tab.act("goto", actor="replay", run=key, url=url)
        await tab.settled("rest")
        found = find_now(await tab.snapshot_for(*wanted.selectors, texts=False), wanted)
        return found.node if found is not None else None
    except SkillbookError:
        return None  # nothing is proved
    finally:
        if tab is not None and not tab.closed:
            with suppress(SkillbookError):
                await browser.close_page(tab)
        if front is not None and not front.closed and browser.active is not front:
            await browser.switch_to(front)

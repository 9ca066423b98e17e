"""Grants: what is granted in advance, never more than the sentence says, in one file with the learned rules."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from skillbook.errors import InvalidInput, NotAllowed
from skillbook.policy.approvals import Grant, within
from skillbook.session.action import acting_name
from skillbook.session.grant_book import Grants
from skillbook.session.rule_book import RuleBook
from skillbook.skill.consent.granting import acts_of, propose
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import Send, SkillStep, StepTarget

NOW, DAY = 1_800_000_000.0, 86_400.0
GRANT = Grant(
    "", "clean", "d1", 3, "click", "Delete", {"name": ("Bob",)}, {"amount": 100.0}, 1, 0, NOW + DAY, NOW
)


@pytest.fixture
def book(tmp_path: Path) -> Grants:
    return Grants(tmp_path / "home" / "rules.json", clock=lambda: NOW + 1)


SAID = {"name": "Bob", "amount": "50"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, {"name": "Ann", "amount": "50"}),
        ({}, {"name": "bob", "amount": "50"}),
        ({}, {"name": "Bob ", "amount": "50"}),
        ({}, {"name": "Bob", "amount": "100.01"}),
        ({}, {"name": "Bob", "amount": "-5"}),
        ({}, {"name": "Bob", "amount": "1e2"}),
        ({}, {"name": "Bob", "amount": "1,000"}),
        ({}, {"name": "Bob", "amount": "1.000"}),
        ({}, {"name": "Bob", "amount": "1.000.000"}),
        ({}, {"name": "Bob", "amount": "０50"}),
        ({}, {"name": "Bob", "amount": "nan"}),
        ({}, {"name": "Bob", "amount": True}),
        ({}, {"name": "Bob", "amount": "50", "to": "mallory"}),
        ({"digest": "d2"}, SAID),
        ({"step": 4}, SAID),
        ({"command": "dblclick"}, SAID),
        ({"label": "Delete all"}, SAID),
    ],
)
def test_a_grant_is_for_nothing_but_what_it_says(change: dict[str, object], said: dict[str, object]) -> None:
    asked = {"digest": "d1", "step": 3, "command": "click", "label": "Delete", **change}
    assert GRANT.is_for(**asked, inputs=said) is False  # type: ignore[arg-type]
    assert GRANT.is_for("d1", 3, "click", "Delete", SAID)


def test_a_limit_is_a_number_and_nothing_else() -> None:
    assert [text for text in ("0", "99.5", " 7 ", 7, 1.5) if within(text, 100)] == [
        "0",
        "99.5",
        " 7 ",
        7,
        1.5,
    ]
    odd = ("", ".", "1.2.3", "+5", "-0", "0x10", "1_0", "inf", "٣", "10 000", None, [], False, 1e3)
    assert [text for text in odd if within(text, 100)] == []


def test_it_is_used_up_by_count_also_by_two_kernels_at_once(book: Grants) -> None:
    book.add(replace(GRANT, count=5))
    taken: list[Grant | None] = []
    other = Grants(book.path, clock=book.clock)
    each = [
        lambda b=b: taken.append(b.use(lambda grant: grant.step == 3))
        for b in (book, other)
        for _ in range(8)
    ]
    threads = [threading.Thread(target=one) for one in each]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sum(one is not None for one in taken) == 5
    [grant] = book
    assert (grant.used, grant.left) == (5, 0)
    assert "0 of 5 (over)" in repr(book)


def test_it_ends_and_can_be_taken_back(book: Grants) -> None:
    made = book.add(GRANT)
    assert Grants(book.path, clock=lambda: NOW + DAY).use(lambda grant: True) is None
    book.revoke(made.id)
    assert book.use(lambda grant: True) is None
    with pytest.raises(NotAllowed, match="there is no grant"):
        book.revoke(made.id)


def test_nobody_grants_for_longer_than_a_month_nor_for_a_model(book: Grants) -> None:
    for wrong in (replace(GRANT, until=NOW + 32 * DAY), replace(GRANT, until=NOW), replace(GRANT, count=0)):
        with pytest.raises(NotAllowed):
            book.add(wrong)
    token = acting_name.set("mcp:client")
    try:
        with pytest.raises(NotAllowed, match="mcp:client can't grant"):
            book.add(GRANT)
    finally:
        acting_name.reset(token)
    assert len(book) == 0


def test_a_written_row_that_we_didnt_write_grants_nothing(book: Grants) -> None:
    made = asdict(book.add(GRANT))
    for change in (
        {"count": "9"}, {"used": -5}, {"until": NOW + 90 * DAY}, {"only": {"name": "Bob"}}, {"more": 1}, {"step": True},
        {"most": {"amount": True}}, {"only": None},
    ):  # fmt: skip
        book.path.write_text(json.dumps([{**made, **change}]))
        assert list(book) == [], change
    book.path.write_text("{")
    assert len(book) == 0


def test_a_file_that_cant_be_read_grants_nothing_and_is_kept_aside(book: Grants) -> None:
    book.path.parent.mkdir(parents=True)
    book.path.write_text("[{torn")
    assert len(book) == 0
    made = book.add(GRANT)
    assert [grant.id for grant in book] == [made.id]
    assert book.path.with_suffix(".unreadable").read_text() == "[{torn"


def test_the_learned_rules_are_a_view_of_the_same_file(book: Grants) -> None:
    rules = RuleBook(book.path)
    rule = rules.add("click", "https://shop.test", "always", role="button", label="Next")
    grant = book.add(GRANT)
    assert [each.id for each in RuleBook(book.path)] == [rule.id]
    assert len(book) == 2
    assert "agents and skills may click button 'Next' on https://shop.test" in repr(book)
    rules.add("fill", "https://shop.test", "always")
    assert [each.id for each in book] == [grant.id]
    rules.clear()
    assert [each.id for each in book] == [grant.id]
    book.revoke(grant)
    assert len(book) == 0


def spec(**changes: object) -> SkillSpec:
    target = StepTarget(
        selectors=["button 'Delete' in row '${input:name}'"], fingerprint={"role": "button", "name": "Delete"}
    )
    steps = [
        SkillStep(
            command="fill", target=StepTarget(selectors=["textbox"]), params={"value": "${input:name}"}
        ),
        SkillStep(command="click", target=target, irreversible=True, note="Delete the row"),
    ]
    facts = {
        "name": "clean", "description": "x", "inputs": [SkillInput(name="name", default="Bob")], "start": "https://a.test/",
        "origins": ["https://a.test"], "steps": steps,
        "sends": [Send(step=2, method="POST", origin="https://a.test", path="/delete", fields=["id", "amount"])],
    }  # fmt: skip
    return SkillSpec(**{**facts, **changes})


def test_a_proposal_says_its_sentence_and_is_confirmed_by_who_read_it(book: Grants) -> None:
    offer = propose(spec(), None, {"name": "Bob"}, 1, "7 days", {"amount": 100}, book)
    assert "may do step 2 (click 'Delete'), which can't be undone, once, until" in repr(offer)
    assert "only with name 'Bob' and amount at most 100" in repr(offer)
    assert len(book) == 0
    with pytest.raises(NotAllowed, match="nobody can have read it"):
        offer.confirm()
    with pytest.raises(NotAllowed, match="acts on 'Delete', not 'Save'"):
        offer.confirm(expect="Save")
    assert offer.confirm(expect="Delete").left == 1
    assert len(book) == 1


@pytest.mark.parametrize(
    ("words", "changes", "options"),
    [
        ("doesn't say what it sends", {"sends": None}, {}),
        ("one step that can't be undone", {}, {"step": 1}),
        ("no input 'who'", {}, {"only": {"who": "Bob"}}),
        ("no input 'sum'", {}, {"most": {"sum": 5}}),
        ("must be a number", {}, {"most": {"amount": -5}}),
        ("within 30 days", {}, {"until": "31 days"}),
        ("within 30 days", {}, {"count": 0}),
        ("within 30 days", {}, {"count": True}),
        ("is no time", {}, {"until": "soon"}),
        ("needs the value", {}, {"only": {"name": []}}),
    ],
)
def test_what_cant_be_granted_is_refused(
    book: Grants, words: str, changes: dict[str, object], options: dict[str, object]
) -> None:
    given = {"step": None, "only": {"name": "Bob"}, "count": 1, "until": "7 days", "most": {}, **options}
    with pytest.raises(InvalidInput, match=words):
        propose(spec(**changes), book=book, **given)  # type: ignore[arg-type]


def _step(selector: str, name: str, layer: str = "page", command: str = "click", **more: object) -> SkillStep:
    target = StepTarget(selectors=[selector], fingerprint={"name": name, "layer": layer})
    return SkillStep(command=command, target=None if command == "handle_dialog" else target, **more)  # type: ignore[arg-type]


OPENS = _step("link 'Delete' in row 'Bob'", "Delete")
SAYS: dict[str, object] = {"irreversible": True, "confirms": ["Delete Bob?"]}
YES = _step("button 'Yes, delete'", "Yes, delete", "dialog", **SAYS)
ANSWER = _step("button", "", command="handle_dialog", **SAYS)


@pytest.mark.parametrize(
    ("steps", "acts"),
    [
        ([OPENS, YES], [(1, True)]),
        ([OPENS.model_copy(update={"irreversible": True}), YES], [(1, True)]),
        ([_step("button '✕'", "✕"), ANSWER], [(1, True)]),
        ([_step("button 'Open'", "Open"), YES], [(2, False)]),
        ([OPENS, _step("button 'Yes, delete'", "Yes, delete", **SAYS)], [(2, False)]),
        ([OPENS, YES.model_copy(update={"confirms": None})], [(2, False)]),
        ([OPENS.model_copy(update={"until": {"pressed": "true"}}), YES], [(2, False)]),
        ([OPENS, YES, YES], [(1, True), (3, False)]),
        ([OPENS, YES, ANSWER, OPENS, YES], [(1, True), (3, False), (4, True)]),
        ([OPENS], []),
    ],
)
def test_only_what_confirms_a_step_belongs_to_it(
    steps: list[SkillStep], acts: list[tuple[int, bool]]
) -> None:
    found = acts_of(spec(steps=steps, sends=[]))
    assert [(act.number, act.answer is not None) for act in found] == acts


def test_the_answer_of_a_dialog_is_in_the_sentence(book: Grants) -> None:
    asks = _step("button 'Remove'", "Remove", irreversible=True)
    for step in (None, 1, 2):
        offer = propose(spec(steps=[asks, ANSWER], sends=[]), step, {}, 1, "7 days", {}, book)
        assert (
            "may do step 1 (click 'Remove' and confirm 'Delete Bob?'), which can't be undone, once"
            in repr(offer)
        )
    varies = ANSWER.model_copy(update={"confirms": ["Delete ${any}?"]})
    with pytest.raises(InvalidInput, match="has no name"):
        propose(spec(steps=[asks, varies], sends=[]), None, {}, 1, "7 days", {}, book)

from __future__ import annotations

from dataclasses import replace

import pytest

from skillbook.errors import ApprovalRequired
from skillbook.policy import Approvals, Binding, Call
from skillbook.policy.approvals import LIFETIME
from skillbook.protocol.commands.read import DescribeResult, FormFacts

FORM = FormFacts(action="https://shop.test/pay", method="post", fields=["text:name"], submit_label="Pay")
FACTS = DescribeResult(
    tag="button", css="button", attributes={}, frame_origin="https://shop.test", submits=True, form=FORM
)
CALL = Call(
    "click",
    actor="agent",
    url="https://shop.test/basket",
    role="button",
    label="Pay",
    facts=FACTS,
    document="d1",
)
WIRE = {"ref": "e5", "button": "left"}
BINDING = Binding.of(CALL, WIRE, 7)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_fault_21_a_token_works_once() -> None:
    approvals = Approvals()
    token = approvals.issue(BINDING)
    approvals.redeem(token, Binding.of(CALL, WIRE, 7))
    with pytest.raises(ApprovalRequired, match="used already"):
        approvals.redeem(token, BINDING)
    assert len(approvals) == 0


@pytest.mark.parametrize(
    ("call", "wire", "tab", "said"),
    [
        (CALL, WIRE, 8, "the tab was 7 and is 8"),
        (replace(CALL, document="d2"), WIRE, 7, "the document"),
        (CALL, WIRE | {"ref": "e6"}, 7, "the element was 'e5' and is 'e6'"),
        (CALL, WIRE | {"button": "right"}, 7, "what is to be done"),
        (CALL, WIRE | {"to_ref": "e9"}, 7, "drop on"),
        (replace(CALL, label="Pay 900"), WIRE, 7, "the element's label was 'Pay' and is 'Pay 900'"),
        (replace(CALL, role="link"), WIRE, 7, "role"),
        (replace(CALL, url="https://evil.test/"), WIRE, 7, "the page's origin"),
        (replace(CALL, frame_url="https://evil.test/"), WIRE, 7, "the frame's origin"),
        (replace(CALL, covered=True), WIRE, 7, "what lies over the element"),
        (replace(CALL, command="dblclick"), WIRE, 7, "command"),
        (replace(CALL, actor="replay"), WIRE, 7, "actor"),
        (
            replace(CALL, facts=FACTS.model_copy(update={"form": FORM.model_copy(update={"action": "https://x.test/"})})),
            WIRE,
            7,
            "where the form goes",
        ),
    ],
)  # fmt: skip
def test_fault_21_whatever_changed_is_named_and_uses_the_token_up(
    call: Call, wire: dict[str, str], tab: int, said: str
) -> None:
    approvals = Approvals()
    token = approvals.issue(BINDING)
    with pytest.raises(ApprovalRequired, match=said):
        approvals.redeem(token, Binding.of(call, wire, tab))
    with pytest.raises(ApprovalRequired, match="used already"):
        approvals.redeem(token, BINDING)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (FACTS.model_copy(update={"link": "https://shop.test/delete/9"}), "where the link leads was ''"),
        (FACTS.model_copy(update={"dialog": "Delete all?"}), "the dialog's text was ''"),
        (
            FACTS.model_copy(update={"form": FORM.model_copy(update={"values": "9f"})}),
            "the form's other fields",
        ),
    ],
)
def test_fault_37_links_dialogs_and_other_values_are_bound(facts: DescribeResult, said: str) -> None:
    approvals = Approvals()
    token = approvals.issue(BINDING)
    with pytest.raises(ApprovalRequired, match=said) as caught:
        approvals.redeem(token, Binding.of(replace(CALL, facts=facts), WIRE, 7))
    assert "9f" not in caught.value.message


def test_fault_37_the_options_chosen_are_bound() -> None:
    approvals = Approvals()
    token = approvals.issue(Binding.of(replace(CALL, chosen=("Archive", "a")), WIRE, 7))
    with pytest.raises(ApprovalRequired, match="what is chosen was"):
        approvals.redeem(token, Binding.of(replace(CALL, chosen=("Archive", "delete")), WIRE, 7))


def test_what_lay_over_the_element_may_have_gone() -> None:
    approvals = Approvals()
    token = approvals.issue(Binding.of(replace(CALL, covered=True), WIRE, 7))
    approvals.redeem(token, Binding.of(CALL, WIRE, 7))
    assert len(approvals) == 0


def test_a_typed_value_is_part_of_what_was_approved() -> None:
    approvals = Approvals()
    fill = Call("fill", actor="agent", url="https://shop.test/")
    token = approvals.issue(Binding.of(fill, {"ref": "e1", "value": "tea"}, 7))
    with pytest.raises(ApprovalRequired, match=r"tea.*ale"):
        approvals.redeem(token, Binding.of(fill, {"ref": "e1", "value": "ale"}, 7))


def test_tokens_grow_old_and_cannot_be_guessed() -> None:
    clock = Clock()
    approvals = Approvals(clock)
    token = approvals.issue(BINDING)
    clock.now = LIFETIME + 1
    with pytest.raises(ApprovalRequired, match="too old"):
        approvals.redeem(token, BINDING)
    with pytest.raises(ApprovalRequired):
        approvals.redeem("", BINDING)
    assert len({approvals.issue(BINDING) for _ in range(20)}) == 20
    assert len(approvals.issue(BINDING)) >= 43

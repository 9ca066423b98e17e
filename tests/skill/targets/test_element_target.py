from __future__ import annotations

from skillbook.skill.targets.element_target import fingerprint_of, similarity, target_of
from skillbook.skill.targets.healing import Wanted, choose
from tests.trees import snapshot

FORM = """
main
  form "Address"
    textbox "Street" + html_name=street
    textbox "City" + html_name=city
    button "Save address" + html_id=save
  form "Payment"
    textbox "Card" + html_name=card
    button "Save card" + html_id=save-card
"""


def test_an_element_is_most_like_itself() -> None:
    page = snapshot(FORM)
    for node in page.elements:
        scores = {other.name: similarity(fingerprint_of(node), other) for other in page.elements}
        assert scores[node.name] == 1.0
        assert all(score < 1.0 for name, score in scores.items() if name != node.name)


def test_a_fingerprint_has_no_value() -> None:
    page = snapshot('main\n  textbox "Card" + value="4111 1111 1111 1111" html_name=card\n')
    assert "4111" not in str(fingerprint_of(page.elements[0]))


def test_a_rename_keeps_likeness_and_a_stranger_has_none() -> None:
    wanted = fingerprint_of(next(node for node in snapshot(FORM).elements if node.name == "Save address"))
    renamed = snapshot(FORM.replace("Save address", "Store it"))
    best = max(renamed.elements, key=lambda node: similarity(wanted, node))
    assert best.name == "Store it"
    stranger = snapshot('main\n  button "Log out" +\n').elements[0]
    assert similarity(wanted, stranger) < 0.6


def test_of_two_forms_the_recorded_one_is_chosen() -> None:
    same = FORM.replace("Save address", "Save").replace("Save card", "Save")
    old = snapshot(FORM.replace("Save address", "Save"))
    target = target_of(next(node for node in old.elements if node.name == "Save"))
    found, ranked = choose(snapshot(same), Wanted.of(target, {}))
    assert found is not None
    assert found.node.html_id == "save"
    assert found.how == "alternative"
    assert len(ranked) == 2
    bare = snapshot(
        same.replace(" html_id=save-card", "").replace(" html_id=save", "").replace('"Payment"', '"Address"')
    )
    assert choose(bare, Wanted.of(target, {}))[0] is None


def test_nothing_on_an_empty_page() -> None:
    target = target_of(snapshot(FORM).elements[0])
    assert choose(snapshot("main\n"), Wanted.of(target, {})) == (None, [])

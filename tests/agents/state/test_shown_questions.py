"""A place decides only on what it showed before the decision was given."""

from __future__ import annotations

from skillbook.agents.state.question_queue import OUTPUTS, SIDE_PANEL, Place, ShownQuestions


def shown_at(*times: float) -> ShownQuestions:
    clock = iter(times)
    return ShownQuestions(lambda: next(clock))


def test_a_question_that_was_never_shown_cant_be_decided() -> None:
    assert shown_at().problem(OUTPUTS, "q1") == "This question wasn't shown in a cell."


def test_each_place_decides_on_what_was_shown_there_alone() -> None:
    shown = shown_at(1.0)
    shown.show(SIDE_PANEL, "q1")
    assert shown.problem(SIDE_PANEL, "q1") == ""
    assert shown.problem(OUTPUTS, "q1")
    assert shown.problem(SIDE_PANEL, "q2")
    assert shown.problem(Place(SIDE_PANEL.words, "another"), "q1")


def test_a_decision_that_was_given_before_counts_for_nothing() -> None:
    shown = shown_at(10.0)
    shown.show(OUTPUTS, "q1")
    assert "before the question was shown" in shown.problem(OUTPUTS, "q1", requested=9.9)
    assert shown.problem(OUTPUTS, "q1", requested=10.0), "the same moment is not after"
    assert shown.problem(OUTPUTS, "q1", requested=10.1) == ""


def test_showing_a_question_again_makes_it_no_newer() -> None:
    shown = shown_at(10.0, 20.0)
    shown.show(OUTPUTS, "q1")
    shown.show(OUTPUTS, "q1")
    assert shown.problem(OUTPUTS, "q1", requested=15.0) == ""


def test_a_question_counts_as_shown_since_its_panel_said_so_however_late_word_of_that_came() -> None:
    shown = shown_at(20.0)
    shown.show(OUTPUTS, "q1", since=10.0)
    assert shown.problem(OUTPUTS, "q1", requested=15.0) == ""
    assert "before the question was shown" in shown.problem(OUTPUTS, "q1", requested=9.0)

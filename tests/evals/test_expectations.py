from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbook.evals import Answer, load_tasks, trajectory
from skillbook.evals.expectations import frame_agreement, numbers_in, same, score_answer

ROWS = [{"name": "Ada", "price": 19.5}, {"name": "Ben", "price": 7}, {"name": "Cleo", "price": None}]


def scores(answer: Answer, **expected: Any) -> dict[str, float]:
    (task,) = load_tasks({"name": "a", "goal": "x", "start": {"site": "shop"}, "expected": expected})
    return score_answer(task, answer)


@pytest.mark.parametrize(
    ("text", "expected", "score"),
    [
        ("The Halo  Ring\nLamp", {"text": "halo ring lamp"}, 1.0),
        ("The Halo", {"text": ["halo", "ring"]}, 0.5),
        ("yes ", {"exact": "yes"}, 1.0),
        ("Yes", {"exact": "yes"}, 0.0),
        ("It costs $1,058.78.", {"number": 1058.78}, 1.0),
        ("about 59", {"number": 58.78}, 0.0),
        ("about 59", {"number": 58.78, "within": 0.5}, 1.0),
        ("none", {"number": 0}, 0.0),
    ],
)
def test_answers_in_words(text: str, expected: dict[str, Any], score: float) -> None:
    assert list(scores(Answer(text), **expected).values()) == [score]


def test_facts_files_and_requests() -> None:
    answer = Answer(
        facts={"price": "7.0", "name": " Ada "}, files=["invoice-1.pdf"], sent=["POST /b", "POST /a"]
    )
    assert scores(answer, facts={"price": 7, "name": "Ada", "more": 1})["facts"] == pytest.approx(2 / 3)
    assert scores(answer, file="*.pdf", sends=["POST /a", "POST /b"]) == {"file": 1.0, "sends": 1.0}
    assert scores(answer, file="*.csv", sends=[]) == {"file": 0.0, "sends": 0.0}


def test_rows_count_whatever_their_order_and_cells_by_value() -> None:
    frame = pd.DataFrame({"Price": ["7", "19.50", None], "NAME ": ["Ben", "Ada", "Cleo"]})
    assert {name: each.f1 for name, each in frame_agreement(frame, ROWS).items()} == dict.fromkeys(
        ("columns", "rows", "cells"), 1.0
    )


def test_missing_wrong_and_more_cells_lower_what_they_should() -> None:
    frame = pd.DataFrame({"name": ["Ada", "Ben", "Zoe", "Zoe"], "price": [19.5, 8, 1, 2], "more": 0})
    found = frame_agreement(frame, ROWS)
    assert (found["columns"].precision, found["columns"].recall) == (pytest.approx(2 / 3), 1.0)
    assert (found["rows"].precision, found["rows"].recall) == (1 / 4, pytest.approx(1 / 3))
    assert (found["cells"].precision, found["cells"].recall) == (3 / 8, 1 / 2)


def test_a_row_is_matched_once() -> None:
    frame = pd.DataFrame({"name": ["Ada", "Ada"]})
    assert frame_agreement(frame, [{"name": "Ada"}])["rows"].precision == 1 / 2
    assert frame_agreement(frame.head(1), [{"name": "Ada"}] * 2)["rows"].recall == 1 / 2


@pytest.mark.parametrize("frame", [None, pd.DataFrame(), pd.DataFrame({"other": [1]})])
def test_nothing_read_is_no_agreement(frame: pd.DataFrame | None) -> None:
    assert frame_agreement(frame, ROWS)["cells"].f1 == 0.0


@given(
    st.lists(st.tuples(st.text(max_size=5), st.one_of(st.none(), st.integers(), st.floats(allow_nan=False))))
)
@example([("NAN", None), ("inf", 1.0)])
def test_a_frame_agrees_wholly_with_its_own_rows(rows: list[tuple[Any, ...]]) -> None:
    data = [{"a": first, "b": second} for first, second in rows]
    frame = pd.DataFrame(data, columns=["a", "b"], dtype=object).sample(frac=1, random_state=1)
    found = frame_agreement(frame, data)
    assert all(0 <= each.f1 <= 1 for each in found.values())
    assert not data or found["cells"].f1 == 1.0


def test_numbers_and_values() -> None:
    assert numbers_in("1,234.50 of -7 in 2026") == [1234.5, -7.0, 2026.0]
    assert same("7.0", 7)
    assert not same(True, "yes")
    assert not same(None, 0)


CALLS = [
    {"tool": "fill", "args": {"target": "textbox 'A'", "value": "x"}},
    {"tool": "read", "args": {}},
    {"tool": "click", "args": {"target": "button 'Go'"}},
]


def test_a_trajectory_is_followed_in_order_with_other_calls_between() -> None:
    answer = Answer(calls=CALLS)
    in_order = [{"tool": "fill", "args": {"value": "x"}}, {"tool": "click"}]
    assert scores(answer, trajectory=in_order) == {"trajectory": 1.0}
    assert scores(answer, trajectory=in_order[::-1])["trajectory"] == 0.5


@pytest.mark.parametrize(("mode", "score"), [("superset", 1.0), ("strict", 0.0), ("subset", 0.0)])
def test_openevals_compares_trajectories(mode: Any, score: float) -> None:
    (task,) = load_tasks(
        {"name": "a", "goal": "x", "start": {"site": "shop"}, "expected": {"trajectory": [{"tool": "click"}]}}
    )
    compare = trajectory(mode, args="ignore")
    assert compare(task, Answer(calls=CALLS)) == score

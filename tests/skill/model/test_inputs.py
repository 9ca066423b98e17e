from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skillbook.errors import InvalidInput, MissingInput
from skillbook.policy.secrets import Secret
from skillbook.skill.model.inputs import (
    bind_inputs,
    call_text,
    insert_button,
    local_origin,
    merge_inputs,
    named_model,
)
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput

SPEC = SkillSpec(
    name="shop",
    description="x",
    inputs=[
        SkillInput(name="query"),
        SkillInput(name="pages", type="int", default=2),
        SkillInput(name="price", type="float", default=1.5),
        SkillInput(name="gift", type="bool", default=False),
        SkillInput(name="size", choices=["S", "M"], default="M"),
        SkillInput(name="remark", required=False),
        SkillInput(name="site", default="http://127.0.0.1:1", from_page="origin"),
    ],
)


def test_defaults_fill_in() -> None:
    assert bind_inputs(SPEC, {"query": "lamp"}, "https://shop.example/x") == {
        "query": "lamp", "pages": 2, "price": 1.5, "gift": False, "size": "M", "remark": "", "site": "http://127.0.0.1:1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("query", 5, "5"), ("pages", "3", 3), ("pages", 3.0, 3), ("pages", np.int64(4), 4), ("price", 2, 2.0),
        ("price", "2.5", 2.5), ("price", np.float64(2.5), 2.5), ("gift", "yes", True), ("gift", np.bool_(True), True),
        ("size", "S", "S"), ("query", Secret("pw"), "${secret:pw}"),
    ],
)  # fmt: skip
def test_values_are_converted(name: str, given: Any, value: Any) -> None:
    found = bind_inputs(SPEC, {"query": "x", name: given})[name]
    assert found == value
    assert type(found) is type(value) or isinstance(found, str)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pages", "many"), ("pages", 2.5), ("pages", True), ("price", "nan"), ("price", float("inf")),
        ("gift", "maybe"), ("gift", 1), ("size", "XL"), ("query", ["a"]), ("query", True),
        ("query", "${secret:pw}"), ("colour", "red"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_list(name: str, given: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        bind_inputs(SPEC, {"query": "x", name: given})
    assert name in caught.value.message
    assert caught.value.hint


def test_missing_ones_are_named_with_the_list() -> None:
    with pytest.raises(MissingInput, match="'query'") as caught:
        bind_inputs(SPEC, {})
    assert "pages: int = 2" in caught.value.hint


def test_a_local_pages_origin_is_taken() -> None:
    assert bind_inputs(SPEC, {"query": "x"}, "http://127.0.0.1:8123/a?b")["site"] == "http://127.0.0.1:8123"
    given = {"query": "x", "site": "http://localhost:5"}
    assert bind_inputs(SPEC, given, "http://127.0.0.1:8123/")["site"] == "http://localhost:5"


@pytest.mark.parametrize(
    "url", ["https://example.com/", "about:blank", "http://127.0.0.1.evil.test/", "file:///x", ""]
)
def test_other_pages_are_not_local(url: str) -> None:
    assert local_origin(url) == ""


@pytest.mark.parametrize("name", ["page", "model", "start", "1a", "a-b", ""])
def test_names_that_run_could_not_take_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        SkillInput(name=name)


@pytest.mark.parametrize("blank", [None, float("nan"), pd.NA, pd.NaT, np.float64("nan")], ids=repr)
@pytest.mark.parametrize("name", ["query", "pages", "remark", "gift"])
def test_a_default_is_only_for_an_input_that_is_left_out(name: str, blank: Any) -> None:
    with pytest.raises(InvalidInput, match=f"the input '{name}' is ") as refused:
        bind_inputs(SPEC, {"query": "x", name: blank})
    assert "empty='default'" in refused.value.hint
    kept = merge_inputs({"query": "x"}, {name: blank} if name != "query" else {}, "default")
    assert bind_inputs(SPEC, kept) == bind_inputs(SPEC, {"query": "x"})


def test_inputs_are_given_once_and_blanks_by_one_of_two_rules() -> None:
    with pytest.raises(InvalidInput, match="given twice: a"):
        merge_inputs({"a": 1}, {"a": 2})
    with pytest.raises(InvalidInput, match="no rule for blank values"):
        merge_inputs({}, {}, "drop")  # type: ignore[arg-type]


def test_only_the_page_stands_without_its_name() -> None:
    with pytest.raises(TypeError, match=r"run\(page, query='chair'\)"):
        named_model("shop", SPEC.inputs, ["chair"], None)
    model = SimpleNamespace(invoke=lambda: None)
    with pytest.warns(FutureWarning, match="by name"):
        assert named_model("shop", SPEC.inputs, [model], None) is model


def test_inputs_stand_with_their_values_or_wait_for_one_and_the_page_gives_its_own() -> None:
    inputs = [
        SkillInput(name="site", default="http://127.0.0.1:8000", from_page="origin"),
        SkillInput(name="query"),
        SkillInput(name="order", choices=["price", "name"]),
        SkillInput(name="most", type="int", default=5),
        SkillInput(name="note", required=False),
    ]
    call = call_text("search", inputs)
    assert call == "sb.load_skill('search').run(page, query=..., order='price', most=5)"
    ast.parse(call)


def test_markup_in_a_default_stays_text() -> None:
    button = insert_button("search", [SkillInput(name="query", default='"><script>alert(1)</script>')])
    assert "<script>" not in button
    assert button.count('"') == 10

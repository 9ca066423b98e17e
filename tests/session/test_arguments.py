"""What a caller gives is checked before anything is looked for."""

from __future__ import annotations

import datetime
import inspect
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from skillbook.errors import InvalidParams
from skillbook.policy.secrets import Secret
from skillbook.protocol.commands import COMMANDS
from skillbook.session import aio
from skillbook.session.action import validated
from skillbook.session.arguments import checked_seconds, checked_word, typed_text
from tests.session.rig import Rig

TYPED = [
    ("lamp", "lamp"),
    (5, "5"),
    (2.5, "2.5"),
    (np.int64(7), "7"),
    (np.float32(0.5), "0.5"),
    (Secret("a"), "${secret:a}"),
]
BLANK = [None, float("nan"), pd.NA, pd.NaT]
REFUSED = [*BLANK, float("inf"), True, np.bool_(True), [], b"x", Decimal(1), datetime.date(2026, 1, 2)]


@pytest.mark.parametrize(("value", "typed"), TYPED)
def test_texts_finite_numbers_and_secrets_are_typed(value: object, typed: str) -> None:
    assert typed_text(value, "value") == typed


@pytest.mark.parametrize("value", REFUSED, ids=repr)
def test_everything_else_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidParams, match=r"^quantity is ") as refused:
        typed_text(value, "quantity")
    assert refused.value.data["field"] == "quantity"


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "5"])
def test_seconds_are_a_finite_number_from_0(seconds: object) -> None:
    with pytest.raises(InvalidParams, match="a number of seconds is wanted"):
        checked_seconds(seconds)


def test_milliseconds_are_suspected_above_ten_minutes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (checked_seconds(None), checked_seconds(0), checked_seconds(600)) == (None, 0, 600)
    with pytest.warns(UserWarning, match=r"seconds, not milliseconds\?") as caught:
        assert checked_seconds(5000) == 5000
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", ["Page", "Element", "Browser"])
def test_every_timeout_is_checked(name: str) -> None:
    """By the one function: in the method itself, or in the one that it calls."""
    for method in vars(aio).get(name).__dict__.values():  # type: ignore[union-attr]
        if inspect.iscoroutinefunction(method) and "timeout" in inspect.signature(method).parameters:
            source = inspect.getsource(method)
            assert "checked_seconds(" in source or "_act(" in source or "self.page." in source, method


def test_what_comes_first_and_the_message_says_the_order() -> None:
    with pytest.raises(InvalidParams, match=r"page.is_ knows no .*the order is page.is_\(what, target\)"):
        checked_word("page.is_", "button 'Search'", {"visible"})
    with pytest.raises(InvalidParams) as refused:
        checked_word("page.is_", "visibel", {"visible", "hidden"})
    assert "'visible'" in refused.value.hint


def test_a_message_names_the_method_of_python_and_what_others_call_it() -> None:
    with pytest.raises(InvalidParams, match=r"^browser.open: wait='domcontentloaded'") as refused:
        validated("tabs_open", COMMANDS["tabs_open"].params, {"url": "u", "wait": "domcontentloaded"})
    assert refused.value.hint == "wait='dom'"


async def test_nothing_is_sent_for_an_argument_that_does_not_fit(rig: Rig) -> None:
    page = aio.Browser(rig.driver)._page(await rig.open())
    before = len(rig.extension.requests)
    with pytest.raises(InvalidParams, match="value is nan"):
        await page.fill("textbox 'Name'", float("nan"))
    with pytest.raises(InvalidParams, match=r"the order is page.is_\(what, target\)"):
        await page.is_("button 'Save'", "visible")
    with pytest.raises(InvalidParams, match=r"the order is page.get\(what, target\)"):
        await page.get("e1", "text")
    with pytest.raises(InvalidParams, match="timeout=-1"):
        await page.click("button 'Save'", timeout=-1)
    assert len(rig.extension.requests) == before

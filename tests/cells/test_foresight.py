"""What a cell's text says of what it is going to do, and what it doesn't."""

from __future__ import annotations

import pytest

from skillbook.cells.foresight import foresee

DEFINED = "def go(row):\n    page.click(row)\n    return 1"


@pytest.mark.parametrize(
    ("earlier", "code", "named"),
    [
        ([DEFINED], "go('e1')", "go (line 1) may click row"),
        ([DEFINED], "x = 1\nfor row in page.find('row'):\n    go(row)", "go (line 3) may click row"),
        ([DEFINED, "also = {'go': go}"], "also['go']('e1')", "also (line 1) may click row"),
        ([DEFINED, "handlers = []\nhandlers.append(go)"], "handlers[0]('e1')", "handlers (line 1)"),
        ([DEFINED, "def twice(row):\n    go(row)\n    go(row)"], "twice('e1')", "twice (line 1)"),
        ([DEFINED], "[go][0]('e1')", "go (line 1)"),
        (["send = lambda: page.click('e1')"], "send()", "send (line 1) may click e1"),
        (["press = page.click"], "press('e1')", "press (line 1) may click"),
        (
            ["class Robot:\n    def go(self):\n        page.click('e1')", "r = Robot()"],
            "r.go()",
            "r (line 1)",
        ),
        (
            ["def make():\n    return lambda: page.click('e1')", "f = make()"],
            "f()",
            "f (line 1) may click e1",
        ),
        (["s = sb\ndef run():\n    s.run_skill(page, 'login')"], "run()", "run (line 1) may run_skill login"),
    ],
)
def test_fault_70_code_of_earlier_cells_is_in_the_forecast_and_asks(
    earlier: list[str], code: str, named: str
) -> None:
    forecast = foresee(code, earlier)
    assert forecast.effect == "write"
    assert "code of earlier cells: " in forecast.text
    assert named in forecast.text
    assert forecast.covers(forecast.earlier[0].calls[0].method.tool)


@pytest.mark.parametrize(
    ("earlier", "code"),
    [
        (["def total(rows):\n    return sum(rows)"], "total([1])"),
        (["def lamps():\n    return page.find('row')"], "lamps()"),
        ([DEFINED, "count = go('e1')"], "count + 1"),
        ([DEFINED], "def go(row):\n    return row\ngo(1)"),
        (["rows = sb.extract(page)"], "[row for row in rows]"),
        (["page.click('e1')\ndone = True"], "done"),
    ],
)
def test_what_earlier_cells_only_computed_asks_nothing(earlier: list[str], code: str) -> None:
    forecast = foresee(code, earlier)
    assert forecast.earlier == ()
    assert forecast.effect in {"none", "read"}


@pytest.mark.parametrize(
    "code",
    [
        "{'a': page.click}['a']('e1')",
        "for act in (page.click, page.hover):\n    act('e1')",
        "press = page.click\npress('e1')",
        "print(key=page.click)",
    ],
)
def test_a_method_that_is_taken_as_a_value_is_a_call_of_it(code: str) -> None:
    forecast = foresee(code)
    assert forecast.effect == "write"
    assert "taken as a value, to be called later" in forecast.text


def test_the_library_by_another_name_is_in_the_forecast() -> None:
    assert "run_skill" in foresee("s = sb\ns.run_skill(page, 'login')").text


def test_a_secret_and_a_text_that_reads_like_one_are_told_apart() -> None:
    written, spelled = foresee(
        "page.fill('e1', '${secret:bank}')\npage.fill('e1', '${sec' 'ret:bank}')"
    ).calls
    assert written.args is not None
    assert spelled.args is not None
    assert written.args["value"] == "${secret:bank}"
    assert spelled.args["value"] == "${$}{secret:bank}"

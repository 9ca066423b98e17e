"""Workflows: forms from functions, runs with progress, errors that say what to try."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import InvalidInput, InvalidWorkflow, MissingInput, WorkflowNotFound
from skillbook.policy.secrets import Secret
from skillbook.serving.workflows.known_workflows import Workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.serving.workflows.workflow_result import Progress


async def snapshot() -> None:
    """A driver can take one; these workflows never look."""


PAGE: Any = SimpleNamespace(snapshot=snapshot, url="http://shop.test/", browser=SimpleNamespace(driver=None))


def stores(
    page: Any, *, city: str, most: int = 5, order: Literal["name", "size"] = "name", key: Secret | None = None
) -> pd.DataFrame:
    """Read a shop's branches.

    Parameters
    ----------
    city : str
        Where to
        look.
    most : int
        How many.
    """
    return pd.DataFrame({"city": [city] * most, "order": order})


STORES = Workflow("stores", stores)


def test_annotations_and_docstring_make_the_form() -> None:
    assert STORES.description == "Read a shop's branches."
    city, most, order, _ = STORES.inputs
    assert (city.required, city.description) == (True, "Where to look.")
    assert (most.kind, most.default) == ("int", 5)
    assert order.choices == ("name", "size")
    schema = STORES.schema
    assert schema["required"] == ["city"]
    assert schema["properties"]["order"]["enum"] == ["name", "size"]
    assert repr(STORES).startswith(
        "<Workflow stores(city: str, most: int = 5, order: 'name' | 'size' = 'name'"
    )


def test_texts_are_converted_as_a_form_gives_them() -> None:
    result = STORES.run(PAGE, {"city": "Bonn"}, most="2")
    assert result.frame["city"].tolist() == ["Bonn", "Bonn"]
    assert repr(result) == "<WorkflowResult stores: frame 2 × 2>"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({}, MissingInput, "needs a value for 'city'"),
        ({"city": "Bonn", "town": "Bonn"}, InvalidInput, "no input 'town'"),
        ({"city": None}, InvalidInput, "'city' is None"),
        ({"city": float("nan")}, InvalidInput, "'city' is nan"),
        ({"city": "Bonn", "most": "many"}, InvalidInput, "'most'"),
        ({"city": "Bonn", "order": "age"}, InvalidInput, "'order'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    given: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        STORES.run(PAGE, given)


def test_a_secret_input_takes_a_secret_only() -> None:
    def sign_in(page: Any, *, password: Secret) -> str:
        return type(password).__name__

    flow = Workflow("sign-in", sign_in)
    assert flow.inputs[0].kind == "secret"
    with pytest.raises(InvalidInput, match="is a secret"):
        flow.run(PAGE, password="hunter2")
    assert flow.run(PAGE, password=Secret("shop")).text == "Secret"


def reads(page: Any) -> Iterator[Any]:
    yield "opening"
    yield 1, 2
    yield {"rows": 3}
    yield 2, 2


async def awaits(page: Any) -> AsyncIterator[Any]:
    yield "opening"
    yield 1, 2
    yield {"rows": 3}
    yield 2, 2


@pytest.mark.parametrize("function", [reads, awaits])
def test_what_is_yielded_is_progress_until_a_result_comes(function: Any) -> None:
    seen: list[Progress] = []
    result = Workflow("reads", function).run(PAGE, on_progress=seen.append)
    assert (
        [str(each) for each in seen] == ["opening", "1 of 2", "2 of 2"] == [str(p) for p in result.progress]
    )
    assert result.facts == {"rows": 3}


async def test_an_async_function_gets_an_awaitable_page_and_a_plain_one_a_plain_page() -> None:
    async def kind(page: Any) -> str:
        return type(page).__module__

    def plain(page: Any) -> str:
        return type(page).__module__

    assert "aio" in (await Workflow("a", kind).arun(PAGE)).text
    assert "aio" in Workflow("a", kind).run(PAGE).text, "also from a cell, where a loop is running"
    assert "sync" in (await Workflow("b", plain).arun(PAGE)).text


def test_an_error_is_raised_or_kept() -> None:
    def fails(page: Any) -> None:
        raise ValueError("no shop today")

    flow = Workflow("fails", fails)
    with pytest.raises(ValueError, match="no shop today"):
        flow.run(PAGE)
    result = flow.run(PAGE, raise_on_error=False)
    assert not result.ok
    assert repr(result) == "<WorkflowResult fails failed: ValueError: no shop today>"


def test_files_text_and_rows_are_told_apart(tmp_path: Path) -> None:
    def gives(page: Any, *, what: str) -> Any:
        return {"files": [tmp_path / "a.csv"], "text": "done", "facts": {"a": 1}}[what]

    flow = Workflow("gives", gives)
    assert flow.run(PAGE, what="files").files == [tmp_path / "a.csv"]
    assert flow.run(PAGE, what="files").text == ""
    assert flow.run(PAGE, what="text").text == "done"
    assert flow.run(PAGE, what="facts").facts == {"a": 1}


def no_page() -> None: ...


def many(page: Any, **more: str) -> None: ...


def taken(page: Any, *, inputs: str) -> None: ...


@pytest.mark.parametrize("function", [no_page, many, taken])
def test_a_function_that_no_form_fits_is_refused_where_it_is_written(function: Any) -> None:
    with pytest.raises(InvalidWorkflow):
        Workflow("odd", function)


def test_the_decorator_names_and_keeps_the_function() -> None:
    @sb.workflow
    def read_stores(page: Any) -> str:
        return "called"

    assert sb.workflows["read-stores"] is read_stores
    assert read_stores(PAGE) == "called"
    assert "copilot" in sb.workflows
    assert "read-stores" in repr(sb.workflows)


FLOW = """import skillbook as sb
@sb.workflow("from-file")
def from_file(page, *, n: int = 2):
    "Count."
    return {"n": n}
"""


def test_workflows_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "flows.py"
    path.write_text(FLOW)
    assert sb.workflows.load(path) == ["from-file"]
    assert sb.workflows["from-file"].run(PAGE, n="3").facts == {"n": 3}
    (tmp_path / "none.py").write_text("x = 1")
    for wrong in (tmp_path / "none.py", tmp_path / "missing.py", "no_such_module_at_all"):
        with pytest.raises(WorkflowNotFound):
            sb.workflows.load(wrong)


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(WorkflowNotFound, match="nowhere") as caught:
        Workflows(STORES)["nowhere"]
    assert caught.value.hint == "there are: stores"

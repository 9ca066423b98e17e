"""What is written of the table of commands: methods, with docstrings."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from pydantic import Field

from skillbook.protocol import methods
from skillbook.protocol.commands.act import ActionOutcome
from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.docstrings import Doc, render, type_words
from skillbook.protocol.methods import element_methods, page_commands, with_docs
from skillbook.protocol.model import Ref, WireModel


class PaintParams(WireModel):
    ref: Ref
    colour: str = Field(description="The new colour.")
    layers: list[int] = Field([], description="Which layers.")


PAINT = Command(
    name="paint",
    params=PaintParams,
    result=ActionOutcome,
    effect=Effect.WRITE,
    description="Paint an element.",
    doc="""
    The paint dries at once.

    :param target: What to paint.
    :raises NotActionable: There is no paint
        left.

    >>> page.paint("img", "red")
    """,
    text_param="colour",
)


def test_a_command_that_nobody_wrote_by_hand_is_a_method() -> None:
    source = page_commands([], [PAINT])
    assert (
        "\n".join(source.split("async def paint")[1].splitlines())
        == """\
(
        self,
        target: Target,
        colour: str | float,
        *,
        layers: Sequence[int] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        \"""Paint an element.

        The paint dries at once.

        Parameters
        ----------
        target : str, Element or Node
            What to paint.
        colour : str or float
            A text, a finite number, or what `sb.secret("name")` returned.
        layers : sequence of int
            Which layers.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        InvalidParams
            There is nothing to type, as for None, nan or a date.
        NotActionable
            There is no paint left.

        Examples
        --------
        >>> page.paint("img", "red")  # doctest: +SKIP
        \"""
        return await self._act("paint", target, colour=typed_text(colour, "colour"), layers=list(layers), \
timeout=timeout)"""
    )
    assert "paint" not in page_commands(["class PageX:\n    async def paint(self) -> None: ..."], [PAINT])


def test_a_method_with_a_target_is_one_of_elements_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(methods._BY_METHOD, "page.paint", PAINT)
    page = page_commands([], [PAINT])
    source = element_methods("class Element: ...", [page])
    (paint,) = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AsyncFunctionDef)]
    assert ast.unparse(paint.args) == (
        "self, colour: str | float, *, layers: Sequence[int]=(), timeout: float | None=None"
    )
    assert "return await self.page.paint(self, colour, layers=layers, timeout=timeout)" in source
    assert "target" not in (ast.get_docstring(paint) or "").split("Parameters")[1].split("timeout")[0]
    assert "paint" not in element_methods("class Element:\n    async def paint(self) -> None: ...", [page])


def _first(source: str) -> ast.FunctionDef:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    return function


def test_what_nobody_knows_of_a_parameter_or_a_result_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is known of its parameter x"):
        render(Doc("Do it."), _first("def f(x: int) -> None: ..."), "")
    with pytest.raises(ValueError, match="nothing says what it returns"):
        render(Doc("Do it."), _first("def f() -> int: ..."), "")


def test_what_a_module_says_of_a_parameter_once_holds_for_its_other_functions() -> None:
    source = (
        'def f(x: int) -> None:\n    """F.\n\n    :param x: The x."""\n\ndef g(x: int) -> None:\n    """G."""'
    )
    assert with_docs(source).count("x : int\n        The x.") == 2


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ("int", "int"),
        ("str | None", "str or None"),
        ("str | PathLike[str]", "str or path"),
        ("Sequence[str | int]", "sequence of str or int"),
        ("dict[str, Any]", "dict"),
        ("Literal['a', 'b']", '{"a", "b"}'),
        ("tuple[float, float]", "tuple of float"),
        ("Target", "str, Element or Node"),
    ],
)
def test_a_type_in_words(annotation: str, words: Any) -> None:
    assert type_words(annotation) == words

"""What a cell is going to do, as far as its text says: which calls, on which lines, how often. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.cells.crossing import CellSecret
from skillbook.cells.parsed_code import Fault, parsed
from skillbook.cells.surface import Method, page_methods, sb_methods
from skillbook.cells.written_secrets import as_tool_args, find_secrets, typed_args
from skillbook.errors import InvalidCell

MOST_CHARACTERS = 20_000
_SHOWN = 6
_REPEATS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_UNKNOWN = object()
_OFTEN = {"function": "in a function", "value": "taken as a value, to be called later"}


@dataclass(frozen=True)
class EarlierCode:
    """A name in a cell that may run code of an earlier one, which this cell's text doesn't show.

    line: where the cell says it first.
    """

    name: str
    line: int
    calls: tuple[ForeseenCall, ...]

    @property
    def words(self) -> str:
        """What it may do, in a few words."""
        steps = dict.fromkeys(f"{call.method.tool} {call.target}".strip() for call in self.calls)
        more = f" and {len(steps) - _SHOWN} more" if len(steps) > _SHOWN else ""
        return f"{self.name} (line {self.line}) may {', '.join(list(steps)[:_SHOWN])}{more}"


@dataclass(frozen=True)
class ForeseenCall:
    """One place in a cell that calls the page.

    args: the tool's arguments, where all of them are written out; else None.
    target: what it acts on in words, or as the code writes it.
    repeats: `loop`, `function` (as often as it is called), `value` (it is named and not called), or empty.
    verdict: what the policy says of it now; empty where it can't be known yet.
    elsewhere: whether it may be a call of another tab than the one that the cell begins in.
    """

    line: int
    column: int
    end_column: int
    method: Method
    args: dict[str, Any] | None
    target: str = ""
    repeats: str = ""
    verdict: str = ""
    elsewhere: bool = False

    @property
    def words(self) -> str:
        """The call in a few words."""
        also = ", ".join(filter(None, [f"line {self.line}", _OFTEN.get(self.repeats, self.repeats)]))
        verdict = f"; {self.verdict}" if self.verdict else ""
        return f"{' '.join(filter(None, [self.method.tool, self.target]))} ({also}{verdict})"


@dataclass(frozen=True)
class Forecast:
    """What a cell is going to do.

    calls: every place that calls the page, in the order of the text.
    names: variables and functions that it makes.
    """

    calls: tuple[ForeseenCall, ...] = ()
    names: tuple[str, ...] = field(default=())
    earlier: tuple[EarlierCode, ...] = ()

    @property
    def writes(self) -> tuple[ForeseenCall, ...]:
        """The calls that may change something."""
        return tuple(call for call in self.calls if call.method.effect != "read")

    @property
    def effect(self) -> str:
        """`none` where it calls nothing, else `read` or `write`."""
        return "write" if self.writes or self.earlier else "read" if self.calls else "none"

    @property
    def text(self) -> str:
        """One line for a person, such as "reads; 1 write: click button 'Save' (line 3)"."""
        reads, writes = len(self.calls) - len(self.writes), self.writes
        parts = ["reads"] if reads else []
        if writes:
            more = f" and {len(writes) - _SHOWN} more" if len(writes) > _SHOWN else ""
            listed = ", ".join(call.words for call in writes[:_SHOWN])
            parts.append(f"{len(writes)} write{'s' * (len(writes) > 1)}: {listed}{more}")
        if any(call.repeats for call in self.calls) and not any(call.repeats for call in writes):
            parts.append("loop")
        if self.earlier:
            parts.append(f"code of earlier cells: {', '.join(each.words for each in self.earlier)}")
        return "; ".join(parts) or "only computes"

    def covers(self, tool: str) -> bool:
        """Whether who approves the cell approves a call of a tool: a foreseen one, or a read.

        Attributes, and reads of a page by another name, can't be foreseen.
        """
        reads = (method.tool for method in page_methods().values() if method.effect == "read")
        shown = [*self.calls, *(call for each in self.earlier for call in each.calls)]
        return any(call.method.tool == tool for call in shown) or tool in reads

    def before_writes(self) -> Iterator[ForeseenCall]:
        """The calls before which nothing changes: what they name has to be there when the cell begins."""
        for call in self.calls:
            if call.repeats not in _OFTEN:
                yield call
            if call.method.effect != "read" or call.method.name == "wait_for":
                return

    def with_verdicts(self, verdicts: Mapping[int, ForeseenCall]) -> Forecast:
        """The same with what is known of some calls by their place."""
        return replace(self, calls=tuple(verdicts.get(at, call) for at, call in enumerate(self.calls)))


def foresee(code: str, earlier: Sequence[str] = ()) -> Forecast:
    """Read a cell's text.

    earlier: the code of the cells that ran before it, whose functions it may call.
    Raises InvalidCell: it is no Python, or too long to be looked at.
    """
    if len(code) > MOST_CHARACTERS:
        raise InvalidCell(f"The cell has {len(code):,} characters; at most {MOST_CHARACTERS:,} are run.")
    if not code.strip():
        raise InvalidCell("The cell is empty.")
    try:
        tree = parsed(code)
        calls = sorted(_calls(tree, _Text.of(tree, code), ""), key=lambda call: (call.line, call.column))
        if any(isinstance(node, ast.Name) and node.id == "page" and _stores(node) for node in ast.walk(tree)):
            calls = [replace(call, elsewhere=True) for call in calls]
        used = tuple(_earlier_code(tree, earlier))
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        raise InvalidCell(
            Fault(line, column, line, error.end_offset or column, error.msg).shown(code)
        ) from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise InvalidCell(f"The cell can't be read: {error}") from None
    return Forecast(tuple(calls), tuple(dict.fromkeys(_names(tree))), used)


@dataclass(frozen=True)
class _Text:
    """A cell's text, and its secrets by the ids of their nodes."""

    code: str
    secrets: Mapping[int, str]

    @staticmethod
    def of(tree: ast.AST, code: str) -> _Text:
        return _Text(code, {id(each.node): each.name for each in find_secrets(tree, code)})


@dataclass(frozen=True)
class _Kept:
    """What a name of an earlier cell may run, and whether calling it gives code again."""

    calls: tuple[ForeseenCall, ...]
    gives_code: bool = True


def _earlier_code(tree: ast.Module, earlier: Sequence[str]) -> Iterator[EarlierCode]:
    """The names in a cell by which it may run writing code of the cells before."""
    known: dict[str, _Kept] = {}
    for code in earlier:
        before = parsed(code)
        text = _Text.of(before, code)
        for statement in before.body:
            known.update(_kept_by(statement, text, known))
    here = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    first: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in known.keys() - here:
            first[node.id] = min(node.lineno, first.get(node.id, node.lineno))
    for name, line in sorted(first.items(), key=lambda pair: pair[1]):
        yield EarlierCode(name, line, known[name].calls)


def _kept_by(statement: ast.stmt, text: _Text, known: Mapping[str, _Kept]) -> dict[str, _Kept]:
    """The names that may run writing code after a statement of an earlier cell."""
    within = ast.Module([statement], [])
    calls = [
        call for call in _calls(within, text, "") if call.repeats in _OFTEN and call.method.effect != "read"
    ]
    functions = [node for node in ast.walk(statement) if isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    results = {id(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(statement):
        kept = known.get(node.id) if isinstance(node, ast.Name) else None
        if kept is not None and (id(node) in inside or id(node) not in results or kept.gives_code):
            calls += kept.calls
    if not calls:
        return {}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        gives = isinstance(statement, ast.ClassDef) or len(functions) > 1
        return {statement.name: _Kept(tuple(calls), gives)}
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {"page", "sb"}
    return {name: _Kept(tuple(calls)) for name in names if name not in known}


def _calls(node: ast.AST, text: _Text, repeats: str) -> Iterator[ForeseenCall]:
    """Every method of the page that is named, called or not: what is taken as a value may be called later."""
    called = node.func if isinstance(node, ast.Call) else None
    for child in ast.iter_child_nodes(node):
        inner = (
            "function"
            if isinstance(child, _FUNCTIONS)
            else repeats or ("loop" if isinstance(child, _REPEATS) else "")
        )
        if isinstance(child, ast.Attribute) and (method := _method(child)) is not None:
            call = node if child is called else None
            often = "value" if call is None else inner
            yield _foreseen(child, call if isinstance(call, ast.Call) else None, method, text, often)
        yield from _calls(child, text, inner)


def _method(node: ast.Attribute) -> Method | None:
    owner = node.value.id if isinstance(node.value, ast.Name) else ""
    if owner == "sb":
        return sb_methods().get(node.attr)
    method = page_methods().get(node.attr) or (sb_methods().get(node.attr) if owner != "page" else None)
    # Both may have another name; a read of one is not worth mistaking every `dict.get` for it.
    return method if method is not None and (owner == "page" or method.effect != "read") else None


def _foreseen(
    node: ast.Attribute, call: ast.Call | None, method: Method, text: _Text, repeats: str
) -> ForeseenCall:
    place = call or node
    end = (place.end_col_offset or 0) + 1 if place.end_lineno == place.lineno else place.col_offset + 2
    line = text.code.split("\n")[place.lineno - 1].encode()
    column = len(line[: place.col_offset].decode(errors="ignore")) + 1
    end = len(line[: end - 1].decode(errors="ignore")) + 1
    args = _literal_args(call, method, text) if call is not None else None
    named = [args.get(each) for each in ("target", "url", "key", "name")] if args is not None else []
    shown = next(filter(None, named), None)
    given = call.args[method.owner == "sb" :] if call is not None else []
    if shown is None and given:
        shown = ast.unparse(given[0])
    on = (call.args[0] if call is not None and call.args else None) if method.owner == "sb" else node.value
    elsewhere = not (isinstance(on, ast.Name) and on.id == "page")
    return ForeseenCall(
        place.lineno, column, end, method, args, _short(str(shown or "")), repeats, elsewhere=elsewhere
    )


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _literal_args(call: ast.Call, method: Method, text: _Text) -> dict[str, Any] | None:
    """A call's arguments where each is written out; None where one is computed or doesn't fit."""
    args = [_literal(each, text) for each in call.args]
    kwargs = {each.arg: _literal(each.value, text) for each in call.keywords if each.arg}
    if method.owner == "sb" and args:
        args[0] = "page"
    if _UNKNOWN in args or _UNKNOWN in kwargs.values() or len(kwargs) < len(call.keywords):
        return None
    try:
        return as_tool_args(method.tool, typed_args(method.tool, method.args(tuple(args), kwargs)))
    except TypeError:
        return None


def _literal(node: ast.expr, text: _Text) -> Any:
    if (secret := text.secrets.get(id(node))) is not None:
        return CellSecret(secret)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _names(tree: ast.Module) -> Iterator[str]:
    """The names that a cell leaves behind, in order."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
            continue
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Store)
                and node.id not in {"page", "sb"}
            ):
                yield node.id

"""Which keys of rows the text of cells writes, and from what: so a renamed column is known. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from skillbook.cells.parsed_code import parsed

_LOOKUPS = frozenset({"get", "pop"})
_MERGES = frozenset({"update", "dict"})

Pairs = list[tuple[str, ast.expr | None]]
"""Keys with what is written under them; None for what can't be followed."""


@dataclass
class WrittenKey:
    """What a run's cells write under one key.

    Attributes
    ----------
    olds : the keys that it is copied from as they are.
    apart : the dicts that it is copied from, if its row also has values of others.
    constants : what is written out.
    computed : whether anything else is written.
    """

    olds: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    constants: list[object] = field(default_factory=list)
    computed: bool = False


def written_keys(codes: Iterable[str]) -> dict[str, WrittenKey]:
    """The keys that cells write, with the keys that each is a copy of.

    Parameters
    ----------
    codes : the cells' texts; one that is no Python writes nothing.
    """
    found: dict[str, WrittenKey] = {}
    for number, code in enumerate(codes):
        try:
            tree = parsed(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for at, (pairs, bases) in enumerate(_writes(tree)):
            _note(found, pairs, bases, f"{number}.{at}")
    return _followed(found)


def _writes(tree: ast.AST) -> Iterator[tuple[Pairs, set[str]]]:
    """What is written together, and the other dicts that the same row has values of."""
    merged = {
        id(part)
        for node in ast.walk(tree)
        for part in (
            [*node.args] if isinstance(node, ast.Call) and _called(node) in _MERGES
            else [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
            else [node.value] if isinstance(node, ast.AugAssign)
            else []
        )
    }  # fmt: skip
    simple: set[int] = set()
    wishes = {
        id(each.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        for each in node.keywords
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "sb"
    }
    looped = {name for node in ast.walk(tree) for name in _looped(node)}
    for node in ast.walk(tree):
        if id(node) in wishes:
            continue
        if isinstance(node, ast.Dict):
            pairs: Pairs = [
                (str(key.value), value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
            spread = {
                ast.unparse(value) for key, value in zip(node.keys, node.values, strict=True) if key is None
            }
            yield pairs, spread | ({"?"} if id(node) in merged else set())
        elif isinstance(node, ast.DictComp):
            yield _each(looped, node.key, node.value), set()
        elif isinstance(node, ast.Call) and _called(node) in _MERGES:
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            others = [*owner, *node.args, *(each.value for each in node.keywords if each.arg is None)]
            pairs = [(each.arg, each.value) for each in node.keywords if each.arg is not None]
            yield pairs, {ast.unparse(each) for each in others}
        elif isinstance(node, ast.Call) and _called(node) == "setdefault" and len(node.args) > 1:
            if isinstance(node.args[0], ast.Constant):
                yield [(str(node.args[0].value), None)], set()
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Subscript) and node.value is not None:
                    simple.add(id(target))
                    where = {ast.unparse(target.value)}
                    if isinstance(target.slice, ast.Constant):
                        yield [(str(target.slice.value), node.value)], where
                    else:
                        yield _each(looped, target.slice, node.value), where
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and id(node) not in simple:
            key = node.slice
            yield [(str(key.value), None)] if isinstance(key, ast.Constant) else [], set()


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else function.id
        if isinstance(function, ast.Name)
        else ""
    )


def _looped(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that go over keys which are written out, each with each of these."""
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
        listed = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List | ast.Set) else []
        for each in listed:
            if isinstance(each, ast.Constant):
                yield node.target.id, str(each.value)


def _each(looped: set[tuple[str, str]], key: ast.expr, value: ast.expr) -> Pairs:
    """What is written under a key that a loop gives, unless it is what another row has under the same."""
    same = isinstance(value, ast.Subscript) and ast.dump(value.slice) == ast.dump(key)
    if not isinstance(key, ast.Name) or same:
        return []
    return [(name, None) for variable, name in sorted(looped) if variable == key.id]


def _note(found: dict[str, WrittenKey], pairs: Pairs, bases: set[str], place: str) -> None:
    copied = {key: copy for key, value in pairs if (copy := _copied(value)) is not None}
    together = bases | {base for _, base in copied.values()}
    for key, value in pairs:
        known = found.setdefault(key, WrittenKey())
        if key in copied:
            old, base = copied[key]
            known.olds.add(old)
            if len(together) > 1:
                known.apart.add(f"{place} {base}")
        elif isinstance(value, ast.Constant):
            known.constants.append(value.value)
        else:
            known.computed = True


def _copied(value: ast.expr | None) -> tuple[str, str] | None:
    """The key that a value is looked up by, and in what; None for any other value."""
    if isinstance(value, ast.Subscript):
        base, key = value.value, value.slice
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _LOOKUPS
        and len(value.args) == 1
    ):
        base, key = value.func.value, value.args[0]
    else:
        return None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value, ast.unparse(base)
    return None


def _followed(found: dict[str, WrittenKey]) -> dict[str, WrittenKey]:
    """Copies of copies: each key with all the keys that it can come from."""
    for known in found.values():
        todo = list(known.olds)
        while todo:
            behind = found.get(todo.pop())
            if behind is None:
                continue
            known.computed = known.computed or behind.computed
            known.constants += [each for each in behind.constants if each not in known.constants]
            new = behind.olds - known.olds
            known.olds |= new
            todo += sorted(new)
    return found

"""The public methods of pages and elements as source, from the command table and what is written by hand.

`session/by_hand` has what is more than one call of a command. Its docstrings, and `Command.doc`, are written as
`skillbook.protocol.docstrings` reads them, without what the table or `SHARED` knows.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from skillbook.protocol.commands import COMMANDS, Command, acts
from skillbook.protocol.docstrings import Doc, Function, arguments, either, quoted, render

SHARED: Mapping[str, str] = {
    "target": "The element.",
    "read_target": "The element, for which it waits 5 s.",
    "timeout": "Seconds it may take, 30 by default.",
    "target_timeout": "Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.",
    "typed": 'A text, a finite number, or what `sb.secret("name")` returned.',
    "not_typed": "There is nothing to type, as for None, nan or a date.",
    "ActionResult": "What the action changed.",
    "NavigationResult": "Where the page is now.",
}
"""What is said of parameters and results of many methods."""
_LINE = 110
_PAGE_HEAD = '''\
"""Methods of a page that are one call of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillbook.io_thread import io
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.arguments import checked_seconds, typed_text
from skillbook.session.page_driver import PageDriver


class PageCommands:
    """What one can do by one command."""

    driver: PageDriver

    async def _act(
        self, command: str, target: Target | None = None, *, timeout: float | None = None, **params: Any
    ) -> ActionResult:
        seconds = checked_seconds(timeout)
        return await io.wait(self.driver.act(command, target, timeout=seconds, lazy=True, **params))
'''
_ELEMENT_HEAD = '''\
"""Methods of an element: those of its page that take a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from skillbook.perception.nodes import Node
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_actions import PageActions


class ElementMethods:
    """What one can do with an element, as `Page` does it with a target."""

    page: PageActions
    node: Node

    @property
    def ref(self) -> str:
        """The element's ref."""
        return self.node.ref or ""
'''


def doc_of(command: Command) -> Doc:
    """What the table knows of a command's method."""
    doc = Doc.read(f"{command.description}\n\n{inspect.cleandoc(command.doc)}")
    params = {
        name: _with_values(info.annotation, info.description)
        for name, info in command.call_model.model_fields.items()
        if name not in command.ref_names and info.description
    }
    if command.text_param:
        params[command.text_param] = SHARED["typed"]
        doc = doc.over(Doc(raises={"InvalidParams": SHARED["not_typed"]}))
    named = SHARED["NavigationResult" if command.navigates else "ActionResult"]
    returns = named if acts(command) else ""
    return doc.over(Doc(params=params, returns=returns))


def _with_values(annotation: Any, words: str) -> str:
    """What a parameter is for, after the texts that it can be."""
    while (origin := get_origin(annotation)) is not None and origin is not Literal:
        inner = [part for part in get_args(annotation) if part is not NoneType]
        annotation = inner[0]
    values = [f'"{value}"' for value in get_args(annotation)]
    return words if not values or all(value in words for value in values) else f"{either(values)}. {words}"


def _shared(given: Mapping[str, Any]) -> Doc:
    """What is said of parameters that many methods have."""
    targeted, waits = "target" in given, "timeout" in given
    timeout = SHARED["target_timeout" if targeted else "timeout"]
    return Doc(params={"target": SHARED["target" if waits else "read_target"], "timeout": timeout})


def with_docs(source: str, pages: Iterable[str] = ()) -> str:
    """A module with whole docstrings, from one that is written by hand.

    pages: the modules of `Page`, where the module is that of `Element`.
    """
    lines = source.split("\n")
    known = {
        function.name: _for_element(doc)
        for page in pages
        for owner, function, doc in _methods(page)
        if _is_page(owner)
    }
    for _, function, doc in sorted(_methods(source, known), key=lambda each: each[1].lineno, reverse=True):
        first, has_doc = function.body[0], ast.get_docstring(function) is not None
        indent = " " * first.col_offset
        place = first.lineno - 1
        lines[place : first.end_lineno if has_doc else place] = [indent + render(doc, function, indent)]
    return "\n".join(lines)


def _methods(source: str, known: Mapping[str, Doc] | None = None) -> Iterator[tuple[str, Function, Doc]]:
    """The public functions of a module, each with its class and with all that is known of it.

    That is its own docstring, the table, what many methods have, and at last what the module's other functions say of
    parameters of the same names. Properties have docstrings of their own.
    """
    module = ast.parse(source)
    owners: list[tuple[str, ast.Module | ast.ClassDef]] = [("", module)]
    owners += [(node.name, node) for node in module.body if isinstance(node, ast.ClassDef)]
    found = [
        (owner, function, Doc.read(ast.get_docstring(function) or ""))
        for owner, node in owners
        for function in node.body
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and not function.name.startswith("_")
        and not function.decorator_list
    ]
    others = Doc()
    for _, _, doc in found:
        others = others.over(Doc(params=doc.params, types=doc.types))
    for owner, function, doc in found:
        side = "page" if _is_page(owner) else owner.lower()
        command = _BY_METHOD.get(f"{side}.{function.name}")
        whole = doc.over((known or {}).get(function.name, Doc()))
        whole = whole.over(doc_of(command)) if command is not None else whole
        yield owner, function, whole.over(_shared(arguments(function.args))).over(others)


def _is_page(owner: str) -> bool:
    """Whether a class is `Page` or a part of it."""
    return owner.startswith("Page")


def _for_element(doc: Doc) -> Doc:
    return replace(doc, text="", examples="")


def page_commands(sources: Iterable[str], commands: Iterable[Command] = COMMANDS.values()) -> str:
    """A module with the methods of those commands that no other one of `Page` is about."""
    by_hand = {
        function.name for source in sources for owner, function, _ in _methods(source) if _is_page(owner)
    }
    methods = [
        _command_method(command)
        for command in commands
        if command.scope == "page"
        and not command.internal
        and command.method.removeprefix("page.") not in by_hand
    ]
    return "\n".join([_PAGE_HEAD, *methods])


def _command_method(command: Command) -> str:
    """A method that makes one call."""
    given, starred, sent = ["self"], False, [f'"{command.name}"']
    for name, info in command.call_model.model_fields.items():
        kind, default = _written(info.annotation), _default(info)
        if name in command.ref_names:
            given.append(f"{name}: Target{' | None = None' if default else ''}")
            sent.insert(1 if name == "target" else len(sent), name if name == "target" else f"drop_on={name}")
            continue
        several = kind.startswith("list[")
        if several and not default:
            given.append(f"*{name}: {kind[5:-1]}")
            starred = True
        elif default and not starred:
            given.append("*")
            starred = True
        if default:
            given.append(f"{name}: {f'Sequence[{kind[5:-1]}] = ()' if several else f'{kind} = {default}'}")
        elif not several:
            given.append(f"{name}: {'str | float' if name == command.text_param else kind}")
        sent.append(f"{name}={_sent(command, name, several)}")
    if acts(command):
        given += [*([] if starred else ["*"]), "timeout: float | None = None"]
        call = f"return await self._act({', '.join([*sent, 'timeout=timeout'])})"
    else:
        value = '["value"]' if list(command.result.model_fields) == ["value"] else ""
        call = f"return (await io.wait(self.driver.read({', '.join([*sent, 'lazy=True'])}))){value}"
    returns = "ActionResult" if acts(command) else "Any"
    head = _head(command.method.removeprefix("page."), given, returns)
    return _with_body(head, call, doc_of(command).over(_ANSWER))


def _head(name: str, arguments: list[str], returns: str) -> str:
    line = f"    async def {name}({', '.join(arguments)}) -> {returns}:"
    if len(line) <= _LINE:
        return line
    rows = "".join(f"        {argument},\n" for argument in arguments)
    return f"    async def {name}(\n{rows}    ) -> {returns}:"


def _listed(args: ast.arguments) -> list[str]:
    """Arguments as source."""
    parts, named = ["self"], {arg.arg for arg in args.kwonlyargs}
    for name, (kind, default) in arguments(args).items():
        if name in named and "*" not in [part[0] for part in parts]:
            parts.append("*")
        parts.append(f"*{name}: {kind}" if default == "*" else f"{name}: {kind}{default and f' = {default}'}")
    return parts


def _sent(command: Command, name: str, several: bool) -> str:
    if several:
        return f"list({name})"
    return f'typed_text({name}, "{name}")' if name == command.text_param else name


def _with_body(head: str, call: str, doc: Doc) -> str:
    (function,) = ast.parse(textwrap.dedent(f"{head}\n        ...")).body
    assert isinstance(function, ast.AsyncFunctionDef)
    whole = doc.over(_shared(arguments(function.args)))
    return "\n".join([head, f"        {render(whole, function, ' ' * 8)}", f"        {call}", ""])


def _written(annotation: Any) -> str:
    """A type as source; texts of which there are few are texts."""
    if get_origin(annotation) in {Union, UnionType}:
        return " | ".join(_written(part) for part in get_args(annotation))
    if get_origin(annotation) is Literal:
        return "str"
    if get_origin(annotation) is not None:
        return f"{get_origin(annotation).__name__}[{', '.join(map(_written, get_args(annotation)))}]"
    return "None" if annotation is NoneType else str(getattr(annotation, "__name__", annotation))


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return ""
    return quoted(info.default)


def element_methods(element: str, pages: Iterable[str]) -> str:
    """A module with the methods of `Page` that take a target, without it, but for those that `Element` has itself."""
    by_hand = {node.name for node in ast.walk(ast.parse(element)) if isinstance(node, Function)}
    methods = [
        _element_method(function, _for_element(doc).over(_ANSWER))
        for source in pages
        for owner, function, doc in _methods(source)
        if _is_page(owner)
        and function.name not in by_hand
        and "target" in [arg.arg for arg in function.args.args]
    ]
    return "\n".join([_ELEMENT_HEAD, *methods])


def _element_method(function: Function, doc: Doc) -> str:
    args, passed = function.args, []
    for arg in args.args[1:]:
        passed.append("self" if arg.arg == "target" else arg.arg)
    passed += [f"*{args.vararg.arg}"] if args.vararg else []
    passed += [f"{arg.arg}={arg.arg}" for arg in args.kwonlyargs]
    place = [arg.arg for arg in args.args].index("target")
    after = len(args.args) - place
    if len(args.defaults) >= after:
        del args.defaults[len(args.defaults) - after]
    del args.args[place]
    assert function.returns is not None
    head = _head(function.name, _listed(args), ast.unparse(function.returns))
    return _with_body(head, f"return await self.page.{function.name}({', '.join(passed)})", doc)


_ANSWER = Doc(returns="What the browser answers.")
_BY_METHOD = {command.method: command for command in COMMANDS.values()}

"""A workflow: a function on a page that can be called by its name, with a form for its inputs."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from skillbook.errors import InvalidInput, InvalidWorkflow, MissingInput
from skillbook.io_thread import io
from skillbook.policy.secrets import Secret
from skillbook.serving.workflows.workflow_result import Progress, WorkflowResult
from skillbook.session.aio import Browser as AioBrowser
from skillbook.session.aio import Page as AioPage
from skillbook.session.page_driver import driver_of
from skillbook.session.stopping import is_part_of_work, next_step
from skillbook.session.sync import Browser, Page
from skillbook.skill.model.inputs import merge_inputs, refuse_blank

RESERVED = frozenset({"inputs", "on_progress", "raise_on_error"})
"""What `Workflow.run` takes itself."""


@dataclass(frozen=True)
class WorkflowInput:
    """One input of a workflow.

    kind: what it takes, in words, such as "str", "int" or "secret".
    default: the value where none is given; `inspect.Parameter.empty` where one has to be.
    choices: the only values it may have; empty for any.
    """

    name: str
    kind: str
    description: str = ""
    default: Any = inspect.Parameter.empty
    choices: tuple[Any, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a run needs it to be given."""
        return self.default is inspect.Parameter.empty

    def __str__(self) -> str:
        default = "" if self.required else f" = {self.default!r}"
        return f"{self.name}: {self.kind}{default}"


class WorkflowSignature:
    """What a workflow's function takes.

    function: its first parameter gets the page, the others are the inputs.
    Raises InvalidWorkflow: it takes no page, or takes inputs that nobody can name.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        doc = docstring_parser.parse(inspect.getdoc(function) or "")
        self.description = doc.short_description or ""
        self._described = {each.arg_name: " ".join((each.description or "").split()) for each in doc.params}
        parameters = [*inspect.signature(function).parameters.values()]
        page, rest = next(iter(parameters), None), parameters[1:]
        if page is None or page.kind not in {page.POSITIONAL_ONLY, page.POSITIONAL_OR_KEYWORD}:
            raise InvalidWorkflow(
                f"the workflow {name!r} takes no page",
                hint=f"def {function.__name__}(page, *, query: str): …",
            )
        for each in rest:
            if each.kind in {each.VAR_KEYWORD, each.VAR_POSITIONAL, each.POSITIONAL_ONLY}:
                raise InvalidWorkflow(
                    f"the workflow {name!r} takes {each}, which no form can ask for",
                    hint="give each input a name and a type",
                )
            if each.name in RESERVED:
                raise InvalidWorkflow(
                    f"{each.name!r} is a parameter of workflow.run()",
                    hint=f"name it {each.name + '_value'!r}",
                )
        self._parameters = rest
        try:
            self._hints: Mapping[str, Any] = {
                name: _without_none(hint)
                for name, hint in get_type_hints(function, include_extras=True).items()
            }
        except NameError as error:  # a name that only a type checker knows
            raise InvalidWorkflow(
                f"the workflow {name!r}: {error}", hint="import the types of its inputs at run time"
            ) from None

    @cached_property
    def inputs(self) -> tuple[WorkflowInput, ...]:
        """The inputs, in order."""
        return tuple(self._input(each) for each in self._parameters)

    def _input(self, parameter: inspect.Parameter) -> WorkflowInput:
        wanted = self._hints.get(parameter.name, str)
        choices = get_args(wanted) if get_origin(wanted) is Literal else ()
        if wanted is Secret:
            kind = "secret"
        elif choices:
            kind = " | ".join(map(repr, choices))
        else:
            kind = wanted.__name__ if isinstance(wanted, type) else str(wanted).replace("typing.", "")
        described = self._described.get(parameter.name, "")
        return WorkflowInput(parameter.name, kind, described, parameter.default, choices)

    @cached_property
    def model(self) -> type[BaseModel]:
        """A model of the inputs: it checks them, and its JSON schema is their form."""
        fields: dict[str, Any] = {}
        for each in self._parameters:
            default = ... if each.default is each.empty else each.default
            wanted = self._hints.get(each.name, str)
            about = self._described.get(each.name) or None
            if wanted is Secret:
                fields[each.name] = (
                    str,
                    Field(default, description=about, json_schema_extra={"secret": True}),
                )
            else:
                fields[each.name] = (wanted, Field(default, description=about))
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self.name} inputs", __config__=config, **fields)

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given inputs as the function takes them; texts such as "5" are converted.

        Raises MissingInput: required ones without value.
        Raises InvalidInput: unknown ones, blank ones, or values of another type.
        """
        known = {each.name: each for each in self.inputs}
        hint = f"its inputs are: {', '.join(map(str, self.inputs)) or 'none'}"
        if extra := sorted(given.keys() - known.keys()):
            raise InvalidInput(
                f"{self.name} has no input {', '.join(map(repr, extra))}", hint=hint, inputs=extra
            )
        if missing := [each.name for each in self.inputs if each.required and each.name not in given]:
            raise MissingInput(
                f"{self.name} needs a value for {', '.join(map(repr, missing))}", hint=hint, inputs=missing
            )
        left_out = [name for name, value in given.items() if value is None and known[name].default is None]
        given = {name: value for name, value in given.items() if name not in left_out}
        for name, value in given.items():
            refuse_blank(self.name, name, value)
            if known[name].kind == "secret" and not isinstance(value, Secret):
                raise InvalidInput(
                    f"{self.name}: the input {name!r} is a secret", hint="give sb.secret('name')", input=name
                )
        try:
            checked = self.model.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else ""
            raise InvalidInput(
                f"{self.name}: the input {name!r}: {first['msg'].lower()}, not {ascii(given.get(name))[:60]}",
                hint=hint,
                input=name,
            ) from None
        return {
            name: value if isinstance(value, Secret) else getattr(checked, name)
            for name, value in given.items()
        }


def _without_none(hint: Any) -> Any:
    """What an optional input takes where it is given; `Secret | None` takes a secret."""
    found = [each for each in get_args(hint) if each is not type(None)]
    optional = get_origin(hint) in {Union, UnionType} and len(found) == 1
    return found[0] if optional else hint


T = TypeVar("T")
Report = Callable[[Progress], object]


@dataclass
class Workflow:
    """A person's function on a page, callable by name; `@sb.workflow("name")` makes it.

    Its page calls are the person's own. What it hands to `sb.agent` or to a skill is judged as an agent's or a skill's.

    function: takes the page, and the inputs by name. It may be `async`, and may yield how far it is.
    """

    name: str
    function: Callable[..., Any]

    def __post_init__(self) -> None:
        self.signature  # noqa: B018 - a function that can't be a workflow is refused where it is written

    @cached_property
    def signature(self) -> WorkflowSignature:
        """What its function takes."""
        return WorkflowSignature(self.name, self.function)

    @property
    def description(self) -> str:
        """The first line of its docstring."""
        return self.signature.description

    @property
    def inputs(self) -> tuple[WorkflowInput, ...]:
        """Its inputs, with types, defaults and choices."""
        return self.signature.inputs

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its inputs."""
        return self.signature.model.model_json_schema()

    @property
    def is_async(self) -> bool:
        """Whether its function is awaited, so that it gets an awaitable page."""
        return inspect.iscoroutinefunction(self.function) or inspect.isasyncgenfunction(self.function)

    def __call__(self, page: Any, *args: Any, **inputs: Any) -> Any:
        """Call the function as it is written."""
        return self.function(page, *args, **inputs)

    def run(
        self,
        page: Page | AioPage,
        inputs: Mapping[str, Any] | None = None,
        *,
        on_progress: Report | None = None,
        raise_on_error: bool = True,
        **more: Any,
    ) -> WorkflowResult:
        """Run it on a page.

        Parameters
        ----------
        page : Page or AioPage
            The page; the function gets it as it needs it, awaitable or not.
        inputs : dict, optional
            The inputs by name, besides those that are given as keywords.
        on_progress : function, optional
            Called with each `Progress`.
        raise_on_error : bool
            Whether an error of the function is raised; else it is in `result.error`.
        **more
            The inputs.

        Returns
        -------
        WorkflowResult
            What it gave: `.frame`, `.facts`, `.text` or `.files`.

        Raises
        ------
        MissingInput
            A required input has no value.
        InvalidInput
            An input is unknown, blank or of another type.

        Examples
        --------
        >>> sb.workflows["stores"].run(page, city="Berlin")  # doctest: +SKIP
        """
        work = _Work(self, page, self.signature.bind(merge_inputs(inputs, more)), on_progress)
        return work.ended(_run_apart(work.run_async()) if self.is_async else work.run_sync(), raise_on_error)

    async def arun(
        self,
        page: Page | AioPage,
        inputs: Mapping[str, Any] | None = None,
        *,
        on_progress: Report | None = None,
        raise_on_error: bool = True,
        **more: Any,
    ) -> WorkflowResult:
        """Like `run`, awaitable; a function that isn't `async` runs on a thread of its own."""
        work = _Work(self, page, self.signature.bind(merge_inputs(inputs, more)), on_progress)
        if self.is_async:
            return work.ended(await work.run_async(), raise_on_error)
        return work.ended(await asyncio.to_thread(work.run_sync), raise_on_error)

    def __repr__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        about = f": {self.description}" if self.description else ""
        return f"<Workflow {self.name}({inputs}){about}>"


@dataclass
class _Work:
    """One run of a workflow."""

    workflow: Workflow
    page: Page | AioPage
    inputs: Mapping[str, Any]
    on_progress: Report | None
    result: WorkflowResult = field(init=False)

    def __post_init__(self) -> None:
        self.result = WorkflowResult(self.workflow.name)

    def run_sync(self) -> WorkflowResult:
        """Call a function that isn't awaited, to its end."""
        with _measured(self.result):
            made = self.workflow.function(_plain_page(self.page), **self.inputs)
            self.result.value = self._exhaust(made) if inspect.isgenerator(made) else made
        return self.result

    async def run_async(self) -> WorkflowResult:
        """Await a function to its end."""
        with _measured(self.result):
            made = self.workflow.function(_awaitable_page(self.page), **self.inputs)
            self.result.value = await (self._take_all(made) if inspect.isasyncgen(made) else _awaited(made))
        return self.result

    def _exhaust(self, made: Generator[Any, Any, Any]) -> Any:
        last = None
        try:
            while True:
                last = self._take(next(made), last)
                if is_part_of_work():
                    io.sync(next_step())
        except StopIteration as end:
            return last if end.value is None else end.value
        finally:
            made.close()

    async def _take_all(self, made: AsyncGenerator[Any, Any]) -> Any:
        last = None
        async with aclosing(made):
            async for yielded in made:
                last = self._take(yielded, last)
                if is_part_of_work():
                    await io.wait(next_step())
        return last

    def _take(self, yielded: Any, last: Any) -> Any:
        """Report progress; what is none is the result so far."""
        progress = Progress.of(yielded)
        if progress is None:
            return yielded
        self.result.progress.append(progress)
        if self.on_progress is not None:
            self.on_progress(progress)
        return last

    def ended(self, result: WorkflowResult, raise_on_error: bool) -> WorkflowResult:
        """The result; its error is raised if that is wanted."""
        if raise_on_error:
            result.raise_for_error()
        return result


@contextmanager
def _measured(result: WorkflowResult) -> Iterator[None]:
    """Measures a run and keeps its error; an interrupt goes through."""
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        result.error = error
    finally:
        result.elapsed_ms = (time.monotonic() - began) * 1000


def _plain_page(page: Page | AioPage) -> Page:
    return page if isinstance(page, Page) else Page(Browser(page.browser.driver), driver_of(page))


def _awaitable_page(page: Page | AioPage) -> AioPage:
    return page if isinstance(page, AioPage) else AioPage(AioBrowser(page.browser.driver), driver_of(page))


async def _awaited(made: Awaitable[T]) -> T:
    return await made


def _run_apart(coro: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also inside a running event loop, as a notebook's cell has one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coro)
    with ThreadPoolExecutor(1, thread_name_prefix="skillbook-workflow") as pool:
        loop = asyncio.new_event_loop()
        running = pool.submit(copy_context().run, partial(_run_on, loop, coro))
        try:
            return running.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(_cancel_all, loop)
            raise


def _run_on(loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, T]) -> T:
    try:
        return loop.run_until_complete(coro)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()

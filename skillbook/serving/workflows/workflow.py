"""A workflow: a function on a page that can be called by its name, with a form for its inputs."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

from skillbook.io_thread import io
from skillbook.serving.workflows.signature import WorkflowInput, WorkflowSignature
from skillbook.serving.workflows.workflow_result import Progress, WorkflowResult
from skillbook.session.aio import Browser as AioBrowser
from skillbook.session.aio import Page as AioPage
from skillbook.session.page_driver import driver_of
from skillbook.session.stopping import is_part_of_work, next_step
from skillbook.session.sync import Browser, Page
from skillbook.skill.model.inputs import merge_inputs

T = TypeVar("T")
Report = Callable[[Progress], object]


@dataclass
class Workflow:
    """A person's function on a page, callable by name; `@sb.workflow("name")` makes it.

    Its page calls are the person's own. What it hands to `sb.agent` or to a skill is judged as an agent's or a skill's.

    Parameters
    ----------
    name : by which it is called.
    function : takes the page, and the inputs by name. It may be `async`, and may yield how far it is.
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
        with _Clock(self.result):
            made = self.workflow.function(_plain_page(self.page), **self.inputs)
            self.result.value = self._exhaust(made) if inspect.isgenerator(made) else made
        return self.result

    async def run_async(self) -> WorkflowResult:
        """Await a function to its end."""
        with _Clock(self.result):
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


class _Clock:
    """Measures a run and keeps its error; an interrupt goes through."""

    def __init__(self, result: WorkflowResult) -> None:
        self._result = result

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._result.elapsed_ms = (time.monotonic() - self._began) * 1000
        if not isinstance(error, Exception):
            return False
        self._result.error = error
        return True


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

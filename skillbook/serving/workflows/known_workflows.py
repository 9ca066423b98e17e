"""The workflows of this kernel by name, and the files that they come from."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, overload

import pandas as pd

from skillbook.agents import Run, agent
from skillbook.agents.state.run_context import Autonomy
from skillbook.errors import InvalidWorkflow, WorkflowNotFound
from skillbook.exploration.exploring import explore
from skillbook.perception.escape import html_table, text_table
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Page
from skillbook.skill.model.spec_base import check_name
from skillbook.storage import expanded


def _reach_goal(
    page: Page, *, goal: str, model: str = "", autonomy: Literal["ask", "reads", "all"] = "ask"
) -> Iterator[str | Run]:
    """Reach a goal: by a saved skill, a built-in one, a model, or by exploring.

    model: a name such as openai:gpt-5-mini; without one it goes as far as skills and exploration lead.
    autonomy: Ask before every call, let reads pass, or let all pass; irreversible ones always ask.
    """
    run = start_copilot(page, goal, model, autonomy)
    run.start()
    yield f"{goal}: {run.status}"
    yield run


def start_copilot(page: Page, goal: str, model: Any, autonomy: Autonomy) -> Run:
    """The run that works on a goal, not yet started; see the workflow `copilot`."""
    return agent(page, goal, model=model or None, autonomy=autonomy)


copilot = Workflow("copilot", _reach_goal)


def _explore(page: Page, *, goal: str, max_pages: int = 40, max_depth: int = 3) -> pd.DataFrame:
    """Find a page of this site by links and controls that only read, in background tabs.

    goal: what the page is about, in its words, such as opening hours.
    """
    return explore(page, goal, max_pages=max_pages, max_depth=max_depth).frame


explore_site = Workflow("explore", _explore)


HEAD = ("name", "inputs", "description")
Function = Callable[..., Any]


class Workflows(Mapping[str, Workflow]):
    """The workflows that can be called by name: the kernel's own, `copilot` and `explore`."""

    def __init__(self, *known: Workflow) -> None:
        self._known = {each.name: each for each in known}

    def add(self, workflow: Workflow) -> None:
        """Make a workflow known; a former one of its name gives way.

        Parameters
        ----------
        workflow : Workflow
            The workflow.
        """
        self._known[workflow.name] = workflow

    def load(self, source: str | Path) -> list[str]:
        """Run a Python file or import a module that defines workflows.

        Parameters
        ----------
        source : str or Path
            A file such as `flows.py`, or a module such as `shop.flows`. It is a program: run only your own.

        Returns
        -------
        list of str
            The names of the workflows that it defined.

        Raises
        ------
        WorkflowNotFound
            There is no such file or module, or it defines none.
        """
        before = dict(self._known)
        path = expanded(source)
        if path.suffix == ".py" or path.exists():
            _run_file(path)
        else:
            try:
                importlib.import_module(str(source))
            except ModuleNotFoundError as error:
                raise WorkflowNotFound(
                    f"there is no file or module {str(source)!r}: {error}",
                    hint="give a file that ends in .py",
                ) from None
        found = [name for name, each in self._known.items() if before.get(name) is not each]
        if not found:
            raise WorkflowNotFound(
                f"{source} defines no workflow", hint='write `@sb.workflow("name")` over a function'
            )
        return found

    def __getitem__(self, name: str) -> Workflow:
        if name not in self._known:
            raise WorkflowNotFound(
                f"there is no workflow {name!r}", hint=f"there are: {', '.join(self)}", name=name
            )
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def rows(self) -> list[tuple[str, str, str]]:
        """Name, inputs and description of each."""
        return [
            (each.name, ", ".join(map(str, each.inputs)), each.description)
            for each in (self[name] for name in self)
        ]

    def __repr__(self) -> str:
        return text_table([HEAD, *self.rows()])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": html_table(HEAD, self.rows())}


workflows = Workflows(copilot, explore_site)


@overload
def workflow(name: Function) -> Workflow: ...


@overload
def workflow(name: str | None = None) -> Callable[[Function], Workflow]: ...


def workflow(name: Any = None) -> Any:
    """Make a function on a page callable by name, from Python, the terminal and the browser's side panel.

    The function's first parameter gets the page; the others are its inputs. Their annotations and the docstring make
    the form. It may be `async`, may yield texts or `(done, total)` to say how far it is, and may return a DataFrame, a
    dict, text, or files as `Path`.

    Parameters
    ----------
    name : str, optional
        By which it is called; the function's own by default.

    Returns
    -------
    Workflow
        It can still be called as the function that it was.

    Raises
    ------
    InvalidWorkflow
        The function takes no page, or an input without a name.

    Examples
    --------
    >>> @sb.workflow("stores")  # doctest: +SKIP
    ... def stores(page, *, city: str = "Berlin"):
    ...     page.fill("searchbox", city)
    ...     page.press("Enter")
    ...     return sb.extract(page)
    """
    if callable(name):
        return workflow()(name)

    def make(function: Function) -> Workflow:
        if not callable(function):
            raise InvalidWorkflow(f"{function!r} is no function", hint="write @sb.workflow over a function")
        made = Workflow(check_name(name or function.__name__.replace("_", "-")), function)
        workflows.add(made)
        return made

    return make


def _run_file(path: Path) -> None:
    if not path.is_file():
        raise WorkflowNotFound(f"there is no file {path}", hint="give a Python file that defines workflows")
    spec = importlib.util.spec_from_file_location(f"skillbook_workflows_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise WorkflowNotFound(f"{path} is no Python file", hint="its name has to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)

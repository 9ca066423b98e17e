"""Tasks, and where they come from: YAML files, bundled suites and Python."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from skillbook import goals
from skillbook.errors import InvalidSkill, InvalidTask, SkillbookError, SkillNotFound
from skillbook.goals import Goal
from skillbook.skill.files.spec_reading import explain, load_mapping, read_text

_MAKERS = {name: getattr(goals, name) for name in ("action", "collection", "download", "form", "text", "url")}


def parse_goal(text: str) -> Goal:
    """Make the goal that a text says; nothing else in it is carried out.

    Raises ValueError: it is none.
    """
    try:
        return _goal_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, SkillbookError, TypeError, ValueError, RecursionError) as error:
        reason = error.message if isinstance(error, SkillbookError) else str(error)
        raise ValueError(f"{text!r} is no goal: {reason}") from None


def _goal_of(node: ast.expr) -> Goal:
    match node:
        case ast.BinOp(left, ast.BitAnd(), right):
            return _goal_of(left) & _goal_of(right)
        case ast.BinOp(left, ast.BitOr(), right):
            return _goal_of(left) | _goal_of(right)
        case ast.UnaryOp(ast.Invert(), operand):
            return ~_goal_of(operand)
        case ast.Call(ast.Name(name), args, keywords) if name in _MAKERS:
            named: dict[str, Any] = {str(each.arg): ast.literal_eval(each.value) for each in keywords}
            made: Goal = _MAKERS[name](*(ast.literal_eval(each) for each in args), **named)
            return made
    raise ValueError(f"use {', '.join(_MAKERS)} with &, | and ~")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Start(_Part):
    """Where a task starts: a bundled site or a folder that is served for it, or an address.

    Parameters
    ----------
    site : str, optional
        A site of `skillbook.testing.sites`, or `miniwob`.
    folder : str, optional
        A folder of pages to serve; in a file, relative to it.
    url : str, optional
        An address.
    path : str
        Which page of the site or folder.
    cookies : dict of str
        Cookies that the served site sets at the first page, such as those of a visitor who is signed in.
    cassette : str, optional
        A cassette's folder with what that address answered; nothing else is reached then.
    """

    site: str | None = None
    folder: str | None = None
    url: str | None = None
    path: str = Field("/", pattern="^/")
    cookies: dict[str, str] = Field(default_factory=dict)
    cassette: str | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Start:
        if sum(place is not None for place in (self.site, self.folder, self.url)) != 1:
            raise ValueError("needs one of site, folder and url")
        if self.url is None and self.cassette is not None:
            raise ValueError("a cassette needs the url at which it was recorded")
        if self.url is not None and (self.cookies or self.path != "/"):
            raise ValueError("path and cookies are for sites and folders that are served")
        return self

    @property
    def served(self) -> bool:
        """Whether we serve it, so that nothing done there matters to anybody."""
        return self.url is None


class SiteState(_Part):
    """What a page must show after the attempt, requested anew by the same visitor.

    Parameters
    ----------
    path : str
        The page, such as `/cart`, or a whole address.
    text : str, optional
        Text that it must show.
    absent : str, optional
        Text that it must not show.
    """

    path: str
    text: str | None = None
    absent: str | None = None

    @model_validator(mode="after")
    def _something(self) -> SiteState:
        if self.text is None and self.absent is None:
            raise ValueError("needs text or absent")
        return self


class Call(_Part):
    """One call of a trajectory; arguments that aren't given don't count."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class Expected(_Part):
    """What must come of a task; each thing that is given is a score.

    Parameters
    ----------
    text : str or list of str, optional
        What the answer must contain; upper case and white space don't count.
    exact : str, optional
        The whole answer.
    number : float, optional
        A number that the answer must contain, `within` so much.
    facts : dict, optional
        Values by name.
    frame : list of dict, optional
        The rows that must be read; their order doesn't count.
    page : str, optional
        A goal that must hold on the page at the end, such as `action(kind='logout')`; see `sb.goals`.
    url : str, optional
        A pattern with `*` for the address at the end.
    file : str, optional
        A pattern with `*` for the name of a downloaded file.
    state : list of SiteState, optional
        What pages of the site must show at the end.
    sends : list of str, optional
        The requests that may change something and reached the served site, such as `POST /cart/add`; an empty list for
        none.
    trajectory : list of Call, optional
        The calls that must be made, in order; others may come between.
    answer : str, optional
        An answer in words for a judge; it is no score without one.
    """

    text: str | list[str] | None = None
    exact: str | None = None
    number: float | None = None
    within: float = Field(1e-9, ge=0)
    facts: dict[str, Any] | None = None
    frame: list[dict[str, Any]] | None = Field(None, min_length=1)
    page: str | None = None
    url: str | None = None
    file: str | None = None
    state: list[SiteState] | None = None
    sends: list[str] | None = None
    trajectory: list[Call] | None = None
    answer: str | None = None

    @field_validator("page")
    @classmethod
    def _readable(cls, page: str | None) -> str | None:
        if page is not None:
            parse_goal(page)
        return page


class Budget(_Part):
    """What an attempt may take: `steps`, `seconds`, and of a model `usd` and `tokens`."""

    steps: int | None = Field(None, gt=0)
    seconds: float = Field(300.0, gt=0)
    usd: float | None = Field(None, gt=0)
    tokens: int | None = Field(None, gt=0)


class Task(_Part):
    """One task of an evaluation.

    Parameters
    ----------
    name : str
        By which results are kept and compared; no two of an evaluation are alike.
    goal : str, optional
        What to reach, in plain words.
    skill, workflow : str, optional
        What to run where the evaluation names no target.
    start : Start
        Where it starts.
    inputs : dict
        Values by name. `{"secret": "name"}` stands for `sb.secret("name")`.
    expected : Expected
        What must come of it.
    budget : Budget
        What it may take.
    tags : list of str
        To choose tasks by.
    autonomy : {"ask", "reads", "all"}
        Which calls of an agent pass without a question.
    approve : bool
        Whether questions are answered with yes. In a task it counts on a site that we serve only; elsewhere
        `sb.evaluate(approve=…)` decides.
    answers : list of str
        What is answered, in order, where an agent asks something.

    Examples
    --------
    >>> from skillbook.evals import Task
    >>> Task(name="title", goal="What is the title?", start={"site": "shop"}, expected={"text": "Home"}).start.path
    '/'
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=100)
    goal: str | None = None
    skill: str | None = None
    workflow: str | None = None
    start: Start
    inputs: dict[str, Any] = Field(default_factory=dict)
    expected: Expected = Field(default_factory=Expected)
    budget: Budget = Field(default_factory=Budget)
    tags: list[str] = Field(default_factory=list)
    autonomy: Literal["ask", "reads", "all"] = "all"
    approve: bool = False
    answers: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _something_to_do(self) -> Task:
        if not any((self.goal, self.skill, self.workflow)):
            raise ValueError("needs a goal, a skill or a workflow")
        if self.expected.sends is not None and not self.start.served:
            raise ValueError("expected.sends is for sites and folders that are served")
        return self

    @property
    def digest(self) -> str:
        """Names what the task says; another one after any change."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


Model = TypeVar("Model", bound=BaseModel)
SUITES = Path(__file__).parent / "suites"
Tasks = str | Path | Task | Mapping[str, Any] | Iterable[Task | Mapping[str, Any]]


class _File(BaseModel):
    """A file: what its tasks have in common, and the tasks; a task's own values go before."""

    model_config = ConfigDict(extra="forbid")

    suite: str = ""
    description: str = ""
    start: Start | None = None
    budget: Budget | None = None
    tags: list[str] = Field(default_factory=list)
    approve: bool | None = None
    autonomy: str | None = None
    tasks: list[dict[str, Any]] = Field(min_length=1)


def suites() -> list[str]:
    """The names of the suites that come with skillbook.

    Returns
    -------
    list of str
        Each can be given to `sb.evaluate` and `skillbook eval`.
    """
    return sorted(path.stem for path in SUITES.glob("*.yaml"))


def load_tasks(source: Tasks, tags: Sequence[str] = ()) -> list[Task]:
    """Read tasks.

    Parameters
    ----------
    source : str, Path, Task, dict or list
        A bundled suite's name (`./shop` for a folder of that name), a YAML file, a folder of them, or tasks.
    tags : sequence of str
        Only tasks that have one of these.

    Returns
    -------
    list of Task
        The tasks, in order.

    Raises
    ------
    InvalidTask
        A file can't be read, or a task is no task; with file and line. Or two tasks have the same name.

    Examples
    --------
    >>> from skillbook.evals import load_tasks
    >>> [task.name for task in load_tasks("shop", tags=["cart"])]
    ['add-to-cart']
    """
    if isinstance(source, str | Path):
        found = [task for path in _files(source) for task in read_file(path)]
    else:
        given = [source] if isinstance(source, Task | Mapping) else source
        found = [each if isinstance(each, Task) else _task_of(each) for each in given]
    names = [task.name for task in found]
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise InvalidTask(
            f"two tasks have the name {double[0]!r}", hint="results are kept by name: change one"
        )
    chosen = [task for task in found if not tags or set(tags) & set(task.tags)]
    if not chosen:
        raise InvalidTask("there is no task to evaluate", hint="check the tags and the file")
    return chosen


def _files(source: str | Path) -> list[Path]:
    if isinstance(source, str) and source in suites():
        return [SUITES / f"{source}.yaml"]
    path = Path(source)
    if path.is_dir():
        return sorted([*path.glob("*.yaml"), *path.glob("*.yml")])
    if not path.is_file():
        raise InvalidTask(
            f"there is no file, folder or suite {str(source)!r}",
            hint=f"bundled suites: {', '.join(suites())}",
        )
    return [path]


def read_file(path: Path) -> list[Task]:
    """The tasks of one file.

    Raises InvalidTask: with file, line and field.
    """
    try:
        text = read_text(path)
        data = load_mapping(text, str(path))
        file = _validated(_File, data, path, text, ())
        shared = {name: data[name] for name in ("start", "budget", "approve", "autonomy") if name in data}
        tasks = []
        for place, own in enumerate(data["tasks"]):
            merged = {**shared, **own, "tags": [*file.tags, *own.get("tags", [])]}
            if "start" in own and "start" in shared and not {"site", "folder", "url"} & set(own["start"]):
                merged["start"] = {**shared["start"], **own["start"]}
            task = _validated(Task, merged, path, text, ("tasks", place))
            tasks.append(_relative_to(path.parent, task))
        return tasks
    except (InvalidSkill, SkillNotFound) as error:
        raise InvalidTask(error.message, hint=error.hint, **error.data) from None


def _validated(model: type[Model], data: Any, path: Path, text: str, place: tuple[str | int, ...]) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise explain(error, path, text, 1, lambda loc: (*place, *loc)) from None


def _relative_to(folder: Path, task: Task) -> Task:
    """Folders and cassettes of a file stand beside it."""
    names = [name for name in ("folder", "cassette") if getattr(task.start, name) is not None]
    moved = {name: str((folder / getattr(task.start, name)).absolute()) for name in names}
    return task.model_copy(update={"start": task.start.model_copy(update=moved)}) if moved else task


def _task_of(data: Mapping[str, Any]) -> Task:
    try:
        return Task.model_validate(data)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        reason = (
            "no such field"
            if fault["type"] == "extra_forbidden"
            else fault["msg"].removeprefix("Value error, ")
        )
        raise InvalidTask(
            f"{field or 'the task'}: {reason}", hint="see `help(skillbook.evals.Task)`"
        ) from None

"""Tasks from YAML files, bundled suites and Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skillbook.errors import InvalidSkill, InvalidTask, SkillNotFound
from skillbook.evals.eval_task import Budget, Start, Task
from skillbook.skill.files.spec_reading import explain, load_mapping, read_text

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

    Raises
    ------
    InvalidTask : with file, line and field.
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
        said = (
            "no such field"
            if fault["type"] == "extra_forbidden"
            else fault["msg"].removeprefix("Value error, ")
        )
        raise InvalidTask(f"{field or 'the task'}: {said}", hint="see `help(skillbook.evals.Task)`") from None

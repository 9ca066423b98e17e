"""The task list that a goal becomes: typed, with dependencies, shown and editable by the person. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, get_args

from skillbook.agents.state.step_records import RunStatus
from skillbook.errors import BudgetExceeded, GoalBlocked, InvalidParams, SkillbookError

if TYPE_CHECKING:
    import pandas as pd


TaskType = Literal["navigate", "click", "input", "scroll", "wait", "extract", "drag", "other"]
TaskStatus = Literal["pending", "executing", "completed", "failed", "requires_assistance", "dropped"]
TASK_TYPES: tuple[TaskType, ...] = get_args(TaskType)
STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
ENDED = frozenset({"completed", "failed", "dropped"})
_MARKS: Mapping[TaskStatus, str] = {
    "pending": "[ ]", "executing": "[~]", "completed": "[x]", "failed": "[!]", "requires_assistance": "[?]",
    "dropped": "[-]",
}  # fmt: skip
_COLUMNS = ["title", "type", "parameters", "status", "after"]


@dataclass(frozen=True)
class Task:
    """One entry of a task list.

    Parameters
    ----------
    id: its number in the list, from 1; it stays when others are moved or removed.
    title: what is to be done.
    type: which kind of action does it.
    parameters: values that it needs, by name.
    status: how far it is.
    after: ids of the tasks that have to be completed before it.
    """

    id: int
    title: str
    type: TaskType = "other"
    parameters: dict[str, Any] = field(default_factory=dict)
    status: TaskStatus = "pending"
    after: tuple[int, ...] = ()

    def __str__(self) -> str:
        after = f" (after {', '.join(map(str, self.after))})" if self.after else ""
        return f"{_MARKS[self.status]} {self.id} {self.title}{after}"


class TaskList:
    """The tasks of a run, in order; `add`, `change`, `move` and `remove` edit them, and the model learns of it."""

    def __init__(self, tasks: Iterable[Task] = (), on_edit: Callable[[], None] = lambda: None) -> None:
        self._tasks: tuple[Task, ...] = tuple(tasks)
        self.on_edit = on_edit

    # --- reading ----------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, id: int) -> Task:
        """The task of a number."""
        found = next((task for task in self._tasks if task.id == id), None)
        if found is None:
            raise InvalidParams(f"There is no task {id}.", hint=f"Tasks: {self._numbers() or 'none'}.")
        return found

    @property
    def ready(self) -> list[Task]:
        """The tasks that can be done now: not ended, and all that they come after is completed."""
        done = {task.id for task in self if task.status == "completed"}
        return [task for task in self if task.status not in ENDED and done.issuperset(task.after)]

    @property
    def blocked(self) -> list[Task]:
        """The tasks that can't be done any more, for one that they come after failed or was dropped."""
        gone = {task.id for task in self if task.status in {"failed", "dropped"}}
        found: list[Task] = []
        for _ in self._tasks:
            stuck = [task for task in self if task.status not in ENDED and gone.intersection(task.after)]
            found = stuck
            gone |= {task.id for task in stuck}
        return found

    @property
    def frame(self) -> pd.DataFrame:
        """One row a task, indexed by its number."""
        import pandas as pd

        rows = [{name: getattr(task, name) for name in _COLUMNS} for task in self]
        index = pd.Index([task.id for task in self], name="task", dtype=int)
        return pd.DataFrame(rows, columns=_COLUMNS, index=index)

    def progress(self) -> str:
        """How far it is, in words; empty where there are no tasks."""
        if not self._tasks:
            return ""
        counted = [task for task in self if task.status != "dropped"]
        done = sum(task.status == "completed" for task in counted)
        failed = sum(task.status == "failed" for task in counted)
        return f"{done} of {len(counted)} tasks completed" + (f", {failed} failed" if failed else "")

    def text(self) -> str:
        """The list as the model and a terminal see it, a line a task."""
        return "\n".join(map(str, self))

    def to_json(self) -> list[dict[str, Any]]:
        """The list as plain data."""
        return [asdict(task) for task in self]

    # --- edits by the person ----------------------------------------------------------------------

    def add(
        self,
        title: str,
        *,
        type: TaskType = "other",
        parameters: Mapping[str, Any] | None = None,
        after: Iterable[int] = (),
        at: int | None = None,
    ) -> Task:
        """Add a task.

        at: its place in the list, from 1; the end where it is None.
        Raises InvalidParams: no title, an unknown type, or dependencies that can't be met.
        """
        number = max((task.id for task in self), default=0) + 1
        task = Task(number, title, type, dict(parameters or {}), after=tuple(after))
        place = len(self) if at is None else max(0, at - 1)
        self._edit([*self._tasks[:place], task, *self._tasks[place:]])
        return task

    def change(self, id: int, **changes: Any) -> Task:
        """Change a task's `title`, `type`, `parameters`, `status` or `after`.

        Raises InvalidParams: there is no such task or field, or a value that doesn't fit.
        """
        unknown = set(changes) - set(_COLUMNS)
        if unknown:
            raise InvalidParams(
                f"A task has no {', '.join(sorted(unknown))}.", hint=f"It has: {', '.join(_COLUMNS)}."
            )
        if "after" in changes:
            changes["after"] = tuple(changes["after"])
        changed = replace(self[id], **changes)
        self._edit([changed if task.id == id else task for task in self])
        return changed

    def move(self, id: int, to: int) -> None:
        """Move a task to a place in the list, from 1.

        Raises InvalidParams: there is no such task.
        """
        moving = self[id]
        rest = [task for task in self if task.id != id]
        place = min(max(0, to - 1), len(rest))
        self._edit([*rest[:place], moving, *rest[place:]])

    def edit(self, act: str, id: int, title: str, to: int) -> None:
        """Do what a panel asks for: "add", "change", "move", or else take out."""
        if act == "add":
            self.add(title)
        elif act == "change":
            self.change(id, title=title)
        elif act == "move":
            self.move(id, to)
        else:
            self.remove(id)

    def remove(self, id: int) -> None:
        """Take a task out; those after it no longer depend on it.

        Raises InvalidParams: there is no such task.
        """
        self[id]
        kept = [task for task in self if task.id != id]
        self._edit(replace(task, after=tuple(one for one in task.after if one != id)) for task in kept)

    def clear(self) -> None:
        """Take all tasks out."""
        self._edit(())

    def _edit(self, tasks: Iterable[Task]) -> None:
        self._tasks = checked(tasks)
        self.on_edit()

    # --- what the run does --------------------------------------------------------------------------

    def put(self, tasks: Iterable[Task]) -> None:
        """Put other tasks in the place of all; nobody edited them.

        Raises InvalidParams: they don't make a list.
        """
        self._tasks = checked(tasks)

    def merge(self, given: Iterable[Mapping[str, Any]]) -> None:
        """Take in a list from the model: entries with a known `id` change that task, a list without ids is a new one.

        Raises InvalidParams: they don't make a list.
        """
        entries = [dict(entry) for entry in given]
        fresh = not any(entry.get("id") for entry in entries)
        tasks: dict[int, Task] = {} if fresh else {task.id: task for task in self}
        for entry in entries:
            number = entry.pop("id", None) or max(tasks, default=0) + 1
            facts = {name: value for name, value in entry.items() if value is not None}
            if "after" in facts:
                facts["after"] = tuple(facts["after"])
            known = tasks.get(number)
            tasks[number] = replace(known, **facts) if known else Task(number, **{"title": "", **facts})
        self.put(tasks.values())

    def begin_next(self) -> None:
        """Where no task is under way, the first that can be done now is."""
        if any(task.status in {"executing", "requires_assistance"} for task in self):
            return
        following = next((task for task in self.ready if task.status == "pending"), None)
        if following is not None:
            self._set_status(following.id, "executing")

    def wait_for_person(self, waiting: bool) -> None:
        """Mark the task under way as one that a person is needed for, or no more."""
        before, after = (
            ("executing", "requires_assistance") if waiting else ("requires_assistance", "executing")
        )
        for task in self._tasks:
            if task.status == before:
                self._set_status(task.id, after)

    def _set_status(self, id: int, status: Any) -> None:
        self._tasks = tuple(replace(task, status=status) if task.id == id else task for task in self)

    # --- showing --------------------------------------------------------------------------------------

    def _numbers(self) -> str:
        return ", ".join(str(task.id) for task in self)

    def __repr__(self) -> str:
        return self.text() or "<no tasks>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        cells = "".join(
            f"<tr><td>{task.id}</td><td>{escape(task.title)}</td><td>{task.type}</td>"
            f"<td>{escape(', '.join(f'{name}: {value}' for name, value in task.parameters.items()))}</td>"
            f"<td>{task.status}</td><td>{escape(', '.join(map(str, task.after)))}</td></tr>"
            for task in self
        )
        heads = "".join(f"<th>{name}</th>" for name in ("#", *_COLUMNS))
        return {"text/plain": repr(self), "text/html": f"<table><tr>{heads}</tr>{cells}</table>"}


def checked(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks, where they make a list: titles, known words, dependencies that exist and lead in no circle.

    Raises InvalidParams: they don't.
    """
    made = tuple(tasks)
    numbers = {task.id for task in made}
    for task in made:
        if not task.title.strip():
            raise InvalidParams(f"Task {task.id} has no title.", hint="Say what is to be done.")
        if task.type not in TASK_TYPES:
            raise InvalidParams(f"Task {task.id} has no known type.", hint=f"Types: {', '.join(TASK_TYPES)}.")
        if task.status not in STATUSES:
            raise InvalidParams(
                f"Task {task.id} has no known status.", hint=f"Statuses: {', '.join(STATUSES)}."
            )
        missing = set(task.after) - numbers
        if missing:
            raise InvalidParams(
                f"Task {task.id} comes after {', '.join(map(str, sorted(missing)))}, which isn't there."
            )
    _check_circle(made)
    return made


def _check_circle(tasks: tuple[Task, ...]) -> None:
    left = {task.id: set(task.after) for task in tasks}
    while left:
        free = {number for number, after in left.items() if not after & left.keys()}
        if not free:
            raise InvalidParams(f"Tasks {', '.join(map(str, sorted(left)))} wait for each other.")
        left = {number: after for number, after in left.items() if number not in free}


# Nothing keeps them: a run's status and what it is busy with say which one it is.

TaskState = Literal[
    "created", "planning", "exploring", "executing", "awaiting_user", "blocked", "succeeded", "failed", "cancelled"
]  # fmt: skip
Phase = Literal["planning", "exploring", "executing"]


def task_state(status: RunStatus, phase: Phase, error: SkillbookError | None) -> TaskState:
    """The state of a task.

    error: why it failed.
    """
    if status == "failed":
        return "blocked" if isinstance(error, BudgetExceeded | GoalBlocked) else "failed"
    if status == "running":
        return phase
    known: Mapping[str, TaskState] = {
        "idle": "created",
        "waiting": "awaiting_user",
        "paused": "awaiting_user",
        "stopped": "cancelled",
    }
    return known.get(status, "succeeded")

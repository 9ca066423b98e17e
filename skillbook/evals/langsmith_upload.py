"""Evaluations in LangSmith: a dataset of the tasks, an experiment, a traced run and scores for each attempt.

Nothing of it is imported, and no host is looked up, unless an upload is wanted.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from skillbook.config import Settings, load_settings
from skillbook.errors import ConfigError, EvalError
from skillbook.evals.attempt import Attempt
from skillbook.evals.eval_task import Task


class Upload:
    """One experiment.

    tasks: those of the evaluation; the ones that the dataset doesn't have yet are added to it.
    settings: key, address, names.
    Raises ConfigError: there is no key, or langsmith isn't installed.
    Raises EvalError: the service can't be reached, or refuses.
    """

    def __init__(self, tasks: Sequence[Task], target: str, settings: Settings | None = None) -> None:
        self._settings = settings or load_settings()
        self._client = _client(self._settings)
        try:
            self._dataset = self._find_dataset()
            self._examples = self._find_examples(tasks)
            name = f"{self._settings.eval_prefix}-{uuid.uuid4().hex[:8]}"
            self._project = self._client.create_project(
                name, reference_dataset_id=self._dataset.id, metadata={"target": target}
            )
        except Exception as error:
            raise _unreachable(error) from None

    @property
    def experiment(self) -> str:
        """The experiment's name."""
        return str(self._project.name)

    @property
    def link(self) -> str:
        """Where it is shown; its name where the service doesn't say that."""
        with suppress(Exception):
            return f"{self._dataset.url}/compare?selectedSessions={self._project.id}"
        return self.experiment

    def traced(self, make: Callable[..., Attempt]) -> Callable[..., Attempt]:
        """What makes an attempt, as a run of the experiment; a model's calls are traced below it."""
        from langsmith import traceable
        from langsmith.run_helpers import tracing_context

        def attempt(plan: Any, task: Task, repetition: int, browsers: Any = None) -> Attempt:
            made: list[Attempt] = []

            def run(inputs: Mapping[str, Any]) -> dict[str, Any]:
                made.append(make(plan, task, repetition, browsers))
                return outputs_of(made[0])

            run_id, began = uuid.uuid4(), datetime.now(UTC)
            extra: Any = {
                "run_id": run_id,
                "client": self._client,
                "project_name": self.experiment,
                "reference_example_id": self._examples[task.name],
                "metadata": {"repetition": repetition},
            }
            with tracing_context(enabled=True, client=self._client, project_name=self.experiment):
                traceable(name=task.name, run_type="chain")(run)(inputs_of(task), langsmith_extra=extra)
            self._score(run_id, made[0], began)
            return made[0]

        return attempt

    def _score(self, run_id: uuid.UUID, attempt: Attempt, began: datetime) -> None:
        scores = {
            "passed": float(attempt.passed),
            **attempt.scores,
            **{name: float(getattr(attempt, name)) for name in ("steps", "asked", "refused", "unasked")},
        }
        try:
            self._send(run_id, scores, began)
        except Exception as error:
            warnings.warn(
                f"scores of {attempt.task} didn't arrive: {_unreachable(error).message}", stacklevel=2
            )

    def _send(self, run_id: uuid.UUID, scores: Mapping[str, float], began: datetime) -> None:
        for name, score in scores.items():
            self._client.create_feedback(
                run_id, key=name, score=score, trace_id=run_id, session_id=self._project.id, start_time=began
            )

    def finish(self) -> None:
        """Wait until everything has arrived, and end the experiment.

        Raises EvalError: the service can't be reached, or refuses.
        """
        try:
            self._client.flush()
            self._client.update_project(self._project.id, end_time=datetime.now(UTC))
        except Exception as error:
            raise _unreachable(error) from None

    def _find_dataset(self) -> Any:
        from langsmith.utils import LangSmithNotFoundError

        name = self._settings.eval_dataset
        try:
            return self._client.read_dataset(dataset_name=name)
        except LangSmithNotFoundError:
            return self._client.create_dataset(name, description="Tasks of skillbook's evaluations")

    def _find_examples(self, tasks: Sequence[Task]) -> dict[str, uuid.UUID]:
        """The example of each task; a task that was changed gets a new one."""
        known: dict[str, uuid.UUID] = {
            str((each.metadata or {}).get("digest")): each.id
            for each in self._client.list_examples(dataset_id=self._dataset.id)
        }
        new = [task for task in tasks if task.digest not in known]
        made = {task.digest: uuid.uuid4() for task in new}
        if new:
            self._client.create_examples(
                dataset_id=self._dataset.id,
                examples=[
                    {
                        "id": made[task.digest],
                        "inputs": inputs_of(task),
                        "reference_outputs": expected_of(task),
                        "metadata": {"task": task.name, "digest": task.digest, "tags": task.tags},
                    }
                    for task in new
                ],
            )
        return {task.name: {**known, **made}[task.digest] for task in tasks}


def inputs_of(task: Task) -> dict[str, Any]:
    """What an example of a dataset says of the task; values of inputs may be secret, and stay here."""
    start = task.start.model_dump(exclude_defaults=True, exclude={"cookies"})
    inputs = {"skillPrompt": task.goal or "", "skill": task.skill, "workflow": task.workflow, "start": start}
    return {name: value for name, value in inputs.items() if value}


def expected_of(task: Task) -> dict[str, Any]:
    """The example's reference outputs."""
    return {
        "expected": task.expected.answer or "",
        **task.expected.model_dump(mode="json", exclude_defaults=True),
    }


def outputs_of(attempt: Attempt) -> dict[str, Any]:
    """What the run gave."""
    outputs = {"output": attempt.answer, "rows": attempt.rows, "error": attempt.error, "url": attempt.url}
    return {name: value for name, value in outputs.items() if value not in (None, "")} or {"output": ""}


def _client(settings: Settings) -> Any:
    if settings.langsmith_api_key is None:
        raise ConfigError(
            "an upload needs a key for LangSmith", hint="set LANGSMITH_API_KEY, or leave out the upload"
        )
    try:
        from langsmith import Client
    except ImportError:
        raise ConfigError("an upload needs langsmith", hint='pip install "skillbook[evals]"') from None
    key = settings.langsmith_api_key.get_secret_value()
    return Client(api_url=settings.langsmith_endpoint, api_key=key)


def _unreachable(error: Exception) -> EvalError:
    return EvalError(
        f"LangSmith can't be reached, or refuses: {type(error).__name__}: {str(error)[:300]}",
        hint="check LANGSMITH_API_KEY and LANGSMITH_ENDPOINT, or leave out the upload",
    )

"""Errors of what is built from commands: agents, skills, extraction, evaluations, clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from skillbook.errors.command_errors import SkillbookError, docs_page


class AgentError(SkillbookError):
    code = "agent"
    default_hint = "see `run.error` and `run.steps`; `run.start()` goes on"


class RunInterrupted(KeyboardInterrupt):
    """A person interrupted a call that waited for a run; the run is stopped."""

    _render_traceback_: ClassVar[Callable[[Any], list[str]]]  # as that of `SkillbookError`


class ReadInterrupted(RunInterrupted):
    """A person interrupted a read of a page; `frame` or `frames` have what was read before."""


class ModelNotConfigured(AgentError):
    code = "model_not_configured"
    quotes_page = False
    default_hint = "give model='openai:NAME', or set SKILLBOOK_MODEL and OPENAI_API_KEY"


class ModelUnreachable(AgentError):
    code = "model_unreachable"
    default_hint = "check the key, the address and the network; `run.start()` goes on from here"


class ApprovalPending(AgentError):
    code = "approval_pending"
    default_hint = (
        "see `run.pending`, then run.approve(), run.edit(...), run.reject('why') or run.respond('text')"
    )
    on_shown: Callable[[], None] | None = None
    """Called when a person may have read it: its text names the question that waits."""

    def __str__(self) -> str:
        if self.on_shown is not None:
            self.on_shown()
        return super().__str__()


class ApprovalNeeded(AgentError):
    """A call of `sb.tools` asks, and there is nobody to ask."""

    code = "approval_needed"
    default_hint = (
        "give the graph a checkpointer and resume it, call it in a notebook, or give sb.tools(autonomy=...)"
    )


class NothingPending(AgentError):
    code = "nothing_pending"
    default_hint = "`run.start()` or `run.step()` goes on to the next call"


class GoalBlocked(AgentError):
    code = "goal_blocked"
    default_hint = "do it by hand and go on with `run.start()`, or give the agent a model"


class BudgetExceeded(AgentError):
    code = "budget_exceeded"
    default_hint = (
        "set `run.max_steps`, `run.budget_usd` or `run.budget_tokens` higher; `run.start()` then goes on"
    )


class InvalidCell(AgentError):
    code = "invalid_cell"
    default_hint = "mend the lines that are marked; nothing of the cell was carried out"


class SandboxMissing(AgentError):
    code = "sandbox_missing"
    default_hint = 'install it with `pip install "skillbook[cells]"`'


class ScriptMismatch(AgentError):
    code = "script_mismatch"
    default_hint = "read what the scripted model was sent, and give it an answer for that"


class SkillError(SkillbookError):
    code = "skill"
    default_hint = "see `sb.skills`, and the skill's SKILL.md and replay.yaml"


class SkillNotFound(SkillError):
    code = "skill_not_found"
    default_hint = "`sb.skills` lists them"


class InvalidSkill(SkillError):
    code = "invalid_skill"
    default_hint = "mend the file that the message names, or save the skill again"


class InvalidSkillName(SkillError):
    code = "invalid_skill_name"
    default_hint = "use 1 to 64 lowercase letters, digits and single hyphens"


class SkillNotApproved(SkillError):
    code = "skill_not_approved"
    default_hint = (
        "read what it wants, then call `skill.approve()`, or load it with `sb.load_skill(name, approve=True)`"
    )


class CannotBind(SkillError):
    """`data["candidates"]` has what a part may be, best first."""

    code = "cannot_bind"
    default_hint = "choose one with `choose={slot: ref}`, open the page that has it, or do it yourself"


class MissingInput(SkillError):
    code = "missing_input"
    default_hint = "give the input by name: `skill.run(page, name=value)`; `skill.inputs` lists them"


class InvalidInput(SkillError):
    code = "invalid_input"
    default_hint = "`skill.inputs` lists the inputs with their types"


class ReplayFailed(SkillError):
    code = "replay_failed"
    default_hint = "see `result.steps`; give a model to heal it, or record the step again"


class EvalError(SkillbookError):
    code = "eval"
    default_hint = f"see {docs_page('evals')}"


class InvalidTask(EvalError):
    code = "invalid_task"
    default_hint = "correct the task"


class ExtractionError(SkillbookError):
    code = "extraction"
    default_hint = "look at `sb.tables(page)`, or name the fields with `sb.extract(page, fields={...})`"


class IncompleteRead(ExtractionError):
    code = "incomplete_read"
    default_hint = "read the rest, as `df.skillbook.reason` says; partial=True writes what there is"


class ClusterError(SkillbookError):
    code = "cluster"
    default_hint = f"see {docs_page('scaling')}"


class HostUnfit(ClusterError):
    code = "host_unfit"
    default_hint = (
        "mend the host that the message names, or leave its worker out; `skillbook doctor` helps there"
    )


class ClusterLost(ClusterError):
    code = "cluster_lost"
    default_hint = "start the scheduler again; with the same `folder` the map goes on"


class RowNotGranted(ClusterError):
    code = "row_not_granted"
    default_hint = "look at the site whether it was done; another `folder` maps every row anew"


class WorkflowError(SkillbookError):
    code = "workflow"
    default_hint = "`sb.workflows` lists them"


class WorkflowNotFound(WorkflowError):
    code = "workflow_not_found"
    default_hint = "`sb.workflows` lists them; `sb.workflows.load(file)` makes those of a file known"


class InvalidWorkflow(WorkflowError):
    code = "invalid_workflow"
    default_hint = "the function takes the page first, then its inputs: def stores(page, *, city: str)"


class CassetteError(SkillbookError):
    code = "cassette"
    default_hint = f"see {docs_page('notebook_tests')}"


class CassetteNotFound(CassetteError):
    code = "cassette_not_found"
    default_hint = "record it: `sb.cassette(name, mode='record')`"


class CassetteMismatch(CassetteError):
    code = "cassette_mismatch"
    default_hint = "undo the change, or record the cassette anew: `sb.cassette(name, mode='record')`"

"""`skillbook eval`: evaluates in a shell, and says by its exit code whether enough passed."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.markup import escape

import skillbook as sb
from skillbook.errors import InvalidTask
from skillbook.evals.attempt import Attempt
from skillbook.evals.eval_report import headline, why_failed
from skillbook.evals.eval_task import load_tasks, suites
from skillbook.evals.evaluation import Evaluation
from skillbook.evals.evaluation_run import evaluate


def run_evaluation(args: argparse.Namespace, console: Console) -> int:
    """Evaluate as the options say; 1 where too few passed, 130 after Ctrl-C."""
    if args.tasks is None:
        for name in suites():
            console.print(f"[bold]{name:<10}[/] {len(load_tasks(name))} tasks", soft_wrap=True)
        return 0
    found = evaluate(args.tasks, progress=_report(console), **_options(args))
    return _show(found, args, console)


def _options(args: argparse.Namespace) -> dict[str, Any]:
    for source in args.workflows:
        sb.workflows.load(source)
    if args.no_model and args.model:
        raise InvalidTask("--model and --no-model don't go together", hint="give one of them")
    return {
        "model": False if args.no_model else args.model,
        "skill": args.skill,
        "workflow": args.workflow,
        "evaluators": _judges(args.judge),
        "tags": args.tag,
        "repetitions": args.repetitions,
        "workers": args.workers or sb.Settings().eval_workers,
        "approve": True if args.approve else None,
        "folder": args.folder,
        "cassettes": args.cassettes,
        "launch": {"headless": False} if args.headed else {},
        "upload_results": args.upload,
    }


def _judges(model: str | None) -> list[Any]:
    """The judge, where one is wanted; the empty name stands for the one of the settings."""
    if model is None:
        return []
    from skillbook.evals.expectations import judge

    return [judge(model or None)]


def _report(console: Console) -> Any:
    def show(done: int, total: int, attempt: Attempt) -> None:
        mark = "[green]ok[/]" if attempt.passed else "[red]no[/]"
        name = attempt.task if attempt.repetition == 1 else f"{attempt.task} ({attempt.repetition})"
        took = f"{attempt.steps} steps, {attempt.seconds:.1f} s"
        console.print(f"{mark} [dim]{done}/{total}[/] [bold]{escape(name)}[/] {took}", soft_wrap=True)
        if not attempt.passed:
            console.print(escape(f"    {why_failed(attempt)}"), soft_wrap=True)

    return show


def _show(found: Evaluation, args: argparse.Namespace, console: Console) -> int:
    console.print(f"[bold]{escape(found.name)}[/]: {escape(headline(found))}", soft_wrap=True)
    if args.junit is not None:
        found.junit(args.junit)
    if args.report is not None:
        console.print(escape(f"The report is in {found.report(args.report)}"), soft_wrap=True)
    if found.link:
        console.print(escape(f"Uploaded to {found.link}"), soft_wrap=True)
    if found.interrupted:
        return 130
    return 0 if found.passed >= args.threshold else 1

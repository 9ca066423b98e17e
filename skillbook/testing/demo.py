"""The demo: an agent does a job on the bundled shop, and its skill does it again without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from skillbook.agents import Run, agent
from skillbook.agents.state.step_records import PendingCall, StepRecord
from skillbook.errors import ExtractionError, SkillbookError, docs_page
from skillbook.session.sync import Browser, launch
from skillbook.testing.scripted_model import ScriptedModel, Step, ToolCall, find_ref, ref_of
from skillbook.testing.site import serve_site

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.skill.facade import Skill
    from skillbook.skill.replay.skill_result import StepOutcome

WORD = "lamp"
OTHER_WORD = "chair"
GOAL = (
    f'Search the shop for "{WORD}" and read the name, brand, rating, price and stock of every product found.'
)
FIELDS = {
    "name": "heading",
    "brand": "paragraph",
    "rating": "paragraph ~'Rated'@name",
    "price": "text nth 4",
    "stock": "text nth 5",
}
SKILL = "shop-search"
NEXT_STEPS = (
    f'in a notebook     pip install "skillbook[lab]", then `jupyter lab` and {docs_page("install")}',
    "beside any page   skillbook serve --launch, then the toolbar's icon and Open panel",
    f"to read           {docs_page('recipes')}",
)
_MAX_STEPS = 30


def run_demo(
    *,
    headless: bool = True,
    output: Path = Path("demo-output"),
    model: str | None = None,
    console: Console | None = None,
) -> int:
    """Run the whole main job, saying in the terminal what happens.

    An agent searches the bundled shop and reads every page of what it found; its run becomes a skill; the skill
    runs on another word without a model; both frames are written as CSV, and as Parquet
    where pyarrow is installed.

    headless: without a browser window.
    output: folder for the skill and the data.
    model: a LangChain name; a scripted one by default, whatever the settings say.
    """
    console = console or Console()
    try:
        _demo(console, headless, output, model)
    except SkillbookError as error:
        console.print(f"[red]The demo stopped:[/red] {escape(str(error))}")
        return 1
    return 0


def choose_demo_model(wanted: str | None) -> tuple[str | ScriptedModel, str]:
    """The demo's model and what to say of it: a scripted one, so that nothing remote is called unless asked for."""
    if wanted:
        return wanted, f"the model {wanted}"
    return ScriptedModel(
        shop_script()
    ), "a scripted model (no network, no cost; --model NAME takes a real one)"


def shop_script(word: str = WORD) -> list[Step]:
    """What the scripted model does: search, look, read every page, answer."""

    def fill(messages: list[BaseMessage]) -> Step:
        target = ref_of(messages, "searchbox 'Search products'")
        return ToolCall("fill", {"target": target, "value": word}, text=f"I search for “{word}”.")

    def search(messages: list[BaseMessage]) -> Step:
        return ToolCall("click", {"target": ref_of(messages, "button 'Search'")})

    def extract(messages: list[BaseMessage]) -> Step:
        args: dict[str, Any] = {"fields": FIELDS, "within": "listitem in list 'Products'"}
        following = find_ref(messages, "link 'Next'")
        if following is not None:
            args["next"] = following
        return ToolCall("extract", args, text="I read the products of every page.")

    plan = [{"title": f"Search for “{word}”", "status": "doing"}, {"title": "Read every page"}]
    return [
        ToolCall("plan", {"tasks": plan}),
        fill,
        search,
        ToolCall("wait_for", {"selector": "list 'Products'"}),
        extract,
        lambda messages: f"Every product found for “{word}” is in the table.",
    ]


def _demo(console: Console, headless: bool, output: Path, model: str | None) -> None:
    chosen, words = choose_demo_model(model)
    with serve_site("shop") as shop, _browser(headless) as browser:
        console.print(f"The shop runs on {shop.url}; {browser.status.browser} is paired.")
        console.rule(f"1 · An agent with {escape(words)}")
        run = agent(browser.open(shop.url), GOAL, chosen, autonomy="all", max_steps=_MAX_STEPS)
        frame = _run_agent(console, run)
        console.rule("2 · The run becomes a skill")
        skill = run.save_skill(SKILL, output / "skills")
        given = _input_with(skill, WORD)
        console.print(f"{skill.path}: its inputs are {', '.join(one.name for one in skill.spec.inputs)}.")
        console.rule(f"3 · The skill runs for “{OTHER_WORD}”, without a model")
        replayed = _replay(console, skill, browser, shop.url, given)
    console.rule("4 · The data")
    _show(console, f"“{WORD}”, read by the agent", frame)
    _show(console, f"“{OTHER_WORD}”, read by the skill", replayed)
    saved = [*_write(frame, output / f"{WORD}s"), *_write(replayed, output / f"{OTHER_WORD}s")]
    for path in [skill.path, *saved]:
        console.print(f"saved {escape(str(path))}", soft_wrap=True)
    console.rule("Next")
    for line in NEXT_STEPS:
        console.print(escape(line), soft_wrap=True)


@contextmanager
def _browser(headless: bool) -> Iterator[Browser]:
    browser = launch(headless=headless)
    try:
        yield browser
    finally:
        browser.close()


def _run_agent(console: Console, run: Run) -> pd.DataFrame:
    console.print(f"Goal: {escape(run.goal)}")
    with console.status("The agent works …"):
        while (step := run.step()) is not None:
            if isinstance(step, PendingCall):
                console.print(f"  [yellow]approved[/yellow] {escape(repr(step))}")
                run.approve(expect=step.expectation.exact)
                step = run.records[-1]
            console.print(_line(step))
            if run.status == "succeeded":
                break
    console.print(f"Answer: {escape(str(run.result))}")
    console.print(f"{len(run.records)} steps, {run.cost}.")
    if run.frame is None or not len(run.frame):
        raise ExtractionError("the agent read no rows", hint="try again, or another model")
    return run.frame


def _line(step: StepRecord) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in step.final_args.items())
    mark = "[green]✓[/green]" if step.ok else "[red]✗[/red]"
    call = arguments if len(arguments) <= 70 else arguments[:69] + "…"
    result = step.error or " ".join(step.result.split())[:80]
    return f"  {mark} {step.tool}({escape(call)})  [dim]{escape(result)} · {step.elapsed_ms:.0f} ms[/dim]"


def _input_with(skill: Skill, value: str) -> str:
    for one in skill.spec.inputs:
        if one.default == value:
            return one.name
    raise ExtractionError(f"the skill has no input for {value!r}", hint="look at its replay.yaml")


def _replay(console: Console, skill: Skill, browser: Browser, url: str, given: str) -> pd.DataFrame:
    def show(outcome: StepOutcome) -> None:
        mark = "[green]✓[/green]" if outcome.status == "ok" else f"[red]{outcome.status}[/red]"
        rows = "" if outcome.rows is None else f" {outcome.rows} rows"
        what = escape(f"{outcome.command} {outcome.target}{rows}")
        console.print(f"  {mark} {what}  [dim]{outcome.elapsed_ms:.0f} ms[/dim]")

    result = skill.run(browser.open(url), inputs={given: OTHER_WORD}, progress=show).raise_for_error()
    seconds = result.elapsed_ms / 1000
    console.print(f"{len(result.outcomes)} steps in {seconds:.1f} s, {result.model_calls} model calls.")
    return result.frame


def _show(console: Console, title: str, frame: pd.DataFrame, rows: int = 6) -> None:
    table = Table(title=f"{title}: {len(frame)} rows", title_justify="left")
    for column in frame.columns:
        table.add_column(escape(str(column)))
    for values in frame.head(rows).itertuples(index=False):
        table.add_row(*(escape(str(value)) for value in values))
    if len(frame) > rows:
        table.add_row(*("…" for _ in frame.columns))
    console.print(table)


def _write(frame: pd.DataFrame, stem: Path) -> list[Path]:
    stem.parent.mkdir(parents=True, exist_ok=True)
    csv, parquet = stem.with_suffix(".csv"), stem.with_suffix(".parquet")
    frame.skillbook.to_csv(csv, index=False)
    if find_spec("pyarrow") is None:
        return [csv]
    frame.skillbook.to_parquet(parquet, index=False)
    return [csv, parquet]

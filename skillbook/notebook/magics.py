"""`%load_ext skillbook`: `%sb_open`, `%sb_snap`, `%%sb_agent`, `%sb_run_skill`."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from skillbook.notebook.display_wiring import register_formatters
from skillbook.notebook.html.progress import Progress

_COMPLETED = ("sb_open", "sb_run_skill", "sb_agent")


@magics_class
class SkillbookMagics(Magics):
    """The magics; they work on the variables `browser` and `page` of the notebook, and set them."""

    @magic_arguments()
    @argument("url", help="the address to open")
    @argument("--headed", action="store_true", help="show the browser's window")
    @line_magic
    def sb_open(self, line: str) -> Any:
        """Open a URL, in the notebook's `browser` or in a new one; sets `browser` and `page`."""
        args = parse_argstring(self.sb_open, line)
        browser = self._variable("browser", "Browser")
        if browser is None:
            from skillbook.session.sync import launch

            browser = launch(headless=False if args.headed else None)
        page = browser.open(args.url)
        self._shell.push({"browser": browser, "page": page})
        return page

    @magic_arguments()
    @argument("--page", default="page", help="the variable that holds the page (page)")
    @line_magic
    def sb_snap(self, line: str) -> Any:
        """Take a snapshot of `page`."""
        return self._page(parse_argstring(self.sb_snap, line).page).snapshot()

    @magic_arguments()
    @argument("--model", help="a model's name such as openai:NAME, or the variable that holds one")
    @argument("--autonomy", choices=("ask", "reads", "all"), default="ask", help="what passes without asking")
    @argument("--max-steps", type=int, default=50, help="tool calls the run may make (50)")
    @argument("--page", default="page", help="the variable that holds the page (page)")
    @argument("--name", default="run", help="the variable to hold the run (run)")
    @cell_magic
    def sb_agent(self, line: str, cell: str) -> None:
        """Start an agent; the cell's text is its goal. Sets `run` and shows its panel."""
        args = parse_argstring(self.sb_agent, line)
        if not cell.strip():
            raise UsageError("%%sb_agent: write the goal in the cell, below the first line")
        if not args.name.isidentifier():
            raise UsageError(f"%%sb_agent: {args.name!r} can't be a variable's name")
        from skillbook.agents import agent

        model = self._shell.user_ns.get(args.model, args.model) if args.model else None
        run = agent(
            self._page(args.page), cell.strip(), model=model, autonomy=args.autonomy, max_steps=args.max_steps
        )
        self._shell.push({args.name: run})
        run.start()

    @magic_arguments()
    @argument("--page", default="page", help="the variable that holds the page (page)")
    @argument("skill", help="the skill's name or path")
    @argument("--approve", action="store_true", help="approve what it wants; see `skill.wants`")
    @argument("inputs", nargs="*", metavar="NAME=VALUE", help="the skill's inputs; quote values with spaces")
    @line_magic
    def sb_run_skill(self, line: str) -> Any:
        """Run a skill on `page`: `%sb_run_skill search-books query="sea stories"`."""
        args = parse_argstring(self.sb_run_skill, line)
        from skillbook.skill import load_skill

        skill = load_skill(args.skill, approve=args.approve)
        inputs, page = read_inputs(args.inputs), self._page(args.page)
        with Progress(f"Skill {skill.name}", skill.planned) as progress:
            return skill.run(page, inputs=inputs, progress=progress.on_step)

    @property
    def _shell(self) -> InteractiveShell:
        assert self.shell is not None
        return self.shell

    def _page(self, name: str) -> Any:
        page = self._variable(name, "Page")
        if page is None and name == "page":
            browser = self._variable("browser", "Browser")
            page = browser.active if browser is not None else None
        if page is None:
            raise UsageError(f"there is no page in the variable {name!r}: open one with %sb_open URL")
        return page

    def _variable(self, name: str, kind: str) -> Any:
        from skillbook.session import sync

        value = self._shell.user_ns.get(name)
        return value if isinstance(value, getattr(sync, kind)) else None


def read_inputs(words: list[str]) -> dict[str, str]:
    """Read `name=value` words.

    Raises UsageError: a word without name or equals sign, or a name given twice.
    """
    inputs: dict[str, str] = {}
    for word in words:
        name, equals, value = _unquoted(word).partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"{word!r} isn't an input: write NAME=VALUE, and quote values with spaces")
        if name in inputs:
            raise UsageError(f"the input {name!r} is given twice")
        inputs[name] = _unquoted(value)
    return inputs


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


def complete_magic(shell: InteractiveShell, event: Any) -> list[str]:
    """Complete a magic's arguments: options, skills and their inputs, page and model variables."""
    words = event.line.split()
    magic, typed = words[0].lstrip("%"), event.line.split(" ")[-1]
    before = words[1:-1] if typed else words[1:]
    if before and before[-1] == "--autonomy":
        return ["ask", "reads", "all"]
    if before and before[-1] in {"--page", "--model", "--name"}:
        return [name for name in shell.user_ns if not name.startswith("_")]
    if typed.startswith("-"):
        return _options(shell, magic)
    if magic == "sb_run_skill":
        named = [word for word in before if not word.startswith("-")]
        return _skill_names() if not named else _input_names(named[0], named[1:])
    return []


def _options(shell: InteractiveShell, magic: str) -> list[str]:
    kind = "cell" if magic == "sb_agent" else "line"
    parser = shell.magics_manager.magics[kind][magic].parser
    return sorted(option for option in parser._option_string_actions if option.startswith("--"))


def _skill_names() -> list[str]:
    from skillbook.skill import Library

    return list(Library())


def _input_names(skill: str, given: list[str]) -> list[str]:
    from skillbook.errors import SkillError
    from skillbook.skill import load_skill

    try:
        inputs = load_skill(skill).inputs
    except SkillError:
        return []
    used = {word.partition("=")[0] for word in given}
    return [f"{each.name}=" for each in inputs if each.name not in used]


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Called by `%load_ext skillbook`."""
    register_formatters()
    ipython.register_magics(SkillbookMagics)
    for name in _COMPLETED:
        for prefix in ("%", "%%"):
            ipython.set_hook("complete_command", complete_magic, str_key=f"{prefix}{name}")

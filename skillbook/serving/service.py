"""`skillbook serve` and `sb.serve`: a kernel without a notebook, which serves skills, workflows and the agent."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shlex
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from skillbook.bridge.conversation import BridgeStatus
from skillbook.config import load_settings
from skillbook.errors import ConfigError, ServeRunning
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import MOMENT_SECONDS, PAGE_SECONDS, PERSON_SECONDS
from skillbook.protocol.envelopes import KernelInfo
from skillbook.serving.asking import answers_of, import_answers
from skillbook.serving.terminal.terminal_socket import TerminalCall, TerminalSocket
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.kept_profiles import profiles
from skillbook.session.start import serve_driver
from skillbook.storage import HOME, private_folder, storing, write_private

if TYPE_CHECKING:
    from skillbook.session.sync import Browser

_POSIX = os.name == "posix"
_FILE, _LOCK = "serve.json", "serve.lock"


@dataclass(frozen=True)
class KeptPairing:
    """The pairing of `skillbook serve`.

    id: of the kernel, as the browser knows it.
    token: what the browser proves that it knows.
    port: the one that it dials; 0 before the first start.
    allowed: origins on which the person allowed writes.
    """

    id: str
    token: str
    port: int = 0
    allowed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<KeptPairing {self.id} at port {self.port}>"

    def with_facts(self, port: int, allowed: Iterable[str]) -> KeptPairing:
        """The same with another port and other origins."""
        return replace(self, port=port, allowed=tuple(sorted(allowed)))


def read_pairing(home: Path) -> KeptPairing:
    """The pairing that is kept, or a new one.

    Raises ConfigError: others can read the file, so that they may know the token.
    """
    path = home / _FILE
    try:
        if _POSIX and path.stat().st_mode & 0o077:
            raise ConfigError(
                f"others can read {path}, which has the token of your browser",
                hint="delete the file, start again, and pair your browser again",
            )
        facts = json.loads(path.read_text("utf-8"))
        return KeptPairing(
            str(facts["id"]), str(facts["token"]), int(facts["port"]), tuple(map(str, facts["allowed"]))
        )
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path} can't be read: {error}", hint="delete it, and pair your browser again"
        ) from None
    return KeptPairing(secrets.token_hex(8), secrets.token_urlsafe(32))


def keep_pairing(home: Path, pairing: KeptPairing) -> None:
    """Write the pairing down, with mode 0600 from the first byte on."""
    with storing(home / _FILE, HOME):
        private_folder(home)
        write_private(home / _FILE, json.dumps(asdict(pairing)))


class ServeLock:
    """Held by the one `skillbook serve` of a user; given up when its process ends, however it does.

    Raises ServeRunning: another process has it.
    """

    def __init__(self, home: Path) -> None:
        with storing(home / _LOCK, HOME):
            private_folder(home)
            self._file: IO[str] = open(  # noqa: SIM115 - it is open as long as the lock is held
                os.open(home / _LOCK, os.O_CREAT | os.O_RDWR, 0o600), "r+", encoding="utf-8"
            )
        if not _POSIX:  # a port that is taken says the same there
            return
        fcntl = import_module("fcntl")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = self._file.read().strip()
            self._file.close()
            raise ServeRunning(f"`skillbook serve` runs already{f': {who}' if who else ''}") from None

    def sign(self, words: str) -> None:
        """Say who has it, for who comes second."""
        self._file.seek(0)
        self._file.truncate()
        self._file.write(words)
        self._file.flush()

    def release(self) -> None:
        """Give it up."""
        if not self._file.closed:
            self._file.seek(0)
            self._file.truncate()
            self._file.close()


_FIRST_STEPS = (
    " In it, go to a page, open the side panel with Alt+Shift+S, and press Share this tab. "
    "Or use it from a terminal: `skillbook open URL`."
)


class Service:
    """A kernel without a notebook; `sb.serve` makes it. Closing it ends it; its paired browser finds the next one.

    Parameters
    ----------
    driver : its browser.
    lock, pairing : what only one process at a time has.
    home : the folder of both.
    """

    def __init__(self, driver: BrowserDriver, lock: ServeLock, pairing: KeptPairing, home: Path) -> None:
        self._driver, self._lock, self._pairing, self._home = driver, lock, pairing, home
        self._linked_at = 0.0
        self._reviving: set[asyncio.Task[None]] = set()
        self._was_connected = False
        self._made_commands: Any = None
        self._watching: asyncio.Future[None] | None = None
        self._terminals = TerminalSocket(home, self._take_command)
        io.call_soon(self._watch)

    @property
    def browser(self) -> Browser:
        """The browser that is paired with it, as `sb.connect` returns one."""
        from skillbook.session.sync import Browser

        return Browser(self._driver)

    @property
    def name(self) -> str:
        """What the side panel calls it."""
        return self._driver.server.kernel.name

    @property
    def port(self) -> int:
        """The port that it listens on, at 127.0.0.1."""
        return self._driver.server.port

    @property
    def connected(self) -> bool:
        """Whether a browser is connected."""
        return self._driver.server.status.state == "connected"

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._driver.gateway.closed

    def pair_link(self) -> str:
        """A link that pairs the browser it is opened in: works once, for ten minutes.

        Returns
        -------
        str
            The link.
        """
        self._linked_at = time.monotonic()
        return self._driver.server.pairing_link()

    def wait(self, report: Callable[[str], object] = lambda words: None) -> None:
        """Serve until Ctrl-C, `close`, or the end of the browser that was launched.

        Parameters
        ----------
        report : function
            Called with what a person may want to know: that a browser came or went, and new pairing links.
        """
        state, first_steps = "", _FIRST_STEPS
        while not self.closed:
            process, now = self._driver.process, self._driver.server.status
            if process is not None and not process.alive:
                report("The browser was closed.")
                return
            if now.state != state:
                if now.state == "connected":
                    report(f"Connected to {now.browser}.{first_steps}")
                    first_steps = ""
                else:
                    report(_words(now))
                state = now.state
            stale = time.monotonic() - self._linked_at > PERSON_SECONDS - PAGE_SECONDS  # its code ends soon
            if not self._was_connected and process is None and not self.connected and stale:
                report(f"To pair your browser, open: {self.pair_link()}")
            time.sleep(MOMENT_SECONDS)

    def close(self) -> None:
        """End it: runs that wait are written down, and the next `skillbook serve` shows them as waiting again."""
        if not self.closed:
            io.sync(self._end())
        self._lock.release()

    async def _end(self) -> None:
        self._keep()
        if self._watching is not None:
            self._watching.cancel()
        await self._terminals.close()
        if self._driver.answers is not None:
            await self._driver.answers.runs.end()
        await self._driver.close()

    # --- on the I/O thread ---

    def _watch(self) -> None:
        self._driver.server.on_status(self._status_changed)
        self._driver.listeners.append(lambda page, what: self._keep())
        self._status_changed(self._driver.server.status)
        self._listening = asyncio.ensure_future(self._terminals.open())
        self._spawn(self._listening)

    async def _warm(self) -> None:
        """Return once commands of terminals come here and are answered without imports."""
        await answers_of(self._driver)
        (await self._commands()).rehearse()
        await asyncio.wait({self._listening})

    async def _commands(self) -> Any:
        make = await asyncio.to_thread(_import_commands)
        if self._made_commands is None:
            self._made_commands = make(self._driver)
        return self._made_commands

    async def _take_command(self, call: TerminalCall) -> int | None:
        code: int | None = await (await self._commands()).answer(call)
        return code

    def _status_changed(self, status: BridgeStatus) -> None:
        if status.state == "connected":
            self._was_connected = True
            if not status.resumed:
                self._spawn(self._take_up())

    async def _take_up(self) -> None:
        """A browser came anew: know its tabs, and the runs that an earlier process left waiting."""
        await self._driver.refresh_tabs()
        answers = await answers_of(self._driver)
        await answers.revive()
        if self._watching is None:
            self._watching = asyncio.ensure_future(self._watcher(answers).serve())
            self._spawn(self._watching)

    @staticmethod
    def _watcher(answers: Any) -> Any:
        from skillbook.serving.watches.watch import watches
        from skillbook.serving.watches.watch_runs import Watcher

        return Watcher(answers.driver, watches, answers.runs.add)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._reviving.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._reviving.discard(task)
        if not task.cancelled():
            task.exception()  # the next connection tries again

    def _keep(self) -> None:
        """Write down on which origins the person allowed writes, where that changed."""
        allowed = self._driver.gateway.policy.allowed
        pairing = self._pairing.with_facts(self.port, allowed)
        if pairing != self._pairing:
            self._pairing = pairing
            keep_pairing(self._home, pairing)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else self._driver.server.status.state
        return f"<Service {self.name!r} at 127.0.0.1:{self.port}: {state}>"


def serve(
    skills: str | Path | Iterable[str | Path] | None = None,
    workflows: str | Path | Iterable[str | Path] = (),
    *,
    model: Any = None,
    name: str | None = None,
    port: int | None = None,
    launch: bool = False,
    headless: bool = False,
    profile: str | None = None,
    page_tools: bool = False,
    open: bool = False,
    wait: bool = True,
) -> Service:
    """Serve skills, workflows and the agent to the browser's side panel, without a notebook.

    It prints a link that pairs your browser. A browser that was paired once finds it again after a restart.

    Parameters
    ----------
    skills : str, Path or iterable of these, optional
        Folders with skills; by default `skills` in the working folder and yours. New ones are saved in the first.
    workflows : str, Path or iterable of these
        Python files or modules that define workflows, besides those of this process.
    model : str or BaseChatModel, optional
        The model of runs; `SKILLBOOK_MODEL` by default. Without either, goals go without a model.
    name : str, optional
        What the side panel calls it; the working folder's name by default.
    port : int, optional
        The port at 127.0.0.1; by default the one of the last time.
    launch : bool
        Start Chromium with the extension, already paired.
    headless : bool
        Start it without a window.
    profile : str, optional
        With `launch`, the name of a profile that is kept, so that you stay signed in.
    page_tools : bool
        List tools that pages declare (WebMCP), so that they can be called.
    open : bool
        Open the pairing link in your default browser.
    wait : bool
        Serve until Ctrl-C, then close; False returns as soon as commands and the side panel are answered.

    Returns
    -------
    Service
        The running service, or the closed one after waiting.

    Raises
    ------
    ServeRunning
        Another one of yours runs.
    PortInUse
        The port belongs to another program.
    ConfigError
        Others can read the file with the token.

    Examples
    --------
    >>> sb.serve(skills="skills", workflows="flows.py", launch=True)  # doctest: +SKIP
    """
    home = load_settings().home
    lock = ServeLock(home)
    try:
        pairing = read_pairing(home)
        kernel = KernelInfo(id=pairing.id, name=name or Path.cwd().name or "skillbook serve")
        _load_workflows(workflows)
        threading.Thread(target=_import_early, name="skillbook-imports", daemon=True).start()
        driver = io.sync(
            serve_driver(
                kernel,
                pairing.token,
                port=pairing.port if port is None else port,
                allow=pairing.allowed,
                launch=launch,
                headless=headless,
                user_data_dir=None if profile is None else profiles.path(profile),
                page_tools=page_tools,
            )
        )
    except BaseException:
        lock.release()
        raise
    pairing = pairing.with_facts(driver.server.port, pairing.allowed)
    keep_pairing(home, pairing)
    lock.sign(f"process {os.getpid()}, port {driver.server.port}, in {Path.cwd()}")
    service = Service(driver, lock, pairing, home)
    io.call_soon(_choose, driver, skills, model)
    io.sync(service._warm())
    if not launch:
        link = service.pair_link()
        hooks.pair_link(link, kernel.name)
        if open:
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    if wait:
        try:
            service.wait()
        except KeyboardInterrupt:
            pass
        finally:
            service.close()
    return service


def _import_commands() -> Any:
    from skillbook.serving.terminal.terminal_commands import TerminalCommands
    from skillbook.serving.terminal.verb_table import verb_table

    verb_table()  # it is made once, which would take a second of the first command
    return TerminalCommands


def _import_early() -> None:
    """Import what answers terminals and the side panel, which takes two seconds, while the browser starts."""
    import_answers()
    _import_commands()


def _choose(driver: BrowserDriver, skills: Any, model: Any) -> None:
    """Have its answers use these skills and this model."""
    driver.answer_options = {"skills": skills, "model": model}


def _load_workflows(sources: str | Path | Iterable[str | Path]) -> None:
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    if several:
        from skillbook.serving.workflows.known_workflows import workflows

        for source in several:
            workflows.load(source)


def _words(status: BridgeStatus) -> str:
    if status.state == "waiting":
        return "Waiting for a browser."
    why = f": {status.last_error.message}" if status.last_error is not None else ""
    return f"The browser is away{why}."


_OPTIONS = "serve --launch --headless --profile watches"


def _program() -> str:
    """The command of this installation."""
    found = Path(sys.executable).with_name("skillbook")
    return str(found) if found.exists() else f"{sys.executable} -m skillbook"


def systemd_unit() -> str:
    """A unit for `~/.config/systemd/user/skillbook.service`."""
    folder = os.getcwd().replace("%", "%%")
    return f"""[Unit]
Description=skillbook: skills, watches and the side panel

[Service]
WorkingDirectory={folder}
ExecStart={_program()} {_OPTIONS}
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target

# systemctl --user enable --now skillbook; loginctl enable-linger keeps it running when you are signed out."""


def cron_line() -> str:
    """A line that starts it with the computer; one that runs already stays."""
    return f"@reboot cd {shlex.quote(os.getcwd())} && {_program()} {_OPTIONS}".replace("%", "\\%")

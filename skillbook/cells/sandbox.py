"""A Python interpreter in a process of its own, which stops at each call of the page.

It has no files, no network and no imports from here. Its clock and its chance are fixed, so the same code with the same
answers does the same again: that is how a run goes on in another kernel.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from skillbook.cells.crossing import CellObject, CellSecret, Node, Page, to_sandbox
from skillbook.cells.parsed_code import Fault
from skillbook.cells.stubs import BEGIN, checked_stubs
from skillbook.cells.surface import ATTRIBUTES, CLOSE, find_method
from skillbook.cells.written_secrets import HANDLES, find_hidden_code, typed_args, with_handles
from skillbook.errors import SandboxMissing
from skillbook.limits import READ_SECONDS

T = TypeVar("T")
CELL_BYTES = 200_000_000
OUTPUT_CHARACTERS = 100_000
"""How much of what a cell prints is kept; a model is shown less."""
_SUSPENSIONS = 1_000_000
_WRITTEN_OUT = 'a secret\'s name is written out in the cell: sb.secret("name")'
_NO_SYSTEM = "a cell has no files, no network and no system: only `page`, `sb` and plain Python"


class _Skillbook:
    """Stands for `sb` in a cell."""


@dataclass(frozen=True)
class HostCall:
    """A cell stands at a call.

    owner: `page` or `sb`.
    name: the method's or attribute's name; `attribute` says which of them.
    line: the cell's line, from 1; 0 for a call within a function of an earlier cell.
    start, end: where the call is in the cell's text, in characters.
    tab: of which page it is a call; 0 for the one that a cell begins with.
    """

    owner: str
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    line: int
    start: int
    end: int
    attribute: bool = False
    tab: int = 0


@dataclass(frozen=True)
class CellEnd:
    """A cell has ended.

    value: its last expression.
    error: why it ended early, with the line; empty where it came to its end.
    error_line: that line; 0 where it isn't known.
    lost: whether the sandbox's variables are lost, or not to be trusted.
    """

    printed: str
    value: Any = None
    error: str = ""
    error_line: int = 0
    lost: bool = False


def tool_of(host: HostCall) -> tuple[str, dict[str, Any]]:
    """The run's tool and arguments for a call of a cell; its secrets are `Secret`s, all other texts are plain.

    Raises AttributeError, TypeError: there is none, or they don't fit; an element of another tab is one that doesn't.
    """
    if host.attribute and host.name in ATTRIBUTES:
        return "get", {"what": host.name}
    method = find_method(host.owner, host.name)
    if method is None:
        raise AttributeError(f"{host.owner!r} has no attribute {host.name!r}")
    if method.tool == CLOSE and not host.tab:
        raise TypeError("the page that the run works in stays open: only other tabs are closed")
    for each in (*host.args, *host.kwargs.values()):
        if isinstance(each, Node) and each.tab != host.tab:
            raise TypeError(f"the element {each.ref} was found in another tab")
    return method.tool, typed_args(method.tool, method.args(host.args, host.kwargs))


def require_sandbox() -> None:
    """Check that there is a sandbox.

    Raises SandboxMissing: it isn't installed.
    """
    try:
        import pydantic_monty
    except ImportError:
        raise SandboxMissing(
            "mode=\"cells\" needs pydantic-monty, the sandbox in which a model's code runs; it isn't installed",
            hint='Install it with `pip install "skillbook[cells]"`; it is an extra for its size, 42 MB.',
        ) from None
    assert pydantic_monty is not None


class Sandbox:
    """One run's interpreter: its variables stay from cell to cell. One call at a time.

    began: what the clock says in it, in seconds since 1970.
    """

    # How long a cell may compute, waits for the page left out.
    def __init__(self, began: float, *, seconds: float = READ_SECONDS, memory: int = CELL_BYTES) -> None:
        self._began, self._seconds, self._memory = began, seconds, memory
        self._pool: Any = None
        self._session: Any = None
        self._snapshot: Any = None
        self._code = ""
        self._printed: list[str] = []
        self._size = 0
        self._objects: dict[str, Any] = {}
        self._pages: dict[int, Any] = {}
        self._secrets: dict[str, Any] = {}

    # The interpreter's asynchronous interface aborts some processes at their end; this one doesn't.

    async def check(self, code: str) -> list[Fault]:
        """What is wrong with a cell by its syntax, its types and what it hides; nothing of it runs."""
        try:
            hidden = find_hidden_code(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            hidden = []  # the sandbox says what is wrong
        return hidden or await self._alone(lambda: self._check(code))

    async def start(self, code: str) -> HostCall | CellEnd:
        """Run a cell up to its first call."""
        return await self._alone(lambda: self._start(code))

    async def answer(self, value: Any) -> HostCall | CellEnd:
        """Let the call that it stands at return something, and go on to the next."""
        return await self._alone(lambda: self._resume({"return_value": to_sandbox(value, self._page)}))

    async def fail(self, kind: type[Exception], message: str) -> HostCall | CellEnd:
        """Let the call that it stands at raise."""
        return await self._alone(lambda: self._resume({"exception": kind(message)}))

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression over the cells' variables, which calls nothing; None where it has none."""
        return await self._alone(lambda: self._evaluate(expression))

    async def close(self) -> None:
        """End the process; the next use begins a new one, without variables."""
        await self._alone(self._close)

    @property
    def process(self) -> int | None:
        """The process's id, for tests; None while there is none."""
        return self._session.worker_pid if self._session is not None else None

    async def _alone(self, work: Callable[[], T]) -> T:
        task = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait({task})  # what it computes ends by its limits
            raise

    def _open(self) -> Any:
        from pydantic_monty import ClassInstance, Monty

        if self._session is None:
            pool = Monty(min_processes=1, max_processes=1, request_timeout=self._seconds + 5)
            self._pool = pool.__enter__()
            session = self._pool.checkout(
                type_check=True,
                type_check_stubs=checked_stubs(),
                type_check_format="json",
                limits={
                    "max_feed_duration_secs": self._seconds,
                    "max_memory": self._memory,
                    "max_suspensions": _SUSPENSIONS,
                },
                os_policy={
                    "datetime": datetime.fromtimestamp(self._began, UTC),
                    "random_start": {"seed": str(self._began)},
                    "sleep": "zero",
                },
            )
            self._session = session.__enter__()
            self._pages, self._secrets = {}, {}
            self._objects = {"page": self._page(Page()), "sb": ClassInstance(_Skillbook())}
        return self._session

    def _page(self, page: Page) -> Any:
        """What stands for a page in this session, the same each time."""
        from pydantic_monty import ClassInstance

        if page.tab not in self._pages:
            self._pages[page.tab] = ClassInstance(page, lazy_attrs=set(ATTRIBUTES))
        return self._pages[page.tab]

    def _close(self) -> None:
        session, pool = self._session, self._pool
        self._session = self._pool = self._snapshot = None
        try:
            if session is not None:
                session.__exit__(None, None, None)
        finally:
            if pool is not None:
                pool.__exit__(None, None, None)

    def _check(self, code: str) -> list[Fault]:
        from pydantic_monty import MontyCrashedError, MontyError, MontySyntaxError, MontyTypingError

        try:
            session = self._open()
            loaded = self._loaded(code)
            snapshot = session.feed_start(f"{BEGIN}()\n{loaded}", inputs=self._objects)
        except MontyTypingError as error:
            return [_fault(each) for each in json.loads(error.display())]
        except MontySyntaxError as error:
            frames = error.traceback()
            line = max(1, (frames[-1].line if frames else 2) - 1)
            return [Fault(line, 1, line, 1, error.display("msg"))]
        except MontyCrashedError:
            self._close()
            return [Fault(1, 1, 1, 1, "the sandbox can't read this code")]
        except (MontyError, RecursionError) as error:
            return [Fault(1, 1, 1, 1, str(error))]
        try:
            snapshot.resume({"exception": SystemExit("checked")})
        except MontyError:
            return []
        self._close()  # it didn't stop before its first line
        return [Fault(1, 1, 1, 1, f"the name {BEGIN!r} can't be used")]

    def _start(self, code: str) -> HostCall | CellEnd:
        self._printed, self._size, self._code = [], 0, code
        session = self._open()
        loaded = self._loaded(code)
        return self._step(
            lambda: session.feed_start(loaded, inputs=self._objects, print_callback=self._print)
        )

    def _loaded(self, code: str) -> str:
        """A cell's text as it runs; the secrets that it writes out are there from now on."""
        from pydantic_monty import ClassInstance

        try:
            loaded, names = with_handles(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return code  # the sandbox says what is wrong
        for name in sorted(names - self._secrets.keys()):
            self._secrets[name] = ClassInstance(CellSecret(name), eager_attrs=[])
        self._objects[HANDLES] = self._secrets
        return loaded

    def _resume(self, result: Mapping[str, Any]) -> HostCall | CellEnd:
        snapshot, self._snapshot = self._snapshot, None
        _, tab = self._owner(snapshot.object_id)
        page = self._pages[tab].value if tab in self._pages else None
        return self._step(lambda: _resumed(snapshot, result, page))

    def _step(self, move: Callable[[], Any]) -> HostCall | CellEnd:
        """Go on until a call of the page, or the end."""
        from pydantic_monty import (
            MontyComplete,
            MontyCrashedError,
            MontyError,
            MontyRuntimeError,
            MontySyntaxError,
            MontyTypingError,
            NameLookupSnapshot,
        )

        try:
            snapshot = move()
            while not isinstance(snapshot, MontyComplete):
                owner, tab = self._owner(snapshot.object_id)
                lookup = isinstance(snapshot, NameLookupSnapshot)
                if lookup and owner == "page" and snapshot.variable_name in ATTRIBUTES:
                    self._snapshot = snapshot
                    return self._call(
                        snapshot, owner, snapshot.variable_name, (), {}, attribute=True, tab=tab
                    )
                if lookup:
                    snapshot = snapshot.resume()
                elif owner == "sb" and snapshot.function_name == "secret":
                    snapshot = snapshot.resume({"exception": ValueError(_WRITTEN_OUT)})
                elif owner and not snapshot.is_os_function:
                    self._snapshot = snapshot
                    return self._call(
                        snapshot, owner, str(snapshot.function_name), snapshot.args, snapshot.kwargs, tab=tab
                    )
                else:
                    snapshot = snapshot.resume({"exception": PermissionError(_NO_SYSTEM)})
            return CellEnd("".join(self._printed), _without_secrets(_own(snapshot.output)))
        except MontyCrashedError as error:
            self._close()
            return self._ended(f"the sandbox ended: {error}", lost=True)
        except (MontyTypingError, MontySyntaxError):
            return self._ended("SyntaxError: it doesn't pass the check any more")
        except MontyRuntimeError as error:
            limit = error.display("type-msg").split(":")[0] in {"TimeoutError", "MemoryError"}
            frames = [frame for frame in error.traceback() if frame.line]
            line = frames[-1].line if frames else 0
            return self._ended(_described(error), line, lost=limit)
        except (MontyError, RuntimeError, TypeError, ValueError) as error:
            self._close()
            return self._ended(f"{type(error).__name__}: {error}", lost=True)

    def _ended(self, error: str, line: int = 0, *, lost: bool = False) -> CellEnd:
        if lost:
            self._close()
        return CellEnd("".join(self._printed), None, error, line, lost)

    def _call(
        self,
        snapshot: Any,
        owner: str,
        name: str,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        attribute: bool = False,
        tab: int = 0,
    ) -> HostCall:
        raw, place = self._code.encode(), snapshot.position
        start, end = (
            len(raw[: place.start].decode(errors="ignore")),
            len(raw[: place.end].decode(errors="ignore")),
        )
        here = name in self._code[start:end]
        line = self._code.count("\n", 0, start) + 1 if here else 0
        given = next((each for each in (*args, *kwargs.values()) if isinstance(each, Page)), None)
        return HostCall(
            owner,
            name,
            tuple("page" if isinstance(each, Page) else _own(each) for each in args),
            {key: "page" if isinstance(each, Page) else _own(each) for key, each in kwargs.items()},
            line,
            start if here else 0,
            end if here else 0,
            attribute,
            given.tab if owner == "sb" and given is not None else tab,
        )

    def _owner(self, object_id: Any) -> tuple[str, int]:
        """Which of the objects that a cell has makes a call, and of a page its tab."""
        if self._objects and self._objects["sb"].id == object_id:
            return "sb", 0
        found = next((tab for tab, each in self._pages.items() if each.id == object_id), None)
        return ("page", found) if found is not None else ("", 0)

    def _print(self, stream: str, text: str) -> None:
        if self._size < OUTPUT_CHARACTERS:
            kept = text[: OUTPUT_CHARACTERS - self._size]
            self._printed.append(kept)
            self._size += len(kept)

    def _evaluate(self, expression: str) -> Any:
        from pydantic_monty import MontyComplete, MontyError

        try:
            snapshot = self._open().feed_start(
                expression, print_callback=lambda *_: None, skip_type_check=True
            )
            # What it stands at is let go on to its end: a session that waits for an answer takes no more code.
            while not isinstance(snapshot, MontyComplete):
                snapshot = _resumed(snapshot, {"exception": NameError(expression)})
            return _without_secrets(_own(snapshot.output))
        except (MontyError, RuntimeError, TypeError, ValueError):
            pass
        return None


def _resumed(snapshot: Any, result: Mapping[str, Any], page: Page | None = None) -> Any:
    from pydantic_monty import NameLookupSnapshot

    if not isinstance(snapshot, NameLookupSnapshot):
        return snapshot.resume(result)
    if "return_value" in result:
        return snapshot.resume(value=result["return_value"])
    if page is None:
        return snapshot.resume()
    # An attribute can't be answered with an error: so the object that it is looked up in raises that.
    vars(page)["failed"] = result["exception"]
    try:
        return snapshot.resume_auto()
    finally:
        del vars(page)["failed"]


def _own(value: Any, depth: int = 6) -> Any:
    """What came out of the sandbox as plain values and our own small objects; anything else as its text."""
    if value is None or isinstance(value, bool | int | float | str | CellObject | CellSecret):
        return value
    if isinstance(value, Mapping) and depth:
        return {
            key if isinstance(key, str) else str(key): _own(each, depth - 1) for key, each in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset) and depth:
        return [_own(each, depth - 1) for each in value]
    if isinstance(value, date | time | timedelta | Decimal | bytes | complex):
        return str(value)
    return f"<{type(value).__name__}>"  # of a class or a function nothing is said, not even where it is from


def _without_secrets(value: Any) -> Any:
    """What a cell gives to others: of a secret its name, as text."""
    if isinstance(value, dict):
        return {key: _without_secrets(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_secrets(each) for each in value]
    return repr(value) if isinstance(value, CellSecret) else value


def _fault(found: Mapping[str, Any]) -> Fault:
    start, end = found["location"], found["end_location"]
    return Fault(
        max(1, start["row"] - 1),
        start["column"],
        max(1, end["row"] - 1),
        end["column"],
        str(found["message"]),
    )


def _described(error: Any) -> str:
    """An error of a cell in words."""
    return str(error.display("type-msg"))[:4000]

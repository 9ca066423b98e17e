"""Start Chromium with the extension, and see to it that it ends with us."""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from skillbook.errors import LaunchFailed, docs_page
from skillbook.launcher.chromium_search import Chromium, browser_environment, find_chromium
from skillbook.launcher.profile import Profile, extension_path, make_profile
from skillbook.limits import READ_SECONDS
from skillbook.storage import readable_home

SWITCHES = ("--remote-debugging-pipe", "--enable-unsafe-extension-debugging")

# The pipes may already have the numbers 3 and 4, the wrong way round, so both move out of the way first.
_MOVE_AND_START = """
import fcntl, os, sys
ends = [int(number) for number in sys.argv[1:3]]
kept = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
for end in ends:
    os.close(end)
os.dup2(kept[0], 3)
os.dup2(kept[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class DebugPipe:
    """Two pipes that Chromium expects as its descriptors 3 (to read) and 4 (to write); it ends when they close.

    Source: Chromium, content/public/common/content_switches.cc, `remote-debugging-pipe`; the DevTools
    protocol's `Extensions.loadUnpacked`.
    """

    def __init__(self) -> None:
        self._child_in, self._write = os.pipe()
        self._read, self._child_out = os.pipe()

    @property
    def descriptors(self) -> tuple[int, int]:
        """What the started process must inherit."""
        return self._child_in, self._child_out

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command line that puts the pipes where Chromium looks for them."""
        ends = [str(self._child_in), str(self._child_out)]
        return [sys.executable, "-I", "-S", "-c", _MOVE_AND_START, *ends, *command]

    def started(self) -> None:
        """Close the child's ends here: the process has copies."""
        os.close(self._child_in)
        os.close(self._child_out)

    def load(self, extension: Path, timeout: float = 20.0) -> str:
        """Load an unpacked extension.

        timeout: seconds to wait for the browser's answer.
        Raises LaunchFailed: the browser refused, ended or said nothing.
        """
        request = {"id": 1, "method": "Extensions.loadUnpacked", "params": {"path": str(extension)}}
        deadline = time.monotonic() + timeout
        received = b""
        try:
            os.write(self._write, json.dumps(request).encode() + b"\0")
            while b"\0" not in received:
                ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
                chunk = os.read(self._read, 65536) if ready else b""
                if not chunk:
                    raise LaunchFailed("The browser did not answer the request to load the extension")
                received += chunk
        except OSError as error:
            raise LaunchFailed(f"The browser closed its debugging pipe: {error}") from error
        answer = json.loads(received.split(b"\0")[0])
        if "error" in answer:
            reason = str(answer["error"].get("message", "no reason given"))
            raise LaunchFailed(
                f"The browser refused to load the extension: {reason}",
                hint="use Chromium or Chrome for Testing, or your own Chrome with sb.connect()",
            )
        return str(answer["result"]["id"])

    def close(self) -> None:
        """Close our ends, which also ends a browser that still runs."""
        for descriptor in (self._write, self._read):
            with suppress(OSError):
                os.close(descriptor)


# Ends the browser's process group when our end of the pipe closes, which also happens when this process is
# killed and can clean nothing up.
_WATCHDOG = """
read -r _
kill -TERM "-$1" 2>/dev/null
tries=0
while kill -0 "-$1" 2>/dev/null && [ "$tries" -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -KILL "-$1" 2>/dev/null
rm -rf -- "$2"
"""


class ChromiumProcess:
    """A running browser that skillbook started: its process group, its folders, its messages."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        profile: Profile,
        browser: Chromium,
        pipe: DebugPipe | None = None,
        *,
        headless: bool = True,
    ) -> None:
        self.browser = browser
        self.headless = headless
        self.profile = profile
        self._pipe = pipe
        self._process = process
        self._watchdog = _start_watchdog(process.pid, profile.root)
        self._lock = threading.Lock()
        self._ended = False
        self._owner = os.getpid()
        _running.add(self)

    @property
    def pid(self) -> int:
        """The browser's process id, which is also its process group's."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the browser still runs."""
        return self._process.poll() is None

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        code = self._process.poll()
        if code is None:
            return "it still runs"
        return f"it was killed by signal {-code}" if code < 0 else f"exit code {code}"

    def wait_exit(self, timeout: float | None = None) -> int | None:
        """Wait up to `timeout` seconds for the browser to end; its exit code, or None if it still runs."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def terminate(self) -> None:
        """End the browser and every process it started, then remove its folders; safe to call again."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
            _running.discard(self)
            if self.alive:
                self._process.terminate()
                if self.wait_exit(READ_SECONDS) is None:
                    self._process.kill()
            _kill_group(self.pid)
            self._process.wait()
            if self._pipe is not None:
                self._pipe.close()
            self.profile.remove()
            if self._watchdog is not None:
                self._watchdog.kill()
                self._watchdog.communicate()

    def terminate_if_owner(self) -> None:
        """As `terminate`, but nothing in a fork of the process that started the browser."""
        if self._owner == os.getpid():
            self.terminate()

    def stderr_tail(self, lines: int = 20) -> str:
        """The last lines that the browser wrote to its standard error."""
        with suppress(OSError):
            text = _log(self.profile).read_text(encoding="utf-8", errors="replace")
            return "\n".join(text.splitlines()[-lines:])
        return ""

    def failure(self, what: str, *, quote: bool = False) -> LaunchFailed:
        """A `LaunchFailed` that says `what`, how the browser ended and, with `quote`, what it wrote last."""
        code = self._process.poll()
        state = "it still runs" if code is None else f"it ended with code {code}"
        tail = self.stderr_tail()
        if found := _LONG_SOCKET.search(tail):
            return LaunchFailed(
                f"{what}: its socket's path is too long for the system in {found[1]}",
                hint="set TMPDIR to a folder with a shorter path",
                exit_code=code,
            )
        if _NO_SANDBOX in tail:
            return LaunchFailed(
                f"{what}: the browser's sandbox can't start, since this user may make no user namespaces",
                hint=f"allow user namespaces: for a container through its seccomp profile ({docs_page('scaling')}, "
                "Containers), else install Debian's package chromium-sandbox",
                exit_code=code,
                stderr=tail,
            )
        if not self.headless and not has_display():
            return LaunchFailed(
                f"{what}: there is no display to show its window on",
                hint="start it without a window: sb.launch(headless=True), or `skillbook serve --launch --headless`; "
                "or give it a display, such as `xvfb-run` does",
                exit_code=code,
                stderr=tail,
            )
        what = f"{what}: {tail[-500:]}" if quote else what
        hint = "close the other browser that uses this profile" if code == 0 else "run `skillbook doctor`"
        return LaunchFailed(f"{what} ({state}, {self.browser})", hint=hint, exit_code=code, stderr=tail)

    def __enter__(self) -> ChromiumProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.terminate()

    def __repr__(self) -> str:
        state = "running" if self.alive else "ended"
        return f"<ChromiumProcess {self.browser.product} {self.browser.version} {state}>"


def has_display() -> bool:
    """Whether windows can be shown, as far as the environment says."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


_LONG_SOCKET = re.compile(r"[Ss]ocket path too long: (.+?)/org\.chromium\.")
_NO_SANDBOX = "No usable sandbox!"
_running: weakref.WeakSet[ChromiumProcess] = weakref.WeakSet()


@atexit.register
def _terminate_all() -> None:
    for process in list(_running):
        process.terminate_if_owner()


def launch_chromium(
    *,
    port: int,
    token: str,
    kernel_id: str,
    kernel_name: str,
    headless: bool = True,
    executable: str | Path | None = None,
    user_data_dir: str | Path | None = None,
    args: Sequence[str] = (),
    window: tuple[int, int] = (1280, 800),
) -> ChromiumProcess:
    """Start a browser whose extension dials the kernel at `port`.

    port, token, kernel_id, kernel_name: whom the extension dials and how it proves itself.
    headless: without a window.
    executable: the browser; found by itself by default.
    user_data_dir: a profile to keep between launches; a temporary one by default.
    args: more command-line switches, after ours.
    window: width and height in CSS pixels.
    Raises BrowserNotFound: no usable browser.
    Raises ExtensionNotBuilt: no built extension.
    Raises LaunchFailed: the program can't be started, or refuses the extension.
    Raises StorageError: its folders can't be written.
    """
    browser = find_chromium(executable)
    profile = make_profile(
        extension_path(),
        port=port,
        token=token,
        kernel_id=kernel_id,
        kernel_name=kernel_name,
        user_data_dir=user_data_dir,
        base=_readable_by(browser),
    )
    pipe = DebugPipe() if browser.needs_pipe else None
    line = [*switches(profile, headless=headless, window=window), *(SWITCHES if pipe else ()), *args]
    command = [str(browser.path), *line, "about:blank"]
    try:
        with _log(profile).open("wb") as log:
            process = subprocess.Popen(
                pipe.wrap(command) if pipe else command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=browser_environment(),
                pass_fds=pipe.descriptors if pipe else (),
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
    except OSError as error:
        profile.remove()
        raise LaunchFailed(f"{browser} can't be started: {error}", executable=str(browser.path)) from error
    started = ChromiumProcess(process, profile, browser, pipe, headless=headless)
    if pipe is not None:
        pipe.started()
        try:
            pipe.load(profile.extension_dir)
        except LaunchFailed:
            started.terminate()
            raise
    return started


_DISABLED = (
    "DisableLoadExtensionCommandLineSwitch",
    # Requests of these leave past the debugger, or before it comes to a frame.
    "FetchLaterAPI",
    "BackgroundFetch",
    "FedCm",
    "WebPayments",
    "IsolateSandboxedIframes",
    "Translate",
    "MediaRouter",
    "OptimizationHints",
    # The address bar's list is a page of its own: more than half of what a start takes, and nobody types there.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
)


def switches(profile: Profile, *, headless: bool, window: tuple[int, int]) -> list[str]:
    """The command line of a browser that skillbook starts, without the program and the page."""
    found = [
        f"--user-data-dir={profile.user_data_dir}",
        f"--load-extension={profile.extension_dir}",
        f"--disable-extensions-except={profile.extension_dir}",
        f"--disable-features={','.join(_DISABLED)}",
        "--silent-debugger-extension-api",
        f"--window-size={window[0]},{window[1]}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-sync",
        "--disable-quic",
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-dev-shm-usage",
        "--hide-crash-restore-bubble",
        "--metrics-recording-only",
        "--password-store=basic",
        "--use-mock-keychain",
    ]
    if headless:
        found += ["--headless=new", "--disable-gpu", "--mute-audio"]
    if sys.platform == "linux" and os.geteuid() == 0:
        found.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    return found


def _readable_by(browser: Chromium) -> Path | None:
    """Where to make the temporary folders: a snap sees only its folders."""
    if not browser.is_snap:
        return None
    folder = readable_home() / "snap" / "chromium" / "common"
    return folder if folder.is_dir() else None


def _log(profile: Profile) -> Path:
    return profile.root / "stderr.txt"


def _start_watchdog(pid: int, root: Path) -> subprocess.Popen[bytes] | None:
    if sys.platform == "win32":
        return None
    return subprocess.Popen(
        ["/bin/sh", "-c", _WATCHDOG, "skillbook-watchdog", str(pid), str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=browser_environment(),
        start_new_session=True,
    )


def _kill_group(pid: int) -> None:
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)

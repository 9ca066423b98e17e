"""Load the extension over Chromium's debugging pipe, for the browsers that ignore `--load-extension`."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from skillbook.errors import LaunchFailed

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

        Parameters
        ----------
        extension : its folder.
        timeout : seconds to wait for the browser's answer.

        Returns
        -------
        The extension's id.

        Raises
        ------
        LaunchFailed : the browser refused, ended or said nothing.
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

"""What is written down of runs, also when the process ends under them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from skillbook.serving.runs.run_list import RunStore

SCRIPT = """
    import atexit, sys, threading
    from pathlib import Path
    from skillbook.io_thread import io
    from skillbook.protocol.asks.run_asks import RunView
    from skillbook.serving.runs.run_list import RunList
    from skillbook.serving.runs.run_list import RunStore
    from skillbook.serving.runs.served_run import ServedRun

    class Done(ServedRun):
        page = None
        state = "succeeded"
        def view(self):
            return RunView(id="a", kind="skill", title="a", state="succeeded", words="done", started=1.0,
                           status="succeeded")
        stop = note_shown = None

        def outputs(self):
            return []

    kept = threading.Event()

    class Store(RunStore):
        def keep(self, *run):
            super().keep(*run)
            kept.set()

    store = Store(Path(sys.argv[1]), "k")

    def last():
        runs = RunList(store, lambda notice, data: None, lambda summary: None)
        io.call_soon(lambda: runs.add(Done("a", "skill", "a")))
        kept.wait(10)

    io.loop
    atexit.register(last)
"""


def test_a_run_that_ends_with_its_process_is_written_down(tmp_path: Path) -> None:
    """A process that ends gives no thread for it any more."""
    path = tmp_path / "shown_runs.db"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(path)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [one.state for _, one in RunStore(path, "k").summaries(None, 5)] == ["succeeded"]

"""Other people's MCP servers over standard input and output, as a model's host would call them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

INSTALLED = Path(__file__).resolve().parents[2] / "tests" / "apps" / "installed" / "mcp"
PACKAGES = ("@playwright/mcp@0.0.83", "chrome-devtools-mcp@1.11.0", "agent-browser@0.41.2")


def install() -> bool:
    """Install the servers from npm, without browsers of their own; whether they are there."""
    npm = shutil.which("npm")
    if all((INSTALLED / "node_modules" / one.rpartition("@")[0]).exists() for one in PACKAGES):
        return True
    if npm is None:
        return False
    INSTALLED.mkdir(parents=True, exist_ok=True)
    env = {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PUPPETEER_SKIP_DOWNLOAD": "1"}
    # Without a prefix npm would install into the folder above that has a package.json.
    command = [
        npm,
        "install",
        "--prefix",
        str(INSTALLED),
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        *PACKAGES,
    ]
    return subprocess.run(command, cwd=INSTALLED, env={**os.environ, **env}, check=False).returncode == 0


def node(script: str, *arguments: str) -> list[str]:
    """The command of an installed server: a script below `node_modules`, with its arguments."""
    return ["node", str(INSTALLED / "node_modules" / script), *arguments]


class McpPeer:
    """One running server; whatever it wants a person to decide is approved at once.

    Parameters
    ----------
    command : starts it.
    env : more environment variables.
    close : the tool that ends what the server leaves running; empty for none.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str] | None = None, close: str = ""
    ) -> None:
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        settings = {**os.environ, **(env or {})}
        folder = INSTALLED if INSTALLED.exists() else None  # some leave files where they are started
        self._process: Any = subprocess.Popen(
            command, text=True, bufsize=1, cwd=folder, env=settings, **pipes
        )
        self._close = close
        self._asked = 0
        client = {"name": "bench", "version": "1"}
        self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": client},
        )
        self._write({"method": "notifications/initialized"})
        self.schemas = json.dumps(self._ask("tools/list", {})["tools"], separators=(",", ":"))

    def call(self, tool: str, args: dict[str, Any]) -> str:
        """Call a tool; the text that a model would get."""
        answer = self._ask("tools/call", {"name": tool, "arguments": args})
        return "\n".join(part.get("text", "") for part in answer.get("content", [])) or json.dumps(answer)

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._write({"id": self._asked, "method": method, "params": params})
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("method") == "elicitation/create":
                approved = {"action": "accept", "content": {"decision": "approve"}}
                self._write({"id": message["id"], "result": approved})
            elif "method" not in message and message.get("id") == self._asked:
                return dict(message.get("result") or message.get("error") or {})
        raise RuntimeError("the server ended")

    def _write(self, message: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._close:
            self.call(self._close, {})
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(20)

"""The official conformance suite of MCP against our server over streamable HTTP (`make conformance-mcp`).

`mcp_conformance.yml` names the scenarios that don't fit, with their reasons, in the suite's own form. One that fails
without being named fails the test, and so does one that is named and passes.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skillbook.mcp_server.kept_entrance import KeptEntrance
from tests.integration.conftest import MODULES
from tests.integration.mcp_relay import with_token
from tests.integration.test_mcp_server import served  # noqa: F401

HERE = Path(__file__).parent
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
FITTING = {
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
}


def test_the_scenarios_that_fit_pass_and_the_others_are_known(
    served: tuple[Path, KeptEntrance],  # noqa: F811
    tmp_path: Path,
) -> None:
    node = shutil.which("node")
    if node is None or not SUITE.exists():
        pytest.skip("the conformance suite or Node isn't there: `make apps` installs the suite")
    entrance = served[1]
    with with_token(entrance.port, entrance.token) as port:
        address = f"http://127.0.0.1:{port}/mcp"
        command = [node, str(SUITE), "server", "--suite", "all", "--url", address]
        command += ["--expected-failures", str(HERE / "mcp_conformance.yml")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    passed = {
        line.split()[1].rstrip(":")
        for line in done.stdout.splitlines()
        if line.startswith("✓ ") and ":" in line
    }
    assert passed >= FITTING, done.stdout[-3000:]
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]

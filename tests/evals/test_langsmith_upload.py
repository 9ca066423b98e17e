"""Uploads go to a server on loopback that records what comes; without an upload nothing asks for any host."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from skillbook.config import Settings, load_settings
from skillbook.errors import ConfigError, EvalError
from skillbook.evals import Attempt, evaluate, load_tasks
from skillbook.evals.langsmith_upload import Upload
from skillbook.testing import ScriptedModel

KEY = "ls-key-of-the-test"
BATCHES = {
    "use_multipart_endpoint": False,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
    "size_limit": 100,
    "size_limit_bytes": 20_000_000,
}


class LangSmith:
    """Enough of the service, and all that it was sent."""

    def __init__(self) -> None:
        self.datasets: dict[str, dict[str, Any]] = {}
        self.examples: list[dict[str, Any]] = []
        self.projects: list[dict[str, Any]] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self.feedback: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: set[str] = set()

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        """Answer one request as the service would."""
        now = "2026-01-01T00:00:00Z"
        self.paths.append(f"{method} {path}")
        if path == "/info":
            return {"version": "0", "batch_ingest_config": BATCHES}
        if path == "/datasets" and method == "GET":
            return [each for each in self.datasets.values() if each["name"] in query.get("name", [])]
        if path == "/datasets":
            made = {"id": body.get("id") or f"{len(self.datasets):032x}", "created_at": now, **body}
            self.datasets[made["name"]] = made
            return made
        if path == "/examples" and method == "GET":
            return self.examples
        if path in {"/examples/bulk", "/examples"}:
            new = body if isinstance(body, list) else [body]
            self.examples += [{"created_at": now, "modified_at": now, **each} for each in new]
            return new
        if path == "/sessions" and method == "GET":
            return self.projects
        if path == "/sessions":
            made = {"start_time": now, "tenant_id": f"{7:032x}", "reference_dataset_id": None, **body}
            made.setdefault("id", f"{len(self.projects) + 100:032x}")
            self.projects.append(made)
            return made
        if path.startswith("/sessions/"):
            self.projects[-1] |= {name: value for name, value in (body or {}).items() if value is not None}
            return self.projects[-1]
        if path == "/runs/batch":
            for run in [*body.get("post", []), *body.get("patch", [])]:
                self.runs.setdefault(run["id"], {}).update(run)
            return {}
        if path == "/feedback":
            self.feedback.append(body)
            return {**body, "created_at": now, "modified_at": now}
        return {}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangSmith]:
    known = LangSmith()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if (
                self.headers.get("Content-Encoding") == "zstd"
                or b"multipart" in self.headers.get("Content-Type", "").encode()
            ):
                known.paths.append(f"multipart {self.path}")
                self._send(404, {})
                return
            parts = urlsplit(self.path)
            known.keys.add(self.headers.get("x-api-key", ""))
            body = json.loads(data) if data else None
            self._send(200, known.answer(self.command, parts.path, parse_qs(parts.query), body))

        def _send(self, status: int, body: Any) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = _do

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    monkeypatch.setenv("LANGSMITH_API_KEY", KEY)
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    yield known
    server.shutdown()
    server.server_close()


def work(plan: Any, task: Any, repetition: int, browsers: Any = None) -> Attempt:
    """An attempt whose model speaks, as an agent's does."""
    said = str(ScriptedModel([f"answer to {task.name}"]).invoke(task.goal).text)
    scores = {"text": 0.5}
    return Attempt(task.name, repetition, "scripted", f"{task.name}{repetition}", answer=said, scores=scores)


def test_a_dataset_an_experiment_traces_and_scores_arrive(service: LangSmith) -> None:
    tasks = load_tasks("basics")
    upload = Upload(tasks, "scripted")
    make = upload.traced(work)
    for task in tasks:
        make(None, task, 1)
    upload.finish()
    assert list(service.datasets) == ["Browser Agent Skills"]
    outputs = [(each.get("outputs") or each["reference_outputs"])["expected"] for each in service.examples]
    assert outputs == [task.expected.answer for task in tasks]
    assert [each["inputs"]["skillPrompt"] for each in service.examples] == [task.goal for task in tasks]
    (project,) = service.projects
    assert project["name"].startswith("browser-agent-eval-")
    assert project["end_time"]
    roots = [run for run in service.runs.values() if not run.get("parent_run_id")]
    assert [run["name"] for run in roots] == [task.name for task in tasks]
    assert [run["reference_example_id"] for run in roots] == [each["id"] for each in service.examples]
    assert [run["outputs"]["output"] for run in roots] == [f"answer to {task.name}" for task in tasks]
    models = [run for run in service.runs.values() if run["run_type"] == "llm"]
    assert {run["trace_id"] for run in models} == {run["id"] for run in roots}
    assert {each["run_id"] for each in service.feedback} == {run["id"] for run in roots}
    assert {each["score"] for each in service.feedback if each["key"] == "text"} == {0.5}
    assert service.keys == {KEY}


def test_a_dataset_that_is_there_gets_what_it_lacks(service: LangSmith) -> None:
    tasks = load_tasks("basics")
    Upload(tasks[:2], "scripted")
    Upload(tasks, "scripted")
    assert len(service.datasets) == 1
    assert [each["metadata"]["task"] for each in service.examples] == [task.name for task in tasks]


def test_values_of_inputs_and_cookies_stay_here(service: LangSmith) -> None:
    start = {"site": "shop", "cookies": {"user": "cookie-value"}}
    task = {"name": "a", "goal": "x", "start": start, "inputs": {"password": "input-value"}}
    Upload(load_tasks(task), "scripted").finish()
    sent = json.dumps([service.examples, service.projects])
    assert "input-value" not in sent
    assert "cookie-value" not in sent


def test_an_upload_without_key_or_service_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGSMITH_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="needs a key"):
        evaluate("basics", model=False, upload_results=True, progress=False)
    settings = Settings(langsmith_api_key=KEY, langsmith_endpoint="http://127.0.0.1:9")
    with pytest.raises(EvalError, match="can't be reached"):
        Upload(load_tasks("basics"), "scripted", settings)


def test_a_folders_file_does_not_choose_who_gets_the_key(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGSMITH_API_KEY", KEY)
    (tmp_path / ".env").write_text("LANGSMITH_ENDPOINT=http://elsewhere.example\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="LANGSMITH_ENDPOINT"):
        assert load_settings().langsmith_endpoint is None


ALONE = """
import socket, sys
asked = []
def refuse(kind):
    real = getattr(socket, kind) if kind == "getaddrinfo" else getattr(socket.socket, kind)
    def check(*args, **named):
        address = args[0] if kind == "getaddrinfo" else args[1]
        host = address[0] if isinstance(address, tuple) else address
        if isinstance(host, str) and host not in ("127.0.0.1", "localhost", "::1"):
            asked.append((kind, host))
            raise OSError("no host may be asked for")
        return real(*args, **named)
    return check
socket.getaddrinfo = refuse("getaddrinfo")
socket.socket.connect = refuse("connect")
import skillbook as sb
from skillbook.evals import judge, trajectory
from skillbook.evals.attempt import Attempt
from skillbook.evals.attempt import _judge
from skillbook.evals import Answer, load_tasks
from skillbook.testing import ScriptedModel
from langchain_core.messages import AIMessage
import skillbook.evals.evaluation_run as run
class Judge(ScriptedModel):
    def with_structured_output(self, schema, **options):
        return self | (lambda message: {"reasoning": "it is", "score": 0.75})
ask = judge(Judge(lambda messages: "fine"))
def attempt(plan, task, repetition, browsers=None):
    answer = Answer("Clicked", calls=[{"tool": "click", "args": {}}])
    _judge(plan.evaluators, task, answer)
    assert not answer.error, answer.error
    return Attempt(task.name, repetition, "x", plan.key_of(task, repetition), passed=True, scores=answer.scores)
run.attempt_task = attempt
found = run.evaluate("basics", model=False, evaluators=[ask, trajectory()], upload_results=False, progress=False)
assert found.frame["score_correctness"].eq(0.75).all(), found.frame
assert asked == [], asked
print("alone")
"""


def test_without_an_upload_no_host_is_looked_up(tmp_path: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False, timeout=100, cwd=tmp_path
    )
    assert done.stdout.strip() == "alone", done.stderr

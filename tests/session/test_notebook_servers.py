from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from skillbook.policy import Call, Policy
from skillbook.policy.urls import origin_of
from skillbook.session.notebook_servers import NotebookServers

PORT = 8899


def write_down(folder: Path, url: str) -> Path:
    file = folder / "jpserver-1.json"
    file.write_text(json.dumps({"url": url, "port": PORT}), encoding="utf-8")
    return file


def own_addresses() -> list[str]:
    """Every address that this machine answers under, beside loopback's."""
    found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return [f"http://{address}:{PORT}" for address in sorted(found)]


@pytest.mark.parametrize("written", ["0.0.0.0", "[::]", "localhost", socket.gethostname().lower()])
def test_fault_36_a_server_is_recognised_under_every_address_of_the_machine(
    tmp_path: Path, written: str
) -> None:
    write_down(tmp_path, f"http://{written}:{PORT}/lab")
    servers = NotebookServers(tmp_path)
    for origin in [f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}", f"http://127.8.9.1:{PORT}"]:
        assert servers(origin), origin
    for origin in own_addresses():
        assert servers(origin), origin
    for host in (
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:7f08:901]",
        "0.0.0.0",
        "app.localhost",
        "[::]",
    ):
        origin = origin_of(f"http://{host}:{PORT}/lab")
        assert origin
        assert servers(origin), host
    for origin in own_addresses():
        mapped = origin_of(origin.replace("http://", "http://[::ffff:").replace(f":{PORT}", f"]:{PORT}"))
        assert mapped
        assert servers(mapped), mapped
    assert not servers("http://127.0.0.1:8898")
    assert not servers(f"http://192.0.2.7:{PORT}")


def test_fault_36_a_server_that_starts_later_is_recognised(tmp_path: Path) -> None:
    servers = NotebookServers(tmp_path / "made-later")
    assert not servers(f"http://127.0.0.1:{PORT}")
    (tmp_path / "made-later").mkdir()
    file = write_down(tmp_path / "made-later", f"http://0.0.0.0:{PORT}/")
    assert servers(f"http://127.0.0.1:{PORT}")
    file.unlink()
    assert not servers(f"http://127.0.0.1:{PORT}")


def test_fault_36_the_hub_of_this_kernel_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTERHUB_PUBLIC_URL", "https://hub.test/user/me/")
    servers = NotebookServers(tmp_path)
    assert servers("https://hub.test")
    assert not servers("https://hub.test:8443")


def test_fault_36_the_policy_refuses_it_even_for_reading(tmp_path: Path) -> None:
    write_down(tmp_path, f"http://0.0.0.0:{PORT}/")
    policy = Policy.of([f"http://127.0.0.1:{PORT}"])
    policy.is_notebook_server = NotebookServers(tmp_path)
    for command in ("snapshot", "click"):
        verdict = policy.judge(Call(command, url=f"http://127.0.0.1:{PORT}/lab"))
        assert verdict.action == "refuse"


def test_fault_36_a_server_behind_a_prefix_is_recognised_whatever_the_path(tmp_path: Path) -> None:
    write_down(tmp_path, f"http://0.0.0.0:{PORT}/user/me/proxy/lab/")
    policy = Policy.of([f"http://localhost:{PORT}"])
    policy.is_notebook_server = NotebookServers(tmp_path)
    for path in ("", "user/me/proxy/lab/tree", "user/me/proxy/8000/", "other"):
        call = Call("goto", url="about:blank", destination=f"http://localhost:{PORT}/{path}")
        assert policy.judge(call).action == "refuse"


def test_a_broken_file_names_no_server(tmp_path: Path) -> None:
    write_down(tmp_path, "").write_text("[not json", encoding="utf-8")
    assert not NotebookServers(tmp_path)("http://127.0.0.1:8888")

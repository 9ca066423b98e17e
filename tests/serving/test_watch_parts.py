"""Parts of watches without a browser: when they are due, what is said to have changed, and where it is told."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from skillbook.errors import InvalidInput
from skillbook.serving.terminal.terminal_client import ADDRESS_FILE
from skillbook.serving.watches.telling import changed_lines, checked, key_of, known_after, tell
from skillbook.serving.watches.watch import Schedule, Watch, WatchStore
from tests.serving.mail_server import serve_mail

VIENNA = ZoneInfo("Europe/Vienna")
OPENSSL = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1"


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=VIENNA).timestamp()


def due_times(every: str, start: str, count: int) -> list[str]:
    schedule, anchor = Schedule(every, "Europe/Vienna"), at(start)
    now, found = anchor, []
    for _ in range(count):
        now = schedule.next_after(now, anchor)
        found.append(datetime.fromtimestamp(now, VIENNA).strftime("%m-%d %H:%M %Z"))
    return found


def test_a_time_of_the_day_stays_that_time_when_the_clocks_change() -> None:
    assert due_times("1 day 07:00", "2026-03-28 06:00", 3) == [
        "03-28 07:00 CET",
        "03-29 07:00 CEST",
        "03-30 07:00 CEST",
    ]
    # On the 29th there is no 02:30, on 25 October there are two.
    assert due_times("1 day 02:30", "2026-03-28 12:00", 2) == ["03-29 03:30 CEST", "03-30 02:30 CEST"]
    assert due_times("1 day 02:30", "2026-10-24 12:00", 2) == ["10-25 02:30 CEST", "10-26 02:30 CET"]
    assert due_times("1 week 18:30", "2026-10-20 19:00", 2) == ["10-27 18:30 CET", "11-03 18:30 CET"]
    assert due_times("90 minutes", "2026-10-25 01:30", 2) == ["10-25 02:00 CET", "10-25 03:30 CET"]


@pytest.mark.parametrize("wrong", ["", "daily", "0 days", "1 hour 07:00", "1 day 24:00", "1 day 7", "-1 day"])
def test_what_says_no_times_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="says no times"):
        Schedule(wrong)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no time zone"):
        Schedule("1 day", "Europe/Atlantis")


OLD = pd.DataFrame({"name": ["Lamp", "Chair"], "price": ["10", "20"]})


def test_changes_are_told_by_record_and_an_incomplete_reading_loses_nothing() -> None:
    now = pd.DataFrame({"name": ["Desk", "Lamp"], "price": [5.0, 12.0]})
    assert key_of(OLD, []) == ["name"]
    assert changed_lines(OLD, now, ["name"], complete=True) == [
        "new: Desk",
        "Lamp: price 10 -> 12",
        "gone: Chair",
    ]
    assert changed_lines(OLD, now, ["name"], complete=False) == ["new: Desk", "Lamp: price 10 -> 12"]
    known = known_after(OLD, now, ["name"], complete=False)
    assert set(known["name"]) == {"Desk", "Lamp", "Chair"}
    assert changed_lines(known, now, ["name"], complete=True) == ["gone: Chair"]
    assert changed_lines(OLD, pd.DataFrame(), ["name"], complete=True) == ["gone: Lamp", "gone: Chair"]


def test_what_a_page_says_is_one_plain_line() -> None:
    hostile = pd.DataFrame({"name": ["x\x1b[31m\nBcc: eve@evil.test" + "a" * 500]})
    [line] = changed_lines(pd.DataFrame({"name": ["y"]}), hostile, ["name"], complete=False)
    assert "\x1b" not in line
    assert "\n" not in line
    assert len(line) < 200


def test_places_to_tell_are_checked() -> None:
    assert checked(["notify-send", "Prices"]) == [["notify-send", "Prices"]]
    assert checked("mail:me@example.com") == ["mail:me@example.com"]
    assert len(checked(["notebook", ["true"], "https://hook.test/x"])) == 3
    for wrong in (
        "me@example.com",
        "http://hook.test/",
        "mail:a@b\nBcc: c@d",
        "https://hook.test/\r\nX: y",
        "ftp://x",
        "file:///etc/passwd",
        [[]],
    ):
        with pytest.raises(InvalidInput):
            checked(wrong)  # type: ignore[arg-type]


def test_a_command_gets_the_text_by_its_input_and_a_webhook_as_json(tmp_path: Path) -> None:
    code = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    file, got = tmp_path / "told", list[dict[str, str]]()

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.path == "/away":
                self.send_response(307)
                self.send_header("Location", "/here")
            else:
                got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        text = "$(touch x); new: `id`"
        problems = tell([[sys.executable, "-c", code, str(file)], f"{url}/here"], "Prices", text)
        assert problems == []
        assert file.read_text() == f"Prices\n\n{text}\n"
        assert got == [{"title": "Prices", "text": text}]
        assert len(tell([f"{url}/away", ["/no/such/program"]], "Prices", text)) == 2
        assert len(got) == 1
    finally:
        server.shutdown()
        server.server_close()


def test_a_mail_is_plain_text_and_a_page_adds_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_mail() as server:
        monkeypatch.setenv("SKILLBOOK_SMTP", f"smtp://127.0.0.1:{server.port}")
        text = "new: Lampe für €5\nBcc: eve@evil.test\n.\nRCPT TO:<eve@evil.test>"
        assert tell(["mail:me@example.com"], "skillbook: prices\nBcc: eve@evil.test", text) == []
        (mail,) = server.mails
    assert mail["To"] == "me@example.com"
    assert mail["Bcc"] is None
    assert mail["Subject"] == "skillbook: prices Bcc: eve@evil.test"
    assert mail.get_content().splitlines() == text.splitlines()
    said = [line.casefold() for line in server.lines]
    assert [line for line in said if line.startswith("rcpt")] == ["rcpt to:<me@example.com>"]


def test_a_password_goes_to_no_server_that_cannot_say_who_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for context in (None, _self_signed(tmp_path)):
        with serve_mail(context) as server:
            scheme = "smtp" if context is None else "smtps"
            monkeypatch.setenv("SKILLBOOK_SMTP", f"{scheme}://me:hunter2-secret@127.0.0.1:{server.port}")
            [problem] = tell(["mail:me@example.com"], "Prices", "new: Lamp")
        assert "hunter2" not in problem
        assert server.mails == []
        assert not [line for line in server.lines if line.upper().startswith("AUTH")]


def _self_signed(folder: Path) -> ssl.SSLContext:
    """A server's context whose certificate nobody vouches for."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [*OPENSSL.split(), "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_without_a_mail_server_the_problem_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLBOOK_SMTP", raising=False)
    [problem] = tell(["mail:me@example.com"], "Prices", "new: Lamp")
    assert "no mail server is set" in problem
    assert "SKILLBOOK_SMTP=smtps://" in problem


@pytest.mark.skipif(sys.platform == "win32", reason="a service has a named pipe there")
def test_the_list_says_where_nothing_runs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    store = WatchStore(tmp_path / "watches")
    assert repr(store) == "<no watches>"
    store.add(Watch(name="lamps", url="https://shop.test/lamps", every="1 day 07:00", zone="Europe/Vienna"))
    assert repr(store).endswith("\nno watch runs now: `skillbook serve` doesn't run")
    assert "doesn't run" in store._repr_mimebundle_()["text/html"]
    address = tmp_path / "s"
    (tmp_path / ADDRESS_FILE).write_text(str(address))
    assert "doesn't run" in repr(store), "its process was killed"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as service:
        service.bind(str(address))
        service.listen()
        assert "doesn't run" not in repr(store)
        assert "doesn't run" not in store._repr_mimebundle_()["text/html"]


def test_the_list_shows_what_changed_as_plain_text(tmp_path: Path) -> None:
    watch = Watch(
        "lamps", "1 day", url="https://shop.example/", due=1.8e9, changed=1.8e9, changes=["new: <b>Lamp</b>"]
    )
    store = WatchStore(tmp_path)
    store.keep(watch)
    assert repr(store).splitlines()[2] == "    new: <b>Lamp</b>"
    assert "new: &lt;b&gt;Lamp&lt;/b&gt;" in store._repr_mimebundle_()["text/html"]
    store.keep(replace(watch, changes=[]))
    assert "changed" not in repr(store)


def test_fault_25_a_kept_reading_has_no_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_parquet(*args: object) -> None:
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", no_parquet)
    store, watch = WatchStore(tmp_path), Watch("lamps", "1 day", url="https://shop.example/")
    frame = pd.DataFrame({"Name": ["=HYPERLINK(1)", "-5"]})
    store.keep(watch)
    store.keep_reading(watch, frame, frame, complete=True)
    kept = Path(store.history("lamps")["file"][0]).read_text("utf-8")
    assert "=HYPERLINK" in kept
    assert "\n=HYPERLINK" not in kept
    known = store.known(watch)
    assert known is not None
    assert list(known["Name"]) == ["=HYPERLINK(1)", "-5"]

"""What is kept of a site outlives the kernel, and what can't be read or written is no error."""

from __future__ import annotations

import errno
import json
import time
from pathlib import Path

import networkx as nx
import pytest

from skillbook.exploration.outcome import add_state
from skillbook.exploration.page_states import Press
from skillbook.exploration.site_memory_store import SiteFile
from skillbook.limits import DAY_SECONDS

SITE = "https://site.test:8443"
A, B, C = (f"{SITE}/{name}" for name in "abc")


def test_pages_are_added_and_those_that_are_gone_are_left_out(tmp_path: Path) -> None:
    file = SiteFile(tmp_path, SITE)
    assert file.pages() == {}
    file.keep_pages({A: ("A", "to a"), B: ("B", "")})
    file.keep_pages({C: ("C é", "to c")}, gone=[B])
    assert SiteFile(tmp_path, SITE).pages() == {A: ("A", "to a"), C: ("C é", "to c")}
    assert SiteFile(tmp_path, "https://site.test").pages() == {}
    assert len(list((tmp_path / "sites").iterdir())) == 1


def test_a_broken_file_is_nothing_known_and_is_written_anew(tmp_path: Path) -> None:
    kept = SiteFile(tmp_path, SITE)
    kept.keep_pages({A: ("A", "")})
    (file,) = (tmp_path / "sites").iterdir()
    for broken in (
        "{",
        "[]",
        '{"version": 2}',
        '{"version": 2, "pages": {"a": 3}}',
        '{"version": 9, "pages": {}}',
    ):
        file.write_text(broken)
        assert kept.pages() == {}
    kept.keep_pages({B: ("B", "")})
    assert list(kept.pages()) == [B]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "sites").write_text("a file in the way")
    file = SiteFile(tmp_path, SITE)
    file.keep_pages({A: ("A", "")})
    file.keep_unfinished("words", A, "out", graph())
    assert file.pages() == {}
    assert not file.load_unfinished("words", A, "out", nx.DiGraph())


def graph() -> nx.DiGraph[str]:
    made: nx.DiGraph[str] = nx.DiGraph()
    add_state(made, A, status="seen", closeness=0.0, exact=0.0, mark="m", text="", title="A")
    add_state(made, A, (Press("tab 'Two'", "Two"),), depth=1, score=0.5)
    made.add_edge(A, f"{A} › Two", label="Two")
    return made


def test_an_exploration_that_was_cut_short_is_all_there_again(tmp_path: Path) -> None:
    SiteFile(tmp_path, SITE).keep_unfinished("opening hours", A, "out x", graph())
    again: nx.DiGraph[str] = nx.DiGraph()
    assert SiteFile(tmp_path, SITE).load_unfinished("opening hours", A, "out x", again)
    assert dict(again.nodes(data=True)) == dict(graph().nodes(data=True))
    assert list(again.edges(data="label")) == [(A, f"{A} › Two", "Two")]


def test_a_full_disk_is_a_warning_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = SiteFile(tmp_path, SITE)
    kept.keep_pages({A: ("A", "")})

    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("skillbook.storage.os.fsync", refuse)
        kept.keep_pages({B: ("B", "")})
    assert "(SKILLBOOK_HOME) can't be written: No space left on device" in caplog.text
    assert kept.pages() == {A: ("A", "")}
    assert len(list((tmp_path / "sites").iterdir())) == 1


@pytest.mark.parametrize(
    "asked", [("other words", A, "out x"), ("opening hours", B, "out x"), ("opening hours", A, "in x")]
)
def test_another_exploration_begins_from_nothing(tmp_path: Path, asked: tuple[str, str, str]) -> None:
    SiteFile(tmp_path, SITE).keep_unfinished("opening hours", A, "out x", graph())
    again: nx.DiGraph[str] = nx.DiGraph()
    assert not SiteFile(tmp_path, SITE).load_unfinished(*asked, again)
    assert not again


def test_what_is_old_broken_or_dropped_does_not_go_on(tmp_path: Path) -> None:
    file = SiteFile(tmp_path, SITE)
    file.keep_unfinished("w", A, "x", graph())
    (stored,) = (tmp_path / "sites").iterdir()
    good = json.loads(stored.read_text())
    for change in (
        {"at": time.time() - DAY_SECONDS - 1},
        {"nodes": [{"url": A}]},
        {"nodes": 3},
        {"edges": [[A]]},
    ):
        stored.write_text(json.dumps({**good, **change}))
        again: nx.DiGraph[str] = nx.DiGraph()
        assert not file.load_unfinished("w", A, "x", again)
        assert not again
    stored.write_text(json.dumps(good))
    assert file.load_unfinished("w", A, "x", nx.DiGraph())
    file.drop_unfinished()
    file.drop_unfinished()
    assert not file.load_unfinished("w", A, "x", nx.DiGraph())

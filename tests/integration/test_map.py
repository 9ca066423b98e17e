"""A skill over many inputs on Dask, with a worker that is killed in the middle."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from distributed import Client, LocalCluster

from skillbook.errors import InvalidInput, SkillNotApproved
from skillbook.scale.mapping import _records
from skillbook.skill import Skill, load_skill
from skillbook.skill.model.inputs import is_blank
from skillbook.testing.site import serve_folder, serve_site
from tests.integration.test_code_export import code_skill
from tests.integration.test_skill_replay import EXAMPLES

WORDS = ["lamp", "chair", "desk", "table", "stool", "shelf"]


@pytest.mark.soak  # what is lost with a worker is tried on separate machines in test_far_workers.py
@pytest.mark.timeout(400)
def test_every_row_comes_once_though_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    skill = load_skill("search-products", EXAMPLES, approve=True)
    killed: list[int] = []
    with (
        serve_site() as shop,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        inputs = pd.DataFrame({"query": WORDS, "site": shop.url})
        pids = client.run(os.getpid)

        def kill_one(done: int, total: int, result: Any) -> None:
            if not killed:
                killed.append(next(pid for pid in pids.values() if pid != os.getpid()))
                os.kill(killed[0], signal.SIGKILL)

        out = skill.map(inputs, client, folder=tmp_path / "rows", progress=kill_one)
        assert killed
        assert list(out["status"]) == ["ok"] * len(WORDS), out["error"].tolist()
        assert list(out["query"]) == WORDS
        for word, frame in zip(WORDS, out["frame"], strict=True):
            assert list(frame.columns) == ["name", "price", "url"], word
        assert out["frame"][0]["name"].str.contains("lamp", case=False).any()

        again = skill.map(inputs, client, folder=tmp_path / "rows", progress=False)
        blank = pd.DataFrame({"query": ["chair", None], "site": shop.url})
        filled = skill.map(blank, client, progress=False, empty="default")
    assert list(again["elapsed_ms"]) == list(out["elapsed_ms"]), "nothing was done again"
    assert "defaulted" not in out
    assert list(filled["defaulted"]) == ["", "query"]
    assert list(filled["status"]) == ["ok", "ok"]


FIND = """\
page.fill("searchbox 'Search products'", query)
page.click("button 'Search'")
if query == "desk":
    return page.count("listitem in list 'Products'")
fields = {"title": "heading", "price": "css '.price'"}
products = "listitem in list 'Products'"
rows = sb.extract(page, fields=fields, within=products, next="link ~'next'")
return [{"item": row["title"], "price": row["price"]} for row in rows if query in row["title"].lower()]
"""


@pytest.mark.more
@pytest.mark.timeout(300)
def test_a_skill_that_is_code_is_mapped_with_the_rows_that_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    inputs = [{"query": "chair"}, {"query": "desk"}]
    with (
        serve_site() as shop,
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        skill = code_skill(FIND, inputs={"query": "lamp"}, start=f"{shop.url}/")
        skill = Skill(skill.spec.model_copy(update={"origins": [shop.url]}))
        with Client(cluster) as client:
            found = skill.map(inputs, client, folder=tmp_path / "rows", progress=False)
            again = skill.map(inputs, client, folder=tmp_path / "rows", progress=False)
    assert found["status"].tolist() == ["ok", "ok"], found["error"].tolist()
    assert found["query"].tolist() == ["chair", "desk"]
    assert again["elapsed_ms"].tolist() == found["elapsed_ms"].tolist()
    for out in (found, again):
        chairs = out["frame"][0]
        assert list(chairs.columns) == ["item", "price"]
        assert out["rows"].tolist() == [len(chairs), 0]
        assert len(chairs) > 0
        assert chairs["item"].str.contains("chair", case=False).all()
        assert (chairs["price"] > 0).all()
        source = chairs.skillbook.source(0, "item")
        assert (source.text, "q=chair" in source.url) == (chairs["item"][0], True)
        assert chairs.skillbook.units == {"price": "$"}
        assert pd.isna(out["value"][0])
        assert out["value"][1] > 0


@pytest.mark.more
@pytest.mark.timeout(120)
def test_a_row_that_nobody_approved_is_begun_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    (tmp_path / "index.html").write_text("<title>Ann</title><button>Delete Ann</button>")
    with serve_folder(tmp_path) as site:
        skill = code_skill("page.click(\"button 'Delete Ann'\")", start=site.url)
        out = Skill(skill.spec.model_copy(update={"origins": [site.url]})).map(
            [{}], workers=1, progress=False
        )
    assert out["status"].tolist() == ["failed"]
    assert "approv" in out["error"][0]
    assert out["attempts"].tolist() == [1]


def test_rows_are_checked_before_anything_is_started() -> None:
    skill = load_skill("search-products", EXAMPLES, approve=True)
    with pytest.raises(InvalidInput, match=r"row 1: .*no input 'colour'"):
        skill.map([{"query": "lamp"}, {"query": "lamp", "colour": "red"}])
    with pytest.raises(InvalidInput, match=r"row 0: .*the input 'query' is ") as refused:
        skill.map(pd.DataFrame({"query": [None, None]}))
    assert "empty='default'" in refused.value.hint
    foreign = Skill(skill.spec.model_copy(update={"description": "Another"}), foreign=True)
    with pytest.raises(SkillNotApproved):
        foreign.map([{"query": "lamp"}])


def test_whole_numbers_beside_blanks_stay_whole() -> None:
    table = pd.DataFrame({"n": [1, None], "x": [1.5, None], "y": [1.0, 2.0]})
    first, second = _records(table)
    assert (first, type(first["n"])) == ({"n": 1, "x": 1.5, "y": 1.0}, int)
    assert all(is_blank(second[name]) for name in "nx")


def test_fault_93_one_worker_does_the_rows_in_their_order_and_leaves_out_what_has_no_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    skill = load_skill("search-products", EXAMPLES, approve=True)
    came: list[str] = []
    with serve_site() as shop:
        inputs = pd.DataFrame({"query": [*WORDS[:3], None, *WORDS[3:]], "site": shop.url})

        def report(done: int, total: int, result: Any) -> None:
            came.append(result.url.partition("q=")[2].partition("&")[0] or result.error)

        out = skill.map(inputs, workers=1, progress=report)
    assert list(out["status"]) == ["ok"] * 3 + ["failed"] + ["ok"] * 3
    assert came[0].startswith("row 3: ")
    assert came[1:] == WORDS

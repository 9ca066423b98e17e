"""`skill.map` on other machines: no shared folder, workers that are lost, and at most one order for each row."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pandas as pd
import pytest
from distributed import Client

from skillbook.errors import ClusterLost, HostUnfit, RunInterrupted
from skillbook.scale.claims import Claims, Pace
from skillbook.scale.row_runs import RowRuns
from skillbook.scale.row_store import FolderStore
from skillbook.scale.worker import Job
from tests.integration.far_workers import FarCluster, far_cluster
from tests.integration.orders import Shop, order_skill, serve_shop
from tests.waiting import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FarCluster]:
    with far_cluster(tmp_path_factory.mktemp("far")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def connected(cluster: FarCluster) -> Iterator[Client]:
    with Client(cluster.address, timeout=60) as client:
        yield client


@pytest.fixture
def client(cluster: FarCluster, connected: Client) -> Client:
    """A client of two workers; those that a test lost are replaced."""
    cluster.start_missing(2)
    until(lambda: len(connected.scheduler_info()["workers"]) == 2, "two workers never came", 60)
    return connected


@pytest.fixture(scope="module")
def shop(cluster: FarCluster) -> Iterator[Shop]:
    with serve_shop(cluster.ip) as shop:
        yield shop


@pytest.fixture(autouse=True)
def private_folder(cluster: FarCluster, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the client writes is where no worker sees it."""
    folder = cluster.folder / "client"
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_an_order_is_placed_once_though_its_worker_is_lost(
    cluster: FarCluster, client: Client, shop: Shop
) -> None:
    skill = order_skill(shop.url)
    lost: list[int] = []

    def lose_worker(number: int, peer: tuple[str, int]) -> None:
        if not lost:
            lost.append(number)
            cluster.kill(cluster.worker_of(peer))

    shop.orders.clear()
    shop.on_order = lose_worker
    out = skill.map(pd.DataFrame({"number": range(6)}), client, approve=skill.digest, progress=False)
    assert len(lost) == 1
    assert shop.orders == dict.fromkeys(range(6), 1), out[["status", "error"]]
    assert list(out["status"]) == ["unknown" if n == lost[0] else "ok" for n in range(6)], out[
        "error"
    ].tolist()
    assert list(out["said"].dropna()) == [f"Order {n} placed" for n in range(6) if n != lost[0]]


def test_an_interrupt_ends_it_and_says_what_is_done(cluster: FarCluster, client: Client, shop: Shop) -> None:
    skill = order_skill(shop.url)
    shop.orders.clear()
    shop.on_order = lambda number, peer: None

    def interrupt(done: int, total: int, result: object) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(RunInterrupted, match=r"The map was stopped: .*cancelled") as stopped:
        skill.map(pd.DataFrame({"number": range(12)}), client, approve=skill.digest, progress=interrupt)
    out = stopped.value.frame  # type: ignore[attr-defined]
    until(lambda: not any(client.processing().values()), "the workers never came to rest", 60)
    assert max(shop.orders.values()) == 1
    status = dict(zip(out["number"], out["status"], strict=True))
    assert {n for n, said in status.items() if said == "ok"} <= set(shop.orders)
    assert {n for n, said in status.items() if said == "cancelled"}.isdisjoint(shop.orders)
    assert set(status.values()) <= {"ok", "unknown", "cancelled"}
    assert list(status.values()).count("cancelled") >= 12 - 2 - 4


@pytest.mark.more
def test_a_failed_row_brings_its_steps_and_robots_txt_is_read_once_for_all(
    client: Client, shop: Shop
) -> None:
    skill = order_skill(shop.url)
    shop.orders.clear()
    shop.busy, shop.sold_out, shop.robots_reads = {4: 15, 5: 0}, {3}, 0
    shop.robots = "User-agent: *\nDisallow: /order?number=1"
    rows = [{"number": number} for number in (5, 1, 2, 3, 4)]
    out = skill.map(rows, client, approve=skill.digest, progress=False, retries=0, recycle=(2, 60))
    shop.robots = ""
    assert list(out["status"]) == ["failed", "failed", "ok", "failed", "failed"]
    assert out["error"][0].endswith("asked too often"), "its time is over, and it is no page of the shop's"
    assert "robots.txt" in out["error"][1]
    assert "asked too often, and asks to wait" in out["error"][4]
    assert shop.robots_reads == 1, "the client reads it for all workers"
    assert dict(shop.orders) == {2: 1}
    failed = out.iloc[3]
    assert failed["screenshot"][:2] == b"\xff\xd8"
    assert list(failed["steps"]["status"]) == ["failed"]
    assert all(out["host"])
    assert not any(client.run(_open_browsers).values()), "they end with the map"


@pytest.mark.soak  # it counts what two browsers do within 8 s, which a busy machine doesn't manage
def test_all_workers_wait_when_a_site_asks_one_of_them_to(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[float] = []
    rest = Pace.rest

    def note(pace: Pace, origin: str, seconds: float) -> None:
        rest(pace, origin, seconds)
        rested.append(time.monotonic())

    monkeypatch.setattr(Pace, "rest", note)
    skill = order_skill(shop.url)
    for counted in (shop.orders, shop.visits, shop.visited_at):
        counted.clear()
    shop.busy, shop.robots, shop.sold_out = {1: 8}, "", set()
    out = skill.map([{"number": n} for n in range(1, 7)], client, approve=skill.digest, progress=False)
    assert list(out["status"]) == ["ok"] * 6, out["error"].tolist()
    assert shop.orders == dict.fromkeys(range(1, 7), 1)
    assert shop.visits == {1: 2} | dict.fromkeys(range(2, 7), 1), "the row that was too much is tried again"
    assert len(set(out["worker"])) == 2
    over = shop.asked_to_wait_at + 8
    assert rested[0] < over
    meanwhile = [n for n, at in shop.visited_at.items() if rested[0] < at < over]
    assert len(meanwhile) <= 1, "the other worker's row had begun before"
    assert sum(at >= over for at in shop.visited_at.values()) >= 3


def _open_browsers() -> int:
    from skillbook.scale import worker_browser

    return len(worker_browser._browsers)


@pytest.mark.more
def test_an_unfit_host_is_named_before_the_first_row(cluster: FarCluster, client: Client, shop: Shop) -> None:
    skill = order_skill(shop.url)
    shop.visits.clear()
    cluster.start_worker("bare", SKILLBOOK_CHROMIUM="/nowhere/chromium")
    try:
        until(lambda: len(client.scheduler_info()["workers"]) == 3, "the third worker never came", 60)
        named = "bare can't start a browser" if cluster.isolated else "can't start a browser"
        with pytest.raises(HostUnfit, match=named) as refused:
            skill.map(pd.DataFrame({"number": [1]}), client, approve=skill.digest, progress=False)
    finally:
        cluster.kill(cluster.workers["bare"])
        until(lambda: len(client.scheduler_info()["workers"]) == 2, "it never went", 60)
    assert not shop.visits
    assert list(refused.value.frame["status"]) == ["cancelled"]  # type: ignore[attr-defined]


def test_a_lost_scheduler_ends_it(tmp_path: Path) -> None:
    with far_cluster(tmp_path) as cluster, Client(cluster.address, timeout=60) as client:
        store = FolderStore(tmp_path / "rows")
        store.claim("b")
        claims = Claims(store)
        job = Job("", claims.name, "")
        runs = RowRuns(client, job, store, claims, {"a": {}, "b": {}, "c": {}}, 0, lambda result: None)
        claims.serve(client)
        Timer(1, cluster.scheduler.kill).start()
        with pytest.raises(ClusterLost):
            runs.run()
        assert [runs.stop()[key].status for key in "abc"] == ["cancelled", "unknown", "cancelled"]

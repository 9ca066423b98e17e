"""`skill.map` at length on two machines: five hundred orders while machines are lost, and what a second one gains."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event

import pandas as pd
import pytest
from distributed import Client

from tests.integration.far_workers import FarCluster, far_cluster
from tests.integration.orders import Shop, order_skill, serve_shop
from tests.waiting import until

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FarCluster]:
    with far_cluster(tmp_path_factory.mktemp("far")) as cluster:
        yield cluster


@pytest.fixture
def shop(cluster: FarCluster) -> Iterator[Shop]:
    with serve_shop(cluster.ip) as shop:
        yield shop


def _have_workers(cluster: FarCluster, client: Client, count: int) -> None:
    cluster.start_missing(count)
    until(lambda: len(client.scheduler_info()["workers"]) == count, "the workers never came", 60)


def test_five_hundred_orders_are_placed_once_each_though_machines_are_lost(
    cluster: FarCluster, shop: Shop
) -> None:
    lost: list[int] = []

    def lose_worker(number: int, peer: tuple[str, int]) -> None:
        if shop.orders.total() in {100, 300}:
            lost.append(number)
            cluster.kill(cluster.worker_of(peer))
            cluster.start_missing(2)

    shop.on_order = lose_worker
    skill = order_skill(shop.url)
    with Client(cluster.address, timeout=60) as client:
        _have_workers(cluster, client, 2)
        out = skill.map(pd.DataFrame({"number": range(500)}), client, approve=skill.digest, progress=False)
    assert len(lost) == 2
    assert set(shop.orders.values()) == {1}
    # Of two rows that begin as a machine is lost, one may have been claimed and not yet sent.
    statuses = dict(zip(out["number"], out["status"], strict=True))
    unknown = {number for number, status in statuses.items() if status == "unknown"}
    assert set(lost) <= unknown
    assert {number for number, status in statuses.items() if status == "ok"} == set(range(500)) - unknown
    assert set(range(500)) - set(shop.orders) <= unknown
    assert len(unknown) <= 4


SITE_SECONDS = 10.0
"""How long the site takes for each page. A row costs a core about one second, and both machines share this one's."""
ROWS = 12


def test_a_second_machine_takes_nearly_half_of_a_site_that_waits(cluster: FarCluster, shop: Shop) -> None:
    """From the first row's visit on: browsers start once, whether a map has 12 rows or 12,000."""
    never = Event()
    shop.on_visit = lambda number, peer: never.wait(SITE_SECONDS)
    skill = order_skill(shop.url)
    seconds: dict[int, float] = {}
    with Client(cluster.address, timeout=60) as client:
        for machines in (1, 2):
            _have_workers(cluster, client, machines)
            shop.visited_at.clear()
            rows = [{"number": machines * 1000 + n} for n in range(ROWS)]
            out = skill.map(rows, client, approve=skill.digest, progress=False)
            seconds[machines] = time.monotonic() - min(shop.visited_at.values())
            assert set(out["status"]) == {"ok"}
            assert out["worker"].nunique() == machines
    ratio = seconds[1] / seconds[2]
    print(
        f"one machine {seconds[1]:.1f} s, two {seconds[2]:.1f} s: {ratio:.2f} times as fast; "
        f"of the first's time the site took {ROWS * SITE_SECONDS / seconds[1]:.0%}"
    )
    assert ratio >= 1.7

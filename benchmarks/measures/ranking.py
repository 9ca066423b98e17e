"""Ranking a page's candidates for a goal's words; no browser takes part."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from skillbook.perception.summary.ranking import MOST_CANDIDATES, rank

_WORDS = (
    "order invoice billing help account settings download report user group table chart export import new old last",
    "month year price lamp shelf desk chair ship track return gift card",
)
_QUERIES = ("download last month's invoice", "invoice|billing|statement", "how do I return an order")


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """The slowest of three queries over as many labels as are ever scored."""
    chance, words = random.Random(7), " ".join(_WORDS).split()
    texts = [" ".join(chance.choices(words, k=chance.randint(2, 7))) for _ in range(MOST_CANDIDATES)]
    slowest = 0.0
    for query in _QUERIES:
        times = []
        for _ in range(max(rounds, 10)):
            started = time.perf_counter()
            rank(query, texts)
            times.append((time.perf_counter() - started) * 1000)
        slowest = max(slowest, median(times))
    note = f"{MOST_CANDIDATES} labels, the slowest of {len(_QUERIES)} queries"
    yield Figure("ranking candidates", "no page", slowest, None, "ms", "at most", 8, note)

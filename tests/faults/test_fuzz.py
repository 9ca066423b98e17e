"""Never the wrong element: pages that change between a snapshot and an action on one of its refs."""

from __future__ import annotations

from pathlib import Path

import pytest

import skillbook as sb
from skillbook.testing.site import serve_app
from tests.faults.fuzz.trials import FuzzSite, Tally, run_trials


async def _run(seeds: range, capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    with serve_app(FuzzSite()) as site:
        async with await sb.aio.launch(allow_evaluate=True) as browser:
            browser.allow(site.url.replace("127.0.0.1", "localhost"))
            await run_trials(await browser.open(f"{site.url}/index.html"), site, seeds, tally)
    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.trials == len(seeds)
    # Were everything refused, nothing wrong would ever be hit.
    assert tally.answers["success"] > len(seeds) / 3
    assert not tally.failures, "\n".join(tally.failures[:20])


async def test_short(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await _run(range(1, 31), capsys)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_many(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await _run(range(1_000, 6_000), capsys)

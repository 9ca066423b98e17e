"""The client's loop of a map: it gives rows to workers, takes results, and ends in an orderly way."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from skillbook.errors import ClusterError, ClusterLost, HostUnfit
from skillbook.limits import READ_SECONDS, SHOWN_SECONDS
from skillbook.scale.claims import Claims
from skillbook.scale.row_store import RowResult, RowStore, Status
from skillbook.scale.worker import Job, run_row
from skillbook.scale.worker_browser import RESOURCE

_HOST_FAULTS = 5
"""How many hosts may give a row back."""


class RowRuns:
    """All rows of one map.

    rows: inputs by key.
    retries: how often a row is tried again that failed before anything could happen twice.
    record_of: gives what names the record that a row changes; the rows of one are done in their order, one at a time.
        None for a row that any other one may go beside.
    """

    def __init__(
        self,
        client: Any,
        job: Job,
        store: RowStore,
        claims: Claims,
        rows: Mapping[str, dict[str, Any]],
        retries: int,
        report: Callable[[RowResult], None],
        record_of: Callable[[Mapping[str, Any]], Hashable] = lambda row: None,
    ) -> None:
        self.results: dict[str, RowResult] = {}
        self._client, self._job, self._store, self._claims = client, job, store, claims
        self._rows, self._retries, self._report = rows, retries, report
        self._record_of = record_of
        self._busy: set[Hashable] = set()
        self._after: dict[Hashable, list[str]] = {}
        self._places = {key: place for place, key in enumerate(rows)}
        self._attempts = dict.fromkeys(rows, 0)
        self._returned = dict.fromkeys(rows, 0)
        self._futures: dict[Any, str] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def refuse(self, key: str, why: str) -> None:
        """Leave a row out whose inputs are no inputs; it isn't kept, for the next call may have them."""
        self.results[key] = RowResult("failed", why, attempts=0)
        self._report(self.results[key])

    def run(self) -> dict[str, RowResult]:
        """Every row's result.

        Raises ClusterLost: the scheduler is gone. ClusterError : no fit worker is left.
        """
        for key in self._rows:
            if key not in self.results and not self._known(key):
                self._begin(key)
        lost_at: float | None = None
        while self._futures:
            if self._claims.error is not None:
                self._raise_claims_error()
            connected = self._client.status == "running"
            lost_at = None if connected else lost_at or time.monotonic()
            # How long a client may be without its scheduler.
            if lost_at is not None and time.monotonic() - lost_at > READ_SECONDS:
                raise ClusterLost(f"the scheduler at {self._client.scheduler.address} is gone")
            try:
                future = self._done.get(timeout=SHOWN_SECONDS)
            except queue.Empty:
                continue
            if future.status in {"cancelled", "lost"}:
                raise ClusterLost(f"the scheduler at {self._client.scheduler.address} let go of the rows")
            self._take(future)
        return self.results

    def stop(self) -> dict[str, RowResult]:
        """End the map: nothing more is granted, what waits is cancelled, what is claimed may end within seconds."""
        self._claims.close()
        self._after.clear()
        granted = set(self._claims.granted)
        waiting = [future for future, key in self._futures.items() if key not in granted]
        running = self._client.status == "running"
        try:
            if running:
                self._client.cancel(waiting)
            # How long a stopped map waits for the rows that were claimed.
            deadline = time.monotonic() + (READ_SECONDS if running else 0.0)
            while (granted - self.results.keys()) and (left := deadline - time.monotonic()) > 0:
                future = self._done.get(timeout=left)
                if self._futures.get(future) in granted and future.status == "finished":
                    self._keep(self._futures[future], future.result())
        except (queue.Empty, KeyboardInterrupt, OSError):
            pass
        for key in self._rows:
            if key not in self.results:
                self.results[key] = self._unfinished(key)
        return self.results

    def _unfinished(self, key: str) -> RowResult:
        host = self._claims.hosts.get(key, "")
        if self._claims.is_claimed(key):
            why = f"it was under way{f' on {host}' if host else ''} when the map ended"
            return RowResult("unknown", why, attempts=self._attempts[key], host=host)
        return RowResult("cancelled", "the map ended before it was done", attempts=self._attempts[key])

    def _known(self, key: str) -> bool:
        """Take what an earlier map left of a row; a row that it claimed is never begun again."""
        known = self._store.result(key)
        claimed = self._store.is_claimed(key)
        if known is None and claimed:
            known = RowResult("unknown", "an earlier map claimed the row and ended before its result came")
        if known is None or (known.status != "ok" and not claimed):
            return False
        self.results[key] = known
        self._report(known)
        return True

    def _begin(self, key: str) -> None:
        """Give a row to a worker, or keep it until the earlier one of its record is done."""
        record = self._record_of(self._rows[key])
        if record is not None and record in self._busy:
            self._after.setdefault(record, []).append(key)
            return
        self._busy.add(record)
        self._submit(key)

    def _submit(self, key: str) -> None:
        self._attempts[key] += 1
        future = self._client.submit(
            run_row, self._job, key, self._rows[key], pure=False, retries=0, resources=RESOURCE,
            priority=-self._places[key],
        )  # fmt: skip
        self._futures[future] = key
        future.add_done_callback(self._done.put)

    def _take(self, future: Any) -> None:
        key = self._futures.pop(future)
        error = future.exception()
        if isinstance(error, HostUnfit):
            self._give_back(key, error)
            return
        if error is None:
            result: RowResult = future.result()
        else:
            host = self._claims.hosts.get(key, "")
            reason = f"{f'{host} was lost: ' if host else ''}{type(error).__name__}: {error}"[:500]
            status: Status = "unknown" if self._claims.is_claimed(key) else "failed"
            result = RowResult(status, reason, host=host)
        again = result.status == "failed" and not (result.is_final or self._claims.is_claimed(key))
        if again and self._attempts[key] <= self._retries:
            self._submit(key)
            return
        self._keep(key, result)

    def _keep(self, key: str, result: RowResult) -> None:
        result.attempts = self._attempts[key]
        self.results[key] = result
        self._store.keep(key, result)
        self._report(result)
        record = self._record_of(self._rows[key])
        if self._after.get(record):
            self._submit(self._after[record].pop(0))
        else:
            self._busy.discard(record)

    def _give_back(self, key: str, error: HostUnfit) -> None:
        """Take a host out that broke, and give its row to another."""
        host = error.data.get("host", "")
        bad = [worker for worker, name in self._client.run(_host_name).items() if name == host]
        if bad:
            self._client.retire_workers(bad)
        self._returned[key] += 1
        if not self._client.scheduler_info()["workers"] or self._returned[key] >= _HOST_FAULTS:
            raise ClusterError(f"no fit worker is left: {error.message}", hint=error.hint) from error
        self._attempts[key] -= 1
        self._submit(key)

    def _raise_claims_error(self) -> None:
        error = self._claims.error
        assert error is not None
        if isinstance(error, OSError) or self._client.status != "running":
            raise ClusterLost(f"claims can't be answered: {type(error).__name__}: {error}") from error
        raise error


def _host_name() -> str:
    from skillbook.scale.worker_browser import host_name

    return host_name()

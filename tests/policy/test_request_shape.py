"""One relation of a request to another: nothing is the same that a server could take for something else."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.policy.request_facts import read_request
from skillbook.policy.request_rules import learnable_request
from skillbook.policy.request_shape import Habits, RequestShape, shape_of, written_shape

HERE = "https://shop.test"
JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}


def shape(
    body: bytes, headers: dict[str, str] = JSON, path: str = "/api", size: int | None = None
) -> RequestShape:
    return shape_of("POST", HERE + path, headers, body, len(body) if size is None else size)


def of(data: Any) -> RequestShape:
    return shape(json.dumps(data).encode())


def skill(*names: str) -> RequestShape:
    return written_shape("POST", HERE, "/api", "", frozenset(names))


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)
BODIES = st.dictionaries(st.text(max_size=5), DATA, min_size=1, max_size=4) | st.lists(
    DATA, min_size=1, max_size=4
)


def places_in(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place, *(found for key, item in inside for found in places_in(item, (*place, key)))]


def changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    key, *rest = place
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[key] = changed(data[key], tuple(rest), value)
    return copy


@given(st.data(), BODIES)
def test_another_word_kind_or_count_anywhere_is_another_request(data: st.DataObject, body: Any) -> None:
    place = data.draw(st.sampled_from([one for one in places_in(body) if one]))
    other = changed(body, place, data.draw(LEAVES | DATA))
    habits = Habits()
    habits.note(of(body))
    assert habits.include(of(body))
    rule = learnable_request(read_request("POST", HERE + "/api", content_type=JSON["Content-Type"],
                                          body=json.dumps(body)))  # fmt: skip
    if json.dumps(other) != json.dumps(body):
        assert not of(body).covers(of(other))
        assert not habits.include(of(other))
        fact = read_request("POST", HERE + "/api", content_type=JSON["Content-Type"], body=json.dumps(other))
        assert rule is None or not rule.allows(fact, "")


@given(st.data(), BODIES)
def test_another_kind_or_count_anywhere_is_not_in_a_skills_list(data: st.DataObject, body: Any) -> None:
    listed = skill(*of(body).names)
    assert listed.covers(of(body), "names")
    place = data.draw(st.sampled_from([one for one in places_in(body) if one]))
    now = body
    for key in place:
        now = now[key]
    other = [now] if not isinstance(now, list) else [*now, *now, 1]
    assert not listed.covers(of(changed(body, place, other)), "names")


@given(st.binary(min_size=1, max_size=40), st.binary(min_size=1, max_size=40))
def test_fault_67_other_bytes_are_another_message(first: bytes, second: bytes) -> None:
    habits = Habits()
    for _ in range(3):
        habits.note(shape(first, PROTOBUF))
    assert habits.include(shape(first, PROTOBUF))
    assert habits.include(shape(second, PROTOBUF)) == (first == second)
    assert skill(*shape(first, PROTOBUF).names).covers(shape(second, PROTOBUF), "names") == (first == second)


@pytest.mark.parametrize(
    ("own", "later"),
    [
        (b"\x08\x96\x01\xff", b"\x08\x97\x01\xfe"),
        (b"\x00\x00\x00\x00\x02\x08\xc8", b"\x00\x00\x00\x00\x02\x08\xc9"),
        (b"\x82\xa2op\x01", b"\x82\xa2op\x02\xff"),
        (gzip.compress(b"view", mtime=0), gzip.compress(b"wipe", mtime=0)),
        (b"\xef\xbb\xbfview", b"view"),
        (b"a=%ff", b"a=%fe"),
    ],
)
def test_fault_67_what_is_no_text_is_never_decoded_lossily(own: bytes, later: bytes) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers in (PROTOBUF, form, {}):
        assert not shape(own, headers).covers(shape(later, headers))


def test_fault_67_a_body_of_which_a_byte_was_not_seen_is_covered_by_nothing() -> None:
    cut, stream = shape(b"{}", size=3), shape_of("POST", HERE + "/api", JSON, None, None)
    habits = Habits()
    for part in (cut, stream):
        assert not part.whole
        habits.note(part)
        assert not habits.include(part)
        assert not part.covers(part)
        assert not skill(*part.names).covers(part, "names")
    assert shape_of("POST", HERE + "/api", JSON, None, 0).whole


@pytest.mark.parametrize(
    ("seen", "passes", "asks"),
    [
        ([1, 2, 3], [2, 4, 1.5], [5, 0, 9999, "2", None]),
        ([1, 3], [2, 5], [6]),
        ([3, 1], [2], [4, 0]),
        ([5, 5], [5], [6, 4]),
        ([2, 4, 4], [3], [5]),
    ],
)
def test_fault_67_numbers_differ_only_within_their_range_or_step(
    seen: list[Any], passes: list[Any], asks: list[Any]
) -> None:
    def habits() -> Habits:
        found = Habits()
        for number in seen:
            found.note(of({"n": number}))
        return found

    assert [number for number in passes if not habits().include(of({"n": number}))] == []
    assert [number for number in asks if habits().include(of({"n": number}))] == []


def test_a_counter_goes_on_as_long_as_it_is_sent() -> None:
    habits = Habits()
    habits.note(of({"n": 1}))
    habits.note(of({"n": 2}))
    for number in range(3, 20):
        assert habits.include(of({"n": number}))
        habits.note(of({"n": number}))
    assert not habits.include(of({"n": 21}))


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000])
def test_the_time_of_sending_may_differ_and_no_other(unit: int) -> None:
    now = 1_764_000_000.0
    habits = Habits(lambda: now)
    for _ in range(2):
        now += 5
        habits.note(of({"at": int(now * unit)}))
    now += 600
    assert habits.include(of({"at": int(now * unit)}))
    assert not habits.include(of({"at": int((now + 5) * unit)}))
    assert not habits.include(of({"at": 7}))


def test_a_random_key_names_a_thing_in_a_path() -> None:
    keys = ["3f2a9c81-d0e1-4b2c-8a3d-1e2f3a4b5c6d", "1f2a9c81-d0e1-4b2c-8a3d-1e2f3a4b5c6d"]
    habits = Habits()
    for key in keys:
        habits.note(shape(b"{}", path=f"/items/{key}"))
        habits.note(of({"nonce": key}))
    other = keys[0].replace("3f", "7a")
    assert habits.include(of({"nonce": other}))
    assert not habits.include(shape(b"{}", path=f"/items/{other}"))


def test_fault_68_a_skills_list_covers_only_what_has_its_names() -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    recorded = shape(b"item=1&note=a", form)
    listed = skill(*recorded.names)
    assert sorted(recorded.names) == ["item", "note"]
    assert listed.covers(shape(b"item=2&note=b", form), "names")
    assert listed.covers(shape(b"item=2", form), "names"), "it leaves a field out"
    for body, headers in (
        (b"item=1&item=2&item=3", form),
        (b"item=1&owner=me", form),
        (json.dumps({"item": "1"}).encode(), JSON),
        (json.dumps([{"item": "1"}] * 3).encode(), JSON),
        (json.dumps({"item": {"a": [{"b": 1}]}}).encode(), JSON),
        (b"item", {"Content-Type": "text/plain"}),
        (b"\x08\x96\x01\xff", PROTOBUF),
        (gzip.compress(b"item=1"), {**form, "Content-Encoding": "gzip"}),
    ):
        assert not listed.covers(shape(body, headers), "names"), body


def test_fault_68_names_in_lists_have_kinds_and_counts() -> None:
    recorded = of({"orders": [{"id": 1, "gift": True}, {"id": 2, "gift": False}]})
    assert sorted(recorded.names) == [
        "JSON object",
        "orders (list of 2)",
        "orders.# (object) (2 times)",
        "orders.#.gift (true or false) (2 times)",
        "orders.#.id (number) (2 times)",
    ]
    listed = skill(*recorded.names)
    assert listed.covers(of({"orders": [{"id": 7, "gift": True}, {"id": 9, "gift": True}]}), "names")
    for other in (
        {"orders": [{"id": 1, "gift": True}]},
        {"orders": [{"id": "1", "gift": True}, {"id": 2, "gift": False}]},
        {"orders": [{"id": 1, "gift": True, "to": "x"}, {"id": 2, "gift": False}]},
        {"orders.#.id (number)": 1},
    ):
        assert not listed.covers(of(other), "names"), other


def test_fault_68_a_list_of_an_earlier_version_covers_no_json() -> None:
    listed = skill("item", "note")
    assert not listed.covers(of({"item": "1"}), "names")
    assert not skill().covers(shape(b"text", {}), "names")
    assert skill().covers(shape_of("POST", HERE + "/api", {}, None, 0), "names")

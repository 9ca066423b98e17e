from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbook.bridge.codec import check_version, decode, encode, read_message
from skillbook.errors import InvalidParams, ProtocolError, VersionMismatch
from skillbook.protocol import PROTOCOL_MINOR, PROTOCOL_VERSION
from skillbook.protocol.envelopes import Ping, Request

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=20,
)


def without_surrogates(value: object) -> object:
    """What a browser's half surrogate pairs become."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(text)


@unhurried
@given(st.dictionaries(st.text("ab"), JSON))
def test_any_json_that_a_browser_writes_is_read(value: dict[str, object]) -> None:
    assert decode(json.dumps(value).encode()) == without_surrogates(value)


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00", "\ufffd"),
        (r"\uDE00\uD83D", "\ufffd\ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"),
        (r"\\ud83d", r"\ud83d"),
        (r"\\\ud83d", "\\\ufffd"),
        (r"\\\\ud83d", r"\\ud83d"),
    ],
)
def test_half_surrogate_pairs_are_replaced(escaped: str, text: str) -> None:
    assert decode(rf'{{"a": "{escaped}", "b": "\ud800"}}'.encode()) == {"a": text, "b": "\ufffd"}


@unhurried
@given(st.binary())
def test_bytes_are_an_object_or_a_protocol_error(frame: bytes) -> None:
    try:
        value: object = decode(frame)
    except ProtocolError as error:
        value = error.data
    assert isinstance(value, dict)


@unhurried
@given(st.dictionaries(st.sampled_from(["v", "type", "id", "n", "event", "protocol", "x"]), JSON))
def test_objects_are_a_message_or_a_bridge_error(raw: dict[str, object]) -> None:
    with pytest.raises((ProtocolError, VersionMismatch)) as caught:
        read_message(raw)
    assert len(str(caught.value)) < 400


def test_an_error_repeats_no_value() -> None:
    with pytest.raises(ProtocolError) as caught:
        read_message({"v": 1, "type": "auth", "proof": ["hunter2"]})
    assert "hunter2" not in str(caught.value) + repr(caught.value.data)
    assert caught.value.__cause__ is None
    assert caught.value.data["place"] == "auth.proof"


@pytest.mark.parametrize(
    ("protocol", "hint"),
    [
        ("0.9", "update the extension"),
        (f"1.{PROTOCOL_MINOR + 1}", "update skillbook"),
        ("2.0", "update skillbook"),
        ("1", "update"),
    ],
)
def test_the_hint_names_the_older_side(protocol: str, hint: str) -> None:
    with pytest.raises(VersionMismatch) as caught:
        check_version(protocol)
    assert hint in caught.value.hint
    check_version("1.0")
    check_version(PROTOCOL_VERSION)


def test_what_json_cannot_hold_is_refused() -> None:
    for value in (object(), "\ud800"):
        with pytest.raises(InvalidParams):
            encode(Request(id=1, command="get", params={"a": value}, deadline_ms=1))
    assert json.loads(encode(Ping(n=3))) == {"v": 1, "type": "ping", "n": 3}

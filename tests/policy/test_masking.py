"""Values that no text may show are found however a page writes them; ordinary text stays as it is."""

from __future__ import annotations

import re
import time
import unicodedata
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.policy.masking import MASK, mask, mask_address, mask_texts
from skillbook.policy.secrets import SecretStore

VALUE = "hunter2-Sésam!"
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u2062\u202e\u2066\ufe0f\u115f\u1160\u3164\uffa0\u2800\x07"
WIDE = VALUE.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
BOLD = "".join(chr(0x1D41A + ord(char) - 97) if "a" <= char <= "z" else char for char in VALUE)


def skeleton(text: str) -> str:
    """What a person reads: letters and digits, without case and form."""
    shown = re.sub(r"<[^<>]*>", "", text)
    plain = unicodedata.normalize("NFKD", shown).casefold()
    return "".join(char for char in plain if char.isalnum() and char not in UNSEEN)


@pytest.mark.parametrize(
    "written",
    [
        VALUE,
        VALUE.upper(),
        VALUE.swapcase(),
        WIDE,
        WIDE.upper(),
        BOLD,
        unicodedata.normalize("NFD", VALUE),
        "\u00ad".join(VALUE),
        "\u200b\u2060".join(VALUE),
        "\u3164".join(VALUE),
        " ".join(VALUE),
        "\n".join(VALUE),
        " \n\t ".join(VALUE),
        "\u2003".join(VALUE),
        "|".join(VALUE),
        "hun ter2-Sé sam!",
        "".join(f"<span>{char}</span>" for char in VALUE),
        "\n".join(
            f'<i style="display:inline-block" class="a{at}">{char}</i>' for at, char in enumerate(VALUE)
        ),
        "hunter2-S&eacute;sam!".replace("&eacute;", "&#233;"),
        "hunter2%2DS%C3%A9sam%21",
        "hunter2-S\\u00e9sam!",
    ],
)
def test_fault_72_a_value_is_masked_however_it_is_spelled(written: str) -> None:
    shown = mask(f"Before {written} after.", [VALUE])
    assert MASK in shown
    assert shown.startswith("Before ")
    assert shown.endswith(" after.")
    assert "hunter" not in skeleton(shown)
    assert "sesam" not in skeleton(shown)


PIECE = st.sampled_from(
    ["", "", *UNSEEN, " ", "\n", "\t", "\u00a0", "<b>", "</b>", "<span class='x y'>", "|", "·"]
)


@given(
    st.lists(st.tuples(PIECE, PIECE, st.booleans()), min_size=len(VALUE), max_size=len(VALUE)),
    st.sampled_from([str, str.upper, str.lower, str.swapcase]),
)
def test_no_mixture_of_spans_signs_and_cases_shows_it(
    pieces: list[tuple[str, str, bool]], cased: type[str]
) -> None:
    letters = [
        f"{before}{WIDE[at] if wide else VALUE[at]}{after}" for at, (before, after, wide) in enumerate(pieces)
    ]
    shown = mask(f"x. {cased(''.join(letters))} .y", [VALUE])
    assert skeleton(VALUE) not in skeleton(shown)
    assert MASK in shown


@given(st.lists(st.integers(1, 4), min_size=14, max_size=14), st.sampled_from(["", " ", "\u200b"]))
def test_no_cut_of_it_into_texts_shows_it(sizes: list[int], around: str) -> None:
    texts, rest = ["", "Key:"], VALUE
    for size in sizes:
        texts.append(f"{around}{rest[:size]}{around}")
        rest = rest[size:]
    shown = mask_texts([*texts, "end"], [VALUE])
    assert len(shown) == len(texts) + 1
    assert (shown[1], shown[-1]) == ("Key:", "end")
    assert skeleton(VALUE) not in skeleton("".join(shown))
    assert "hun" not in skeleton("".join(shown))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1234", "1 2 3 4 5"),
        ("1234", "Pages: 1 2 3 4 5 6 next"),
        ("1234", "0 1 2 3 4"),
        ("1234", "12 34"),
        ("1234", "12.34 and 1, 23, 4"),
        ("abc", "a big cat"),
        ("the", "t heap"),
        ("12", "12 12"),
        ("hunter2", "The hunters ate 2 hares, hunter 3"),
        ("letmein", "let me go in"),
    ],
)
def test_ordinary_text_stays_as_it_is(value: str, text: str) -> None:
    assert mask(text, [value]) == text


@pytest.mark.parametrize(
    "text", ["1234", "PIN1234.", "1 2 3 4", "1\u200b2\u200b34", "1, 2, 3, 4", "１２３４"]
)
def test_a_short_value_is_masked_where_it_stands_together_or_alone(text: str) -> None:
    assert MASK in mask(f"Code: {text}", ["1234"])
    assert not {"1", "2", "3", "4"} & set(mask(f"Code: {text}", ["1234"]))


def test_data_is_masked_across_texts_that_follow_one_another() -> None:
    store = SecretStore({}, lambda _: "")
    store.add("bank", VALUE)
    data = {"name": ["Key", *VALUE, "end", 3, {"value": VALUE.upper()}]}
    shown = store.redact_data(data)
    assert shown["name"][0] == "Key"
    assert set(shown["name"][1:15]) == {MASK}
    assert shown["name"][-3:] == ["end", 3, {"value": MASK}]


def test_a_long_page_is_searched_in_no_time() -> None:
    texts = [f"Row {at} of a list, <b>quoted</b> & $ {at * 7}" for at in range(20_000)] + [
        "<" * 5_000,
        "é<>" * 5_000,
    ]
    begun = time.perf_counter()
    assert mask_texts(texts, ["row of a key 1", "rowrowrowrow", VALUE]) == texts
    assert time.perf_counter() - begun < 3


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://a.b/pay?f=pa%24s+word&n=x#top", "https://a.b/pay?f=*&n=x#top"),
        ("/pay?n=x&f=pa%252424s;g=pa$s%20word", "/pay?n=x&f=pa%252424s;g=*"),
        ("https://a.b/#/PA%24S%20WORD", "https://a.b/#*"),
        ("?code=123&n=1234", "?code=*&n=1234"),
        ("https://a.b/123", "https://a.b/123"),
        ("Is it pa$s word?", "Is it pa$s word?"),
        ("#123", "#123"),
    ],
)
def test_values_in_query_and_fragment_are_masked(address: str, shown: str) -> None:
    assert mask_address(address, ["pa$s word", "123"], "*") == shown


ENCODED = 's3cr3t "of" the/bank+ü'


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        ENCODED,
        ENCODED.upper(),
        quote(quote(ENCODED)),
        quote_plus(quote(quote(ENCODED, safe=""))),
        "".join(f"\\u{ord(char):04x}" for char in ENCODED),
        "".join(f"&#{ord(char)};" for char in ENCODED),
        b64(f"me:{ENCODED}"),
        f"/pixel/{b64(ENCODED)}/x",
        "abc" + b64(ENCODED),
        urlsafe_b64encode(quote(ENCODED).encode()).decode(),
        b64(b64(ENCODED)),
        ENCODED.encode().hex(),
        quote(escape(ENCODED)),
    ],
)
def test_fault_50_a_secret_is_recognised_in_any_writing(text: str) -> None:
    store = SecretStore({})
    bank = store.add("bank", ENCODED, origins=["https://bank.test"])
    store.fill_in(bank, command="fill", origin="https://bank.test")
    assert store.carried(f"https://evil.test/?v={text}&x=1") == ["bank"]
    assert store.carried("https://evil.test/?v=another") == []


def test_a_long_body_is_looked_through_in_time() -> None:
    store = SecretStore({})
    bank = store.add("bank", ENCODED, origins=["https://bank.test"])
    store.fill_in(bank, command="fill", origin="https://bank.test")
    started = time.monotonic()
    assert store.carried("some words %41 and more " * 8_000) == []
    assert time.monotonic() - started < 5

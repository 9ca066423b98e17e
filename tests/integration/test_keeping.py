"""A page as a file: PDF, archive and video, without secrets."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes
from email.header import decode_header, make_header
from pathlib import Path

import pytest
from PIL import Image

import skillbook as sb
from skillbook.errors import InvalidParams
from skillbook.session.sync import Page

PAGE = """<meta charset=utf-8><title>Order</title><h1>Order of Ann</h1>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<iframe srcdoc="<p>in the frame</p>"></iframe><input type=password value=hush-pass>
<input autocomplete=one-time-code value=hush-code><button onclick="document.body.style.background='red'">Red</button>"""


def test_a_page_becomes_a_pdf_an_archive_and_a_video(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(PAGE)
    printed = page.pdf(tmp_path / "order.pdf", paper="Letter", landscape=True).read_bytes()
    assert printed.startswith(b"%PDF")
    assert b"/MediaBox [0 0 792 612]" in printed
    archived = message_from_bytes(page.archive(tmp_path / "order.mhtml").read_bytes())
    parts = [bytes(part.get_payload(decode=True) or b"") for part in archived.walk()]  # type: ignore[arg-type]
    said = b"\n".join(parts)
    assert b"Order of Ann" in said
    assert b"in the frame" in said
    assert b"hush" not in said
    with page.video(tmp_path / "order.webp", every=0.2, max_width=400) as video:
        page.click("button 'Red'")
    film = Image.open(video.path)
    assert film.n_frames >= 2
    assert film.width <= 400
    colours = []
    for frame in range(film.n_frames):
        film.seek(frame)
        colours.append(film.convert("RGB").getpixel((390, 200)))
    assert colours[0] == (255, 255, 255)
    assert colours[-1][0] > 200
    assert colours[-1][1] < 60


def test_fault_35_title_and_address_of_an_archive_hold_no_secret(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_ARCHIVED", "hüsh & pass-7")
    page = serve_html(
        "<iframe name=f></iframe><input type=password aria-label=Password oninput=\"document.title = 'it is ' + value;"
        "const said = encodeURIComponent(value); history.replaceState(0, '', '?said=' + said + '#' + said)\">"
    )
    origin = page.evaluate("location.origin")
    page.fill("textbox 'Password'", sb.secret("archived", origins=[origin]))
    data = page.archive(tmp_path / "order.mhtml").read_bytes()
    archived = message_from_bytes(data)
    heads = [str(make_header(decode_header(value))) for part in archived.walk() for value in part.values()]
    assert any("it is ••••••" in head for head in heads)
    assert any(head.startswith(origin) for head in heads)
    assert not [head for head in heads if "pass-7" in head]
    assert b"pass-7" not in data


def test_what_cannot_be_written_is_refused(serve_html: Callable[[str], Page], tmp_path: Path) -> None:
    page = serve_html("<p>a")
    with pytest.raises(InvalidParams, match=r"doesn't end in \.pdf"):
        page.pdf(tmp_path / "a.doc")
    with pytest.raises(InvalidParams, match="no folder"):
        page.archive(tmp_path / "gone" / "a.mhtml")
    with pytest.raises(InvalidParams, match="A4"):
        page.pdf(tmp_path / "a.pdf", paper="A44")

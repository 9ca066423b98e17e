"""Pagers in many languages, and in none: each page is read to its end, and a part of it is never the whole."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

Open = Callable[[str], Page]
COUNT, SIZE = 15, 5
LAST = COUNT // SIZE

WORDS = [
    ("en", "Previous", "Next"), ("de", "Zurück", "Vorwärts"), ("fr", "Précédent", "Suivant"),
    ("es", "Anterior", "Siguiente"), ("it", "Precedente", "Successiva"), ("pt", "Anterior", "Próxima"),
    ("nl", "Vorige", "Volgende"), ("pl", "Poprzednia", "Następna"), ("sv", "Föregående", "Nästa sida"),
    ("da", "Forrige", "Næste"), ("nb", "Forrige", "Neste side"), ("fi", "Edellinen", "Seuraava"),
    ("cs", "Předchozí", "Další"), ("hu", "Előző", "Következő"), ("ro", "Anterioară", "Pagina următoare"),
    ("ru", "Назад", "Вперёд"), ("uk", "Попередня", "Наступна"), ("el", "Προηγούμενη", "Επόμενη"),
    ("tr", "Önceki", "Sonraki"), ("ar", "السابق", "التالي"), ("ja", "前のページ", "次のページ"),
    ("zh", "上一页", "下一页"), ("ko", "이전", "다음"), ("vi", "Trang trước", "Trang sau"),
]  # fmt: skip
KINDS = ("buttons", "links")
IN_WORDS = [
    pytest.param(kind, *words, id=f"{language}-{kind}") for language, *words in WORDS for kind in KINDS
]


def _link(page: int, text: str, attributes: str = "") -> str:
    if not 1 <= page <= LAST:
        return f"<span>{text}</span>"
    return f'<a href="?style=STYLE&amp;page={page}" {attributes}>{text}</a>'


def _button(page: int, text: str) -> str:
    here = 1 <= page <= LAST
    return f"<button {'' if here else 'disabled'} onclick=\"location.search='style=STYLE&page={page}'\">{text}</button>"


def pager(style: str, at: int) -> tuple[str, str]:
    """What stands below the list, and in the head."""
    kind, _, words = style.partition(":")
    before, _, after = words.partition("|")
    if kind == "buttons":
        return f"<div class=pager>{_button(at - 1, before)}{_button(at + 1, after)}</div>", ""
    if kind == "links":
        back = _link(at - 1, before) if at > 1 else ""
        return f"<nav class=pagination>{back}{_link(at + 1, after) if at < LAST else ''}</nav>", ""
    if kind == "rel":  # words that no lexicon has
        back, on = _link(at - 1, "Qhipa", "rel=prev"), _link(at + 1, "Ñawpaq", 'rel="next nofollow"')
        return f"<nav>{back if at > 1 else ''}{on if at < LAST else ''}</nav>", ""
    if kind == "unknown":
        back, on = _link(at - 1, "Qhipa"), _link(at + 1, "Ñawpaq")
        return f"<div>{back if at > 1 else ''}{on if at < LAST else ''}</div>", ""
    if kind == "second":
        return f"<div class=pagination>{_button(at - 1, 'Qhipa')}{_button(at + 1, 'Ñawpaq')}</div>", ""
    if kind == "numbers":
        current = "<a href=# aria-current=page>{}</a>"
        items = [current.format(n) if n == at else _link(n, str(n)) for n in range(1, LAST + 1)]
        return f"<nav>{''.join(items)}</nav>", ""
    if kind == "arrows":
        return f"<div class=paging>{_link(at - 1, '‹')}{_link(at + 1, '›')}</div>", ""
    assert kind == "head"
    return "", f'<link rel=next href="?style=STYLE&amp;page={at + 1}">' if at < LAST else ""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        style, at = asked.get("style", [""])[0], int(asked.get("page", ["1"])[0])
        below, head = pager(style, at) if style else ("", "")
        rows = "".join(
            f"<li><b>Person {n}</b> <p>City {n}</p></li>" for n in range((at - 1) * SIZE, at * SIZE)
        )
        page = f"<!doctype html><meta charset=utf-8>{head}<h1>X</h1><ul>{rows}</ul>{below}"
        body = page.replace("STYLE", quote(style)).encode()
        self.send_response(200 if style else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def people() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/?style="
    server.shutdown()
    server.server_close()


def check(page: Page) -> None:
    with pytest.warns(IncompleteFrame, match="next"):
        part = sb.extract(page)
    (same,) = [frame for frame in sb.tables(page) if len(frame) == SIZE]
    assert (len(part), part.skillbook.complete, same.skillbook.complete) == (SIZE, False, False)
    frame = sb.extract(page, next=True)
    assert frame.iloc[:, 0].tolist() == [f"Person {n}" for n in range(COUNT)]
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
@pytest.mark.parametrize("style", ["rel", "unknown", "second", "numbers", "arrows", "head"])
def test_fault_64_pagers_without_words_are_read_to_their_end(
    open_page: Open, people: str, style: str
) -> None:
    check(open_page(people + style))


@pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
@pytest.mark.parametrize(("kind", "before", "after"), IN_WORDS)
def test_fault_64_pagers_in_many_languages_are_read_to_their_end(
    open_page: Open, people: str, kind: str, before: str, after: str
) -> None:
    check(open_page(people + quote(f"{kind}:{before}|{after}")))

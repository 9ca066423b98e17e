"""Words on buttons that speak of steps which can't be undone: paying, deleting, sending, publishing.

English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Russian and Turkish are matched by whole
words; Chinese, Japanese and Korean, which have no blanks between words, anywhere in the label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.page_names import acting_segments
from skillbook.policy.request_words import ROUTE_KEYS

LONGEST = 60
"""Characters; what is longer is prose: its words count where a sentence or a part of one begins with them."""

_WORDS = {
    "pay": """
        pay|pay now|payment|buy|buy now|purchase|place order|place your order|order now|checkout now|complete order|
        complete purchase|confirm order|submit order|confirm purchase|subscribe|start subscription|donate|book now|
        confirm booking|place bid|
        bezahlen|jetzt bezahlen|zahlen|zahlungspflichtig bestellen|kostenpflichtig bestellen|jetzt kaufen|kaufen|
        bestellen|bestellung aufgeben|bestellung abschicken|abonnieren|spenden|kostenpflichtig buchen|
        payer|payer maintenant|acheter|passer commande|passer la commande|commander|valider la commande|s'abonner|
        faire un don|
        pagar|pagar ahora|comprar ahora|comprar|realizar pedido|hacer pedido|confirmar pedido|suscribirse|donar|
        paga|paga ora|pagare|acquista|acquista ora|compra|compra ora|conferma ordine|effettua ordine|abbonati|
        pagar agora|comprar agora|finalizar compra|finalizar pedido|fazer pedido|confirmar compra|assinar|doar|
        betalen|nu betalen|afrekenen|kopen|nu kopen|bestelling plaatsen|bestellen en betalen|doneren|
        zaplac|zaplac teraz|kup|kup teraz|zamow|zamawiam|zloz zamowienie|zamawiam i place|
        zamawiam z obowiazkiem zaplaty|
        betala|kop nu|slutfor kop|
        оплатить|оплатить сейчас|купить|купить сейчас|заказать|оформить заказ|подтвердить заказ|подписаться|
        ode|odeme yap|satin al|hemen al|siparis ver|siparisi tamamla|siparisi onayla|odemeyi tamamla|abone ol
    """,
    "delete": """
        delete|delete account|delete forever|remove permanently|permanently remove|erase|destroy|wipe|purge|
        drop database|terminate|deactivate|close account|discard permanently|
        loschen|endgultig loschen|entfernen|vernichten|konto schliessen|
        supprimer|effacer|supprimer definitivement|fermer le compte|
        eliminar|borrar|suprimir|cerrar cuenta|
        elimina|cancella|rimuovi|eliminare|elimina account|
        excluir|apagar|remover|encerrar conta|
        verwijderen|wissen|account sluiten|
        usun|usun konto|skasuj|
        radera|ta bort|
        удалить|стереть|удалить аккаунт|
        sil|hesabi sil|kalici olarak sil|kaldir
    """,
    "send": """
        send|send now|send message|send email|send money|submit application|post comment|reply all|transfer|
        transfer money|wire|forward email|
        senden|absenden|abschicken|verschicken|uberweisen|
        envoyer|envoyer le message|virer|transferer|
        enviar|enviar mensaje|transferir|
        invia|inviare|trasferisci|spedisci|
        enviar mensagem|mandar|
        verzenden|versturen|sturen|overmaken|overboeken|
        wyslij|przelej|przeslij|
        skicka|
        отправить|послать|перевести|отослать|
        gonder|mesaj gonder|havale yap|para gonder
    """,
    "publish": """
        publish|publish now|post|post now|tweet|go live|deploy|release|merge|merge pull request|make public|
        share publicly|
        veroffentlichen|posten|
        publier|poster|mettre en ligne|
        publicar|publicar ahora|
        pubblica|pubblicare|pubblica ora|
        publicar agora|postar|
        publiceren|plaatsen|
        opublikuj|publikuj|
        publicera|
        опубликовать|
        yayinla|paylas|yayimla
    """,
}
_PARTS = {
    "pay": "支払う|支払い|お支払|購入|注文する|注文を確定|注文確定|予約を確定|付款|购买|購買|支付|提交订单|提交訂單|"
    "立即下单|结算|結帳|"
    "결제|구매|주문하기|주문 완료|구독하기",
    "delete": "削除|消去|退会|删除|刪除|注销账号|清空|삭제|탈퇴",
    "send": "送信|送金|振込|振り込|发送|發送|转账|轉帳|匯款|汇款|보내기|전송|송금|이체|제출하기",
    "publish": "公開|投稿|发布|發佈|發布|发表|게시|공개하기|발행",
}
_AFTER_PARTS = "済|された|方法|方式|履歴|记录|記錄|历史|歷史|내역|수단"
_LETTERS = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "’": "'"})


_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"


def fold(text: str) -> str:
    """A label without case, accents, double blanks and what nobody sees, so that `SİL` and `sil` are one word."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not _is_unseen(char))
    return " ".join(unicodedata.normalize("NFC", bare).translate(_LETTERS).split())


def _is_unseen(char: str) -> bool:
    """Accents, soft hyphens, marks of direction, characters without a width, variation selectors."""
    return unicodedata.category(char) in {"Mn", "Me", "Cf"} or char in _FILLERS


def _pattern(kind: str) -> re.Pattern[str]:
    words = "|".join(re.escape(fold(word)) for word in _WORDS[kind].split("|"))
    parts = "|".join(re.escape(fold(part)) for part in _PARTS[kind].split("|"))
    after = "|".join(re.escape(fold(part)) for part in _AFTER_PARTS.split("|"))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|(?:{parts})(?!{after})")


_PATTERNS = {kind: _pattern(kind) for kind in _WORDS}


_PART = re.compile(r"[.!?:;,|\u2013\u2014\u2022\u3001\u3002()\[\]]+|\s-\s")


def danger_of(label: str, *, anywhere: bool = False) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None.

    Parameters
    ----------
    label : what it says.
    anywhere : whether the words of a long label count wherever they stand, as on a button.
    """
    folded = fold(label)
    if anywhere or len(folded) <= LONGEST:
        return _first(lambda pattern: pattern.search(folded))
    parts = [part.strip() for part in _PART.split(folded)]
    return _first(lambda pattern: any(pattern.match(part) for part in parts))


def danger_of_value(value: str) -> str | None:
    """The same of an option, or of a word for programs: `delete_selected`, `deleteAll`, `Delete selected users`.

    Options name things as often as steps ("Release date", "Sent"), so all but deleting has to be the whole of it.
    """
    plain = fold(re.sub(r"[_\-./]+", " ", _HUMP.sub(" ", value)))
    if _PATTERNS["delete"].match(plain):
        return "delete"
    return _first(lambda pattern: pattern.fullmatch(plain))


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _first(speaks: Callable[[re.Pattern[str]], object]) -> str | None:
    return next((kind for kind, pattern in _PATTERNS.items() if speaks(pattern)), None)


_NO_WORDS = """
    cancel|no|no thanks|close|back|go back|keep|dismiss|not now|later|x|×|✕|✖|abbrechen|nein|schliessen|zuruck|behalten|
    annuler|non|fermer|retour|cancelar|cerrar|volver|annulla|chiudi|indietro|nao|fechar|voltar|annuleren|nee|sluiten|
    terug|anuluj|nie|zamknij|wstecz|avbryt|nej|stang|отмена|нет|закрыть|назад|iptal|hayir|kapat|geri|vazgec|
    キャンセル|いいえ|閉じる|戻る|取消|否|关闭|關閉|返回|취소|아니요|닫기|뒤로
"""
_NO = frozenset(fold(word) for word in _NO_WORDS.split("|"))
_BINS = re.compile(
    r"(?<!\w)(?:trash|bin|recycle bin|papierkorb|corbeille|poubelle|papelera|cestino|lixeira|prullenbak|kosz|"
    r"papperskorg(?:en)?|корзина|cop kutusu)(?!\w)|ゴミ箱|ごみ箱|回收站|垃圾桶|휴지통"
)


def is_refusal(label: str) -> bool:
    """Whether a button in a dialog leaves things as they are: Cancel, No, Close."""
    return fold(label) in _NO


def danger_of_drop(label: str) -> str | None:
    """The kind of irreversible step that dropping something on an element stands for, or None."""
    return "delete" if _BINS.search(fold(label)) else danger_of(label)


_PATH = {
    "pay": re.compile(
        r"(?:^|[/_.-])(?:checkout|payments?|pay|purchase|place-?order|buy|subscribe|donate)(?:$|[/_.-])"
    ),
    "delete": re.compile(r"(?:^|[/_.-])(?:delete|destroy|remove|purge|deactivate)(?:$|[/_.-])"),
    "send": re.compile(r"(?:^|[/_.-])(?:send|transfer|wire|sendmail)(?:$|[/_.-])"),
    "publish": re.compile(r"(?:^|[/_.-])(?:publish|deploy|release)(?:$|[/_.-])"),
}


def danger_of_path(path: str) -> str | None:
    """The kind of irreversible step that the path of a form's action speaks of, or None."""
    lower = path.lower()
    return next((kind for kind, pattern in _PATH.items() if pattern.search(lower)), None)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBS = {
    "delete": _words("delete destroy remove purge deactivate erase wipe"),
    "pay": _words("pay purchase buy"),
    "send": _words("send transfer"),
    "publish": _words("publish deploy"),
    "cancel": _words("cancel unsubscribe logout signout signoff logoff revoke confirm approve"),
}
_ALL_VERBS = frozenset().union(*_VERBS.values())
_ANYWHERE = _VERBS["delete"] | _words("unsubscribe logout signout signoff logoff")
_WHAT_TO_DO = _words("act action cmd command do event method mode op operation task")


def danger_of_address(url: str) -> str | None:
    """The kind of step that going to an address stands for: `/users/3/delete`, `?action=delete`, `/logout`; or None."""
    parts = urlsplit(url)
    for segment in acting_segments(parts, _ALL_VERBS):
        if kind := _verb(segment):
            return kind
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        key = fold(name).strip("_")
        if key in ROUTE_KEYS and (kind := _verb(value.rsplit("/", 1)[-1])):
            return kind
        says_what = key in _WHAT_TO_DO
        if kind := _verb(value if says_what else name) or (_verb_at_start(value) if says_what else None):
            return kind
    return None


def _verb_at_start(text: str) -> str | None:
    """The same of a command written in one word: `action=deletecomment`, but not `deleted`."""
    lower = text.lower()
    starts = ((kind, verb) for kind in ("delete", "publish", "cancel") for verb in _VERBS[kind])
    return next((kind for kind, verb in starts if re.match(verb + r"(?!e?d\b|ed|d_)[a-z]", lower)), None)


def _verb(text: str) -> str | None:
    """The kind of step that a part of an address names: as a whole, or by its first or last word."""
    name = re.sub(r"\.\w{2,5}$", "", text)
    parts = [part for part in re.split(r"[_\-. ]+", _HUMP.sub(" ", name).lower()) if part]
    joined = "".join(parts)
    for kind, verbs in _VERBS.items():
        if joined in verbs or (parts and {parts[0], parts[-1], "".join(parts[:2])} & verbs & _ANYWHERE):
            return kind
    return None

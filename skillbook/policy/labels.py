"""Words on buttons that speak of steps which can't be undone: paying, deleting, sending, publishing.

English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Russian and Turkish are matched by whole
words; Chinese, Japanese and Korean, which have no blanks between words, anywhere in the label.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 60
"""Characters; longer labels are prose, not a button's."""

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


def fold(text: str) -> str:
    """A label without case, accents and double blanks, so that `SİL` and `sil` are one word."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(unicodedata.normalize("NFC", bare).translate(_LETTERS).split())


def _pattern(kind: str) -> re.Pattern[str]:
    words = "|".join(re.escape(fold(word)) for word in _WORDS[kind].split("|"))
    parts = "|".join(re.escape(fold(part)) for part in _PARTS[kind].split("|"))
    after = "|".join(re.escape(fold(part)) for part in _AFTER_PARTS.split("|"))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|(?:{parts})(?!{after})")


_PATTERNS = {kind: _pattern(kind) for kind in _WORDS}


def danger_of(label: str) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None."""
    folded = fold(label)
    if len(folded) > LONGEST:
        return None
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(folded)), None)


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

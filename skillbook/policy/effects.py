"""Which effect a command has on a given target.

The table gives each command an effect; a target's label can raise it to irreversible: paying, deleting, sending,
publishing. Words are matched whole, in the languages listed.
"""

from __future__ import annotations

import re
import unicodedata

from skillbook.protocol.commands import COMMANDS, Effect

_WORDS = {
    "pay": "pay|payment|buy now|purchase|place order|order now|checkout now|complete order|confirm order|subscribe|"
    "bezahlen|zahlungspflichtig bestellen|jetzt kaufen|kaufen|bestellung aufgeben|"
    "payer|acheter|passer commande|commander|"
    "pagar|comprar ahora|comprar|realizar pedido|"
    "paga|acquista|acquista ora|finalizar compra|betalen|nu kopen|bestelling plaatsen|"
    "betala|kop nu|zaplac|kup teraz|оплатить|купить|заказать|"
    "支払う|購入する|注文する|注文を確定|付款|购买|支付|提交订单",
    "delete": "delete|delete account|remove permanently|erase|destroy|wipe|drop database|terminate|deactivate|"
    "loschen|entfernen|supprimer|effacer|eliminar|borrar|elimina|cancella|excluir|apagar|"
    "verwijderen|radera|ta bort|usun|удалить|削除|削除する|删除",
    "send": "send|send message|send email|post comment|reply all|transfer|wire|"
    "senden|absenden|abschicken|uberweisen|envoyer|enviar|invia|verzenden|versturen|skicka|wyslij|отправить|送信|送信する|发送",
    "publish": "publish|publish now|post|tweet|go live|deploy|release|merge|merge pull request|"
    "veroffentlichen|publier|publicar|pubblica|publiceren|publicera|opublikuj|опубликовать|公開|公開する|发布",
}
_ACTIVATING = {"click", "dblclick", "press", "submit", "check", "drag"}
_OPENS = {"link", "tab", "textbox", "searchbox", "combobox", "option", "heading", "treeitem"}


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(ch for ch in plain if not unicodedata.combining(ch)).split())


_PATTERNS = {
    kind: re.compile(
        r"(?<!\w)(?:" + "|".join(re.escape(_fold(word)) for word in words.split("|")) + r")(?!\w)"
    )
    for kind, words in _WORDS.items()
}


def danger_of(label: str) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None."""
    folded = _fold(label)
    if len(folded) > 60:
        return None
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(folded)), None)


def classify(
    command: str, *, role: str = "", label: str = "", submits: bool = False, secret: bool = False
) -> Effect:
    """The effect of a command on a target.

    Parameters
    ----------
    command : its name.
    role, label : the target's role and accessible name, as the snapshot has them.
    submits : whether activating the target submits a form.
    secret : whether that form has a secret field, so that credentials would be sent.

    Returns
    -------
    The table's effect, or `Effect.IRREVERSIBLE` where the target says so; never a lower one.
    """
    effect = COMMANDS[command].effect
    if effect is not Effect.WRITE or command not in _ACTIVATING:
        return effect
    if submits and secret:
        return Effect.IRREVERSIBLE
    if role not in _OPENS and label and danger_of(label):
        return Effect.IRREVERSIBLE
    return effect

"""The intent of actions and forms, and whether somebody is logged in, by the words on a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base import BaseSnapshot
from skillbook.protocol.snapshot import State

_ACTIONS = {
    "logout": r"log ?out|sign ?out|abmelden|déconnexion|cerrar sesión",
    "login": r"log ?in|sign ?in|anmelden|connexion|iniciar sesión",
    "register": r"sign ?up|register|create (an )?account|registrieren|s'inscrire|registrarse",
    "search": r"search|suchen?|rechercher|buscar",
    "checkout": r"check ?out|place order|buy now|pay( now)?|kasse|bezahlen|payer|pagar",
    "add_to_cart": r"add to (cart|basket|bag)|in den warenkorb|ajouter au panier|añadir al carrito",
    "cart": r"cart|basket|warenkorb|panier|carrito",
    "download": r"download|herunterladen|télécharger|descargar",
    "upload": r"upload|hochladen|attach",
    "delete": r"delete|remove|discard|löschen|entfernen|supprimer|eliminar|borrar",
    "edit": r"edit|rename|bearbeiten|modifier|editar",
    "save": r"save|apply|update|speichern|enregistrer|guardar",
    "send": r"send|submit|post|publish|senden|envoyer|enviar",
    "next_page": r"next( page)?|load more|show more|older|weiter|suivant|siguiente",
    "previous_page": r"prev(ious)?( page)?|newer|zurück|précédent|anterior",
    "filter": r"filter|sort( by)?|refine",
    "close": r"close|dismiss|cancel|schließen|abbrechen|fermer|annuler|cerrar|cancelar",
    "accept": r"accept( all)?|agree|allow|ok|akzeptieren|accepter|aceptar",
    "book": r"book|reserve|schedule|buchen|réserver|reservar",
    "billing": r"billing|invoices?|payments?|rechnung(en)?|factures?|facturas?",
    "settings": r"settings|preferences|options|einstellungen|paramètres|configuración",
    "help": r"help|support|contact( us)?|hilfe|aide|ayuda",
}
_FILE = re.compile(
    r"(?i)\.(?:pdf|csv|tsv|xlsx?|docx?|pptx?|zip|t?gz|dmg|exe|msi|deb|json|xml|ics|epub)(?:[?#]|\Z)"
)
_ACTION = [(intent, re.compile(rf"(?i)\b(?:{words})\b")) for intent, words in _ACTIONS.items()]
_FORMS = [
    ("login", r"password", r"log ?in|sign ?in|anmelden|connexion|iniciar"),
    ("register", r"password", r"sign ?up|register|create|join"),
    ("payment", r"card ?(number|no)|cvc|cvv|iban|expir", ""),
    ("search", r"search|query|such|recherch|busca", ""),
    ("upload", r"\bfile\b", ""),
    ("newsletter", r"e-?mail", r"subscribe|newsletter|notify"),
    ("contact", r"message|subject|nachricht", r"send|submit|contact"),
    ("address", r"street|zip|postal|city|address", ""),
    ("schedule", r"\bdate\b|\btime\b|check-?in", ""),
    ("filter", r"min|max|sort|filter|category", ""),
]


def action_intent(label: str, href: str | None = None) -> str | None:
    """What an action does, by its label, or the file that it leads to."""
    found = next((intent for intent, words in _ACTION if words.search(label[:100])), None)
    return found or ("download" if href and _FILE.search(href) else None)


def form_purpose(fields: Sequence[str], submit: str, name: str) -> str | None:
    """What a form is for, by its fields' labels and types and what submits it."""
    said = " | ".join(fields).casefold()
    doing = f"{submit} {name}"
    for purpose, about, action in _FORMS:
        if re.search(about, said) and (not action or re.search(rf"(?i){action}", doing)):
            return purpose
    if re.search("password", said):
        return "login"
    intent = action_intent(doing) if doing.strip() else None
    return intent if intent in {"search", "login", "register", "checkout", "filter", "book"} else None


def login_state(snapshot: BaseSnapshot) -> Literal["in", "out", "unknown"]:
    """Whether someone is logged in: by a way to log out, to log in, or a password field."""
    intents = {
        action_intent(clean(node.label))
        for node in snapshot.elements
        if node.role in {"button", "link", "menuitem"} and len(node.label) <= 40
    }
    if "logout" in intents:
        return "in"
    has_password = any(flags & State.SECRET for flags in snapshot.columns.flags)
    return "out" if "login" in intents or has_password else "unknown"

"""Whether two names are of the same control: equal but for case, punctuation and articles, or synonyms.

A name that has a content word more, less or other is another control: "New password" is not "Password".
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from skillbook.skill.targets.surroundings import plain

Likeness = Literal["same", "synonym", "other"]
_SILENT = {"a", "an", "the", "please"}
_SYNONYMS = """
save, store, speichern, sichern, enregistrer, sauvegarder, guardar, salvar, salva, opslaan, spara, zapisz
delete, remove, loschen, entfernen, supprimer, eliminar, borrar, elimina, verwijderen, usun
search, find, suchen, suche, rechercher, chercher, buscar, cerca, zoeken, szukaj
log in, sign in, login, signin, anmelden, einloggen, connexion, se connecter, iniciar sesion, accedi, inloggen
log out, sign out, logout, signout, abmelden, ausloggen, deconnexion, se deconnecter, cerrar sesion, uitloggen
sign up, register, registrieren, s inscrire, registrarse, registrati
cancel, abort, abbrechen, annuler, cancelar, annulla, annuleren, anuluj
send, submit, absenden, senden, envoyer, enviar, invia, verzenden
edit, modify, bearbeiten, modifier, editar, modifica, bewerken
add, hinzufugen, ajouter, anadir, agregar, aggiungi, toevoegen
create, erstellen, anlegen, creer, crear, crea
next, weiter, suivant, siguiente, avanti, volgende
previous, zuruck, precedent, anterior, precedente, vorige
close, dismiss, schliessen, fermer, cerrar, chiudi, sluiten
password, passwort, kennwort, mot de passe, contrasena, wachtwoord
user name, username, benutzername, nom d utilisateur, nombre de usuario, gebruikersnaam
name, nom, nombre, nome, naam
email, mail, e mail, email address, e mail adresse, adresse e mail, correo electronico
phone, telephone, telefon, telefono, telefoon
address, adresse, anschrift, direccion, indirizzo
city, town, stadt, ort, ville, ciudad, citta
country, land, pays, pais, paese
quantity, amount, menge, anzahl, quantite, cantidad, quantita
buy, purchase, kaufen, acheter, comprar, acquista
cart, basket, bag, warenkorb, panier, carrito, carrello
add to cart, add to basket, in den warenkorb, ajouter au panier, anadir al carrito
week, woche, semaine, semana, settimana
month, monat, mois, mes, mese, maand
today, heute, aujourd hui, hoy, oggi, vandaag
home, startseite, accueil, inicio
settings, preferences, einstellungen, parametres, impostazioni, instellingen
products, produkte, produits, productos, prodotti, producten
help, support, hilfe, aide, ayuda, aiuto
"""
_GROUPS = {
    phrase.strip().replace(" ", ""): number
    for number, line in enumerate(_SYNONYMS.strip().splitlines())
    for phrase in line.split(",")
}


def words_of(name: str) -> list[str]:
    """The content words of a name, in order; a count in brackets is none."""
    text = unicodedata.normalize("NFKD", plain(name).replace("ß", "ss"))
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    return [word for word in re.findall(r"[\w#+-]+", text.replace("-", " ")) if word not in _SILENT | {"#"}]


def likeness(recorded: str, now: str) -> Likeness:
    """How one control's name relates to another's."""
    first, then = words_of(recorded), words_of(now)
    joined, joined_now = "".join(first), "".join(then)
    if not first or not then:
        return "same" if plain(recorded) == plain(now) else "other"
    if joined == joined_now:
        return "same"
    group = _GROUPS.get(joined)
    if group is not None and group == _GROUPS.get(joined_now):
        return "synonym"
    if len(first) == len(then) and all(
        one == other or (one in _GROUPS and _GROUPS[one] == _GROUPS.get(other))
        for one, other in zip(first, then, strict=True)
    ):
        return "synonym"
    return "other"


def is_generated(name: str, html_name: str | None, html_id: str | None) -> bool:
    """Whether a name is no name of the element: it has none, or only what the markup calls it."""
    return not name or name in {html_name, html_id}


def skeleton(text: str) -> str:
    """A generated name without its numbers: "form-37-stock" and "form-38-stock" have the same."""
    return re.sub(r"\d+", "#", text)

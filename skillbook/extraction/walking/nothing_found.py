"""Whether a page says that it found nothing: then the rows that it shows are of another list.

A search without a result often offers popular things instead, and a person sees at once that they are none of what was
looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot

_SAYING = {"heading", "status", "alert", "paragraph", "generic", "text", "strong", "emphasis"}
_LONGEST = 140  # characters; what is longer speaks of something else, too
_ASIDE = {"navigation", "banner", "contentinfo", "complementary", "dialog", "alertdialog"}
_SOUGHT = r"(?:results?|match(?:es)?|hits?|records?|entries|documents?|rows?)"
_PHRASES = (
    rf"(?:no|0|zero) (?:matching |search |such )?{_SOUGHT}\b(?! found\?)",
    r"no (?:\S+ ){1,3}(?:were |was )?(?:found|match(?:ed|es)?)\b(?!\?)",
    r"nothing (?:was |has been )?(?:found|matche[sd])\b",
    r".{0,60}\bdid(?: not|n[’']t) (?:match|return|find) any",
    r".{0,40}\bwe (?:could(?: not|n[’']t)|did(?: not|n[’']t)) find an",
    r"(?:showing |displaying )?0 ?(?:to|-|–|—|bis|à|a) ?0 (?:of|von|sur|de|di) 0\b",
    r"keine? (?:\S+ ){0,2}(?:treffer|ergebniss?e?|einträge|datensätze|übereinstimmungen|\S+ gefunden)\b",
    r"(?:es wurden? )?(?:nichts|keine \S+) gefunden|0 (?:treffer|ergebnisse|einträge)\b",
    r"aucune? (?:\S+ ){0,2}(?:résultat|entrée|enregistrement|correspondance|trouvée?)|0 résultats?\b",
    r"(?:sin|no hay|ningún) (?:resultados?|coincidencias|registros)|no se (?:encontr|han? encontrado)|0 resultados\b",
    r"nenhuma? (?:\S+ )?(?:resultado|registro|encontrad[oa])|sem resultados|não (?:foram|há) (?:encontrad|resultados)",
    r"nessuna? (?:\S+ )?(?:risultat[oi]|corrispondenza|trovat[oa])|0 risultati\b",
    r"geen (?:\S+ )?(?:resultaten|gevonden)|niets gevonden|0 resultaten\b",
    r"(?:inga|ingen) (?:\S+ )?(?:resultat(?:er)?|träffar|treff)\b|ei (?:haku)?tuloksia",
    r"brak wyników|nic nie znaleziono|nie znaleziono|žádné výsledky|nic nebylo nalezeno|nincs találat",
    r"ничего не найдено|не найдено|нет результатов|нічого не знайдено|sonuç (?:bulunamadı|yok)",
    r".{0,40}(?:見つかりません|該当する.{0,20}(?:ありません|なし))|.{0,40}(?:没有找到|未找到|没有.{0,6}结果|找不到|沒有.{0,6}結果)",
    r".{0,40}(?:결과가 ?없|찾을 수 없)|لا توجد نتائج|לא נמצאו|कोई परिणाम नहीं",
)
_NOTHING = re.compile(
    r"[\W_]*(?:(?:sorry|oops|entschuldigung|leider|désolé)\W+)?(?:" + "|".join(_PHRASES) + ")"
)


def found_nothing(snapshot: BaseSnapshot, rows: Sequence[Row]) -> str:
    """The words in which a page says, beside these rows, that it found nothing; "" where it doesn't.

    What a page's frame says (its head, foot, sides and dialogs) is of something else, such as a cart.
    """
    columns, ends = snapshot.columns, snapshot.ends
    skipped = {row.node.index for row in rows}
    at = 0
    while at < len(columns.role):
        role = columns.role[at]
        if at in skipped or role in _ASIDE:
            at = ends[at]
            continue
        if role in _SAYING and ends[at] - at < _LONGEST:
            said = clean(columns.name[at]) if role == "text" else clean(snapshot.text_of(at))
            if len(said) <= _LONGEST and _NOTHING.match(said.casefold()):
                return said
        at += 1
    return ""

"""Which roles are what."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """A set of words."""
    return frozenset(text.split())


LANDMARKS = words("main navigation banner contentinfo complementary search form region")
FIELDS = words("textbox searchbox combobox listbox checkbox radio switch slider spinbutton radiogroup")
CELLS = words("cell gridcell columnheader rowheader")
TABLES = words("table grid treegrid")
DIALOGS = words("dialog alertdialog")
IMAGES = words("img image svg canvas graphics-document")
GAUGES = words("progressbar meter")

# Every role that a node can have: ARIA's, HTML's where ARIA has none, and those that selectors have beside them.
KNOWN = words(
    "alert alertdialog any application article audio banner blockquote button canvas caption card cell "
    "checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog "
    "directory document emphasis feed figure form generic graphics-document graphics-object graphics-symbol "
    "grid gridcell group heading iframe image img insertion legend link list listbox listitem log main mark "
    "marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option "
    "paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search "
    "searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion "
    "superscript svg switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid "
    "treeitem video"
)
# Roles that speak by their name; their content is said again only where the name leaves something out.
ATOMS = words(
    "button link heading tab menuitem menuitemcheckbox menuitemradio option checkbox radio switch textbox searchbox "
    "combobox slider spinbutton scrollbar progressbar meter img image math tooltip columnheader gridcell"
)
# Roles that a person acts on.
INTERACTIVE = words(
    "button link tab menuitem menuitemcheckbox menuitemradio option checkbox radio switch textbox searchbox combobox "
    "slider spinbutton treeitem"
)
# Roles that say nothing while they have no name.
TRANSPARENT = words(
    "generic none presentation paragraph strong emphasis code time mark subscript superscript deletion insertion "
    "term definition blockquote caption rowgroup document label legend group list"
)
# Rows of controls, side by side on the page as well.
BARS = words("menubar tablist toolbar")
RECORDS = words("row listitem article treeitem")
"""What repeats, each with texts and controls in it. Nothing else in the house lists what a record is by its role."""
ITEMS = RECORDS - {"row", "treeitem"}
SILENT = IMAGES | {"separator"}
ADDRESSED = TABLES | DIALOGS | {"iframe"}
# Around a candidate, what says where it is.
CONTEXT = LANDMARKS | DIALOGS | (RECORDS - {"treeitem"}) | words("group tabpanel iframe")
# Roles whose name is what one sees, where nothing inside says it.
SPEAKING = (ATOMS | CELLS | (RECORDS - {"article"}) | {"generic"}) - FIELDS - IMAGES - GAUGES - {"scrollbar"}

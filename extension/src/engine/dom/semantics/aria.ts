// WAI-ARIA 1.2 with the new roles of 1.3, and the roles of Graphics-ARIA and DPUB-ARIA, as tables: which roles there
// are, and what each means for names and children.

import { words } from "../../../shared/roles";

/** Concrete roles an author may give; abstract ones (widget, landmark, …) are refused by not being here. */
export const ROLES = words(`
  alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
  comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic
  graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion link list listbox
  listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note
  option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox
  sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript switch tab
  table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-biblioentry doc-bibliography doc-chapter
  doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph
  doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-index doc-introduction doc-notice
  doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna
  doc-subtitle doc-tip doc-toc
`);

/** Roles that are another one by another name. */
export const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["presentation", "none"],
  ["image", "img"],
  ["directory", "list"],
  ["doc-backlink", "link"],
  ["doc-biblioref", "link"],
  ["doc-glossref", "link"],
  ["doc-noteref", "link"],
]);

/** Roles whose name may come from what they contain (accname 1.2, step 2F). */
export const NAMED_BY_CONTENT = words(`
  button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row
  rowheader switch tab tooltip treeitem
`);

/**
 * Roles whose content is no part of the name of what they are in (their own names are): regions, widgets and images.
 * accname 1.2 leaves it open; browsers agree on these (https://github.com/w3c/aria/issues/1821).
 */
export const WALLED = words(`
  alert alertdialog application article banner blockquote combobox complementary dialog document feed figure grid group
  img listbox log main marquee menu menubar meter navigation note progressbar radiogroup scrollbar search separator
  slider spinbutton status tablist tabpanel timer toolbar tree treegrid
`);

/** Roles whose text stands apart from the text around it in a name. */
export const SET_APART = words("checkbox radio switch tab");

/** Roles that can't have a name (ARIA 1.2, 5.2.8.6). */
export const NAMELESS_ROLES = words(`
  caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion
  superscript term time
`);

/** Roles that exist only with an author's name. */
export const NEED_NAME = words("form region");

/** Roles that hold text which is typed. */
export const TEXT_ENTRY = words("textbox searchbox combobox spinbutton");

/** Roles whose `aria-checked` counts. */
export const CHECKABLE = words("checkbox menuitemcheckbox menuitemradio option radio switch treeitem");

/** Roles whose `aria-selected` counts. */
export const SELECTABLE = words("cell columnheader gridcell option row rowheader tab treeitem");

/** Roles whose `aria-valuenow` counts. */
export const RANGES = words("meter progressbar scrollbar separator slider spinbutton");

/** Global states and properties: any of them keeps a role that the author calls presentational. */
export const GLOBAL_ATTRIBUTES = words(`
  aria-atomic aria-busy aria-controls aria-current aria-describedby aria-description aria-details aria-dropeffect
  aria-flowto aria-grabbed aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant
  aria-roledescription
`);

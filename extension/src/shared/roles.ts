// What ARIA says of roles, whichever engine found them.

export const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Roles that a person acts on. */
export const INTERACTIVE = words(`
  button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch
  tab textbox treeitem
`);

/** Roles whose children say nothing by themselves, unless they are interactive (ARIA 1.2, 5.2.9). */
export const CHILDREN_PRESENTATIONAL = words(`
  button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider
  switch tab
`);

/** Roles of what often shows nothing but an icon, whose name nobody sees. */
export const SAYS_BY_ICON = words("button cell gridcell link");

/** Roles of what has its place in a row, also where it is empty. */
export const CELLS = words("cell columnheader gridcell rowheader");

/** Roles that only mark words in a text, and become part of it unless the author says more. */
export const PHRASES = words(`
  code deletion emphasis insertion mark strong subscript suggestion superscript term time
`);

// Second pass: the nodes flattened to rows. What accessibility gives a role is a row (the semantic tier), what people act
// on without one too, with the reasons in `why` (the interactive tier); what is layout alone leaves its contents behind.

import { type NodeExtra, State } from "../../protocol/generated";
import { asksNoAi } from "../../shared/ai_opt_out";
import { keysIn, LISTENERS, TEST_IDS } from "../../shared/attributes";
import { raised } from "../../shared/raised_digits";
import { CELLS, CHILDREN_PRESENTATIONAL, INTERACTIVE, PHRASES, SAYS_BY_ICON } from "../../shared/roles";
import { fold } from "./ax";
import { isRoot, listensItself, signOf } from "./reasons";
import { extrasOf, flagsOf, formExtras, isEditingHost, optionLabel, optionsIn } from "./states";
import type { VirtualDocument, VirtualNode } from "./tree";

/** What becomes one node of the snapshot: an element, or neighbouring texts. */
export interface Row {
  node: VirtualNode;
  /** `TEXT` for texts, which all are in `texts`. */
  role: string;
  name: string;
  flags: number;
  extra: NodeExtra;
  rows: Row[];
  texts: VirtualNode[];
  /** What scrolls: the element, or one around it that has no row. */
  scroller: VirtualNode | null;
}

/** What stands for the role of texts. */
export const TEXT = "text";

const EMPTY = { name: "", flags: 0, extra: {}, rows: [], texts: [], scroller: null };

/** What a node leaves behind: rows, and where a line ends between them. */
type Part = Row | "break";

/** What holds for everything in an element. */
interface Within {
  /** The pointing hand has begun, or a control has. */
  pointer: boolean;
  /** Only controls say something by themselves. */
  leaf: boolean;
  hidden: boolean;
  /** The text is the name of something else. */
  silent: boolean;
  /** Scripts listen for clicks further up. */
  delegated: boolean;
}

const FORM_CONTROLS = /^(button|input|select|textarea)$/;

const CHILDLESS = /^(audio|canvas|embed|frame|iframe|img|input|meter|object|progress|select|textarea|video)$/;

/** Roles whose lines may be fields of a record, such as a card that is one link. */
const KEEPS_LINES = /^(cell|generic|gridcell|link|row|treeitem)$/;

/** Flatten a document. */
export function flatten(document: VirtualDocument): Row[] {
  return new Flattening(document).rows();
}

class Flattening {
  /** Everything that names something else. */
  private readonly labels: ReadonlySet<number>;
  /** What secret fields have in them. */
  private readonly secrets: readonly string[];
  /** Null for an id that several elements have, as in shadow roots. */
  private readonly ids = new Map<string, VirtualNode | null>();

  private readonly forms = new Map<VirtualNode, number>();

  constructor(private readonly document: VirtualDocument) {
    const nodes = [...document.elements.values()];
    for (const node of nodes) {
      const id = node.attributes.get("id");
      if (id) this.ids.set(id, this.ids.has(id) ? null : node);
    }
    this.labels = new Set(nodes.flatMap(({ ax }) => ax?.labels ?? []));
    this.secrets = nodes.filter(({ secret }) => secret).flatMap(secretTexts);
  }

  rows(): Row[] {
    const { delegated } = this.document;
    const within = { pointer: false, leaf: false, hidden: false, silent: false, delegated };
    return joined(this.document.roots.flatMap((root) => this.parts(root, within)));
  }

  private parts(node: VirtualNode, within: Within): Part[] {
    const { tag, attributes } = node;
    if (tag === "#text") return within.hidden || within.silent ? [] : textParts(node);
    if (tag === "br") return ["break"];
    if (!node.rendered || attributes.has("inert")) return [];
    const field = tag === "label" && !within.leaf ? this.hiddenFieldOf(node) : null;
    if (field) return [this.labelRow(node, field)];
    const hidden = within.hidden || attributes.get("aria-hidden") === "true";
    const isControl = isControlOf(node, node.role);
    const isLabel = this.isLabel(node);
    const isPart = (within.leaf || hidden) && !isControl && !/^(canvas|iframe)$/.test(node.role);
    const role = isPart || (isLabel && node.role === "caption") ? "generic" : node.role;
    const begins = !within.pointer && !isControl && node.cursor === "pointer" && !isRoot(node);
    const parts = this.inside(node, {
      pointer: within.pointer || isControl || begins,
      leaf: within.leaf || CHILDREN_PRESENTATIONAL.has(role),
      hidden,
      silent: within.silent || isLabel,
      delegated: within.delegated || node.listens,
    });
    const folded = role === "row" ? node.children.filter(isFoldedHeader).length : 0;
    const extra = folded ? { folded } : {};
    const row: Row = { ...EMPTY, node, role, extra, rows: joined(parts), scroller: node.scroll && node };
    const why = this.reasons(row, begins);
    const isSilenced = within.leaf || hidden || within.silent || isLabel || isRoot(node);
    const isTitled = !isSilenced && (isPlain(node) || (PHRASES.has(role) && !attributes.has("role")));
    const title = isTitled ? fold(attributes.get("title")) : "";
    const isWithin = within.pointer || within.leaf || hidden || within.silent || isLabel || !within.delegated;
    const sign = why.length > 0 || isControl || isWithin ? null : signOf(row);
    return this.kept(row, parts, sign ? [sign] : why, hidden, title);
  }

  /** An element's row, or what is in it alone where the element says nothing by itself. */
  private kept(row: Row, parts: Part[], why: string[], hidden: boolean, title: string): Part[] {
    const { node, role, rows } = row;
    const isBlock = !isInline(node);
    const isForm = node.tag === "form" && rows.length > 0;
    const isGroup = isForm || (rows.length > 1 && !isRoot(node) && (isBlock || node.tag.includes("-")));
    if (title && !why.length && isSign(node)) {
      row.name = title;
      row.flags |= State.UNSEEN;
      row.extra = { ...row.extra, ...this.extrasOf(node, role, title, []) };
    } else if (this.isSaid(row, why, hidden)) {
      const isControl = isControlOf(node, role);
      this.describe(row, isControl ? [] : why, isControl && hidden);
    } else if (isForm) Object.assign(row.extra, formExtras(node, this.document.baseUrl));
    else if (isGroup) {
      const id = node.attributes.get("id");
      if (id !== undefined) row.extra.html_id = id;
      const keys = keysIn(node.attributes.keys(), (name) => node.attributes.get(name));
      if (keys.length) row.extra.keys = keys;
      if (title) row.extra.description = title;
    } else {
      if (title) addTitle(parts, title);
      const [only] = rows;
      if (node.scroll && only && rows.length === 1) only.scroller ??= node;
      return isBlock ? ["break", ...parts, "break"] : parts;
    }
    if (!isBlock) row.flags |= State.INLINE;
    if (isEmpty(row)) return [];
    return isBlock ? ["break", row, "break"] : [row];
  }

  /** Whether Chrome names something else by this element. */
  private isLabel({ tag, backend }: VirtualNode): boolean {
    return /^(label|legend|caption|figcaption)$/.test(tag) && this.labels.has(backend);
  }

  /** The field that nobody sees, for which its label stands. */
  private hiddenFieldOf(label: VirtualNode): VirtualNode | null {
    const id = label.attributes.get("for");
    const field = id === undefined ? inputIn(label) : this.ids.get(id);
    if (!field || (field.rendered && field.visible) || !label.visible) return null;
    return /^(checkbox|file|radio)$/.test(field.attributes.get("type") ?? "") ? field : null;
  }

  private labelRow(node: VirtualNode, field: VirtualNode): Row {
    const name = this.safe(plainText(node), node);
    const extra = this.extrasOf(field, field.role, name, ["label of a hidden field"]);
    const flags = flagsOf(field, field.role) | State.ACTIONABLE | (isInline(node) ? State.INLINE : 0);
    return { ...EMPTY, node, role: field.role, name, flags, extra };
  }

  private inside(node: VirtualNode, within: Within): Part[] {
    if (node.tag === "select") return node.visible ? this.options(node, node) : [];
    if (CHILDLESS.test(node.tag) || node.secret) return [];
    return node.children.flatMap((child) => this.parts(child, within));
  }

  /** What a list offers, laid out or not. */
  private options(within: VirtualNode, select: VirtualNode): Row[] {
    const found: Row[] = [];
    for (const node of within.children) {
      if (!/^(option|optgroup)$/.test(node.tag) || node.attributes.has("hidden")) continue;
      const isOption = node.tag === "option";
      const name = isOption ? optionLabel(node) : fold(node.attributes.get("label"));
      const rows = isOption ? [] : this.options(node, select);
      let flags = flagsOf(node, "generic") & ~State.SELECTED;
      if (node.selected && !select.secret) flags |= State.SELECTED;
      if (isOption && select.role === "listbox") flags |= State.ACTIONABLE;
      const role = isOption ? "option" : "group";
      found.push({ ...EMPTY, node, role, name, flags, extra: this.extrasOf(node, role, name, []), rows });
    }
    return found;
  }

  /** Whether a node means something by itself. */
  private isSaid({ node, role }: Row, why: string[], hidden: boolean): boolean {
    const { attributes } = node;
    // What no AI may use is there as a whole, so that it can be left out as a whole.
    if (asksNoAi(attributes.get("data-no-ai"))) return true;
    if (!node.visible) return false;
    if (hidden) {
      if (node.tag === "canvas") return true;
      const isField = /^(input|select|textarea)$/.test(node.tag);
      // What widgets keep from readers and from the keyboard too, people use with the mouse.
      const isForMouse = isField || (role === "button" && attributes.get("aria-hidden") === "true");
      if (Number(attributes.get("tabindex")) < 0) return isForMouse && node.clickable;
      return why.length > 0 || INTERACTIVE.has(role) || isField;
    }
    if (why.length > 0) return true;
    const isPhrase = PHRASES.has(role) && !attributes.has("role") && !attributes.has("aria-label");
    if (role !== "generic" && !isPhrase) return true;
    if (attributes.get("aria-busy") === "true") return true;
    return [...TEST_IDS, "aria-label", "aria-labelledby"].some((name) => attributes.has(name));
  }

  /** Why people can act on an element that has no role for it. */
  private reasons({ node, rows }: Row, pointer: boolean): string[] {
    const { attributes, tag } = node;
    if (isRoot(node)) return [];
    const why = [...attributes.keys()].filter((name) => LISTENERS.has(name));
    if (pointer) why.push("cursor");
    if (Number.parseInt(attributes.get("tabindex") ?? "", 10) >= 0) why.push("tabindex");
    if (isEditingHost(node)) why.push("contenteditable");
    if (attributes.get("draggable") === "true") why.push("draggable");
    if (attributes.has("controls") && /^(audio|video)$/.test(tag)) why.push("controls");
    if (listensItself(node)) why.push("listener");
    // The pointing hand, or a listener, may be there because of the field that it names, or of the one control inside.
    const isIncidental = why.every((reason) => reason === "cursor" || reason === "listener");
    const isWrapper = isPlain(node) && rows.length === 1 && INTERACTIVE.has(rows[0]?.role ?? "");
    const isOfField = this.isLabel(node) && (attributes.has("for") || inputIn(node) !== null);
    return isIncidental && (isOfField || isWrapper) ? [] : why;
  }

  /** Name a row, and say what else is known of it; `isUnspoken` of a control that is hidden from readers. */
  private describe(row: Row, why: string[], isUnspoken: boolean): void {
    const { node, role } = row;
    row.name = this.nameOf(row, why);
    row.flags = flagsOf(node, role) | (why.length > 0 ? State.ACTIONABLE : 0);
    row.extra = { ...row.extra, ...this.extrasOf(node, role, row.name, isUnspoken ? ["aria-hidden"] : why) };
    const { description, value } = row.extra;
    if (description && this.isSecret(description)) delete row.extra.description;
    // A field's own value quotes nothing.
    if (value && !/^(input|select|textarea)$/.test(node.tag) && this.isSecret(value)) delete row.extra.value;
    if (isIcon(row)) row.flags |= State.UNSEEN;
    if ((node.ax?.fromContent || isPlain(node)) && row.name) leaveOutText(row);
  }

  private extrasOf(node: VirtualNode, role: string, name: string, why: string[]): NodeExtra {
    const extra = extrasOf(node, role, name, this.document.baseUrl, why);
    const form = FORM_CONTROLS.test(node.tag) ? this.formOf(node) : null;
    if (form) extra.form = this.numberOf(form);
    return extra;
  }

  /** The form that a field or button belongs to. */
  private formOf(node: VirtualNode): VirtualNode | null {
    const id = node.attributes.get("form");
    if (id !== undefined) {
      const named = this.ids.get(id);
      return named?.tag === "form" ? named : null;
    }
    let up = node.parent;
    while (up && up.tag !== "form") up = up.parent;
    return up;
  }

  private numberOf(form: VirtualNode): number {
    const number = this.forms.get(form) ?? this.forms.size + 1;
    this.forms.set(form, number);
    return number;
  }

  private nameOf({ node, role, rows }: Row, why: string[]): string {
    const { ax } = node;
    const onlyText = rows.every((inner) => inner.role === TEXT);
    if (!ax?.role && INTERACTIVE.has(role)) return this.safe(nameByMarkup(node, role), node);
    if (ax?.name) {
      // Cells and rows say by what is in them what they contain.
      const isRepeated = /^(cell|gridcell|row)$/.test(role) && !onlyText && !ax.properties.has("focusable");
      return ax.fromContent && isRepeated ? "" : this.safe(ax.name, node);
    }
    return isPlain(node) && why.length > 0 && onlyText ? fold(rows.map(({ name }) => name).join(" ")) : "";
  }

  /** A name that quotes a secret is put together from plain text. */
  private safe(name: string, node: VirtualNode): string {
    if (!this.isSecret(name)) return name;
    const labels = (node.ax?.labels ?? []).flatMap((label) => this.document.elements.get(label) ?? []);
    const plain = fold((labels.length > 0 ? labels : [node]).map(plainText).join(" "));
    return this.isSecret(plain) ? "" : plain;
  }

  private isSecret(text: string): boolean {
    return this.secrets.some((secret) => text.includes(secret));
  }
}

function textParts(node: VirtualNode): Part[] {
  const isShown = node.bounds !== null && (node.parent?.visible ?? true);
  if (!isShown) return [];
  return [{ ...EMPTY, node, role: TEXT, name: node.text.replace(/\s+/g, " "), texts: [node] }];
}

function isControlOf({ tag }: VirtualNode, role: string): boolean {
  return INTERACTIVE.has(role) || tag === "select";
}

/** What a secret field would say: its value, or the options that are chosen in it. */
function secretTexts(field: VirtualNode): string[] {
  const chosen = field.tag === "select" ? optionsIn(field).filter(({ selected }) => selected) : [];
  const typed = isEditingHost(field) ? [plainText(field)] : [];
  return [fold(field.value), fold(field.ax?.value), ...typed, ...chosen.map(plainText)].filter(Boolean);
}

/** Whether neither Chrome nor the author says what an element is. */
function isPlain({ role, attributes }: VirtualNode): boolean {
  return role === "generic" && (!attributes.has("role") || attributes.has("tabindex"));
}

/** What says something by itself, whatever the title around it. */
const SPEAKING = /^(a|audio|button|canvas|embed|iframe|input|meter|object|progress|select|textarea|video)$/;

/** Whether an element says nothing but its title: icons, a colored dot, the part of a bar. */
function isSign(node: VirtualNode): boolean {
  return node.visible && node.children.every(isSilent);
}

function isSilent({ tag, text, attributes, children }: VirtualNode): boolean {
  if (tag === "#text") return !text.trim();
  const named = ["aria-label", "aria-labelledby", "tabindex", ...(tag === "svg" ? [] : ["role"])];
  if (SPEAKING.test(tag) || named.some((name) => attributes.has(name))) return false;
  return !(tag === "img" && attributes.get("alt")) && children.every(isSilent);
}

/** Note the title of an element that is no row itself on the first text that it shows. */
function addTitle(parts: Part[], title: string): void {
  const shown = joined(parts).find(({ name }) => name)?.name;
  const holder = parts.find((part): part is Row => part !== "break" && part.name.trim() !== "");
  if (!holder || !shown || shown === title) return;
  holder.extra = { ...holder.extra, titled: [...(holder.extra.titled ?? []), [shown, title]] };
}

/** A column header that isn't shown, though its row is. */
function isFoldedHeader({ rendered, tag, attributes }: VirtualNode): boolean {
  const role = attributes.get("role");
  return !rendered && (role === undefined ? tag === "th" : role === "columnheader");
}

function inputIn(node: VirtualNode): VirtualNode | null {
  for (const child of node.children) {
    const found = child.tag === "input" ? child : inputIn(child);
    if (found) return found;
  }
  return null;
}

/** Rows without breaks, neighbouring texts of a line as one. */
function joined(parts: Part[]): Row[] {
  const rows: Row[] = [];
  let last: Row | null = null;
  for (const part of parts) {
    const isText = part !== "break" && part.role === TEXT;
    const isOpen = last !== null && last.role === TEXT;
    if (part === "break") last = null;
    else if (isText && isOpen) {
      const before = last as Row;
      before.name += /\d$/.test(before.name) ? raised(part.name, part.node.parent?.tag) : part.name;
      before.texts.push(...part.texts);
      if (part.extra.titled)
        before.extra = { ...before.extra, titled: [...(before.extra.titled ?? []), ...part.extra.titled] };
    } else if (!isText || part.name.trim()) {
      const row: Row = isText ? { ...part, texts: [...part.texts] } : part;
      for (const one of last ? [last, row] : []) if (one.role === TEXT) one.flags |= State.INLINE;
      rows.push(row);
      last = row;
    }
  }
  for (const row of rows) if (row.role === TEXT) row.name = fold(row.name);
  return rows;
}

/** Whether nothing in what is often an icon shows its name, which attributes give. */
function isIcon({ node, role, name, rows }: Row): boolean {
  if (!name || node.ax?.fromContent || rows.some((inner) => inner.role === TEXT)) return false;
  return (
    SAYS_BY_ICON.has(role) &&
    ["aria-label", "aria-labelledby", "title"].some((one) => node.attributes.has(one))
  );
}

/** Text that is the name already is not said a second time; the lines of a link or a cell stay apart. */
function leaveOutText(row: Row): void {
  if (row.rows.some(({ role }) => role !== TEXT)) return;
  if (row.rows.length > 1 && KEEPS_LINES.test(row.role)) return;
  if (!row.name.includes(fold(row.rows.map(({ name }) => name).join(" ")))) return;
  const titled = row.rows.flatMap(({ extra }) => extra.titled ?? []);
  if (titled.length) row.extra.titled = titled;
  row.rows = [];
}

/** Whether a row takes no room, has nothing in it, and doesn't work without. */
function isEmpty({ node, role, rows }: Row): boolean {
  const [, , width, height] = node.bounds ?? [0, 0, 0, 0];
  if ((width > 0 && height > 0) || rows.length > 0 || INTERACTIVE.has(role)) return false;
  return node.tag !== "area" && !(CELLS.has(role) && isPlaceInRow(node));
}

/** Whether a cell without area has its place in a row that is shown. */
function isPlaceInRow({ parent, bounds, tag }: VirtualNode): boolean {
  let row = parent;
  while (row && row.tag !== "tr" && row.attributes.get("role") !== "row") row = row.parent;
  const [, , width, height] = row?.bounds ?? [0, 0, 0, 0];
  return width > 0 && height > 0 && ((bounds?.[2] ?? 0) > 0 || !/^t[dh]$/.test(tag));
}

/** What a control that accessibility doesn't know is called, by its own attributes and text alone. */
function nameByMarkup(node: VirtualNode, role: string): string {
  const { attributes, tag } = node;
  const isButton = tag === "input" && /^(button|reset|submit)$/i.test(attributes.get("type") ?? "");
  const isField = /^(combobox|searchbox|slider|spinbutton|textbox)$/.test(role);
  const given = [
    attributes.get("aria-label"),
    isButton ? attributes.get("value") : attributes.get("alt"),
    isField ? "" : plainText(node),
    attributes.get("title"),
    attributes.get("placeholder"),
  ];
  return given.map(fold).find(Boolean) ?? "";
}

/** The text that a node shows, without what its fields have in them. */
function plainText(node: VirtualNode): string {
  return fold(node.children.map(textIn).join(""));
}

function textIn(node: VirtualNode): string {
  if (node.tag === "#text") return node.text;
  if (/^(select|textarea|script|style)$/.test(node.tag) || node.attributes.get("aria-hidden") === "true")
    return "";
  const text = node.children.map(textIn).join("");
  return isInline(node) ? text : ` ${text} `;
}

/** Elements that HTML sets apart, also where CSS puts them side by side. */
const BLOCK =
  /^(article|aside|d[dlt]|div|fieldset|figure|footer|form|h[1-6]|header|li|main|nav|ol|p|pre|section|summary|table|t[dhr]|ul)$/;

/** Whether text flows through an element. */
function isInline({ display, tag }: VirtualNode): boolean {
  return /^(inline|contents|ruby)/.test(display) && !BLOCK.test(tag);
}

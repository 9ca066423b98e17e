// Roles: what the author says, else what HTML-AAM 1.0 says of the element.

import { INTERACTIVE } from "../../../shared/roles";
import { hasInk } from "../naming/text";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { windowOf } from "../tree/frames";
import type { ElementInternals } from "../watch/element_internals";
import { GLOBAL_ATTRIBUTES, NEED_NAME, ROLES, SYNONYMS } from "./aria";

const SECTIONING = new Set(["article", "aside", "main", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "main", "navigation", "region"]);

/** `key:value` pairs. */
const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(":") as [string, string]),
  );

/** Elements whose implicit role depends on nothing. */
export const FIXED = pairs(`
  address:group article:article audio:audio blockquote:blockquote button:button canvas:canvas
  caption:caption code:code datalist:listbox dd:definition del:deletion details:group dfn:term dialog:dialog
  dt:term em:emphasis fieldset:group figure:figure frame:iframe h1:heading h2:heading h3:heading h4:heading
  h5:heading h6:heading hgroup:group hr:separator iframe:iframe ins:insertion main:main mark:mark math:math
  menu:list meter:meter nav:navigation ol:list optgroup:group option:option output:status p:paragraph
  progress:progressbar s:deletion search:search strong:strong sub:subscript sup:superscript table:table
  textarea:textbox time:time ul:list video:video
`);

const INPUTS = pairs(`
  button:button checkbox:checkbox file:button hidden:none image:button number:spinbutton radio:radio
  range:slider reset:button search:searchbox submit:button
`);

const WITH_LIST = new Set(["email", "search", "tel", "text", "url"]);

/** HTML-AAM gives some elements their role only where the author names them. */
function ifNamed(element: Element, role: string): string {
  return hasAuthorName(element) ? role : "generic";
}

/** Whether an author gave the element a name by an attribute. */
function hasAuthorName(element: Element): boolean {
  const label = dom.getAttribute(element, "aria-label");
  if (label && hasInk(label)) return true;
  const ids = dom.getAttribute(element, "aria-labelledby");
  if (ids) {
    const root = dom.getRootNode(element) as Document | ShadowRoot;
    if (ids.split(/\s+/).some((id) => id && dom.call(root, "getElementById", id))) return true;
  }
  const title = dom.getAttribute(element, "title");
  return title !== null && hasInk(title);
}

export class Roles {
  constructor(
    private readonly flat: Pick<FlatTree, "parent">,
    readonly internals?: Pick<ElementInternals, "of">,
  ) {}

  /** The role of an element; "generic" and "none" are roles too. */
  of(element: Element): string {
    const attribute = dom.getAttribute(element, "role");
    if (attribute === null) return this.implicit(element);
    return this.explicit(element, attribute) ?? this.implicit(element);
  }

  /** The role that the author gives, if it holds. */
  explicit(element: Element, attribute: string): string | null {
    for (const raw of attribute.toLowerCase().trim().split(/\s+/)) {
      if (!ROLES.has(raw)) {
        const alias = SYNONYMS.get(raw);
        if (!alias) continue;
        return alias;
      }
      const role = SYNONYMS.get(raw) ?? raw;
      if (role === "none" && keepsRole(element)) return null;
      if (NEED_NAME.has(role) && !hasAuthorName(element)) continue;
      return role;
    }
    return null;
  }

  /** The role that HTML gives the element. */
  implicit(element: Element): string {
    const tag = dom.localName(element);
    const fixed = FIXED.get(tag);
    if (fixed !== undefined) return fixed;
    switch (tag) {
      case "a":
      case "area":
        return dom.hasAttribute(element, "href") || dom.hasAttribute(element, "xlink:href")
          ? "link"
          : "generic";
      case "input":
        return inputRole(element as HTMLInputElement);
      case "select": {
        const select = element as HTMLSelectElement;
        return select.multiple || select.size > 1 ? "listbox" : "combobox";
      }
      case "img":
        return imageRole(element);
      case "li":
        return this.isRole(this.flat.parent(element), "list") ? "listitem" : "generic";
      case "summary":
        return isDetailsSummary(element) ? "button" : "generic";
      case "header":
        return this.isScoped(element) ? ifNamed(element, "sectionheader") : "banner";
      case "footer":
        return this.isScoped(element) ? ifNamed(element, "sectionfooter") : "contentinfo";
      case "aside":
        return this.isScoped(element) && !hasAuthorName(element) ? "generic" : "complementary";
      case "section":
        return ifNamed(element, "region");
      case "form":
        return ifNamed(element, "form");
      case "svg":
        return "graphics-document";
      case "object":
      case "embed":
        return windowOf(element) ? "iframe" : "generic";
      case "tbody":
      case "tfoot":
      case "thead":
        return this.tableRole(element) ? "rowgroup" : "generic";
      case "tr":
        return this.tableRole(element) ? "row" : "generic";
      case "td":
        return this.cellRole(element);
      case "th":
        return this.cellRole(element) === "generic" ? "generic" : headerRole(element, this.cellRole(element));
      default:
        return (tag.includes("-") && this.internals?.of(element)?.role) || "generic";
    }
  }

  private isRole(element: Element | null, role: string): boolean {
    for (let at = element; at; at = this.flat.parent(at)) {
      const found = this.of(at);
      if (found === role) return true;
      // A slot, a wrapper that shows nothing of itself, and a component around its item are as good as absent.
      const tag = dom.localName(at);
      const isComponent = found === "generic" && tag.includes("-");
      if (tag !== "slot" && found !== "none" && !isComponent) return false;
    }
    return false;
  }

  /** Whether a sectioning element encloses it, so that it isn't the page's own header or footer. */
  private isScoped(element: Element): boolean {
    for (let at = this.flat.parent(element); at; at = this.flat.parent(at)) {
      const role = dom.getAttribute(at, "role");
      if (role === null ? SECTIONING.has(dom.localName(at)) : SECTIONING_ROLES.has(this.of(at))) return true;
    }
    return false;
  }

  /** "table" or "grid" where the element's table is one, else null. */
  private tableRole(element: Element): "table" | "grid" | null {
    const table = dom.closest(element, "table");
    if (!table) return null;
    const attribute = table.getAttribute("role");
    if (attribute === null) return "table";
    const role = this.of(table);
    if (role === "grid" || role === "treegrid") return "grid";
    return role === "table" ? "table" : null;
  }

  private cellRole(element: Element): string {
    const row = dom.parentElement(element);
    const rowRole = row && dom.getAttribute(row, "role");
    if (row && rowRole !== null && this.of(row) !== "row" && !INTERACTIVE.has(this.of(row))) return "generic";
    const table = this.tableRole(element);
    return table ? (table === "grid" ? "gridcell" : "cell") : "generic";
  }
}

/**
 * A presentational role doesn't hold on what can be focused or carries a global ARIA attribute, nor on a table with
 * headers: that is one of data, unless a grid is made of it.
 */
function keepsRole(element: Element): boolean {
  if (isFocusable(element) || (dom.localName(element) === "table" && hasHeaders(element))) return true;
  return dom.getAttributeNames(element).some((name) => GLOBAL_ATTRIBUTES.has(name));
}

function hasHeaders(table: Element): boolean {
  const around = dom.parentElement(table);
  if (around && dom.closest(around, "[role=grid], [role=treegrid], [role=table]")) return false;
  return dom.querySelector(table, ":scope > * > tr > th") !== null;
}

/** Whether an element can have the focus, by markup. */
export function isFocusable(element: Element): boolean {
  if (
    dom.hasAttribute(element, "tabindex") &&
    !Number.isNaN(Number.parseInt(dom.getAttribute(element, "tabindex") as string, 10))
  )
    return true;
  switch (dom.localName(element)) {
    case "a":
    case "area":
      return dom.hasAttribute(element, "href");
    case "button":
    case "select":
    case "textarea":
      return !(element as HTMLButtonElement).disabled;
    case "input":
      return (element as HTMLInputElement).type !== "hidden" && !(element as HTMLInputElement).disabled;
    case "iframe":
      return true;
    case "summary":
      return isDetailsSummary(element);
    case "audio":
    case "video":
      return dom.hasAttribute(element, "controls");
    default:
      return isEditingHost(element);
  }
}

/** Whether `contenteditable` starts here. */
export function isEditingHost(element: Element): boolean {
  const value = dom.getAttribute(element, "contenteditable");
  return value !== null && /^(|true|plaintext-only)$/i.test(value);
}

function isDetailsSummary(element: Element): boolean {
  const details = dom.parentElement(element);
  if (!details || dom.localName(details) !== "details") return false;
  return dom.querySelector(details, ":scope > summary") === element;
}

function inputRole(input: HTMLInputElement): string {
  const type = input.type;
  if (WITH_LIST.has(type) && input.list) return "combobox";
  return INPUTS.get(type) ?? "textbox";
}

function imageRole(element: Element): string {
  return dom.getAttribute(element, "alt") === "" && !hasAuthorName(element) && !isFocusable(element)
    ? "none"
    : "img";
}

/** Row or column header: by scope, else by the cells beside it, as browsers guess. */
function headerRole(element: Element, cell: string): string {
  const scope = dom.getAttribute(element, "scope")?.toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const [before, after] = [dom.get(element, "previousElementSibling"), dom.nextElementSibling(element)].map(
    (beside) => beside && dom.localName(beside),
  );
  if (before === "th" || after === "th") return "columnheader";
  if (before === "td" || after === "td") return "rowheader";
  return cell === "cell" || cell === "gridcell" ? "columnheader" : "generic";
}

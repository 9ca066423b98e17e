// What a document shows, as plain HTML to read: shadow roots in place, roles as tags, no scripts, hidden parts or secrets.

import type { Engine } from "../engine/dom/engine";
import { isSecret, shownValue } from "../engine/dom/semantics/values";
import {
  hidesText,
  isFoldedUp,
  isInlineLevel,
  renderingOf,
  SVG_UNRENDERED,
  UNRENDERED,
} from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { asksNoAi } from "../shared/ai_opt_out";

/** Tags whose meaning text has; all others are a block or a piece of a line. */
const KEPT = new Set(
  "a b blockquote br caption code dd del dl dt em figcaption h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s samp strong sub sup table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);
/** Tags that roles make of other elements. */
const BY_ROLE: Readonly<Record<string, string>> = {
  cell: "td",
  columnheader: "th",
  gridcell: "td",
  list: "ul",
  listitem: "li",
  row: "tr",
  rowheader: "th",
  table: "table",
  grid: "table",
  treegrid: "table",
};
/** Roles that say which part of a page something is. */
const PARTS = new Set(
  "alertdialog banner complementary contentinfo dialog main navigation search".split(" "),
);
const FIELDS = new Set(["input", "select", "textarea"]);
const FRAMES = new Set(["iframe", "frame", "object", "embed"]);
const VOID = new Set(["br", "hr"]);
const MASKED = "••••••";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] as string);

export interface ShownHtml {
  html: string;
  /** Canvases, whose content is no text. */
  canvases: number;
}

/** Write what an element shows as HTML. */
export function shownHtml(engine: Engine, element: Element): ShownHtml {
  const writer = new Writer(engine);
  writer.write(element);
  return { html: writer.parts.join(""), canvases: writer.canvases };
}

class Writer {
  readonly parts: string[] = [];
  canvases = 0;

  constructor(private readonly engine: Engine) {}

  write(element: Element): void {
    const tag = dom.localName(element);
    if (UNRENDERED.has(tag) || SVG_UNRENDERED.has(tag) || this.engine.isOwn(element)) return;
    const how = renderingOf(element);
    if (how === "none") return;
    const style = getComputedStyle(element);
    if (how === "box" && hidesText(element, style)) return;
    if (this.leaf(element, tag)) return;
    const role = this.engine.roles.of(element);
    const name = this.nameOf(element, tag, role, style);
    this.parts.push(`<${name}${this.attributes(element, name, role)}>`);
    if (VOID.has(name)) return;
    if (isSecret(element)) this.parts.push(MASKED);
    else this.children(element, how === "invisible");
    this.parts.push(`</${name}>`);
  }

  /** Write an element that stands for itself; false for one with children. */
  private leaf(element: Element, tag: string): boolean {
    const start = this.parts.length;
    if (FRAMES.has(tag)) this.frame(element);
    else if (FIELDS.has(tag)) this.field(element, tag);
    else if (tag === "img" || tag === "svg") this.image(element, tag);
    else if (tag === "canvas") this.canvases++;
    else return false;
    if (this.parts.length > start && asksNoAi(dom.getAttribute(element, "data-no-ai"))) {
      this.parts.splice(start, 0, '<span data-no-ai="">');
      this.parts.push("</span>");
    }
    return true;
  }

  private children(element: Element, isInvisible: boolean): void {
    const isFolded = isFoldedUp(element);
    for (const child of this.engine.flat.children(element)) {
      const kind = dom.nodeType(child);
      if (kind === dom.TEXT) {
        if (!isInvisible && !isFolded) this.parts.push(escaped((child as Text).data));
      } else if (kind === dom.ELEMENT && !(isFolded && dom.localName(child as Element) !== "summary")) {
        this.write(child as Element);
      }
    }
  }

  private nameOf(element: Element, tag: string, role: string, style: CSSStyleDeclaration): string {
    if (role === "heading") {
      const level = dom.getAttribute(element, "aria-level") ?? (/^h[1-6]$/.test(tag) ? tag[1] : "2");
      return `h${Math.min(6, Math.max(1, Number(level) || 2))}`;
    }
    const byRole = dom.hasAttribute(element, "role") ? BY_ROLE[role] : undefined;
    if (byRole && !(byRole === "ul" && tag === "ol")) return byRole;
    const isPresented = role === "none" || (tag === "table" && role === "generic");
    if (KEPT.has(tag) && !isPresented) return tag;
    return isInlineLevel(style.display) ? "span" : "div";
  }

  private attributes(element: Element, name: string, role: string): string {
    const found: [string, string][] = [];
    if (PARTS.has(role)) found.push(["role", role]);
    if (asksNoAi(dom.getAttribute(element, "data-no-ai"))) found.push(["data-no-ai", ""]);
    if (name === "a") found.push(["href", (element as HTMLAnchorElement).href]);
    for (const each of ["colspan", "rowspan", "start"]) {
      const value = dom.getAttribute(element, each);
      if (value !== null) found.push([each, value]);
    }
    return found.map(([key, value]) => ` ${key}="${escaped(String(value ?? ""))}"`).join("");
  }

  private field(element: Element, tag: string): void {
    const { type, checked } = element as HTMLInputElement;
    if (tag === "input" && (type === "checkbox" || type === "radio")) {
      this.parts.push(checked ? "[x] " : "[ ] ");
      return;
    }
    const value = shownValue(element, this.engine.roles.of(element), this.engine.flat);
    const text = value === null && isSecret(element) ? MASKED : (value ?? "");
    const name = text.includes("\n") ? "pre" : "span";
    if (text) this.parts.push(`<${name}>${escaped(text)}</${name}>`);
  }

  private image(element: Element, tag: string): void {
    const label = dom.getAttribute(element, tag === "img" ? "alt" : "aria-label") ?? "";
    if (!label.trim()) return;
    const { currentSrc } = element as HTMLImageElement;
    const address = tag === "img" && /^https?:/.test(currentSrc) ? currentSrc : "";
    this.parts.push(`<img alt="${escaped(label)}" src="${escaped(address)}">`);
  }

  /** The kernel puts the frame's document here. */
  private frame(element: Element): void {
    this.parts.push(`<iframe data-number="${this.engine.refs.numberOf(element)}"></iframe>`);
  }
}

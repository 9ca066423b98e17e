// Accessible names and descriptions by accname 1.2 and HTML-AAM 1.0. One object serves one walk and keeps for it what each
// element contributes to names.

import { NAMED_BY_CONTENT, NAMELESS_ROLES, SET_APART, WALLED } from "../semantics/aria";
import { countedIn } from "../semantics/css_counters";
import { AddedTexts } from "../semantics/pseudo_rules";
import type { Roles } from "../semantics/roles";
import { controlText } from "../semantics/values";
import {
  isFoldedUp,
  isInlineDisplay,
  isRendered,
  renderingOf,
  SVG_UNRENDERED,
  skipsContent,
  UNRENDERED,
} from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { collapse, fold, hasInk, isIcon } from "./text";

type NameSource = "author" | "native" | "content" | "title" | "placeholder" | "none";

export interface Name {
  text: string;
  from: NameSource;
}

/** Where a computation is: what it went through, and whether it follows a reference or a hidden root. */
interface NameContext {
  seen: Set<Element>;
  referenced: boolean;
  hidden: boolean;
  /** Whether regions and widgets in the content are no part of the name: not so in labels. */
  walls: boolean;
  /** Tooltips of what can't have a name count too: only where nothing else says anything. */
  tips: boolean;
}

/** What an element contributes to a name; browsers read what isn't its content apart from the text around it. */
interface Part {
  text: string;
  apart: boolean;
}

export const NAMELESS: Name = { text: "", from: "none" };
const NOTHING: Part = { text: "", apart: false };
/** Fields whose content is what they hold or offer, which is no part of their own names. */
const FIELDS = new Set(["input", "select", "textarea"]);
/** Roles of fields, which people name by their labels. */
const LABELLED = new Set(
  "checkbox combobox listbox radio radiogroup searchbox slider spinbutton switch textbox".split(" "),
);
const LOOSE_FIELDS = `input:not([type=hidden]), select, textarea, ${[...LABELLED].map((role) => `[role=${role}]`).join()}`;
/** An item of a form has its label and its field within so many levels. */
const MOST_LEVELS = 4;
/** So many controls' labels are searched for one by one. */
const FEW = 2;
const LABELABLE = new Set("button input meter output progress select textarea".split(" "));

export class Names {
  private readonly labels = new Map<Node, Map<Element, HTMLLabelElement[]>>();
  private readonly loose = new Map<Node, Map<Element, Element>>();
  /** For how many controls' labels was asked. */
  private searches = 0;
  /** What elements contribute where nothing special holds. */
  private readonly parts = new Map<Element, Part>();
  /** What the labels of controls say. */
  private readonly labelled = new Map<Element, string>();
  /** Whether the document's style sheets add texts to anything. */
  private isAdded: boolean | null = null;
  /** How often an element was met a second time on the way: what is computed then holds there alone. */
  private repeats = 0;

  constructor(
    private readonly flat: Pick<FlatTree, "children" | "hasShadows" | "shadow">,
    private readonly roles: Pick<Roles, "of" | "internals">,
    /** Whether what style sheets add counts. */
    private readonly generated = true,
  ) {}

  /** The name of an element whose role is known. */
  of(element: Element, role: string): Name {
    const given = this.given(element, role);
    if (given.from !== "none") return given;
    return NAMED_BY_CONTENT.has(role) ? this.fromContent(element, role) : this.fallback(element, role);
  }

  /** The name that an element without a given one has by what it contains. */
  fromContent(element: Element, role: string): Name {
    const text = fold(this.contentOf(element, start(element)));
    const other = text && !isIcon(text) ? NAMELESS : this.fallback(element, role);
    if (other.from !== "none") return other;
    const content = text || fold(this.contentOf(element, { ...start(element), tips: true }));
    return content ? { text: content, from: "content" } : NAMELESS;
  }

  /** The name that the author or HTML gives, without what the element contains and without tooltips. */
  given(element: Element, role: string): Name {
    const context = start(element);
    const author = this.author(element, context);
    if (author) return { text: author, from: "author" };
    if (role === "none") return NAMELESS;
    const native = this.native(element, context);
    return native ? { text: native, from: "native" } : NAMELESS;
  }

  /** The name of last resort: tooltip, then placeholder, then what browsers show on nameless buttons. */
  fallback(element: Element, role: string): Name {
    const title = dom.getAttribute(element, "title");
    if (title && hasInk(title)) return { text: fold(title), from: "title" };
    if (takesHint(element) || dom.hasAttribute(element, "aria-placeholder")) {
      const hint = dom.getAttribute(element, "placeholder") ?? dom.getAttribute(element, "aria-placeholder");
      if (hint && hasInk(hint)) return { text: fold(hint), from: "placeholder" };
    }
    if (dom.localName(element) === "input" && role === "button") {
      const text = DEFAULT_LABELS[(element as HTMLInputElement).type];
      if (text) return { text, from: "native" };
    }
    return NAMELESS;
  }

  /** What an element contains, tooltips and alternative texts included, as the name of one without a name of its kind. */
  content(element: Element): string {
    return fold(this.contentOf(element, { ...start(element), walls: false, tips: true }));
  }

  /** The description, or "". */
  description(element: Element, name: Name): string {
    const referenced = referencesOf(element, "aria-describedby");
    if (referenced.length) {
      const text = fold(
        referenced.map((one) => this.root(one, { ...start(element), referenced: true })).join(" "),
      );
      if (text) return text;
    }
    const given = dom.getAttribute(element, "aria-description");
    if (given && hasInk(given)) return fold(given);
    const title = dom.getAttribute(element, "title");
    if (title && name.from !== "title") {
      const text = fold(title);
      if (text !== name.text) return text;
    }
    return "";
  }

  /**
   * What a field's labels say where its name is something else, and what any labels of a button say; or "". Names may
   * be others, or hold the value as well, as those of lists that refer to their label and to themselves.
   */
  label(element: Element, role: string, name: Name): string {
    const isField = LABELLED.has(role);
    if (!isField && role !== "button") return "";
    const beside = referencesOf(element, "aria-labelledby").filter(
      (one) => !dom.call(element, "contains", one),
    );
    const said = beside.map((one) => this.root(one, { ...start(element), referenced: true })).join(" ");
    const native = LABELABLE.has(dom.localName(element))
      ? this.labelText(element as HTMLInputElement, start(element))
      : "";
    const loose = native || said || !isField ? undefined : this.looseLabels(element).get(element);
    const nearby = loose ? fold(this.root(loose, { ...start(element), referenced: true })) : "";
    const texts = [fold(said), native, nearby].filter((text) => text !== "");
    // Of a button that names itself by what was chosen, the other label counts.
    return texts.find((text) => text !== name.text) ?? (isField ? "" : (texts[0] ?? ""));
  }

  /** `aria-labelledby`, then `aria-label`. */
  private author(element: Element, context: NameContext): string {
    if (!context.referenced && dom.hasAttribute(element, "aria-labelledby")) {
      const text = fold(
        referencesOf(element, "aria-labelledby")
          .map((one) =>
            this.root(one, { ...context, referenced: true, seen: new Set(context.seen) }, one === element),
          )
          .join(" "),
      );
      if (text) return text;
    }
    const label = dom.getAttribute(element, "aria-label");
    if (label && hasInk(label)) return fold(label);
    return this.roles.internals?.of(element)?.label ?? "";
  }

  /** The text of an element that another one refers to: hidden ones are read as if they were shown. */
  private root(element: Element, context: NameContext, self = false): string {
    const hidden = context.hidden || this.isHidden(element);
    const seen = new Set(context.seen);
    const { text } = this.step(element, { ...context, hidden, walls: false }, self);
    return text || this.step(element, { ...context, seen, hidden, walls: false, tips: true }, self).text;
  }

  /** Steps 2B to 2I for an element met on the way; `self` where an element refers to itself. */
  private step(element: Element, context: NameContext, self = false): Part {
    if (context.seen.has(element) && !self) {
      this.repeats++;
      return NOTHING;
    }
    context.seen.add(element);
    const isPlain = context.walls && !(self || context.referenced || context.hidden || context.tips);
    if (!isPlain) return this.part(element, context, self);
    const known = this.parts.get(element);
    if (known) return known;
    const { repeats } = this;
    const part = this.part(element, context, self);
    if (repeats === this.repeats) this.parts.set(element, part);
    return part;
  }

  private part(element: Element, context: NameContext, self: boolean): Part {
    const author = this.author(element, context);
    const role = this.roles.of(element);
    const control = self ? null : controlText(element, role, this.flat);
    const given = control || author || (role === "none" ? "" : this.native(element, context));
    if (given) return { text: given, apart: true };
    if (self && FIELDS.has(dom.localName(element)))
      return { text: this.fallback(element, role).text, apart: true };
    const walled =
      control !== null || (context.walls && WALLED.has(role) && dom.localName(element) !== "address");
    const text = walled ? "" : this.contentOf(element, context);
    if (hasInk(text)) return { text, apart: SET_APART.has(role) };
    const counts = !NAMELESS_ROLES.has(role) || (context.tips && role !== "none");
    const title = counts ? dom.getAttribute(element, "title") : null;
    return title ? { text: fold(title), apart: true } : { text, apart: false };
  }

  /** Step 2F: what the element contains, in the flat tree, with generated content, of which drawings have none. */
  private contentOf(element: Element, context: NameContext): string {
    if (!context.hidden && skipsContent(getComputedStyle(element))) return "";
    const folded = !context.hidden && isFoldedUp(element);
    const generates = this.mayGenerate(element);
    let text = generates ? pseudoContent(element, "::before") : "";
    for (const child of this.flat.children(element)) {
      if (dom.nodeType(child) === dom.TEXT) text += folded ? "" : collapse((child as Text).data);
      else if (dom.nodeType(child) === dom.ELEMENT) text += this.contribution(child as Element, context);
    }
    for (const owned of referencesOf(element, "aria-owns")) text += ` ${this.contribution(owned, context)} `;
    return generates ? text + pseudoContent(element, "::after") : text;
  }

  /** Whether a style sheet may add a text to an element; a shadow root has style sheets of its own. */
  private mayGenerate(element: Element): boolean {
    if (!this.generated || element instanceof SVGElement) return false;
    this.isAdded ??= new AddedTexts(document).shows;
    if (this.isAdded || this.flat.shadow(element)) return true;
    if (!this.flat.hasShadows) return false;
    const up = dom.parentElement(element);
    return dom.getRootNode(element) !== document || (up !== null && this.flat.shadow(up) !== null);
  }

  private contribution(element: Element, context: NameContext): string {
    const tag = dom.localName(element);
    if (tag === "br") return " ";
    if (UNRENDERED.has(tag) || (SVG_UNRENDERED.has(tag) && element instanceof SVGElement)) return "";
    if (!context.hidden) {
      if (dom.getAttribute(element, "aria-hidden") === "true" || dom.hasAttribute(element, "inert"))
        return "";
      const rendering = renderingOf(element);
      if (rendering === "none") return "";
      // What is inside can be visible again (CSS 2, "visibility").
      if (rendering === "invisible") return this.elementsIn(element, context);
    }
    const { text, apart } = this.step(element, context);
    if (!text) return "";
    return apart || !isInlineDisplay(getComputedStyle(element).display) ? ` ${text} ` : text;
  }

  private elementsIn(element: Element, context: NameContext): string {
    let text = "";
    for (const child of this.flat.children(element))
      if (dom.nodeType(child) === dom.ELEMENT) text += this.contribution(child as Element, context);
    return text;
  }

  private isHidden(element: Element): boolean {
    return dom.closest(element, "[aria-hidden='true']") !== null || !isRendered(element);
  }

  /** HTML's own ways to name an element. */
  private native(element: Element, context: NameContext): string {
    const tag = dom.localName(element);
    if (LABELABLE.has(tag) || this.roles.internals?.of(element)) {
      const text = this.labelText(element as HTMLInputElement, context);
      if (text) return text;
      return tag === "input" ? inputName(element as HTMLInputElement) : "";
    }
    switch (tag) {
      case "img":
      case "area":
        return fold(dom.getAttribute(element, "alt") ?? "");
      case "optgroup":
      case "option":
      case "track":
        return fold(dom.getAttribute(element, "label") ?? "");
      case "fieldset":
        return this.childText(element, "legend", context);
      case "table":
        return this.childText(element, "caption", context);
      case "figure":
        return this.childText(element, "figcaption", context);
      case "a":
        return element instanceof SVGElement
          ? titleOf(element) || fold(element.getAttribute("xlink:title") ?? "")
          : "";
      default:
        return element instanceof SVGElement ? titleOf(element) : "";
    }
  }

  private labelText(control: HTMLInputElement, context: NameContext): string {
    // On the way from elsewhere what was met before is left out.
    const isFirst = context.seen.size === 1 && context.seen.has(control);
    const known = isFirst ? this.labelled.get(control) : undefined;
    if (known !== undefined) return known;
    const labels = this.labelsOf(control);
    if (!labels) return "";
    const seen = new Set(context.seen).add(control);
    const text = fold(
      [...labels].map((one) => this.root(one, { ...context, seen: new Set(seen) })).join(" "),
    );
    if (isFirst) this.labelled.set(control, text);
    return text;
  }

  /**
   * A control's labels. The browser searches the whole document for those of each control, so a walk finds all at once;
   * for the few names that an action compares, the browser's search is the quicker one.
   */
  private labelsOf(control: Element): Iterable<HTMLLabelElement> | undefined {
    if (LABELABLE.has(dom.localName(control)) && ++this.searches <= FEW)
      return (dom.get(control as HTMLInputElement, "labels") ?? []) as Iterable<HTMLLabelElement>;
    const root = dom.getRootNode(control) as Document | ShadowRoot;
    let found = this.labels.get(root);
    if (!found) {
      found = new Map();
      this.labels.set(root, found);
      for (const label of dom.querySelectorAll(root, "label") as NodeListOf<HTMLLabelElement>) {
        const target = label.control;
        if (target) found.set(target, [...(found.get(target) ?? []), label]);
      }
    }
    return found.get(control);
  }

  /**
   * The labels that name no control of the browser's, by the fields that they stand for: what they refer to, such as a
   * list made by a script, or the only field of an item that has no other label.
   */
  private looseLabels(element: Element): ReadonlyMap<Element, Element> {
    const root = dom.getRootNode(element) as Document | ShadowRoot;
    let found = this.loose.get(root);
    if (!found) {
      found = new Map();
      this.loose.set(root, found);
      for (const label of dom.querySelectorAll(root, "label") as NodeListOf<HTMLLabelElement>) {
        if (label.control) continue;
        const field = fieldOf(label, root);
        if (field && !found.has(field)) found.set(field, label);
      }
    }
    return found;
  }

  private childText(element: Element, tag: string, context: NameContext): string {
    const child = [...dom.children(element)].find((each) => dom.localName(each) === tag);
    return child ? fold(this.root(child, { ...context, seen: new Set(context.seen) })) : "";
  }
}

/** The field that a label without a control stands for. */
function fieldOf(label: HTMLLabelElement, root: Document | ShadowRoot): Element | null {
  const id = dom.getAttribute(label, "for");
  const named = id ? dom.querySelector(root, `[id=${JSON.stringify(id)}]`) : null;
  if (named) return dom.matches(named, LOOSE_FIELDS) ? named : null;
  let around = dom.parentElement(label);
  for (let level = 0; around && level < MOST_LEVELS; level++, around = dom.parentElement(around)) {
    const all = [...dom.querySelectorAll(around, LOOSE_FIELDS)];
    const fields = all.filter((one) => !dom.querySelector(one, LOOSE_FIELDS));
    if (!fields.length) continue;
    const [field] = fields;
    return fields.length === 1 && field && dom.querySelectorAll(around, "label").length === 1 ? field : null;
  }
  return null;
}

function start(element: Element): NameContext {
  return { seen: new Set([element]), referenced: false, hidden: false, walls: true, tips: false };
}

function titleOf(element: Element): string {
  const title = [...dom.children(element)].find((each) => dom.localName(each) === "title");
  return title ? fold(dom.textContent(title)) : "";
}

function inputName(input: HTMLInputElement): string {
  switch (input.type) {
    case "button":
      return fold(input.value);
    case "file":
      return input.multiple ? "Choose Files" : (DEFAULT_LABELS[input.type] ?? "");
    case "reset":
    case "submit":
      return input.hasAttribute("value") ? fold(input.value) : (DEFAULT_LABELS[input.type] ?? "");
    case "image":
      return fold(input.alt);
    default:
      return "";
  }
}

/** Whether `placeholder` holds for the element. */
function takesHint(element: Element): boolean {
  if (dom.localName(element) === "textarea") return true;
  return dom.localName(element) === "input" && HINTED.has((element as HTMLInputElement).type);
}

const HINTED = new Set("email number password search tel text url".split(" "));

/** What browsers show on a button whose author gave no text. */
const DEFAULT_LABELS: Readonly<Record<string, string>> = {
  submit: "Submit",
  image: "Submit",
  reset: "Reset",
  file: "Choose File",
};

/** The text of an element's `::before` or `::after`, or "". */
export function pseudoContent(element: Element, which: "::before" | "::after"): string {
  return contentText(getComputedStyle(element, which), element, which);
}

/** Glyphs of icon fonts, in the area of private use: they say nothing, so that a title may. */
const ICONS = /[\ue000-\uf8ff]/g;

/** The strings in a computed `content`; the alternative text after a slash wins. */
function contentText(style: CSSStyleDeclaration, element: Element, which: "::before" | "::after"): string {
  const content = style.content;
  if (content === "none" || content === "normal" || content === "") return "";
  if (style.display === "none" || style.visibility !== "visible") return "";
  const [main = "", alternative] = splitAlternative(content);
  const text = strings(alternative ?? main, element, which).replace(ICONS, "");
  if (!text) return "";
  return isInlineDisplay(style.display) && style.position !== "absolute" ? text : ` ${text} `;
}

function splitAlternative(content: string): string[] {
  let quoted = false;
  for (let i = 0; i < content.length; i++) {
    if (content[i] === "\\") i++;
    else if (content[i] === '"') quoted = !quoted;
    else if (content[i] === "/" && !quoted) return [content.slice(0, i), content.slice(i + 1)];
  }
  return [content];
}

const SHOWN =
  /"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|counters?\(\s*([\w-]+)\s*(?:,\s*"([^"]*)")?\s*(?:,\s*([\w-]+))?\s*\)/g;

function strings(content: string, element: Element, which: "::before" | "::after"): string {
  let text = "";
  for (const [, string, attribute, counter, separator, style] of content.matchAll(SHOWN)) {
    if (counter) text += countedIn(element, which, counter, style, separator);
    else text += attribute ? (dom.getAttribute(element, attribute) ?? "") : unescapeCss(string ?? "");
  }
  return text;
}

function unescapeCss(text: string): string {
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|(.))/gi,
    (_, hex: string | undefined, char: string | undefined) =>
      hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (char ?? ""),
  );
}

/** References that scripts may also set as elements, which leaves an empty attribute. */
const REFLECTED: Readonly<Record<string, string>> = {
  "aria-labelledby": "ariaLabelledByElements",
  "aria-describedby": "ariaDescribedByElements",
  "aria-owns": "ariaOwnsElements",
};

/** What one of these attributes names, in its order. */
function referencesOf(element: Element, attribute: string): Element[] {
  const ids = dom.getAttribute(element, attribute);
  if (ids === null) return [];
  if (ids === "" && attribute in REFLECTED)
    return [...(dom.get(element, REFLECTED[attribute] as "ariaLabelledByElements") ?? [])];
  const root = dom.getRootNode(element) as Document | ShadowRoot;
  if (dom.nodeType(root) === dom.ELEMENT) return [];
  return ids
    .split(/\s+/)
    .map((id) => (id ? dom.call(root, "getElementById", id) : null))
    .filter((found) => found !== null);
}

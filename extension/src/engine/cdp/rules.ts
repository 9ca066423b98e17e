// Second pass, its rules: accessibility tells roles and names where it knows them, the dom engine's tables the rest.

import { imageOf } from "../dom/layout/image_maps";
import { type Looks, type Name, Names } from "../dom/naming/names";
import type { Pseudos } from "../dom/naming/pseudo_content";
import { fold, hasInk, isIcon } from "../dom/naming/text";
import { ROLLING, type Rules } from "../dom/rules";
import { NEED_NAME } from "../dom/semantics/aria";
import { Roles } from "../dom/semantics/roles";
import { isSecret } from "../dom/semantics/secrets";
import type { Rendering } from "../dom/semantics/visibility";
import { Odd } from "../dom/walk/records";
import { internalsOf } from "./internals";
import { childrenOf, descendants, type VirtualElement, VirtualText } from "./nodes";
import { VIRTUAL_FLAT } from "./slots";
import { listens, type VirtualDocument } from "./tree";

const SECTION_ENDS: ReadonlySet<string> = new Set(["sectionfooter", "sectionheader"]);

const MEMBERS: ReadonlySet<string> = new Set(["option", "row", "treeitem"]);

const NAMELESS: Name = { text: "", from: "none" };

const PSEUDOS: Pick<Pseudos, "concerns" | "text"> = {
  concerns: () => true,
  text: (element, which) => virtual(element).generated[which],
};

/** Live elements and virtual ones look the same to the rules. */
const virtual = (element: Element): VirtualElement => element as unknown as VirtualElement;

export function virtualRules(document: VirtualDocument): Rules {
  const tables = new Roles(VIRTUAL_FLAT);
  const secrets = holdersOf(document);
  const role = (element: Element): string => {
    const { ax, svg, localName } = virtual(element);
    // Chrome calls drawings images; what they are to the author, the tables know.
    if (!ax?.role || ax.role === "generic" || svg) return tables.of(element);
    // It takes every summary for a control; only the first one of its details is.
    if (localName === "summary" && !element.hasAttribute("role")) return tables.of(element);
    // It also calls what CSS replaces by an image one.
    if (ax.role === "img" && localName !== "img" && !element.hasAttribute("role")) return tables.of(element);
    // Outside of lists, grids and trees Chrome takes these roles for none, and has what the tag says.
    if (element.hasAttribute("role") && MEMBERS.has(tables.of(element))) return tables.of(element);
    // What says whether it can be dragged is a group to it, and an item of a list outside of lists.
    const isDragged = element.hasAttribute("draggable") && !element.hasAttribute("role");
    if (isDragged && (ax.role === "group" || ax.role === "listitem")) return tables.of(element);
    // Chrome gives nameless forms and regions their role all the same, and headers and footers of sections.
    const isOfSection = SECTION_ENDS.has(ax.role) && !element.hasAttribute("role");
    return isOfSection || (NEED_NAME.has(ax.role) && !ax.name) ? tables.of(element) : ax.role;
  };
  return {
    roles: { of: role, implicit: role },
    names: new AxNames(document, secrets, { of: role }),
    style: (element) => virtual(element).style,
    rendering: (element) => renderingOf(virtual(element)),
    floats: () => false,
    sticks: () => false,
    oddity: (element) => (ROLLING.test(virtual(element).style.overflowY) ? Odd.ROLLS : 0),
    link: () => {},
    isSvg: (element) => virtual(element).svg,
    listens: (element) => listens(virtual(element)),
    internals: (element) => {
      const isCustom = element.localName.includes("-") && !element.hasAttribute("role");
      return isCustom ? internalsOf(virtual(element).ax) : null;
    },
  };
}

const LOOKS: Looks = {
  style: (element) => virtual(element).style as ReturnType<Looks["style"]>,
  isRendered: (element) => /^(box|contents)$/.test(renderingOf(virtual(element))),
  isSvg: (element) => virtual(element).svg,
};

function renderingOf(element: VirtualElement): Rendering {
  const image = imageOf(element as unknown as Element);
  if (image) return renderingOf(virtual(image));
  if (!element.rendered) return "none";
  if (!element.seen) return "invisible";
  return element.bounds ? "box" : "contents";
}

/** Everything that a secret field lies in. */
function holdersOf(document: VirtualDocument): ReadonlySet<VirtualElement> {
  const holders = new Set<VirtualElement>();
  for (const element of document.elements.values()) {
    if (!isSecret(element as unknown as Element)) continue;
    for (let at: VirtualElement | null = element; at; at = up(at)) holders.add(at);
  }
  return holders;
}

function up(element: VirtualElement): VirtualElement | null {
  return VIRTUAL_FLAT.parent(element as unknown as Node) as unknown as VirtualElement | null;
}

class AxNames implements Omit<Rules["names"], "pseudos"> {
  /** Every name is Chrome's, so none is put together from the text that was found. */
  readonly pseudos = { concerns: () => true };

  /** The names of what accessibility ignores but people can use. */
  private readonly own: Names;

  constructor(
    private readonly document: VirtualDocument,
    private readonly secrets: ReadonlySet<VirtualElement>,
    roles: Pick<Roles, "of">,
  ) {
    this.own = new Names(VIRTUAL_FLAT, roles, PSEUDOS, false, LOOKS);
  }

  of(element: Element, role: string): Name {
    if (isIgnored(element, role)) return this.own.of(element, role);
    const name = this.name(virtual(element));
    if (name.from !== "none" && !(name.from === "content" && isIcon(name.text))) return name;
    const other = this.fallback(element, role);
    return other.from === "none" ? name : other;
  }

  given(element: Element, role: string): Name {
    if (isIgnored(element, role)) return this.own.given(element, role);
    const name = this.name(virtual(element));
    if (name.from === "author" || name.from === "native") return name;
    // Chrome leaves a figure's caption to its content.
    const caption = virtual(element).children.find((child) => child.localName === "figcaption");
    const text = element.localName === "figure" && caption ? fold(plainText(caption)) : "";
    return text ? { text, from: "native" } : NAMELESS;
  }

  fallback(element: Element, role: string): Name {
    if (isIgnored(element, role)) return this.own.fallback(element, role);
    const name = this.name(virtual(element));
    if (name.from === "title" || name.from === "placeholder") return name;
    if (name.from === "native" && element.localName === "input") return name;
    const title = element.getAttribute("title");
    return title && hasInk(title) ? { text: fold(title), from: "title" } : NAMELESS;
  }

  description(element: Element, name: Name): string {
    const { ax } = virtual(element);
    if (!ax) return this.own.description(element, name);
    const text = ax.description;
    if (!text || text === name.text) return "";
    if (this.secrets.size === 0) return text;
    // A description may quote fields; which ones Chrome doesn't say.
    return element.hasAttribute("aria-describedby") ? this.quoted(element) : text;
  }

  private name(element: VirtualElement): Name {
    const { ax } = element;
    if (!ax || ax.from === "none") return NAMELESS;
    const sources = ax.from === "content" ? [element] : ax.named.map((id) => this.document.elements.get(id));
    const leaks = sources.some((source) => source && this.secrets.has(source));
    if (!leaks || isSecretItself(element, sources)) {
      return { text: ax.from === "content" ? unbroken(element, ax.name) : ax.name, from: ax.from };
    }
    return {
      text: fold(sources.map((source) => (source ? plainText(source) : "")).join(" ")),
      from: ax.from,
    };
  }

  private quoted(element: Element): string {
    const root = virtual(element).getRootNode();
    const ids = (element.getAttribute("aria-describedby") ?? "").split(/\s+/);
    return fold(
      ids
        .map((id) => root.getElementById(id, virtual(element)))
        .map((found) => (found ? plainText(found) : ""))
        .join(" "),
    );
  }
}

/** Whether Chrome tells no name: also of an option without a list, whose role it takes for none. */
function isIgnored(element: Element, role: string): boolean {
  const { ax } = virtual(element);
  if (!ax) return true;
  return !ax.name && ax.role !== role && (ax.role === "generic" || MEMBERS.has(role));
}

/** A field's name may come from a label around it: Chrome leaves the field's own value out. */
function isSecretItself(element: VirtualElement, sources: readonly (VirtualElement | undefined)[]): boolean {
  if (!isSecret(element as unknown as Element)) return false;
  return sources.every((source) => {
    if (!source) return true;
    for (const inner of descendants(source))
      if (inner !== element && isSecret(inner as unknown as Element)) return false;
    return true;
  });
}

/** Chrome puts a space where a word may break (`wbr`), which people don't see. */
function unbroken(element: VirtualElement, name: string): string {
  if (!element.querySelector("wbr")) return name;
  const shown = fold(element.innerText);
  return shown.replace(/ /g, "") === name.replace(/ /g, "") ? shown : name;
}

/** The text that an element shows, without what its fields hold. */
function plainText(element: VirtualElement): string {
  return childrenOf(element.shadow ?? element)
    .map((child) =>
      child instanceof VirtualText
        ? child.data
        : /^(select|textarea)$/.test(child.localName)
          ? ""
          : plainText(child),
    )
    .join("");
}

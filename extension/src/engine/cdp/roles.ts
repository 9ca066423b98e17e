// What the engine knows of roles by itself: which ones people act on, and what markup says where Chrome says nothing.

import { fold } from "./ax";
import { plainText, type VirtualNode } from "./nodes";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Roles that a person acts on. */
export const INTERACTIVE = words(`
  button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch
  tab textbox treeitem
`);

/** Roles whose children say nothing by themselves, unless they are controls (ARIA 1.2, 5.2.9). */
export const CHILDREN_PRESENTATIONAL = words(`
  button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider
  switch tab
`);

/** Roles that only mark words in a text. */
export const PHRASES = words(`
  code deletion emphasis insertion mark strong subscript suggestion superscript term time
`);

/** Roles that stand for a number between two others. */
export const RANGES = words("meter progressbar scrollbar slider spinbutton");

const INPUTS: ReadonlyMap<string, string> = new Map([
  ...["button", "file", "image", "reset", "submit"].map((type): [string, string] => [type, "button"]),
  ...["checkbox", "radio"].map((type): [string, string] => [type, type]),
  ["hidden", "generic"],
  ["number", "spinbutton"],
  ["range", "slider"],
  ["search", "searchbox"],
]);

/** The role of a control, or of rows' groups, that accessibility leaves out, by markup; "generic" for everything else. */
export function roleByMarkup({ tag, attributes, parent }: VirtualNode): string {
  const given = attributes.get("role")?.trim().toLowerCase().split(/\s+/)[0] ?? "";
  if (given) return INTERACTIVE.has(given) ? given : "generic";
  switch (tag) {
    case "a":
    case "area":
      return attributes.has("href") ? "link" : "generic";
    case "button":
      return "button";
    case "frame":
    case "iframe":
      return "iframe";
    case "input":
      return INPUTS.get((attributes.get("type") ?? "").toLowerCase()) ?? "textbox";
    case "select":
      return attributes.has("multiple") || Number(attributes.get("size")) > 1 ? "listbox" : "combobox";
    case "summary":
      return parent?.tag === "details" ? "button" : "generic";
    case "tbody":
    case "tfoot":
    case "thead":
      return /^(grid|table|treegrid)$/.test(parent?.role ?? "") ? "rowgroup" : "generic";
    case "textarea":
      return "textbox";
    default:
      return "generic";
  }
}

/** What such a control is called, by its own attributes and text alone. */
export function nameByMarkup(node: VirtualNode): string {
  const { attributes, tag, role } = node;
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

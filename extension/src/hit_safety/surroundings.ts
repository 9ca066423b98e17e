// What an approval binds around an element: the dialog it is in, where its link leads, what its form's other fields hold.

import type { Engine } from "../engine/dom/engine";
import { clip, fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { shownText } from "./visible_name";

const LONGEST = 2_000;

/** The name and text of the dialog that an element is in, without its controls; empty where it is in none. */
export function dialogText(engine: Engine, element: Element): string {
  for (let at = engine.flat.parent(element); at; at = engine.flat.parent(at)) {
    const role = engine.roles.of(at);
    if (role !== "dialog" && role !== "alertdialog") continue;
    const name = engine.names().of(at, role).text;
    const text = fold(shownText(engine, at));
    return clip(text.includes(name) ? text : `${name}. ${text}`, LONGEST);
  }
  return "";
}

/** The address of the link that an element is or is in; empty for none. */
export function linkOf(element: Element): string {
  const link = dom.closest(element, "a[href], area[href], a[*|href]");
  const href = link ? ((link as HTMLAnchorElement).href as string | SVGAnimatedString) : "";
  return typeof href === "string" ? href : new URL(href.baseVal, dom.get(element, "baseURI")).href;
}

const [SEED = 0, SEED_2 = 0] = crypto.getRandomValues(new Uint32Array(2));

/** A number that stands for a text, and means nothing outside of this document: no value can be guessed from it. */
export function digest(text: string): string {
  let [a, b] = [SEED, SEED_2];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9e3779b1);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5f356495);
    a = (a ^ (a >>> 15)) + b;
    b = (b ^ (b >>> 13)) + a;
  }
  return ((a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff)).toString(36);
}

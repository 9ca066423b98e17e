// Keeps secrets out of screenshots: fields that hold one, and what else shows its text, are blank while one is taken. What
// the extension itself shows over the page isn't in one either.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import { pageAsksNoAi } from "../engine/dom/wire/columns";
import { fieldOf } from "../hit_safety/actionability";
import { asksNoAi } from "../shared/ai_opt_out";
import { FRAME_MS } from "../shared/limits";
import { selectorOf } from "./css_selector";
import { veil } from "./overlay";

const FIELDS = "input, textarea, select";
/** By style sheet, so that the page sees no change of its elements; the colours of selected text don't undo it. */
const BLANK = `-webkit-text-security: disc !important; -webkit-text-fill-color: transparent !important;
  color: transparent !important; fill: transparent !important; text-shadow: none !important; background: #555 !important; transition: none !important;`;
/** Nothing of the element is rendered, whatever is in it, and nothing moves. */
const GONE = "opacity: 0 !important; transition: none !important; animation: none !important;";

export class ScreenshotMask {
  /** Fields into which a secret was filled, whatever kind of field. */
  private readonly filled = new Set<WeakRef<Element>>();
  private readonly sheets = new Map<Document | ShadowRoot, CSSStyleSheet>();
  private screenshots = 0;
  private texts: readonly string[] = [];
  private forAi = false;
  private closed = false;
  private readonly watch = new MutationObserver(() => this.apply());

  constructor(private readonly engine: Engine) {}

  /** A secret is about to be filled in here. */
  add(element: Element): void {
    const field = fieldOf(element) ?? controlOf(element);
    if (this.masked().has(field)) return;
    this.filled.add(new WeakRef(field));
    if (this.screenshots > 0) this.apply();
  }

  /** Mask the fields, and what shows one of these texts, or all; resolves once that is rendered. */
  async show(texts: readonly string[] = [], forAi = false, closed = false): Promise<void> {
    this.screenshots++;
    this.forAi ||= forAi;
    this.closed ||= closed;
    this.texts = [...new Set([...this.texts, ...texts])];
    const changes = { subtree: true, childList: true, characterData: true, attributes: true };
    if (this.texts.length || this.forAi) this.watch.observe(this.engine.document, changes);
    const isVeiled = veil(true);
    if (!this.apply() && !isVeiled) return;
    await new Promise<void>((resolve) => {
      // Hidden tabs render no frames.
      setTimeout(resolve, FRAME_MS);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    });
  }

  /** Take the mask away once no screenshot is under way any more. */
  hide(): void {
    this.screenshots = Math.max(0, this.screenshots - 1);
    if (this.screenshots > 0) return;
    veil(false);
    this.watch.disconnect();
    this.texts = [];
    this.forAi = false;
    this.closed = false;
    for (const [root, sheet] of this.sheets) adopt(root, (sheets) => sheets.filter((each) => each !== sheet));
    this.sheets.clear();
  }

  /** Whether anything is masked now. */
  private apply(): boolean {
    const rules = new Map<Document | ShadowRoot, string>();
    for (const element of this.masked()) {
      const root = dom.getRootNode(element) as Document | ShadowRoot;
      const selector = selectorOf(element);
      rules.set(root, `${rules.get(root) ?? ""}${selector}, ${selector} * { ${BLANK} }\n`);
    }
    for (const element of this.closedToAi()) {
      const root = dom.getRootNode(element) as Document | ShadowRoot;
      rules.set(root, `${rules.get(root) ?? ""}${selectorOf(element)} { ${GONE} }\n`);
    }
    for (const [root, text] of rules) {
      let sheet = this.sheets.get(root);
      if (!sheet) {
        sheet = new CSSStyleSheet();
        this.sheets.set(root, sheet);
        const added = sheet;
        adopt(root, (sheets) => [...sheets, added]);
      }
      sheet.replaceSync(text);
    }
    return rules.size > 0;
  }

  /** What no model may see: all of a document, or the parts of it that ask so. */
  private closedToAi(): Element[] {
    const { document, flat } = this.engine;
    const root = dom.get(document, "documentElement");
    if (!this.forAi || !root) return [];
    if (this.closed || pageAsksNoAi(document)) return [root];
    return [...flat.roots(root)]
      .flatMap((each) => [...dom.querySelectorAll(each, "[data-no-ai]")])
      .filter((part) => asksNoAi(dom.getAttribute(part, "data-no-ai")));
  }

  private masked(): Set<Element> {
    const filled = [...this.filled].flatMap((ref) => ref.deref() ?? []);
    const secret = [...dom.querySelectorAll(this.engine.document, FIELDS)].filter(isSecret);
    const fields = [...filled, ...secret].filter(dom.isConnected);
    return new Set([...fields, ...elementsWith(this.engine, this.texts)]);
  }
}

/** Change the sheets that a document or shadow root has adopted. */
function adopt(
  root: Document | ShadowRoot,
  change: (sheets: readonly CSSStyleSheet[]) => CSSStyleSheet[],
): void {
  dom.set(root, "adoptedStyleSheets", change(dom.get(root, "adoptedStyleSheets")));
}

/** Whether something is a text with one of the texts in it; the `value` of a list item is a number. */
type Contains = (text: unknown) => boolean;

/** The elements that show one of the texts, into which a page may have copied a secret: the innermost of each. */
function elementsWith({ document, flat }: Engine, texts: readonly string[]): Set<Element> {
  const found = new Set<Element>();
  const body = dom.get(document, "body");
  if (!texts.length || !body) return found;
  const contains: Contains = (text) => typeof text === "string" && texts.some((each) => text.includes(each));
  for (const root of flat.roots(body)) {
    if (contains(dom.textContent(root))) addInnermost(root, contains, found);
    for (const element of [...(root instanceof Element ? [root] : []), ...dom.querySelectorAll(root, "*")]) {
      if (contains((element as HTMLInputElement).value) || rendersAttribute(element, contains))
        found.add(element);
    }
  }
  for (const element of found) {
    const list = dom.closest(element, "select");
    if (list) found.add(list);
  }
  return found;
}

function addInnermost(within: Element | ShadowRoot, contains: Contains, found: Set<Element>): void {
  const nodes = [...dom.childNodes(within)];
  const inner = nodes.filter(
    (node): node is Element => node instanceof Element && contains(dom.textContent(node)),
  );
  for (const child of inner) addInnermost(child, contains, found);
  const text = nodes.flatMap((node) => (node instanceof Text ? node.data : [])).join("");
  if (inner.length && !contains(text)) return;
  // A shadow root's text is rendered in its host.
  found.add(within instanceof ShadowRoot ? within.host : within);
}

/** Attributes whose text browsers render. */
const RENDERED: ReadonlySet<string> = new Set(["alt", "label", "placeholder", "value"]);

function rendersAttribute(element: Element, contains: Contains): boolean {
  const matching = [...dom.get(element, "attributes")].filter(({ value }) => contains(value));
  if (!matching.length) return false;
  if (matching.some(({ name }) => RENDERED.has(name))) return true;
  return ["::before", "::after"].some((pseudo) => contains(getComputedStyle(element, pseudo).content));
}

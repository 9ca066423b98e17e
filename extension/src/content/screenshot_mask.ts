// Keeps secrets out of pictures: fields that hold one, and what shows it elsewhere, are blank while one is taken.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { isSecret } from "../engine/dom/semantics/secrets";
import { fieldOf } from "../hit_safety/actionability";
import { selectorOf } from "./css_selector";

const FIELDS = "input, textarea, select";
/** By style sheet, so that the page sees no change of its elements; the colours of selected text don't undo it. */
const BLANK = `-webkit-text-security: disc !important; -webkit-text-fill-color: transparent !important;
  color: transparent !important; fill: transparent !important; text-shadow: none !important; background: #555 !important; transition: none !important;`;
/** Frames don't come in hidden tabs. */
const DRAWN_MS = 150;

export class ScreenshotMask {
  /** Fields into which a secret was filled, whatever kind of field. */
  private readonly filled = new Set<WeakRef<Element>>();
  private readonly sheets = new Map<Document | ShadowRoot, CSSStyleSheet>();
  private pictures = 0;
  private texts: readonly string[] = [];
  private readonly watch = new MutationObserver(() => this.draw());

  constructor(private readonly engine: Engine) {}

  /** A secret is about to be filled in here. */
  keep(element: Element): void {
    const field = fieldOf(element) ?? controlOf(element);
    if (this.covered().has(field)) return;
    this.filled.add(new WeakRef(field));
    if (this.pictures > 0) this.draw();
  }

  /** Cover them, and what shows one of these texts; resolves once that can be seen. */
  async show(texts: readonly string[] = []): Promise<void> {
    this.pictures++;
    this.texts = [...new Set([...this.texts, ...texts])];
    const changes = { subtree: true, childList: true, characterData: true, attributes: true };
    if (this.texts.length) this.watch.observe(this.engine.document, changes);
    if (!this.draw()) return;
    const view = this.engine.document.defaultView as Window;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, DRAWN_MS);
      view.requestAnimationFrame(() => view.requestAnimationFrame(() => resolve()));
    });
  }

  /** Uncover them once no picture is being taken any more. */
  hide(): void {
    this.pictures = Math.max(0, this.pictures - 1);
    if (this.pictures > 0) return;
    this.watch.disconnect();
    this.texts = [];
    for (const [root, sheet] of this.sheets)
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
    this.sheets.clear();
  }

  private draw(): boolean {
    const rules = new Map<Document | ShadowRoot, string>();
    for (const field of this.covered()) {
      const root = field.getRootNode() as Document | ShadowRoot;
      const selector = selectorOf(field);
      rules.set(root, `${rules.get(root) ?? ""}${selector}, ${selector} * { ${BLANK} }\n`);
    }
    for (const [root, text] of rules) {
      let sheet = this.sheets.get(root);
      if (!sheet) {
        sheet = new CSSStyleSheet();
        this.sheets.set(root, sheet);
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
      }
      sheet.replaceSync(text);
    }
    return rules.size > 0;
  }

  private covered(): Set<Element> {
    const known = [...this.filled].flatMap((ref) => ref.deref() ?? []);
    const secret = [...this.engine.document.querySelectorAll(FIELDS)].filter(isSecret);
    const held = [...known, ...secret].filter((field) => field.isConnected);
    return new Set([...held, ...elementsTelling(this.engine, this.texts)]);
  }
}

/** Attributes whose text is drawn. */
const DRAWN: ReadonlySet<string> = new Set(["alt", "label", "placeholder", "value"]);

/** The elements that show one of the texts: the innermost of each, through shadow roots. */
export function elementsTelling({ document, flat }: Engine, texts: readonly string[]): Set<Element> {
  const found = new Set<Element>();
  if (!texts.length || !document.body) return found;
  const holds = (text: string | null | undefined): boolean =>
    Boolean(text) && texts.some((each) => (text as string).includes(each));
  const roots: (Element | ShadowRoot)[] = [document.body];
  for (const root of roots) {
    if (holds(root.textContent)) addInnermost(root, holds, found);
    for (const element of [...(root instanceof Element ? [root] : []), ...root.querySelectorAll("*")]) {
      if (holds((element as HTMLInputElement).value) || drawsAttribute(element, holds)) found.add(element);
      const shadow = flat.shadow(element);
      if (shadow) roots.push(shadow);
    }
  }
  for (const element of found) {
    const list = element.closest("select");
    if (list) found.add(list);
  }
  return found;
}

function addInnermost(
  within: Element | ShadowRoot,
  holds: (text: string | null) => boolean,
  found: Set<Element>,
): void {
  const nodes = [...within.childNodes];
  const inner = nodes.filter((node): node is Element => node instanceof Element && holds(node.textContent));
  for (const child of inner) addInnermost(child, holds, found);
  const own = nodes.flatMap((node) => (node instanceof Text ? node.data : []));
  if (inner.length && !holds(own.join(""))) return;
  // A shadow root's own text is drawn in its host.
  found.add(within instanceof ShadowRoot ? within.host : within);
}

function drawsAttribute(element: Element, holds: (text: string | null) => boolean): boolean {
  const telling = [...element.attributes].filter(({ value }) => holds(value));
  if (!telling.length) return false;
  if (telling.some(({ name }) => DRAWN.has(name))) return true;
  return ["::before", "::after"].some((pseudo) => holds(getComputedStyle(element, pseudo).content));
}

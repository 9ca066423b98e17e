// What a document holds that no mutation tells of: values of fields, what is open on top, the mouse, the focus.

import type { FlatTree } from "./flat";
import { isSame, type StyleFacts } from "./styles";

type Root = Document | ShadowRoot;

const CONTROLS = "input,textarea,select";
const ON_TOP = ":popover-open,:modal,:fullscreen,:user-invalid";
const PREFERENCES = [
  "(prefers-color-scheme: dark)",
  "(prefers-reduced-motion: reduce)",
  "(prefers-contrast: more)",
  "(forced-colors: active)",
  "(hover: hover)",
  "print",
];

/** What may be other than before. */
export interface LiveChanges {
  /** Everything may have changed. */
  all: boolean;
  /** These have, with what is in them. */
  elements: Element[];
  /** Boxes may be elsewhere though nothing else changed. */
  moved: boolean;
}

export class LiveState {
  private place: unknown[] = [];
  private scroll: unknown[] = [];
  private states: unknown[] = [];
  private controls: Element[] = [];
  private held: unknown[] = [];
  private animated: Element[] = [];
  private readonly media: MediaQueryList[];

  constructor(
    private readonly document: Document,
    private readonly flat: FlatTree,
  ) {
    const view = document.defaultView;
    this.media = view?.matchMedia ? PREFERENCES.map((query) => view.matchMedia(query)) : [];
  }

  /** Read everything anew and say what differs from the last time. */
  read(roots: readonly Root[], facts: StyleFacts): LiveChanges {
    const elements: Element[] = [];
    const all = [
      this.readPlace(),
      this.readStates(roots, facts),
      this.readControls(roots, elements) && facts.controls,
    ];
    this.readShadows(roots, elements);
    const animated = this.readAnimations(roots);
    elements.push(...animated, ...this.animated);
    const moving = animated.length + this.animated.length > 0;
    this.animated = animated;
    return { all: all.includes(true), elements, moved: this.readScroll() || moving };
  }

  private readPlace(): boolean {
    const view = this.document.defaultView as Window;
    const now = [
      ...[this.document.URL, this.document.baseURI, this.document.designMode],
      ...[view.innerWidth, view.innerHeight, view.devicePixelRatio],
      ...this.media.map((query) => query.matches),
    ];
    const differs = !isSame(now, this.place);
    this.place = now;
    return differs;
  }

  private readScroll(): boolean {
    const view = this.document.defaultView as Window;
    const now = [view.scrollX, view.scrollY];
    const differs = !isSame(now, this.scroll);
    this.scroll = now;
    return differs;
  }

  private readStates(roots: readonly Root[], facts: StyleFacts): boolean {
    const now: unknown[] = [];
    for (const root of roots) {
      now.push(...root.querySelectorAll(facts.hover ? `${ON_TOP},:hover,:active` : ON_TOP));
      if (facts.focus) now.push(root.activeElement);
    }
    if (facts.focus) now.push(this.document.hasFocus());
    const differs = !isSame(now, this.states);
    this.states = now;
    return differs;
  }

  private readControls(roots: readonly Root[], changed: Element[]): boolean {
    const controls: Element[] = [];
    for (const root of roots) controls.push(...root.querySelectorAll(CONTROLS));
    const held = controls.map(heldBy);
    const same = isSame(controls, this.controls);
    const before = same ? null : new Map(this.controls.map((control, i) => [control, this.held[i]]));
    let any = !same;
    for (let i = 0; i < controls.length; i++) {
      const control = controls[i] as Element;
      if (held[i] === (before ? before.get(control) : this.held[i])) continue;
      changed.push(control);
      any = true;
    }
    this.controls = controls;
    this.held = held;
    return any;
  }

  /** Elements that have become hosts: no mutation tells of that. */
  private readShadows(roots: readonly Root[], changed: Element[]): void {
    for (const within of roots) {
      const all =
        within instanceof Document ? within.getElementsByTagName("*") : within.querySelectorAll("*");
      for (let i = 0; i < all.length; i++) {
        const element = all[i] as Element;
        const root = element.shadowRoot;
        if (root && !this.flat.isKnown(root)) changed.push(element);
      }
    }
  }

  private readAnimations(roots: readonly Root[]): Element[] {
    const found = new Set<Element>();
    for (const root of roots) {
      for (const { effect } of root.getAnimations?.() ?? []) {
        const target = (effect as KeyframeEffect | null)?.target;
        if (target) found.add(target);
      }
    }
    return [...found];
  }
}

/** What a control holds, to be compared and for nothing else. */
function heldBy(control: Element): unknown {
  if (control.localName === "select") {
    const select = control as HTMLSelectElement;
    if (!select.multiple) return select.selectedIndex;
    return [...select.selectedOptions].map((option) => option.index).join(",");
  }
  const field = control as HTMLInputElement;
  const type = field.type;
  if (type === "checkbox" || type === "radio") return (field.checked ? 1 : 0) | (field.indeterminate ? 2 : 0);
  return field.value;
}

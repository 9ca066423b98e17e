// What a document holds that no mutation tells of: values of fields, what is open on top, the mouse, the focus.

import { Controls, JUDGED } from "./controls";
import { isSame } from "./sheets";
import type { StyleFacts } from "./styles";
import type { FlatTree } from "./tree/flat_tree";
import type { Listening } from "./watch/listening";

type Root = Document | ShadowRoot;

const PREFERENCES = [
  "(prefers-color-scheme: dark)",
  "(prefers-reduced-motion: reduce)",
  "(prefers-contrast: more)",
  "(forced-colors: active)",
  "(hover: hover)",
  "print",
];
/** After these the mouse may be over, or press, something else. */
const POINTED = [
  "pointerover",
  "pointerout",
  "pointerdown",
  "pointerup",
  "pointercancel",
  "keydown",
  "keyup",
];
/** After these something may lie on top, or not any more. */
const TOPPED = ["beforetoggle", "toggle", "fullscreenchange"];

/** What may be other than before. */
export interface LiveChanges {
  /** Everything may have changed. */
  all: boolean;
  /** These have, with what is in them. */
  elements: Element[];
  /** Rules of style sheets see these otherwise than before. */
  restyled: Element[];
  /** Boxes may be elsewhere though nothing else changed. */
  moved: boolean;
}

export class LiveState {
  private place: unknown[] = [];
  private pointed = true;
  private hovered: Element[] = [];
  private focused: Element[] = [];
  private topped = new Set<Element>();
  private animated: Element[] = [];
  private readonly controls: Controls;
  private readonly media: MediaQueryList[];

  constructor(
    private readonly document: Document,
    private readonly listening: Listening,
    private readonly flat: FlatTree,
  ) {
    const view = document.defaultView;
    this.media = view?.matchMedia ? PREFERENCES.map((query) => view.matchMedia(query)) : [];
    this.controls = new Controls(document);
  }

  /** Also listen to this root. */
  observe(root: Root): void {
    this.listening.add(root, POINTED, this.onPointer);
    this.listening.add(root, TOPPED, this.onTop);
    this.listening.add(root, JUDGED, this.controls.onJudged);
  }

  /** Read everything anew and say what differs from the last time. */
  read(roots: readonly Root[], facts: StyleFacts): LiveChanges {
    const elements = [...this.topped];
    const restyled: Element[] = [];
    this.topped.clear();
    const all = this.readPlace();
    this.readPointer(roots, facts, restyled);
    this.readFocus(facts, restyled);
    this.controls.read(roots, facts, elements, restyled);
    elements.push(...this.flat.newHosts());
    const animated = this.readAnimations(roots);
    elements.push(...animated, ...this.animated);
    const moved = animated.length + this.animated.length > 0;
    this.animated = animated;
    return { all, elements, restyled, moved };
  }

  private readPlace(): boolean {
    const view = this.document.defaultView as Window;
    const now = [
      ...[
        this.document.URL,
        this.document.baseURI,
        this.document.designMode,
        this.document.fullscreenElement,
      ],
      ...[view.innerWidth, view.innerHeight, view.devicePixelRatio],
      ...this.media.map((query) => query.matches),
    ];
    const differs = !isSame(now, this.place);
    this.place = now;
    return differs;
  }

  private readPointer(roots: readonly Root[], facts: StyleFacts, restyled: Element[]): void {
    if (!this.pointed) return;
    this.pointed = false;
    const now = facts.hover ? roots.flatMap((root) => [...root.querySelectorAll(":hover,:active")]) : [];
    restyled.push(...differing(this.hovered, now).filter((element) => element.matches(facts.hover || "*")));
    this.hovered = now;
  }

  private readFocus(facts: StyleFacts, restyled: Element[]): void {
    const now: Element[] = [];
    if (facts.focus && this.document.hasFocus()) {
      let at = this.flat.active(this.document);
      for (; at; at = this.flat.parent(at)) now.push(at);
    }
    restyled.push(...differing(this.focused, now).filter((element) => element.matches(facts.focus || "*")));
    this.focused = now;
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

  private readonly onPointer = (): void => {
    this.pointed = true;
  };

  private readonly onTop = (event: Event): void => {
    if (event.target instanceof Element) this.topped.add(event.target);
  };
}

/** What is in one list and not in the other. */
function differing(a: readonly Element[], b: readonly Element[]): Element[] {
  if (isSame(a, b)) return [];
  const [before, now] = [new Set(a), new Set(b)];
  return [...a.filter((each) => !now.has(each)), ...b.filter((each) => !before.has(each))];
}

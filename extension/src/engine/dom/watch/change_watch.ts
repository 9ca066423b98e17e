// What changed in a document, as a number that grows; and promises that wait for it.

import * as dom from "../tree/dom";

const EVENTS = "input change scroll focusin focusout toggle hashchange popstate".split(" ");
/** Nothing changes by them, but soon after: scripts wait a moment before they act on what was typed or clicked. */
const INPUT = "pointerdown pointerup click keydown keyup".split(" ");

const OBSERVED: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributes: true,
  characterData: true,
};

export class ChangeWatch {
  private count = 1;
  private changedAt = performance.now();
  private readonly observer: MutationObserver;
  private readonly roots: (Document | ShadowRoot)[] = [];
  private readonly waiting = new Set<() => void>();
  /** How often elements that are counted changed, by themselves or in them. */
  private readonly counted = new Map<Element, number>();
  /** Takes what changed. */
  onRecords: (records: readonly MutationRecord[]) => void = () => undefined;
  private stopped = false;

  /** `alive` says whether the extension that this script belongs to is still there; `ignored` knows our own nodes. */
  constructor(
    document: Document,
    private readonly listening: Listening,
    private readonly alive: () => boolean,
    private readonly ignored: (node: Node) => boolean,
  ) {
    this.observer = new MutationObserver((records) => this.see(records));
    this.observe(document);
  }

  /** The version now, with everything that happened before this call. */
  get version(): number {
    const records = this.observer.takeRecords();
    if (records.length) this.see(records);
    return this.count;
  }

  /** How often an element, or something in it, changed since this was first queried. */
  changesIn(element: Element): number {
    const count = this.version && (this.counted.get(element) ?? 0);
    for (const each of this.counted.keys()) if (!dom.isConnected(each)) this.counted.delete(each);
    this.counted.set(element, count);
    return count;
  }

  /** How long nothing has changed and nobody clicked or typed, in milliseconds. */
  get quietFor(): number {
    return this.version && performance.now() - this.changedAt;
  }

  /** The document, and its shadow roots as far as they are known. */
  get all(): readonly (Document | ShadowRoot)[] {
    return this.roots.filter((root) => root instanceof Document || dom.isConnected(root.host));
  }

  /** Also watch this root. */
  observe(root: Document | ShadowRoot): void {
    if (this.stopped || this.roots.includes(root)) return;
    this.roots.push(root);
    this.observer.observe(root, OBSERVED);
    this.listening.add(root, EVENTS, this.raise);
    this.listening.add(root, INPUT, this.touch);
  }

  /** Let go of the document. */
  stop(): void {
    this.stopped = true;
    this.observer.disconnect();
    this.wake();
  }

  /** Count a change that no observer reports. */
  readonly raise = (): void => {
    if (!this.alive()) {
      this.stop();
      return;
    }
    this.count++;
    this.changedAt = performance.now();
    this.wake();
  };

  private readonly touch = (): void => {
    this.changedAt = performance.now();
  };

  /** Resolve at the next change, or after so many milliseconds. */
  async next(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, timeoutMs));
      this.waiting.add(done);
    });
  }

  /** Resolve when the version differs from this one, or after so many milliseconds; gives the version then. */
  async changedFrom(version: number, timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    while (this.version === version && performance.now() < deadline && !this.stopped) {
      await this.next(deadline - performance.now());
    }
    return this.version;
  }

  private see(records: MutationRecord[]): void {
    this.onRecords(records);
    if (records.some(isReopening)) this.listening.renew();
    for (const [element, count] of this.counted) {
      const inside = records.filter(({ target }) => element.contains(target)).length;
      if (inside) this.counted.set(element, count + inside);
    }
    if (records.some((record) => !this.isOurs(record))) this.raise();
  }

  private isOurs(record: MutationRecord): boolean {
    if (record.type !== "childList") return this.ignored(record.target);
    return [...record.addedNodes, ...record.removedNodes].every((node) => this.ignored(node));
  }

  private wake(): void {
    for (const done of [...this.waiting]) done();
  }
}

interface Entry {
  target: EventTarget;
  types: readonly string[];
  listener: (event: Event) => void;
  options: AddEventListenerOptions;
}

const { addEventListener, removeEventListener } = EventTarget.prototype;

export class Listening {
  private entries: Entry[] = [];

  /** Listen on the way down, so as to get an event before those that are deeper. */
  add(
    target: EventTarget,
    types: readonly string[],
    listener: (event: Event) => void,
    options: AddEventListenerOptions = { passive: true },
  ): void {
    const entry = { target, types, listener, options: { ...options, capture: true } };
    this.entries.push(entry);
    begin(entry);
  }

  /** Listen again to what was taken from us; what still is listened to stays as it is. */
  readonly renew = (): void => this.entries.forEach(begin);

  stop(): void {
    for (const { target, types, listener, options } of this.entries)
      for (const type of types) removeEventListener.call(target, type, listener, options);
    this.entries = [];
  }
}

function begin({ target, types, listener, options }: Entry): void {
  for (const type of types) addEventListener.call(target, type, listener, options);
}

/** Whether a mutation is the document's being opened anew, or something that looks the same. */
function isReopening({ target, removedNodes }: MutationRecord): boolean {
  return target instanceof Document && removedNodes.length > 0;
}

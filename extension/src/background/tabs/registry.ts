// Which documents the shared tabs have and had, without talking to anybody.

import type { NavigationEvent } from "./navigations";

export interface Doc {
  id: string;
  tab: number;
  frameId: number;
  parent: string | null;
  url: string;
  /** Number in refs; 0 for the main document; null before its first use. */
  frame: number | null;
  key: string;
  status: number;
  /** Its media type, such as `text/html`. */
  type: string;
  /** The iframe that it sits in, once known. */
  owner: { doc: Doc; number: number } | null;
  /** The nonce of the frame that it is in, as its parent reported. */
  nonce: string | null;
  injected: Promise<boolean> | null;
  hello: Promise<void> | null;
  /** A snapshot already waited for the nonces of its frames. */
  waited: boolean;
  /** It came back from the back/forward cache, whose inner frames the browser doesn't list again. */
  restored: boolean;
  /** Why it can't be read. */
  problem: string | null;
  /** When it was first seen, by `performance.now()`. */
  seenAt: number;
}

const KEPT_MAINS = 8;

export class Registry {
  readonly #docs = new Map<string, Doc>();
  readonly #current = new Map<number, Map<number, Doc>>();

  find(id: string): Doc | undefined {
    return this.#docs.get(id);
  }

  /** The tab's documents now, by frame id. */
  current(tab: number): ReadonlyMap<number, Doc> {
    return this.#current.get(tab) ?? new Map();
  }

  /** Take note that a document is there. */
  note(tab: number, id: string, event: NavigationEvent): Doc {
    const doc = this.#docs.get(id) ?? this.#make(tab, id, event);
    doc.url = event.url;
    let current = this.#current.get(tab);
    if (!current || (doc.frameId === 0 && current.get(0) !== doc)) {
      current = new Map();
      this.#current.set(tab, current);
      this.#prune(tab);
    }
    current.set(doc.frameId, doc);
    return doc;
  }

  /** A main document came back: it and what was in it have to be greeted anew. */
  restore(main: Doc): void {
    main.restored = true;
    for (const doc of [main, ...this.within(main)]) doc.hello = null;
  }

  /** The documents inside a main document, as far as they are known; some may be gone. */
  within(main: Doc): Doc[] {
    return [...this.#docs.values()].filter((doc) => doc !== main && this.#root(doc) === main);
  }

  /** Only these are in the tab now. */
  keep(tab: number, docs: readonly Doc[]): void {
    const alive = new Set(docs);
    const current = this.#current.get(tab);
    for (const [frame, doc] of current ?? []) if (!alive.has(doc)) current?.delete(frame);
    for (const doc of docs) current?.set(doc.frameId, doc);
  }

  drop(doc: Doc): void {
    const current = this.#current.get(doc.tab);
    if (current?.get(doc.frameId) === doc) current.delete(doc.frameId);
    this.#docs.delete(doc.id);
  }

  forget(tab: number): void {
    for (const doc of this.#docs.values()) if (doc.tab === tab) this.#docs.delete(doc.id);
    this.#current.delete(tab);
  }

  #make(tab: number, id: string, event: NavigationEvent): Doc {
    const place = { id, tab, frameId: event.frameId, parent: event.parentDocumentId ?? null, url: event.url };
    const unknown = {
      frame: null,
      key: "",
      status: 0,
      type: "",
      owner: null,
      nonce: null,
      injected: null,
      hello: null,
    };
    const doc = {
      ...place,
      ...unknown,
      waited: false,
      restored: false,
      problem: null,
      seenAt: performance.now(),
    };
    this.#docs.set(id, doc);
    return doc;
  }

  /** The latest main documents are kept with what is in them, since they can come back. */
  #prune(tab: number): void {
    const ofTab = [...this.#docs.values()].filter((doc) => doc.tab === tab);
    const kept = new Set(ofTab.filter((doc) => doc.parent === null).slice(-KEPT_MAINS));
    for (const doc of ofTab) if (!kept.has(this.#root(doc) as Doc)) this.#docs.delete(doc.id);
  }

  #root(doc: Doc): Doc | undefined {
    let at: Doc | undefined = doc;
    while (at && at.parent !== null) at = this.#docs.get(at.parent);
    return at;
  }
}

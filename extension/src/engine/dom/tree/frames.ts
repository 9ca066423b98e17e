// Secret numbers by which the worker knows which child document belongs to which iframe element: once the content script of
// a parent listens, that of the child posts its key there, which no page sees. The parent reports which of its frames that
// came from, and the worker joins the two.

import type { FrameSlot } from "../../../shared/messages";
import type { NumberedTree } from "../wire/columns";

/** A random 128-bit number in hex. Pages by plain http have no `crypto.randomUUID`. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

export class FrameNonces {
  /** By window: each has one document, and one iframe, at a time. */
  private readonly nonces = new WeakMap<object, string>();

  /** Write the numbers of a snapshot's frames into its tree. */
  place({ tree, frames }: NumberedTree): FrameSlot[] {
    const places = frames.length ? new Map(tree.extra.map(([at], place) => [at, place])) : null;
    return frames.map(({ number, element, at }) => {
      const nonce = this.of(windowOf(element) ?? element);
      const place = places?.get(at);
      if (place === undefined) tree.extra.push([at, { document: nonce }]);
      else tree.extra[place] = [at, { ...tree.extra[place]?.[1], document: nonce }];
      return { number, nonce };
    });
  }

  /** The number of a window. */
  of(frame: object): string {
    const nonce = this.nonces.get(frame) ?? randomKey();
    this.nonces.set(frame, nonce);
    return nonce;
  }
}

/** The window in an element; an `embed` doesn't show it, so only one of the same origin is found. */
export function windowOf(element: Element): Window | null {
  const { contentWindow } = element as HTMLIFrameElement;
  if (contentWindow !== undefined) return contentWindow;
  for (let at = 0; at < window.length; at++) {
    const inner = window[at] as Window;
    try {
      if (inner.frameElement === element) return inner;
    } catch {
      // One of another origin doesn't say where it is.
    }
  }
  return null;
}

/** Say in the document around this one which document this is: only its content script hears that. */
export function postKey(window: Window, key: string): void {
  if (window.parent !== window) window.parent.postMessage({ skillbook: key }, "*");
}

/** A child document's key in a message from its window; null for a message of a page. */
export function keyOf({ source, data }: MessageEvent, window: Window): string | null {
  if (source === null || source === window || (source as Window).parent !== window) return null;
  if (typeof data !== "object" || data === null || !("skillbook" in data)) return null;
  const key: unknown = data.skillbook;
  return typeof key === "string" && /^[0-9a-f]{32}$/.test(key) ? key : null;
}

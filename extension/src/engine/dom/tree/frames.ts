// Secret numbers by which the worker knows which child document belongs to which iframe element: the parent posts one to the child's
// window, the child's content script reports it, and the worker joins the two.

import type { FrameSlot } from "../../../shared/messages";
import type { NumberedTree } from "../wire/columns";

/** A random 128-bit number in hex. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

export class FrameNonces {
  private readonly nonces = new WeakMap<Element, string>();

  /** Greet a snapshot's frames, and write their numbers into its tree. */
  place({ tree, frames }: NumberedTree): FrameSlot[] {
    const places = frames.length ? new Map(tree.extra.map(([at], place) => [at, place])) : null;
    return frames.map(({ number, element, at }) => {
      const nonce = this.greet(element);
      const place = places?.get(at);
      if (place === undefined) tree.extra.push([at, { document: nonce }]);
      else tree.extra[place] = [at, { ...tree.extra[place]?.[1], document: nonce }];
      return { number, nonce };
    });
  }

  /** The number of an iframe element, posted again to the document that is in it now. */
  greet(frame: HTMLIFrameElement): string {
    const nonce = this.nonces.get(frame) ?? randomKey();
    this.nonces.set(frame, nonce);
    windowOf(frame)?.postMessage({ skillbook: nonce }, "*");
    return nonce;
  }
}

/** The window in an element; an `embed` doesn't show it, so only one of the same origin is found. */
export function windowOf(element: Element): Pick<Window, "postMessage"> | null {
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

/** The number in a message from the parent window, or null. */
export function nonceOf(event: MessageEvent, window: Window): string | null {
  if (event.source === null || event.source !== window.parent || window.parent === window) return null;
  const data: unknown = event.data;
  if (typeof data !== "object" || data === null || !("skillbook" in data)) return null;
  const nonce = (data as { skillbook: unknown }).skillbook;
  return typeof nonce === "string" && /^[0-9a-f]{32}$/.test(nonce) ? nonce : null;
}

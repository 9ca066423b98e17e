// What the service worker and the content scripts say to each other. Content scripts answer one request with one
// reply; they never see the kernel, tokens or other tabs. Every request goes to one document (by documentId).

import type { ExpectedTarget, WireError } from "../protocol/generated";

/** Where a document's iframe stands, for joining trees and for turning frame coordinates into the tab's. */
export interface FrameSlot {
  /** Ref number of the iframe element in its document. */
  number: number;
  /**
   * Random hex, of at least 128 bits and kept for the iframe's life; posted to the child (again with every
   * snapshot), whose content script reports it as `frame_nonce`. The tree has it as the iframe node's
   * `extra.document`, written `"document":"NONCE"`; the worker puts the child's key there.
   */
  nonce: string;
}

export interface Point {
  x: number;
  y: number;
}

/** Conditions that must hold before input goes to an element, in the order they are waited for. */
export type Need = "visible" | "stable" | "enabled" | "editable" | "receives_events";

export type ContentRequest =
  /**
   * Give the document its frame number; its next new ref comes after `after`. A document that has a frame number
   * keeps it and only raises its counter. The worker says this once after each commit or worker start, before
   * anything else. Answers `DocumentHello`.
   */
  | { op: "hello"; frame: number; after: number }
  /**
   * Answers `SnapshotReply`; `held` is the stamp of the picture that the kernel holds, `again` says that the last
   * picture never got there.
   */
  | { op: "snapshot"; offscreen: boolean; held?: number | null; again?: boolean }
  /** Scroll into view, wait until every need holds (with a deadline), answer `Located`. */
  | {
      op: "locate";
      number: number;
      needs: Need[];
      timeout_ms: number;
      position?: "center" | "before" | "after";
      /** Show a frame around it for a moment. */
      flash?: boolean;
      /** Arm the guard for the element once it is ready, as `guard` does. */
      guard?: boolean;
      /** What the guard holds the element against. */
      meant?: ExpectedTarget | null;
    }
  /** What gets the events at a point just located in the element's place; answers `Hit`. */
  | { op: "hit"; number: number; point: Point }
  /**
   * Until `unguard`, keep presses from the page that don't reach the element; null lets none through. For an iframe
   * element that is every press that its document sees, since those on the frame's content go to the frame.
   * Answers null.
   */
  | { op: "guard"; number: number | null }
  /** Answers `GuardVerdict`. */
  | { op: "unguard" }
  /**
   * Until `unguard_keys`, keep keys and text from everything but the element; null lets nothing in this document
   * have them, 0 the document itself, where nothing in it that takes keys has the focus. A pause between keys of
   * `pauses` ms is expected. Answers null.
   */
  | { op: "guard_keys"; number: number | null; pauses: number; meant: ExpectedTarget | null }
  /** Answers `KeyVerdict`. */
  | { op: "unguard_keys" }
  /**
   * The in-page part of a command: focus, fill, select, check by DOM, synthetic events; answers `ActReply`.
   * `number` is the ref's number in this document, null where the command has no element. Without `synthetic`,
   * fill leaves the old text selected and type the caret at the end, both focused and `done: false`: the worker
   * types then, and with `guard` keys are guarded for the element from then on, as `guard_keys` does.
   */
  | {
      op: "act";
      command: string;
      number: number | null;
      params: Record<string, unknown>;
      synthetic: boolean;
      timeout_ms: number;
      /** Show a frame around the element for a moment, and the mouse where there is no real one. */
      flash?: boolean;
      /** What the element was when the command was judged. */
      meant: ExpectedTarget | null;
      guard?: { pauses: number } | null;
    }
  /** The command ended early: an `act` under way must do nothing more. Answers null. */
  | { op: "abort" }
  /** get, is, describe; answers the command's result. */
  | { op: "read"; command: string; number: number | null; params: Record<string, unknown> }
  /** The iframe element's content box in its own document's viewport; answers `FrameBox`. */
  | { op: "frame_box"; number: number; into_view: boolean }
  /** Resolve when the document's version differs from this one (at once for -1), or at the deadline; answers
   * `{version: number}`. */
  | { op: "changed"; version: number; timeout_ms: number }
  /** Resolve when the DOM has been quiet for `quiet_ms`, or at the deadline; answers `{quiet: boolean}`. */
  | { op: "quiet"; quiet_ms: number; timeout_ms: number }
  /** Show the mouse at a point of the tab, for a moment; answers null. */
  | { op: "effect"; point: Point; press: boolean }
  /** Outline elements; an empty list clears; answers null. */
  | { op: "highlight"; numbers: number[] }
  /**
   * Cover fields that hold secrets and whatever shows one of these texts, until the same is asked with `on: false`;
   * answers null once that is drawn.
   */
  | { op: "cover"; on: boolean; texts?: string[] };

export interface DocumentHello {
  key: string;
  /** The frame number it has: the one offered, or an earlier one. */
  frame: number;
  /** Highest ref number given out so far. */
  highest: number;
  /** The nonces that the parent posted so far: a restarted worker, or a page that came back, joins by them. */
  nonces: string[];
  /** HTTP status of the document (`PerformanceNavigationTiming.responseStatus`), 0 where unknown. */
  status: number;
  version: number;
  url: string;
}

export interface SnapshotReply {
  /** A `DocumentTree` or `DocumentDelta` as JSON text, spliced into the answer without being parsed in the worker. */
  tree: string;
  slots: FrameSlot[];
  key: string;
  /** Highest ref number given out so far. */
  highest: number;
  /** What `ContentGlobal.hear` had answered when the picture was taken. */
  heard: number;
  /** How many elements the document has, and how many came into it so far. */
  elements: number;
  arrived: number;
  /** Names of custom elements that may say something of themselves that only accessibility shows. */
  custom: string[];
}

/** What a custom element says of itself by `ElementInternals`. */
export interface InternalFacts {
  role: string;
  /** The name that it gives itself, or "". */
  label: string;
  /** States and properties by their ARIA names, without the prefix. */
  aria: Record<string, string>;
}

export interface Located {
  /** Where input should go, in the document's own viewport. */
  point: Point;
  box: { x: number; y: number; width: number; height: number };
  /** The document's version before the action. */
  version: number;
}

export interface GuardVerdict {
  /** Whether a press came and reached the element, was kept from the page, or did not come. */
  verdict: "hit" | "missed" | "unseen";
  /** How many presses reached the element and were released. */
  presses: number;
  /** What the element is now, where a press was kept from it because it isn't what was meant. */
  changed: Changed | null;
  /** The document's version now. */
  version: number;
}

/** An element as messages name it. */
export interface Seen {
  ref: string;
  role: string;
  name: string;
}

/** An element that isn't what was meant: what of it is another, and what that is now. */
export interface Changed extends Seen {
  what: "label" | "form" | "cover";
  now: string;
}

export interface KeyVerdict {
  /** How many keys and insertions the element got. */
  reached: number;
  /** It was disabled before it took the text. */
  refused: boolean;
  /** What would have got one instead, first. */
  missed: Seen | null;
  /** What the element is now, where keys were kept from it because it isn't what was meant. */
  changed: Changed | null;
  /** The document's version now. */
  version: number;
}

export interface Hit {
  /** null where the element gets the events. */
  cover: Seen | null;
  /** Whether the mouse came over the element last. */
  came: boolean;
  /** The document's version now. */
  version: number;
}

export interface FrameBox {
  /** Top left of the iframe's content in the parent's viewport, and the scale applied to its content. */
  x: number;
  y: number;
  width: number;
  height: number;
  scale: number;
}

export interface ActReply {
  /** Whether what is filled is an editor, with a selection of its own. */
  editor?: boolean;
  /** The document's version before the in-page part, and after it. */
  before: number;
  version: number;
  /** False where the command needs trusted input to finish (for example a file chooser). */
  done: boolean;
}

export type ContentReply<T = unknown> = { ok: true; value: T } | { ok: false; error: WireError };

/** What content scripts report by themselves. */
export type ContentReport =
  /** The parent document posted this nonce to us. */
  | { report: "frame_nonce"; nonce: string }
  /** A guarded press or key reached its element: known also where the document goes away because of it. */
  | { report: "pressed" }
  /** A content script started; only told, the worker says `hello` by itself. */
  | { report: "ready"; key: string }
  /** The document has changed and its picture is ready again. */
  | { report: "settled" };

/** `globalThis.skillbookBlocker` in the isolated world, there before the content script. */
export interface InputBlockerOrder {
  /** The event that lifts the document's block. */
  liftedBy: string;
  /** Input is on its way to a document that was here before: the content script lets none through for a moment. */
  stillBlocked: boolean;
}

/** `globalThis.skillbook` in the isolated world, which pages can't see: for what the worker does by debugger. */
export interface ContentGlobal {
  key: string;
  element(number: number): Element | null;
  /** Number elements that the cdp engine found, in their order; null stands for one that is gone. */
  note(elements: (Element | null)[], roles: string[], names: string[]): NotedElements;
  /** The same for elements told by their places; null where the document isn't as the capture saw it. */
  noteAt(capture: CaptureFacts, places: number[], roles: string[], names: string[]): NotedElements | null;
  /** Elements that the page's scripts listen on, or do no more; a count that grows with all that was not known. */
  hear(elements: (Element | null)[], listened: boolean[]): number;
  /** Custom elements of these names. */
  customElements(tags: string[]): Element[];
  /** What custom elements say by their internals, or null; how many said something else before. */
  tell(elements: (Element | null)[], facts: (InternalFacts | null)[]): number;
  /** How many elements came into the document so far, as far as that was seen. */
  readonly arrived: number;
}

/** By which a content script knows that nothing has changed since the document was captured. */
export interface CaptureFacts {
  /** The document's version right before. */
  version: number;
  /** How many elements were captured: each followed by those of its shadow root, then by its children's. */
  total: number;
  /** Tags of the elements in question. */
  tags: string[];
}

export interface NotedElements {
  numbers: number[];
  /** Places of those that are, or once were, secret fields. */
  secret: number[];
  /** Highest ref number given out so far. */
  highest: number;
}

/** Name of the port that a shared tab's main document holds. */
export const KEEPER = "keeper";
/** What the worker says on that port when the tab isn't shared any more. */
export const ENOUGH = "enough";

// What the service worker and the content scripts say to each other. A content script answers one request with one
// reply; it never sees the kernel, tokens or other tabs. Every request goes to one document (by documentId).

import type {
  CommandName,
  Commands,
  DocumentTree,
  ElementQuery,
  ExpectedTarget,
  FindQuery,
  Gesture,
  InPageCommand,
  OpenEffect,
  TableRows,
  WantedFact,
  WireError,
} from "../protocol/generated";

/** Where a document's iframe stands, for joining trees and for turning frame coordinates into the tab's. */
export interface FrameSlot {
  /** Ref number of the iframe element in its document. */
  number: number;
  /**
   * Random hex, of at least 128 bits and kept for the window's life; the debugger, or else the parent's report
   * `frame_key`, says which document is in it. The tree has it as the iframe node's `extra.document`, written
   * `"document":"NONCE"`; the worker puts the child's key there.
   */
  nonce: string;
}

export interface Point {
  x: number;
  y: number;
}

interface Box extends Point {
  width: number;
  height: number;
}

/** Where on an element: a thing may be dropped before or after it; a place in a canvas or image has pixels. */
export type Position = "center" | "before" | "after" | readonly [x: number, y: number];

/** Conditions that must hold before input goes to an element, in the order in which they are waited for. */
export type Need = "visible" | "stable" | "enabled" | "editable" | "receives_events";

/** The in-page part of a command; who sends it and who carries it out check that the parameters belong to it. */
interface ActRequest {
  command: InPageCommand;
  params: Commands[InPageCommand]["params"];
  /** The ref's number in this document; null where the command has no element, 0 for the document itself. */
  number: number | null;
  /**
   * Finish the command by script. Otherwise fill leaves the old text selected and type the caret at the end, both
   * focused and `done: false`, and the worker types.
   */
  synthetic: boolean;
  timeout_ms: number;
  /** Show a frame around the element for a moment, and the mouse where there is no real one. */
  flash?: boolean;
  expected: ExpectedTarget | null;
  /** Guard keys for the element for so long where it isn't done, as `guard_keys` does. */
  guard_ms?: number | null;
}

/** A command that reads one element, or the document, whose number is null. */
interface Reading<C extends CommandName> {
  request: { number: number | null; params: Commands[C]["params"] };
  reply: Commands[C]["result"];
}

/** Every request to a content script, and its reply. */
interface ContentCalls {
  /**
   * Give the document its frame number; its next new ref comes after `after`. A document that has a frame number
   * keeps it and only raises its counter. The worker sends this once after each commit or worker start, before
   * anything else.
   */
  hello: { request: { frame: number; after: number }; reply: DocumentHello };
  /** Tell the content script of the document around it, which listens by now, which document is in that frame. */
  meet: { request: object; reply: null };
  /** `known` is the stamp of the snapshot that the kernel has; tables with more than these `rows` are read in part. */
  snapshot: {
    request: { known?: number | null; rows?: TableRows | null; elements?: ElementQuery | null };
    reply: SnapshotReply;
  };
  /**
   * Elements with what is in them: those that a query may name, else those of the numbers. The tree is null where the
   * document can't say which ones the query names; `records` are given of few.
   */
  find: {
    request: { query: FindQuery | null; numbers: number[]; records: boolean; fact?: WantedFact | null };
    reply: FindReply;
  };
  /** Scroll into view, wait until every need holds (with a deadline), and say where. */
  locate: {
    request: {
      number: number;
      needs: Need[];
      timeout_ms: number;
      position?: Position;
      /** What is dragged there, where that is in the same document. */
      dragged?: number | null;
      /** Show a frame around it for a moment. */
      flash?: boolean;
      /** Guard presses for the element once it can get them, as `guard` does, for so long. */
      guard_ms?: number | null;
      expected?: ExpectedTarget | null;
    };
    reply: Located;
  };
  /** What gets the mouse at a point: ref numbers, innermost first, and the point in the first's box. */
  element_at: { request: { point: Point }; reply: ElementAt };
  /** What gets the events at a point just located in the element's place. */
  hit: { request: { number: number; point: Point }; reply: Hit };
  /**
   * Until `unguard`, or for the command's `ms`, keep presses from the page that don't reach the element; null lets none
   * through. For an iframe
   * element that is every press that its document sees, since those on the frame's content go to the frame.
   */
  guard: {
    request: { number: number | null; ms: number; expected?: ExpectedTarget | null };
    reply: undefined;
  };
  unguard: { request: object; reply: PointerVerdict };
  /**
   * Until `unguard_keys`, or for the command's `ms`, keep keys and text from everything but the element; null lets
   * nothing in this document have them, 0 the document itself, where nothing in it that takes keys has the focus.
   */
  guard_keys: {
    request: { number: number | null; ms: number; expected: ExpectedTarget | null };
    reply: undefined;
  };
  /** With `taken`, where the element got a text, also whether it holds that a frame later. */
  unguard_keys: { request: { taken?: Taken | null }; reply: KeyVerdict };
  /** Over when the document has rendered what came to it until now. */
  rendered: { request: object; reply: undefined };
  /** Whether an element may be dragged without any change of the document: by the browser, or in a canvas. */
  drags_unseen: { request: { number: number }; reply: boolean };
  /** Fails where what was dragged beside an element of its list isn't there within a moment. */
  require_beside: {
    request: { number: number; dragged: number; position: "before" | "after" };
    reply: undefined;
  };
  /** Paste a text into a code editor that nobody types lines into as they are; false for everything else. */
  paste: { request: { number: number; text: string }; reply: boolean };
  /** The in-page part of a command: focus, fill, select, check by DOM, synthetic events. */
  act: { request: ActRequest; reply: ActReply };
  /** The command ended early: an `act` under way must do nothing more. */
  abort: { request: object; reply: undefined };
  get: Reading<"get">;
  is: Reading<"is"> & { request: { expected?: ExpectedTarget | null } };
  describe: Reading<"describe"> & { request: { expected: ExpectedTarget | null } };
  /** What an element shows as plain HTML to read; null for the document. */
  shown_html: { request: { number: number | null }; reply: { html: string; canvases: number } };
  /** The tools that the document declares. */
  page_tools: { request: object; reply: Commands["page_tools"]["result"] };
  /** Whether one of them may be called so, and whether it is a form that waits to be sent. */
  find_page_tool: { request: { name: string; args: object }; reply: { waits: boolean } };
  /** Call it; null where a form still waits to be sent after so long. */
  call_page_tool: {
    request: { name: string; args: object; form_ms: number };
    reply: PageToolAnswer | null;
  };
  /** What the browser has measured of the document. */
  web_vitals: { request: object; reply: Commands["metrics"]["result"] };
  /** Request an address in the page's name, with its session. */
  fetch: {
    request: { url: string; headers: Record<string, string>; timeout_ms: number };
    reply: Commands["fetch_alike"]["result"];
  };
  /** The iframe element's content box in its document's viewport. */
  frame_box: {
    request: { number: number; through: { point: Point; center: boolean } | null };
    reply: FrameBox;
  };
  /** Reply when the document's version differs from this one (at once for -1), or at the deadline. */
  changed: { request: { version: number; timeout_ms: number }; reply: { version: number } };
  /** A command begins to act in the document, or, with null, is over: what begins meanwhile is what it causes. */
  acts: { request: { act: number | null }; reply: undefined };
  /**
   * What acts from this one on have caused in the document and is open, at once, or when nothing is left of it, so long
   * at most. `scripts` is the act because of which the browser loads scripts just now, or 0; a tab that isn't shown may
   * render no frames.
   */
  caused: {
    request: { since: number; timeout_ms: number; scripts: number; shown: boolean };
    reply: DocumentCauses;
  };
  /** The debugger leaves: the page gets its functions back. */
  let_causes_go: { request: object; reply: undefined };
  /** Show the mouse at a point of the tab, for a moment. */
  effect: { request: { point: Point; press: boolean }; reply: undefined };
  /** Outline elements; an empty list clears. */
  highlight: { request: { numbers: number[] }; reply: undefined };
  /** Report what a person does in the document, or no more; the page shows the text, an empty one nothing. */
  record: { request: { on: boolean; text: string }; reply: undefined };
  /**
   * Report the element that a person presses next, or Escape, and keep presses from the page, until the same comes with
   * `on: false`, and so long at most; the page shows the text.
   */
  pick: { request: { on: boolean; text: string; timeout_ms: number }; reply: undefined };
  /**
   * Mask fields that hold secrets and whatever shows one of these texts, all of a `closed` document, until the same comes with `on: false`;
   * the reply comes once the mask is rendered.
   */
  mask: {
    request: { on: boolean; texts?: string[]; forAi?: boolean; closed?: boolean };
    reply: undefined;
  };
}

export type ContentOp = keyof ContentCalls;
export type ContentRequest<Op extends ContentOp = ContentOp> = {
  [Name in Op]: { op: Name } & ContentCalls[Name]["request"];
}[Op];
/** A request to one document; its `op` says which reply it gets. */
export type RequestFor<Op extends ContentOp> = { op: Op } & ContentCalls[Op]["request"];
export type ReplyTo<Op extends ContentOp> = ContentCalls[Op]["reply"];

export interface DocumentHello {
  key: string;
  /** The frame number it has: the one offered, or an earlier one. */
  frame: number;
  /** Highest ref number given out so far. */
  highest: number;
  /** Media type of the document, such as `text/html`. */
  type: string;
  /** HTTP status of the document (`PerformanceNavigationTiming.responseStatus`), 0 where unknown. */
  status: number;
}

export interface SnapshotReply {
  /** A `DocumentTree` or `DocumentDelta` as JSON text, spliced into the answer without being parsed in the worker. */
  tree: string;
  slots: FrameSlot[];
  /** Highest ref number given out so far. */
  highest: number;
  /** How many elements the document has. */
  elements: number;
  /** Names of custom elements that may say something of themselves that only accessibility shows. */
  custom: string[];
}

/** What acts have caused in a document, as its page's script reports it: data of the page. */
export interface DocumentCauses {
  /** Whether the script is there. */
  script: boolean;
  waiting: OpenEffect[];
  never: OpenEffect[];
  /** How often code of acts ran. */
  runs: number;
}

/** What answers `find`. */
export interface FindReply extends Pick<SnapshotReply, "highest" | "custom"> {
  tree: DocumentTree | null;
  /** For each of few elements, by its number, what the record around it is found in. */
  around: [number, DocumentTree][] | null;
  /** The wanted fact of the only element that may be meant, and its number. */
  fact: { number: number; value: unknown } | null;
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
  /** Where input should go, in the document's viewport. */
  point: Point;
  box: Box;
}

export interface PointerVerdict {
  /**
   * Whether a press came and reached the element, was kept from the page by us, was stopped by a listener of the page
   * before we saw it, or never came to the document.
   */
  verdict: "hit" | "missed" | "unseen" | "never";
  /** How many presses reached the element and were released. */
  presses: number;
  /** What the element is now, where a press was kept from it because it isn't what was expected. */
  changed: ChangedTarget | null;
  /** The state that a checkbox or radio button was to come to, where it got no click itself and has not come to it. */
  awaited: boolean | null;
}

/** An element as messages name it. */
export interface NamedElement {
  ref: string;
  role: string;
  name: string;
}

/** An element that isn't what was expected: what of it differs, and what that is now. */
export interface ChangedTarget extends NamedElement {
  what: "label" | "form" | "cover" | "link" | "values" | "seen" | "css" | "part" | "record" | "left";
  now: string;
}

/** What a field was given: a value, or a text `typed` after what it held; one that was `pasted` came without a key. */
export interface Taken {
  value: string;
  typed: boolean;
  pasted: boolean;
}

export interface KeyVerdict {
  /** How many keys and insertions the element got. */
  reached: number;
  /** Whether any came to the document, whatever listeners made of it. */
  came: boolean;
  /** What has the focus instead of the element, where none came. */
  away: NamedElement | null;
  /** It was disabled before it took the text. */
  refused: boolean;
  /** What would have got one instead, first. */
  missed: NamedElement | null;
  /** What the element is now, where keys were kept from it because it isn't what was expected. */
  changed: ChangedTarget | null;
  /** Where it was looked at whether the text was taken: why not, and the document's version after that. */
  held?: { refusal: WireError | null; version: number };
}

export interface ElementAt {
  numbers: number[];
  /** Whether the first is a canvas or an image. */
  surface: boolean;
  at: [number, number];
}

export interface Hit {
  /** null where the element gets the events. */
  cover: NamedElement | null;
  /** Whether the mouse came over the element last. */
  came: boolean;
}

/** Where an iframe's content stands in the parent's viewport, and the scale applied to its content. */
export interface FrameBox extends Box {
  scale: number;
}

/** What a page's tool answered: text, or any other value of JSON. */
export interface PageToolAnswer {
  value: unknown;
}

export interface ActReply {
  /** Whether what is replaced is an editor, which has a selection apart from the browser's. */
  editor?: boolean;
  /** The key that does the rest, where it is no text. */
  key?: string;
  /** Whether no press can reach the element, and a key on it does the same. */
  by_key?: boolean;
  /** False where the command needs trusted input to finish (for example a file chooser). */
  done: boolean;
  /** The document's version before this. */
  version: number;
}

export type ContentReply<T = unknown> = { ok: true; value: T } | { ok: false; error: WireError };

/** What content scripts report by themselves. */
export type ContentReport =
  /** A document in the frame that has this nonce has this key. */
  | { report: "frame_key"; nonce: string; key: string }
  /** A guarded press or key reached its element: known also where the document goes away because of it. */
  | { report: "pressed" }
  /** A mouse button or a key was pressed, and by no command. */
  | { report: "person_input" }
  /** A person did something while a recording is on; `highest` is the highest ref number given out by then. */
  | { report: "gesture"; gesture: Gesture; highest: number }
  /**
   * A person pointed at the first of these elements, which is in the others, or, where there is none, at nothing;
   * `highest` is the highest ref number given out by then.
   */
  | { report: "picked"; frame: number; path: number[]; highest: number }
  /** A content script started, in a tab that may be recorded or pointed in. */
  | { report: "ready" };

/** `globalThis.skillbookBlocker` in the isolated world, there before the content script. */
export interface InputBlockerOrder {
  /** The event that lifts the document's block. */
  liftedBy: string;
  /** Input is on its way to a document that was here before: the content script lets none through for a moment. */
  stillBlocked: boolean;
  /** The event by which the script in the page's world is found. */
  causes: string;
}

/** `globalThis.skillbook` in the isolated world, which pages can't see: for what the worker does by debugger. */
export interface ContentGlobal {
  key: string;
  /** The document's version now. */
  version(): number;
  element(number: number): Element | null;
  /** The number of an iframe's window. */
  nonceOf(frame: Element): string;
  /** Number elements that the cdp engine found, in their order; null stands for one that is gone. */
  note(elements: (Element | null)[], roles: string[], names: string[]): NotedElements;
  /** All elements that the page's scripts listen on; null stands for one that is gone. */
  setListeners(nodes: (Node | null)[]): void;
  /** Custom elements of these names. */
  customElements(tags: string[]): Element[];
  /** What custom elements say by their internals, or null. */
  setInternals(elements: (Element | null)[], facts: (InternalFacts | null)[]): void;
}

export interface NotedElements {
  numbers: number[];
  /** Places of those that are, or once were, secret fields. */
  secret: number[];
  /** Highest ref number given out so far. */
  highest: number;
  ready_state: DocumentReadyState;
}

/** Name of the port by which a shared tab's main document keeps the worker alive. */
export const KEEPALIVE = "keepalive";
/** What the worker sends on that port when the tab isn't shared any more. */
export const NOT_SHARED = "not shared";

// From a ref to a document, and from a place in a document to a place in the tab.

import { Failure } from "../../shared/errors";
import type {
  FrameBox,
  GuardVerdict,
  Hit,
  Located,
  Need,
  Point,
  Seen,
  SnapshotReply,
} from "../../shared/messages";
import { splitRef } from "../../shared/refs";
import type { PageCall, Parts } from "../commands/context";
import { requireOrigin } from "../commands/origins";
import type { Doc } from "./registry";

/** Time kept back to say what was in the way; frames come ten a second in hidden tabs. */
const RESERVE_MS = 250;

/** A document's last words, that input reached it, arrive within this. */
const REPORT_MS = 150;

export interface Target {
  ref: string;
  doc: Doc;
  number: number;
}

export interface Spot {
  target: Target;
  /** In the tab's viewport. */
  point: Point;
  /** In the document's own viewport. */
  inner: Point;
  box: Located["box"];
  version: number;
}

export async function findTarget(parts: Parts, call: PageCall, ref: string): Promise<Target> {
  const split = splitRef(ref);
  if (!split)
    throw new Failure("invalid_params", `Not a ref: ${ref.slice(0, 50)}`, "write a ref such as e12 or f3e5");
  const doc = await parts.documents.byFrame(call.tab, split.frame, call.deadline);
  requireOrigin(parts, call, doc);
  return { ref, doc, number: split.number };
}

/** The document in the frame that an element is; null where it is none, or an empty one. */
export async function documentIn(parts: Parts, call: PageCall, target: Target): Promise<Doc | null> {
  const children = (): Doc[] => parts.documents.children(target.doc);
  if (children().some((child) => !child.owner)) {
    const request = { op: "snapshot", offscreen: true } as const;
    const { slots } = await parts.documents.ask<SnapshotReply>(target.doc, request, call.deadline);
    parts.documents.join(target.doc, slots);
  }
  const held = children().find(({ owner }) => owner?.doc === target.doc && owner.number === target.number);
  if (held) requireOrigin(parts, call, held);
  return held ?? null;
}

export interface Aim {
  position?: "center" | "before" | "after";
  /** Keep presses that don't reach the element from its document. */
  guard?: boolean;
}

/** Wait until an element can be acted on, and say where. */
export async function locate(
  parts: Parts,
  call: PageCall,
  target: Target,
  needs: Need[],
  { position = "center", guard = false }: Aim = {},
): Promise<Spot> {
  // Leave time to say which need was not met.
  const left = call.deadline.left();
  const timeout_ms = Math.max(50, Math.round(Math.min(left * 0.8, left - RESERVE_MS)));
  const request = {
    op: "locate",
    number: target.number,
    needs,
    timeout_ms,
    position,
    guard,
    meant: guard ? call.meant : null,
    flash: call.effects,
  } as const;
  const { point, box, version } = await parts.documents.ask<Located>(target.doc, request, call.deadline);
  const outer = await toTab(parts, call, target.doc, point);
  return { target, point: outer.point, inner: point, box: scaled(box, point, outer), version };
}

/**
 * In all other documents of the tab let no press through: one that is seen there did not go to the target. Those
 * that hold its frame let its frame have it.
 */
export async function guardOthers(parts: Parts, call: PageCall, target: Target): Promise<void> {
  const owners = new Map<Doc, number>();
  for (let at = target.doc.owner; at; at = at.doc.owner) owners.set(at.doc, at.number);
  await Promise.all(
    others(parts, call, target).map(async (doc) => {
      const request = { op: "guard", number: owners.get(doc) ?? null } as const;
      const armed = parts.documents.ask<null>(doc, request, call.deadline);
      await (owners.has(doc) ? armed : armed.catch((error) => onlyGone(call, error)));
    }),
  );
}

/**
 * End the guards; "missed" where any document kept a press from the page. A press that nobody saw was stopped by
 * a listener of the page's own, after it had gone to the right place.
 */
export async function unguard(parts: Parts, call: PageCall, target: Target): Promise<GuardVerdict> {
  const ask = (doc: Doc): Promise<GuardVerdict> => parts.documents.ask(doc, { op: "unguard" }, call.deadline);
  const [own, ...rest] = await Promise.all([
    ask(target.doc),
    ...others(parts, call, target).map((doc) => ask(doc).catch((error) => onlyGone(call, error))),
  ]);
  const missed = rest.some((verdict) => verdict?.verdict === "missed");
  return missed ? { ...own, verdict: "missed" } : own;
}

/** The tab's other documents. */
export function others(parts: Parts, call: PageCall, target: Pick<Target, "doc">): Doc[] {
  return parts.documents.known(call.tab).filter((doc) => doc !== target.doc);
}

/** A document that goes away meanwhile gets no input either. */
export function onlyGone(call: PageCall, error: unknown): null {
  if (call.deadline.signal.aborted || !(error instanceof Failure)) throw error;
  return null;
}

/**
 * Hears of the first press or key that a target's document got, also where the document goes away with it. What takes
 * its place meanwhile gets no input.
 */
export class Landing {
  #landed = false;
  readonly #stop: () => void;
  readonly #release: () => void;

  constructor(
    private readonly parts: Parts,
    private readonly target: Target,
  ) {
    this.#release = parts.documents.hold(target.doc.tab);
    this.#stop = parts.documents.pressed.on((id) => {
      this.#landed ||= id === target.doc.id;
    });
  }

  /** The document has gone: pass where the input had reached it, else say that nothing was done. */
  async explainGone(): Promise<void> {
    const { doc, ref } = this.target;
    const patience = new Promise<void>((resolve) => setTimeout(resolve, REPORT_MS));
    if (!this.#landed) await this.parts.documents.pressed.nextOr((id) => id === doc.id, patience);
    if (this.#landed) return;
    throw new Failure(
      "page_navigated",
      `The document at ${doc.url} went away before the input reached ${ref}.`,
    );
  }

  close(): void {
    this.#stop();
    this.#release();
  }
}

/**
 * What gets the events of a located element's point in its place, through all its frames; null where it does. `heard`
 * is told what each document says.
 */
export async function coverAt(
  parts: Parts,
  call: PageCall,
  spot: Spot,
  heard: ((doc: Doc, hit: Hit) => void) | null = null,
): Promise<Seen | null> {
  let { doc, number } = spot.target;
  let point = spot.inner;
  for (;;) {
    const request = { op: "hit", number, point } as const;
    const hit = await parts.documents.ask<Hit>(doc, request, call.deadline);
    const { cover } = hit;
    heard?.(doc, hit);
    if (cover) return cover;
    const owner = doc.owner;
    if (!owner) return null;
    const box = await frameBox(parts, call, owner, false);
    point = through(point, box);
    ({ doc, number } = owner);
  }
}

async function toTab(
  parts: Parts,
  call: PageCall,
  doc: Doc,
  inner: Point,
): Promise<{ point: Point; scale: number }> {
  let point = inner;
  let scale = 1;
  for (let at = doc; at.frameId !== 0; ) {
    const owner = at.owner ?? (await findOwner(parts, call, at));
    let box = await frameBox(parts, call, owner, false);
    const inside =
      point.x >= 0 && point.y >= 0 && point.x * box.scale <= box.width && point.y * box.scale <= box.height;
    if (!inside) box = await frameBox(parts, call, owner, true);
    point = through(point, box);
    scale *= box.scale;
    at = owner.doc;
  }
  return { point, scale };
}

/** Ask the parent which of its iframes holds the document: needed where no snapshot told it yet. */
async function findOwner(parts: Parts, call: PageCall, doc: Doc): Promise<NonNullable<Doc["owner"]>> {
  const docs = await parts.documents.list(call.tab, call.deadline);
  const parent = docs.find((each) => each.id === doc.parent);
  if (parent) {
    const request = { op: "snapshot", offscreen: true } as const;
    const { slots } = await parts.documents.ask<SnapshotReply>(parent, request, call.deadline);
    for (;;) {
      parts.documents.join(parent, slots);
      if (doc.owner) return doc.owner;
      await parts.documents.joined.nextOr((tab) => tab === call.tab, call.deadline.over());
    }
  }
  throw new Failure("stale_ref", "The frame that held this element is gone.");
}

function frameBox(
  parts: Parts,
  call: PageCall,
  owner: NonNullable<Doc["owner"]>,
  into_view: boolean,
): Promise<FrameBox> {
  const request = { op: "frame_box", number: owner.number, into_view } as const;
  return parts.documents.ask<FrameBox>(owner.doc, request, call.deadline);
}

function through(point: Point, box: FrameBox): Point {
  return { x: box.x + point.x * box.scale, y: box.y + point.y * box.scale };
}

/** The element's box in the tab's viewport. */
function scaled(box: Located["box"], inner: Point, outer: { point: Point; scale: number }): Located["box"] {
  const { point, scale } = outer;
  return {
    x: point.x + (box.x - inner.x) * scale,
    y: point.y + (box.y - inner.y) * scale,
    width: box.width * scale,
    height: box.height * scale,
  };
}

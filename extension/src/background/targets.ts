// From a ref to a document, and from a place in a document to a place in the tab.

import { Failure } from "../shared/errors";
import type { FrameBox, GuardVerdict, Located, Need, Point, SnapshotReply } from "../shared/messages";
import { splitRef } from "../shared/refs";
import type { PageCall, Parts } from "./context";
import type { Doc } from "./registry";

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
  return { ref, doc, number: split.number };
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
  const timeout_ms = Math.max(50, Math.round(call.deadline.left() * 0.8));
  const request = { op: "locate", number: target.number, needs, timeout_ms, position, guard } as const;
  const { point, box, version } = await parts.documents.ask<Located>(target.doc, request, call.deadline);
  const outer = await toTab(parts, call, target.doc, point);
  return { target, point: outer.point, inner: point, box: scaled(box, point, outer), version };
}

/** In the documents around the target's, let no press through: one that is seen there did not go to the frame. */
export async function guardFrames(parts: Parts, call: PageCall, target: Target): Promise<void> {
  const owners: NonNullable<Doc["owner"]>[] = [];
  for (let at = target.doc.owner; at; at = at.doc.owner) owners.push(at);
  const guard = (owner: NonNullable<Doc["owner"]>): Promise<null> =>
    parts.documents.ask(owner.doc, { op: "guard", number: owner.number }, call.deadline);
  await Promise.all(owners.map(guard));
}

/**
 * End the guards; "missed" where any document kept a press from the page. A press that nobody saw was stopped by
 * a listener of the page's own, after it had gone to the right place.
 */
export async function unguard(parts: Parts, call: PageCall, target: Target): Promise<GuardVerdict> {
  const docs: Doc[] = [];
  for (let at = target.doc.owner; at; at = at.doc.owner) docs.push(at.doc);
  const ask = (doc: Doc): Promise<GuardVerdict> => parts.documents.ask(doc, { op: "unguard" }, call.deadline);
  const [own, ...others] = await Promise.all([ask(target.doc), ...docs.map(ask)]);
  const missed = others.some(({ verdict }) => verdict === "missed");
  return missed ? { ...(own as GuardVerdict), verdict: "missed" } : (own as GuardVerdict);
}

/** Whether a located element still gets the events of its point, through all its frames. */
export async function isHit(parts: Parts, call: PageCall, spot: Spot): Promise<boolean> {
  let { doc, number } = spot.target;
  let point = spot.inner;
  for (;;) {
    const hit = await parts.documents.ask<boolean>(doc, { op: "hit", number, point }, call.deadline);
    if (!hit) return false;
    const owner = doc.owner;
    if (!owner) return true;
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

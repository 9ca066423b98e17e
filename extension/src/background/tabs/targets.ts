// From a ref to its element's document, and from a place in a document to a place in the tab.

import { Failure } from "../../shared/errors";
import type {
  ContentRequest,
  ElementAt,
  FrameBox,
  Hit,
  Located,
  NamedElement,
  Need,
  Point,
  Position,
  SnapshotReply,
} from "../../shared/messages";
import { splitRef } from "../../shared/refs";
import { type CommandContext, callContent, patienceOf } from "../commands/context";
import { placeFrames } from "./frame_places";
import type { Doc } from "./registry";

export interface Target {
  ref: string;
  doc: Doc;
  number: number;
}

export interface Spot {
  /** In the tab's viewport. */
  point: Point;
  /** In the document's viewport. */
  inner: Point;
  box: Located["box"];
}

export async function findTarget(context: CommandContext, ref: string): Promise<Target> {
  const split = splitRef(ref);
  if (!split)
    throw new Failure("invalid_params", `Not a ref: ${ref.slice(0, 50)}`, "write a ref such as e12 or f3e5");
  const { documents } = context.services;
  const doc = await documents.byFrame(context.tab, split.frame, context.deadline);
  requireOrigin(context, doc);
  return { ref, doc, number: split.number };
}

/** The document in the frame that an element is; null where it is no frame, or an empty one. */
export async function documentIn(context: CommandContext, target: Target): Promise<Doc | null> {
  const { documents } = context.services;
  const children = (): Doc[] => documents.children(target.doc);
  if (children().some((child) => !child.owner)) await joinFrames(context, target.doc);
  const found = children().find(({ owner }) => owner?.doc === target.doc && owner.number === target.number);
  if (found) requireOrigin(context, found);
  return found ?? null;
}

/**
 * Wait until an element can be acted on, and say where. `guard` keeps presses that miss it from its document; `center`
 * scrolls its frames to the middle also where they are in view, for something may lie over them.
 */
export async function locate(
  context: CommandContext,
  { doc, number }: Target,
  needs: Need[],
  {
    position = "center",
    guard = false,
    dragged = null,
    center = false,
  }: { position?: Position; guard?: boolean; dragged?: number | null; center?: boolean } = {},
): Promise<Spot> {
  const timeout_ms = patienceOf(context);
  const guard_ms = guard ? context.deadline.left() : null;
  const checks = { needs, position, guard_ms, dragged, expected: guard ? context.expected : null };
  const request = { op: "locate", number, timeout_ms, flash: context.effects, ...checks } as const;
  const { point: inner, box } = await callContent(context, doc, request);
  const { point, scale } = await toTab(context, doc, inner, center);
  const [x, y] = [point.x + (box.x - inner.x) * scale, point.y + (box.y - inner.y) * scale];
  return { point, inner, box: { x, y, width: box.width * scale, height: box.height * scale } };
}

/**
 * What gets the events of a located element's point in its place, through all its frames; null where it does itself.
 * `onHit` gets what each document answers.
 */
export async function coverAt(
  context: CommandContext,
  target: Pick<Target, "doc" | "number">,
  spot: Pick<Spot, "inner">,
  onHit: (doc: Doc, hit: Hit) => void = () => undefined,
): Promise<NamedElement | null> {
  let { doc, number } = target;
  let point = spot.inner;
  for (;;) {
    const hit = await callContent(context, doc, { op: "hit", number, point });
    onHit(doc, hit);
    if (hit.cover || !doc.owner) return hit.cover;
    point = outside(point, await frameBox(context, doc.owner));
    ({ doc, number } = doc.owner);
  }
}

/** What gets the events of a located element's point in the place of a frame that it is in; null for nothing. */
export async function frameCoverAt(
  context: CommandContext,
  { doc: { owner } }: Target,
  { inner }: Spot,
): Promise<NamedElement | null> {
  return owner && coverAt(context, owner, { inner: outside(inner, await frameBox(context, owner)) });
}

/** What gets the mouse at a point of the tab's viewport, in the innermost frame there. */
export async function elementAt(context: CommandContext, point: Point): Promise<ElementAt & { doc: Doc }> {
  let doc = await context.services.documents.main(context.tab, context.deadline);
  for (let inner = point; ; ) {
    const found = await callContent(context, doc, { op: "element_at", point: inner });
    const [number] = found.numbers;
    const child = number ? await documentIn(context, { ref: "", doc, number }) : null;
    if (!child || !number) return { ...found, doc };
    const { x, y, width, height, scale } = await frameBox(context, { doc, number });
    const [left, top] = [inner.x - x, inner.y - y];
    if (left < 0 || top < 0 || left >= width || top >= height) return { ...found, doc };
    inner = { x: left / scale, y: top / scale };
    doc = child;
  }
}

async function toTab(
  context: CommandContext,
  doc: Doc,
  inner: Point,
  center: boolean,
): Promise<{ point: Point; scale: number }> {
  let point = inner;
  let scale = 1;
  for (let at = doc; at.frameId !== 0; ) {
    const owner = at.owner ?? (await findOwner(context, at));
    const box = await frameBox(context, owner, { point, center });
    point = outside(point, box);
    scale *= box.scale;
    at = owner.doc;
  }
  return { point, scale };
}

/** Which of its parent's iframes the document is in: the parent says, where no snapshot has joined them yet. */
async function findOwner(context: CommandContext, doc: Doc): Promise<NonNullable<Doc["owner"]>> {
  const { services, tab, deadline } = context;
  const docs = await services.documents.list(tab, deadline);
  const parent = docs.find((each) => each.id === doc.parent);
  if (!parent) throw new Failure("stale_ref", "The frame that held this element is gone.");
  const slots = await joinFrames(context, parent);
  while (!doc.owner) {
    await services.documents.joined.next((one) => one === tab, deadline);
    services.documents.join(parent, slots);
  }
  return doc.owner;
}

/** Join the documents in a document's iframes to these, as far as they have reported their nonces. */
export async function joinFrames(context: CommandContext, parent: Doc): Promise<SnapshotReply["slots"]> {
  const { documents } = context.services;
  const [{ slots }] = await Promise.all([
    callContent(context, parent, { op: "snapshot" }),
    placeFrames(context, [parent, ...documents.children(parent)]),
  ]);
  documents.join(parent, slots);
  return slots;
}

/** Where a frame is; with a point of its content, once that is in view in the document around it. */
function frameBox(
  context: CommandContext,
  { doc, number }: NonNullable<Doc["owner"]>,
  through: ContentRequest<"frame_box">["through"] = null,
): Promise<FrameBox> {
  return callContent(context, doc, { op: "frame_box", number, through });
}

/** A point of a frame's content, in the document around the frame. */
function outside(point: Point, box: FrameBox): Point {
  return { x: box.x + point.x * box.scale, y: box.y + point.y * box.scale };
}

/** The origin of a committed address, as the kernel writes it; null for addresses that have none. */
function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return `${protocol}//${hostname.replace(/\.$/, "")}${port && `:${port}`}`;
}

/** The address that gives a document its origin: an about: document has that of the document around it. */
function addressOf(context: CommandContext, doc: Doc): string {
  const known = context.services.documents.known(context.tab);
  let at = doc;
  for (let above: Doc | undefined = doc; above?.url.startsWith("about:") && above.parent !== null; ) {
    const { parent }: Doc = above;
    above = known.find((each) => each.id === parent);
    at = above ?? doc;
  }
  return at.url;
}

/** A document's origin, as the kernel writes it. */
export function originIn(context: CommandContext, doc: Doc): string | null {
  return originOf(addressOf(context, doc));
}

/** Refuse where the document that the browser committed isn't of the origin that the command was judged for. */
export function requireOrigin(context: CommandContext, doc: Doc): void {
  requireAddress(context, addressOf(context, doc), doc.frameId === 0);
}

/** The same for commands without an element: the tab's main document. */
export async function requireTabOrigin(context: CommandContext): Promise<void> {
  if (!context.origin) return;
  const { url } = await context.services.tabs.get(context.tab);
  requireAddress(context, url ?? "", true);
}

function requireAddress(context: CommandContext, address: string, main: boolean): void {
  const origin = originOf(address);
  const expected = context.origin;
  if (!expected || origin === expected) return;
  const where = `the ${main ? "page" : "frame"} is at ${origin ?? address.slice(0, 200)} now`;
  const data = { url: address, origin, expected, main };
  throw new Failure("origin_changed", `The command was for ${expected}, and ${where}.`, "", data);
}

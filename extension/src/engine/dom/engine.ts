// The dom engine: snapshots of one document, and its refs.

import type { DocumentDelta, DocumentTree, FindQuery, TableRows } from "../../protocol/generated";
import { Tables } from "../../shared/columns";
import type { FrameSlot, InternalFacts } from "../../shared/messages";
import { markOffscreen, measure } from "./layout/measure";
import { markBehindModals, markCovered } from "./layout/occlusion";
import { Names } from "./naming/names";
import { Roles } from "./semantics/roles";
import * as dom from "./tree/dom";
import { FlatTree, type OpenShadow } from "./tree/flat_tree";
import { FrameNonces, randomKey } from "./tree/frames";
import { Refs } from "./tree/refs";
import { candidatesFor, mayBeNamed } from "./walk/candidates";
import { WalkPart } from "./walk/part_walk";
import type { NodeRecord } from "./walk/records";
import { FEW, partAround } from "./walk/surroundings";
import { NotPlain, TableBlocks } from "./walk/table_blocks";
import { Walk } from "./walk/walk";
import type { WantedElements } from "./walk/wanted_elements";
import { ChangeWatch, Listening } from "./watch/change_watch";
import { ElementInternals } from "./watch/element_internals";
import { EventListeners } from "./watch/event_listeners";
import { columnsOf, headOf, type NumberedTree } from "./wire/columns";
import { deltaOf, type Sent, sentOf } from "./wire/delta";

interface EngineOptions {
  openShadow: OpenShadow;
  /** Whether the extension is still there; an orphaned script stops by itself. */
  alive: () => boolean;
}

export class Engine {
  readonly key = randomKey();
  readonly flat: FlatTree;
  readonly refs: Refs;
  readonly watch: ChangeWatch;
  readonly roles: Roles;
  readonly listeners: EventListeners;
  readonly internals = new ElementInternals();
  readonly listening = new Listening();
  readonly frames = new FrameNonces();
  private readonly own = new WeakSet<Node>();
  private tables = new Tables();
  private sent: Sent | null = null;
  private stamp = 0;
  frame = 0;
  /** Numbers can be given only after it is known which ones earlier documents had. */
  private isGreeted = false;

  constructor(
    readonly document: Document,
    options: EngineOptions,
  ) {
    this.flat = new FlatTree(options.openShadow);
    this.roles = new Roles(this.flat, this.internals);
    this.listeners = new EventListeners(this.flat, this.roles);
    const isOwn = (node: Node): boolean => this.own.has(node);
    this.watch = new ChangeWatch(document, this.listening, options.alive, isOwn);
    this.refs = new Refs(document, () => void this.watch.version);
    this.watch.onRecords = this.refs.see;
    this.flat.onShadow = (root) => this.watch.observe(root);
  }

  /** Take the place among a tab's documents: its frame number, and from where on to number. */
  greet(frame: number, after: number): void {
    if (!this.isGreeted) this.frame = frame;
    this.isGreeted = true;
    this.refs.startAfter(after);
  }

  /** Exclude a node of our own from snapshots and from what counts as a change. */
  exclude(node: Node): void {
    this.own.add(node);
  }

  /** Whether a node is one of ours. */
  isOwn(node: Node): boolean {
    return this.own.has(node);
  }

  /** How many elements the document has, without those in shadow roots. */
  get size(): number {
    return dom.call(this.document, "getElementsByTagName", "*").length;
  }

  /**
   * The document, and its frames: what changed since the snapshot whose stamp is `known`, where that
   * is the last one, else the whole tree. Where `rows` leaves out rows of a table, or elements are kept that are only
   * looked for, nothing is sent as changes to that.
   */
  snapshot(
    known: number | null = null,
    rows: TableRows | null = null,
    wanted: WantedElements | null = null,
  ): { tree: DocumentTree | DocumentDelta; slots: FrameSlot[] } {
    const { numbered, isPart } = this.takeRows(rows, wanted);
    const { tree } = numbered;
    const slots = this.frames.place(numbered);
    wanted?.report(tree, this.refs);
    if (isPart || tree.plain || wanted?.keep)
      return { tree: { ...tree, roles: [...tree.roles], tags: [...tree.tags] }, slots };
    tree.stamp = ++this.stamp;
    const before = this.sent;
    this.sent = sentOf(tree, this.stamp);
    const delta = before && before.stamp === known ? deltaOf(before, this.sent) : null;
    if (delta) delta.frames = slots.map(({ number, nonce }) => ({ number, document: nonce }));
    return { tree: delta ?? { ...tree, roles: [...tree.roles], tags: [...tree.tags] }, slots };
  }

  /** A snapshot with tables as it is wished; where a large table isn't plain, as it seemed, it is read in part. */
  private takeRows(
    rows: TableRows | null,
    wanted: WantedElements | null,
  ): { numbered: NumberedTree; isPart: boolean } {
    const blocks = rows && new TableBlocks(rows, (table) => this.watch.changesIn(table));
    try {
      const numbered = this.takeSnapshot(blocks, wanted);
      return { numbered, isPart: blocks?.isInUse ?? false };
    } catch (error) {
      if (!(rows && error instanceof NotPlain)) throw error;
      return this.takeRows({ ...rows, plain: false }, wanted);
    }
  }

  /** Walk the document and measure it, in one task: nothing is taken over from an earlier snapshot. */
  takeSnapshot(blocks: TableBlocks | null = null, wanted: WantedElements | null = null): NumberedTree {
    const { document, flat, refs } = this;
    const { version } = this.watch;
    const walk = this.walk(blocks, null, wanted).run(document);
    const { records, modals, elements } = walk;
    const head = { ...headOf(document), elements };
    measure(records, document);
    if (wanted?.keep) wanted.addHidden(records, (element) => this.roles.of(element));
    markOffscreen(records, head.viewport);
    markBehindModals(records, modals);
    markCovered(records, flat);
    if (this.tables.isFull) this.tables = new Tables();
    const active = flat.active(document);
    const place = { key: this.key, frame: this.frame, version };
    return columnsOf(
      records,
      { ...place, ...head },
      this.tables,
      refs,
      active === dom.get(document, "body") ? null : active,
    );
  }

  /** What a walk finds in an element, itself first. */
  walkPart(element: Element): NodeRecord[] {
    return this.walk(null)
      .runIn(element)
      .records.list.filter((record) => !record.dropped);
  }

  /** The elements that a query may name, with what is in them, as a snapshot has them; null where that can't be said. */
  findParts(query: FindQuery): DocumentTree | null {
    const { document, flat, roles } = this;
    const part = candidatesFor(query, { document, flat, roles, names: this.names() });
    return part && this.treeOf(part);
  }

  /** All elements that a query may name, whatever they are in; null where that can't be said. */
  mayBeNamed(query: FindQuery): Element[] | null {
    const { document, flat, roles } = this;
    return mayBeNamed(query, { document, flat, roles, names: this.names() });
  }

  /** Some elements, with what is in them, as a snapshot has them. */
  readParts(elements: readonly Element[]): DocumentTree {
    const part = new WalkPart(this.flat);
    for (const element of elements) part.add(element);
    return this.treeOf(part);
  }

  /** What the records around few elements are found in, by their numbers; null where that takes the whole page. */
  readAround(numbers: readonly number[]): [number, DocumentTree][] | null {
    const found: [number, DocumentTree][] = [];
    if (numbers.length > FEW) return null;
    for (const number of numbers) {
      const known = this.refs.find(number);
      const part = "element" in known ? partAround(known.element, this.flat, this.roles) : null;
      if (!part) return null;
      found.push([number, this.treeOf(part)]);
    }
    return found;
  }

  private treeOf(part: WalkPart): DocumentTree {
    const { document, flat, refs } = this;
    const { version } = this.watch;
    const { records } = part.size ? this.walk(null, part).run(document) : new Walk(this.walkContext());
    part.dropRest(records);
    measure(records, document);
    const active = flat.active(document);
    const focused = active === dom.get(document, "body") ? null : active;
    const head = { key: this.key, frame: this.frame, version, ...headOf(document), elements: 0 };
    return columnsOf(records, head, new Tables(), refs, focused).tree;
  }

  private walk(
    blocks: TableBlocks | null,
    part: WalkPart | null = null,
    wanted: WantedElements | null = null,
  ): Walk {
    return new Walk({ ...this.walkContext(), blocks, part, wanted });
  }

  private walkContext(): ConstructorParameters<typeof Walk>[0] {
    const { flat, roles, internals, listeners } = this;
    return {
      ...{ flat, roles, names: this.names(), listeners, internals: internals.of },
      isOwn: (element) => this.own.has(element),
    };
  }

  /** These are all nodes that scripts listen on: what can be acted on by that is a change. */
  setListeners(nodes: readonly (Node | null)[]): void {
    if (this.listeners.replace(nodes)) this.watch.raise();
  }

  /** What custom elements say by their internals: something else than before is a change. */
  setInternals(elements: readonly (Element | null)[], facts: readonly (InternalFacts | null)[]): void {
    if (this.internals.note(elements, facts)) this.watch.raise();
  }

  /** The names of elements at this moment; `generated` includes the text that style sheets add. */
  names(generated = true): Names {
    return new Names(this.flat, this.roles, generated);
  }

  stop(): void {
    this.watch.stop();
    this.listening.stop();
  }
}

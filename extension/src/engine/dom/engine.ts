// The dom engine: snapshots of one document, and its refs.

import type { FrameSlot } from "../../shared/messages";
import { type Changed, Changes } from "./changes";
import { assemble, type Numbered, surfaceOf, Tables, type Told } from "./columns";
import { deltaOf, type Sent, sentOf } from "./delta";
import { EarlierWalk } from "./earlier";
import { FlatTree, type OpenShadow } from "./flat";
import { FrameNonces, randomKey } from "./frames";
import { LiveState } from "./live";
import { Layout } from "./measure";
import { Names } from "./names";
import { Pseudos } from "./pseudo";
import { Refs } from "./refs";
import { Roles } from "./roles";
import { liveRules } from "./rules";
import { Styles } from "./styles";
import { ChangeWatch } from "./version";
import { Walk, type Walked } from "./walk";

export interface EngineOptions {
  openShadow: OpenShadow;
  /** Whether the extension is still there; an orphaned script stops by itself. */
  alive: () => boolean;
}

/** Elements asked for closed shadow roots during a walk; more are asked when the page is idle. */
const ASKED_AT_ONCE = 1500;
const ASKED_WHEN_IDLE = 400;

/** What a picture leaves to the next one. */
interface Held {
  walk: Walked;
  layout: Layout;
  told: Told;
}

export class Engine {
  readonly key = randomKey();
  readonly flat: FlatTree;
  readonly refs: Refs;
  readonly watch: ChangeWatch;
  readonly roles: Roles;
  private readonly frames = new FrameNonces();
  private readonly own = new WeakSet<Node>();
  private readonly changes: Changes;
  private pseudos = new Pseudos();
  private held: Held | null = null;
  private tables = new Tables();
  private sent: Sent | null = null;
  private stamp = 0;
  private idle = false;
  frame = 0;

  constructor(
    readonly document: Document,
    options: EngineOptions,
  ) {
    this.flat = new FlatTree(options.openShadow);
    this.refs = new Refs(document);
    this.roles = new Roles(this.flat);
    const isOwn = (node: Node): boolean => this.own.has(node);
    this.changes = new Changes(document, this.flat, new LiveState(document, this.flat), new Styles(), isOwn);
    this.changes.observe(document);
    this.watch = new ChangeWatch(document, options.alive, isOwn, (records) => this.changes.take(records));
    this.flat.onShadow = (root) => {
      this.watch.observe(root);
      this.changes.observe(root);
    };
  }

  /** Exclude a node of our own from snapshots and from what counts as a change. */
  exclude(node: Node): void {
    this.own.add(node);
  }

  /**
   * The document as JSON text, and its frames, which are greeted: what changed since the picture whose stamp is
   * `held`, where that is the last one, else the whole tree.
   */
  snapshot(offscreen = true, held: number | null = null): { tree: string; slots: FrameSlot[] } {
    const { tree, frames } = this.picture(offscreen);
    const extras = new Map(tree.extra);
    const slots = frames.map(({ number, element, at }) => {
      const nonce = this.frames.greet(element);
      const extra = extras.get(at);
      if (extra) extra.document = nonce;
      else tree.extra.push([at, { document: nonce }]);
      return { number, nonce };
    });
    tree.stamp = ++this.stamp;
    const before = this.sent;
    this.sent = sentOf(tree, this.stamp);
    const delta = before && before.stamp === held ? deltaOf(before, this.sent) : null;
    if (delta) delta.frames = slots.map(({ number, nonce }) => ({ number, document: nonce }));
    return { tree: JSON.stringify(delta ?? tree), slots };
  }

  /** The document's tree, numbered and measured; what has not changed is taken over from the picture before. */
  picture(offscreen: boolean): Numbered {
    const { version } = this.watch;
    const changed = this.changes.since();
    if (!changed) {
      this.pseudos = new Pseudos();
      if (this.tables.isLong) this.tables = new Tables();
    }
    const { held, picture } = this.look(offscreen, version, changed && this.held, changed);
    this.held = held;
    return picture;
  }

  /** The same picture, put together from nothing and for no later one. */
  pictureAnew(offscreen: boolean): Numbered {
    return this.look(offscreen, this.watch.version, null, null).picture;
  }

  /** Walk the document once more where closed shadow roots turn up. */
  walk(earlier: EarlierWalk | null = null): Walk {
    const ignored = (element: Element): boolean => this.own.has(element);
    for (let from = earlier; ; from = null) {
      const rules = liveRules(this.flat, from ? this.pseudos : undefined, from !== null, this.changes.link);
      const walk = new Walk(this.flat, ignored, rules, from).run(this.document);
      const found = this.flat.pendingCount <= ASKED_AT_ONCE && this.flat.askPending(ASKED_AT_ONCE);
      if (!found) {
        if (this.flat.pendingCount) this.askWhenIdle();
        return walk;
      }
    }
  }

  /** Roles and names of single elements, at this moment. */
  names(): Names {
    return new Names(this.flat, this.roles);
  }

  stop(): void {
    this.watch.stop();
    this.changes.stop();
  }

  private look(
    offscreen: boolean,
    version: number,
    before: Held | null,
    changed: Changed | null,
  ): { picture: Numbered; held: Held } {
    const walk = this.walk(before && changed && new EarlierWalk(before.walk, changed));
    // What is dropped for its place is dropped of this picture alone.
    const pristine = { records: walk.records.copy(), frames: walk.frames, modals: walk.modals };
    const layout = new Layout(walk.records);
    const surface = surfaceOf(this.document, (it) => {
      layout.measure(it, this.document, before?.layout ?? null, changed);
      return layout.boxes.slice();
    });
    const head = { key: this.key, frame: this.frame, version };
    const picture = assemble(walk, surface, this.refs, head, offscreen, this.tables, before?.told);
    return { picture, held: { walk: pristine, layout, told: picture.told } };
  }

  private askWhenIdle(): void {
    if (this.idle) return;
    this.idle = true;
    const ask = (): void => {
      if (this.flat.askPending(ASKED_WHEN_IDLE)) {
        this.changes.forget();
        this.watch.raise();
      }
      if (this.flat.pendingCount) requestIdleCallback(ask);
      else this.idle = false;
    };
    requestIdleCallback(ask);
  }
}

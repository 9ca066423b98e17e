// The dom engine: snapshots of one document, and its refs.

import type { FrameSlot } from "../../shared/messages";
import { columnsOf, type Numbered } from "./columns";
import { FlatTree, type OpenShadow } from "./flat";
import { FrameNonces, randomKey } from "./frames";
import { Names } from "./names";
import { Refs } from "./refs";
import { Roles } from "./roles";
import { ChangeWatch } from "./version";
import { Walk } from "./walk";

export interface EngineOptions {
  openShadow: OpenShadow;
  /** Whether the extension is still there; an orphaned script stops by itself. */
  alive: () => boolean;
}

/** Elements asked for closed shadow roots during a walk; more are asked when the page is idle. */
const ASKED_AT_ONCE = 1500;
const ASKED_WHEN_IDLE = 400;

export class Engine {
  readonly key = randomKey();
  readonly flat: FlatTree;
  readonly refs: Refs;
  readonly watch: ChangeWatch;
  readonly roles: Roles;
  private readonly frames = new FrameNonces();
  private readonly own = new WeakSet<Node>();
  private idle = false;
  frame = 0;

  constructor(
    readonly document: Document,
    options: EngineOptions,
  ) {
    this.flat = new FlatTree(options.openShadow);
    this.refs = new Refs(document);
    this.roles = new Roles(this.flat);
    this.watch = new ChangeWatch(document, options.alive, (node) => this.own.has(node));
    this.flat.onShadow = (root) => this.watch.observe(root);
  }

  /** Exclude a node of our own from snapshots and from what counts as a change. */
  exclude(node: Node): void {
    this.own.add(node);
  }

  /** The document's tree as JSON text, and its frames, which are greeted. */
  snapshot(offscreen = true): { tree: string; slots: FrameSlot[] } {
    const { tree, frames } = this.picture(offscreen);
    const extras = new Map(tree.extra);
    const slots = frames.map(({ number, element, at }) => {
      const nonce = this.frames.greet(element);
      const extra = extras.get(at);
      if (extra) extra.document = nonce;
      else tree.extra.push([at, { document: nonce }]);
      return { number, nonce };
    });
    return { tree: JSON.stringify(tree), slots };
  }

  /** The document's tree, numbered and measured. */
  picture(offscreen: boolean): Numbered {
    const walk = this.walk();
    const head = { key: this.key, frame: this.frame, version: this.watch.version };
    return columnsOf(walk, this.document, this.refs, head, offscreen);
  }

  /** Walk the document once more where closed shadow roots turn up. */
  walk(): Walk {
    for (;;) {
      const walk = new Walk(this.flat, (element) => this.own.has(element)).run(this.document);
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
  }

  private askWhenIdle(): void {
    if (this.idle) return;
    this.idle = true;
    const ask = (): void => {
      if (this.flat.askPending(ASKED_WHEN_IDLE)) this.watch.raise();
      if (this.flat.pendingCount) requestIdleCallback(ask);
      else this.idle = false;
    };
    requestIdleCallback(ask);
  }
}

// The dom engine: snapshots of one document, and its refs.

import type { DocumentDelta, DocumentTree } from "../../protocol/generated";
import type { FrameSlot, InternalFacts } from "../../shared/messages";
import { Tables } from "../../shared/tables";
import { Ahead, type Held } from "./ahead";
import { both, type Changed, Changes, isMuch } from "./changes";
import { EarlierWalk, type Walked } from "./earlier";
import type { Layout } from "./layout/boxes";
import { Measuring } from "./layout/measure";
import { markCovered } from "./layout/occlusion";
import { LiveState } from "./live";
import { Names } from "./naming/names";
import { Pseudos } from "./naming/pseudo_content";
import { pause } from "./pause";
import { Pending } from "./pending";
import { liveRules, type Rules } from "./rules";
import { Roles } from "./semantics/roles";
import { Styles } from "./styles";
import { FlatTree, type OpenShadow } from "./tree/flat_tree";
import { FrameNonces, randomKey } from "./tree/frames";
import { Refs } from "./tree/refs";
import { Verdicts } from "./verdicts";
import { Walk } from "./walk/walk";
import { ChangeWatch } from "./watch/change_watch";
import { Internals } from "./watch/element_internals";
import { Heard } from "./watch/event_listeners";
import { isReopening, Listening } from "./watch/listening";
import { columnsOf, type Drawn, draw, type Numbered, surfaceOf } from "./wire/columns";
import { deltaOf, type Sent, sentOf } from "./wire/delta";

export interface EngineOptions {
  openShadow: OpenShadow;
  /** Whether the extension is still there; an orphaned script stops by itself. */
  alive: () => boolean;
}

/** How long to work at a stretch where a page should stay responsive. */
const SLICE_MS = 25;
/** After that much work what is long goes into a task of its own. */
const ENOUGH_MS = 8;

/** Longer pictures aren't made ready to the end each time. */
const MOST_PICTURED = 3_000;

/** Pictures with more records than this are drawn in one task and told in another. */
const DRAWN_APART = 500;
/** On some pages, what one stretch of drawing found out doesn't hold in the next: so many may get no further. */
const MOST_DRAWS = 3;
/** How many more controls a stretch should know of. */
const LEAST_KNOWN = 20;

/** After so many in a row, getting ready is given up until something changes. */
const MOST_RESTARTS = 3;
const NOTHING: Changed = { path: new Set(), whole: new Set(), moved: false, calm: true };

/** A picture that is not told yet. */
interface Drawing {
  version: number;
  before: Held | null;
  walked: Walked;
  layout: Layout;
  drawn: Drawn;
}

export class Engine {
  readonly key = randomKey();
  readonly flat: FlatTree;
  readonly refs: Refs;
  readonly watch: ChangeWatch;
  readonly roles: Roles;
  readonly heard: Heard;
  readonly internals = new Internals();
  readonly listening = new Listening();
  private readonly frames = new FrameNonces();
  private readonly own = new WeakSet<Node>();
  private readonly changes: Changes;
  private pseudos = new Pseudos();
  private verdicts = new Verdicts();
  /** The count of style sheets' changes that `pseudos` are of. */
  private styled = -1;
  private held: Held | null = null;
  private tables = new Tables();
  private sent: Sent | null = null;
  /** What `sent` was compared with. */
  private base: Sent | null = null;
  private stamp = 0;
  private isWalking = false;
  /** What changed since what is held, as far as somebody has looked already. */
  private noted: Changed | null = null;
  private drawing: Drawing | null = null;
  /** How often a drawing was begun that got no further, and how far the furthest got. */
  private draws = 0;
  private reached = 0;
  private restarts = 0;
  private readonly ahead: Ahead;
  private readonly pending: Pending;
  frame = 0;
  /** Numbers can be given only after it is known which ones earlier documents had. */
  private isGreeted = false;

  constructor(
    readonly document: Document,
    options: EngineOptions,
  ) {
    this.flat = new FlatTree(options.openShadow);
    this.refs = new Refs(document);
    this.roles = new Roles(this.flat, this.internals);
    this.heard = new Heard(this.flat, this.roles);
    this.pending = new Pending(this.flat, () => {
      this.changes.forget();
      this.watch.raise();
    });
    const isOwn = (node: Node): boolean => this.own.has(node);
    this.ahead = new Ahead({
      document,
      rulesFor: (from) => this.rulesFor(from),
      walkOnce: (from, rules, until) => this.walkOnce(from, rules, until),
      askPending: () => this.pending.ask(),
    });
    const { listening, flat } = this;
    const live = new LiveState(document, listening, flat);
    // Asked only when changes are looked at: an answer needs the page's styles, which are computed by then.
    const isControl = (element: Element): boolean => this.heard.isControl(element);
    this.changes = new Changes(document, listening, flat, live, new Styles(), isOwn, isControl);
    this.changes.observe(document);
    this.watch = new ChangeWatch(document, listening, options.alive, isOwn, (records) => {
      this.changes.take(records);
      if (records.some(isReopening)) listening.renew();
    });
    this.flat.onShadow = (root) => {
      this.watch.observe(root);
      this.changes.observe(root, this.isWalking);
    };
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

  /** How many elements the document has, without those in shadow roots. */
  get size(): number {
    return this.document.getElementsByTagName("*").length;
  }

  /** Whether a node is one of ours. */
  isOwn(node: Node): boolean {
    return this.own.has(node);
  }

  /**
   * The document, and its frames, which are greeted: what changed since the picture whose stamp is `held`, where that
   * is the last one, else the whole tree. `again` where the last one never got to who asks. Later pictures leave it as
   * it is.
   */
  snapshot(
    offscreen = true,
    held: number | null = null,
    again = false,
  ): { tree: DocumentTree | DocumentDelta; slots: FrameSlot[] } {
    const picture = this.picture(offscreen);
    const { tree } = picture;
    const slots = this.frames.place(picture);
    tree.stamp = ++this.stamp;
    const before = again ? this.base : this.sent;
    this.base = before;
    this.sent = sentOf(tree, this.stamp);
    const delta = before && before.stamp === held ? deltaOf(before, this.sent) : null;
    if (delta) delta.frames = slots.map(({ number, nonce }) => ({ number, document: nonce }));
    return { tree: delta ?? { ...tree, roles: [...tree.roles], tags: [...tree.tags] }, slots };
  }

  /** The document's tree, numbered and measured; what has not changed is taken over from the picture before. */
  picture(offscreen: boolean): Numbered {
    const changed = this.noted ?? this.since();
    this.noted = null;
    const drawing = (offscreen && this.drawing) || this.draw(offscreen, changed && this.held, changed);
    this.drawing = null;
    const picture = this.columns(drawing);
    this.held = { walk: drawing.walked, layout: drawing.layout, told: picture.told };
    return picture;
  }

  /** Get everything ready in several short tasks, so that the page can work in between, and then do something. */
  async prepared<T>(then: () => T): Promise<T> {
    let isNew = false;
    let isLate = false;
    let restarts = 0;
    for (let round = 0; ; round++) {
      if (round) await pause();
      let began = performance.now();
      const spent = (): number => performance.now() - began;
      if (!isNew && !this.changes.learn(began + SLICE_MS / 2, began + ENOUGH_MS)) continue;
      const goesOn = round > 0 && this.ahead.isUnderWay;
      let changed = this.since(goesOn || isLate);
      // Where everything is new again and again, what was done so far is of no use: it is done in one go.
      if (!changed) isNew = ++restarts > MOST_RESTARTS;
      if (!isNew && !isLate && spent() > ENOUGH_MS) {
        // To see what changed took its time: what comes of it has a task of its own.
        this.noted = changed;
        isLate = changed !== null;
        continue;
      }
      if (!changed || !this.held?.layout || isMuch(changed)) {
        if (!this.advance(changed, isNew ? Number.POSITIVE_INFINITY : SLICE_MS - spent())) continue;
        if (goesOn && !isNew && spent() > ENOUGH_MS) continue;
        // A brief look did not see all.
        changed = goesOn ? this.since() : NOTHING;
        if (!changed) continue;
      }
      while (changed) {
        this.noted = changed;
        if (isNew || spent() <= ENOUGH_MS) {
          if (isNew || this.drawing || !this.isLong) return then();
          this.drawAhead(changed, SLICE_MS);
        } else {
          await pause();
          began = performance.now();
          changed = this.since(true);
        }
      }
    }
  }

  /** Do some of what the next picture needs; whether nothing is left to do, or nothing that lasts. */
  getReady(ms: number): boolean {
    const began = performance.now();
    const spent = (): number => performance.now() - began;
    if (!this.changes.learn(began + ms / 2, began + ms)) return false;
    const changed = this.since(this.ahead.isUnderWay);
    this.restarts = changed ? 0 : this.restarts + 1;
    if (this.restarts > MOST_RESTARTS) return true;
    if (!changed && spent() > ENOUGH_MS) return false;
    const isReady = changed && this.held?.layout && changed.path.size === 0 && !changed.moved;
    if (!isReady) return this.advance(changed, ms - spent()) && this.isPictured;
    if (!changed.calm) this.verdicts.forget();
    if (!this.isGreeted || this.isPictured) return true;
    this.noted = changed;
    if (!this.drawing && this.isLong) {
      if (this.draws >= MOST_DRAWS) return true;
      this.drawAhead(changed, ms - spent());
      if (!this.drawing || spent() > ms / 2) return false;
    }
    this.picture(true);
    return true;
  }

  /** Whether it is worth it to draw a picture in one task and tell it in another. */
  private get isLong(): boolean {
    return (this.held?.walk.records.length ?? 0) > DRAWN_APART && !this.verdicts.holds;
  }

  /** Whether a picture was made of what is held; of a long one that need not be the last. */
  private get isPictured(): boolean {
    const { held } = this;
    if (!held?.told) return false;
    return this.verdicts.holds || held.walk.records.length > MOST_PICTURED;
  }

  /** The same picture, put together from nothing and for no later one. */
  pictureAnew(offscreen: boolean): Numbered {
    const { pseudos, verdicts } = this;
    Object.assign(this, { pseudos: new Pseudos(), verdicts: new Verdicts() });
    const picture = this.columns(this.draw(offscreen, null, null));
    Object.assign(this, { pseudos, verdicts });
    return picture;
  }

  /** Walk the document once more where closed shadow roots turn up. */
  walk(earlier: EarlierWalk | null = null): Walk {
    for (let from = earlier; ; from = null) {
      const walk = this.walkOnce(from);
      if (!this.pending.ask()) return walk;
    }
  }

  /** Take note of elements that scripts listen on, and of those that they do no more. */
  hear(on: readonly (Element | null)[], off: readonly (Element | null)[]): void {
    const touched = this.heard.take(on, off);
    this.changes.touch(touched);
    if (touched.length) this.watch.onChange();
  }

  /** The custom elements of these names to ask about what they say by their internals. */
  customElements(tags: readonly string[]): Element[] {
    return this.internals.candidates(this.watch.all, tags);
  }

  /** Take note of what custom elements say by their internals; how many said something else before. */
  tell(elements: readonly (Element | null)[], facts: readonly (InternalFacts | null)[]): number {
    const changed = this.internals.take(elements, facts);
    this.changes.renew(changed);
    return changed.length;
  }

  /** Roles and names of single elements, at this moment. */
  names(): Names {
    return new Names(this.flat, this.roles, new Pseudos(this.changes.styles.sheets.origins));
  }

  stop(): void {
    this.watch.stop();
    this.listening.stop();
  }

  /**
   * What changed since the last call; null for everything, and then nothing of before counts. A `brief` look, while a
   * walk goes on, is at what observers tell alone.
   */
  private since(brief = false): Changed | null {
    // The version takes what observers have not told yet.
    const seen = this.watch.version ? this.changes.since(brief) : null;
    const changed = seen && this.noted ? both(this.noted, seen) : seen;
    this.noted = null;
    if (!seen || seen.path.size || seen.moved) this.drawing = null;
    if (!brief || !changed || changed.path.size) this.ahead.unlearn();
    if (!changed) {
      this.held = null;
      this.ahead.forget();
      this.renewPseudos();
      if (this.tables.isLong) this.tables = new Tables();
    }
    return changed;
  }

  private renewPseudos(): void {
    const { styles } = this.changes;
    if (this.styled !== styles.count) this.pseudos = new Pseudos(styles.sheets.origins);
    this.styled = styles.count;
  }

  /** Walk on, and measure, for so long; whether all that is done. */
  private advance(changed: Changed | null, ms: number): boolean {
    if (!changed?.calm || changed.path.size) this.verdicts.forget();
    this.held = this.ahead.advance(this.held, changed, ms);
    if (!this.held) this.changes.forget();
    return this.held?.layout != null;
  }

  /** Draw a picture for so long; the next time goes on with it, as far as what it found out still holds then. */
  private drawAhead(changed: Changed, ms: number): void {
    const until = this.draws >= MOST_DRAWS ? undefined : performance.now() + ms;
    const drawing = this.draw(true, this.held, changed, until);
    const { isWhole, known } = this.verdicts;
    this.drawing = isWhole ? drawing : null;
    this.draws = isWhole || known >= this.reached + LEAST_KNOWN ? 0 : this.draws + 1;
    this.reached = isWhole ? 0 : Math.max(known, this.reached);
  }

  /** Walk, and find out where things are; what has not changed is taken over. */
  private draw(offscreen: boolean, before: Held | null, changed: Changed | null, until?: number): Drawing {
    const { version } = this.watch;
    const walk = this.walk(before && changed && new EarlierWalk(before.walk, changed));
    // What is dropped for its place is dropped of this picture alone.
    const walked = { records: walk.records.copy(), frames: walk.frames, modals: walk.modals };
    const measuring = new Measuring(walk, this.document, before?.layout ?? null, changed);
    const { layout } = measuring;
    const surface = surfaceOf(this.document, {
      measure: () => {
        measuring.goOn();
        return layout.boxes.slice();
      },
      cover: (it, boxes) => {
        const view = this.document.defaultView as Window;
        this.verdicts.begin(view, layout, before?.layout ?? null, changed);
        this.verdicts.isWhole = markCovered(it, boxes, this.document, this.flat, this.verdicts, until);
      },
    });
    return { version, before, walked, layout, drawn: draw(walk, surface, offscreen) };
  }

  /** Number what was drawn, and put it into columns. */
  private columns({ version, drawn, before }: Drawing): Numbered {
    const head = { key: this.key, frame: this.frame, version };
    return columnsOf(drawn, this.refs, head, this.tables, before?.told);
  }

  private rulesFor(from: EarlierWalk | null): Rules {
    const { link } = this.changes;
    return liveRules(this.flat, this.pseudos, from !== null, link, this.heard.listens, this.internals);
  }

  private walkOnce(from: EarlierWalk | null, rules = this.rulesFor(from), until?: number): Walk {
    const ignored = (element: Element): boolean => this.own.has(element);
    this.isWalking = true;
    try {
      return new Walk(this.flat, ignored, rules, from, until).run(this.document);
    } finally {
      this.isWalking = false;
    }
  }
}

// Answers to the service worker: one handler a request.

import type { Engine } from "../engine/dom/engine";
import { coverOf } from "../engine/dom/layout/hit_test";
import { pause } from "../engine/dom/pause";
import { Readiness } from "../engine/dom/readiness";
import { locate } from "../hit_safety/actionability";
import { findElement, labelOf } from "../hit_safety/find_element";
import { KeyGuard } from "../hit_safety/key_guard";
import { PointerGuard } from "../hit_safety/pointer_guard";
import { PointerHistory } from "../hit_safety/pointer_history";
import { Failure, toWireError } from "../shared/errors";
import type {
  ActReply,
  ContentReply,
  ContentReport,
  ContentRequest,
  DocumentHello,
  FrameBox,
  GuardVerdict,
  Hit,
  KeyVerdict,
  Located,
  SnapshotReply,
} from "../shared/messages";
import { runAction } from "./act";
import { Effects } from "./effects";
import { frameBox } from "./frame_box";
import { Highlight } from "./highlight";
import type { Keepalive } from "./keepalive";
import { read } from "./read";
import { ScreenshotMask } from "./screenshot_mask";

/** Snapshots with more nodes than this are written in a task of their own. */
const LONG = 1_500;

type Request<Op extends ContentRequest["op"]> = Extract<ContentRequest, { op: Op }>;

interface Answers {
  hello: DocumentHello;
  snapshot: SnapshotReply;
  locate: Located;
  guard: null;
  unguard: GuardVerdict;
  guard_keys: null;
  unguard_keys: KeyVerdict;
  hit: Hit;
  act: ActReply;
  abort: null;
  read: unknown;
  frame_box: FrameBox;
  changed: { version: number };
  quiet: { quiet: boolean };
  effect: null;
  highlight: null;
  cover: null;
}

type Handlers = {
  [Op in ContentRequest["op"]]: (request: Request<Op>) => Answers[Op] | Promise<Answers[Op]>;
};

/** The document's side of every request. */
export class Handling {
  private readonly highlight: Highlight;
  private readonly effects: Effects;
  private readonly guard: PointerGuard;
  private readonly keys: KeyGuard;
  private readonly mask: ScreenshotMask;
  private readonly readiness: Readiness;
  private readonly pointerHistory: PointerHistory;
  private acting = new AbortController();
  private readonly handlers: Handlers;

  constructor(
    private readonly engine: Engine,
    private readonly nonces: ReadonlySet<string>,
    tell: (report: ContentReport) => void,
    private readonly keepalive: Keepalive,
  ) {
    this.highlight = new Highlight(engine);
    this.mask = new ScreenshotMask(engine);
    this.effects = new Effects(engine);
    const onHit = (): void => tell({ report: "pressed" });
    this.guard = new PointerGuard(engine, window, onHit);
    this.keys = new KeyGuard(engine, window, onHit);
    this.pointerHistory = new PointerHistory(engine, window);
    const settled = (): void => {
      // When it has loaded it is looked at anyway.
      if (engine.document.readyState === "complete") tell({ report: "settled" });
    };
    this.readiness = new Readiness(engine.document, (ms) => engine.getReady(ms), settled);
    engine.watch.onChange = this.readiness.changed;
    this.handlers = {
      hello: ({ frame, after }) => this.hello(frame, after),
      snapshot: async ({ offscreen, held, again }) => {
        const { tree, ...rest } = await engine.prepared(() => {
          const { tree, slots } = engine.snapshot(offscreen, held ?? null, again);
          const { key, refs, heard, internals, size } = engine;
          const { arrived } = engine.watch;
          return {
            ...{ tree, slots, key, highest: refs.highest },
            ...{ heard: heard.count, elements: size, arrived, custom: internals.tags },
          };
        });
        if (tree.number.length > LONG) await pause();
        return { tree: JSON.stringify(tree), ...rest };
      },
      locate: async ({ number, needs, timeout_ms, position, guard, meant, flash }) => {
        const limit = { timeoutMs: timeout_ms, signal: this.begin() };
        const located = await locate(engine, number, needs, limit, position);
        if (guard) this.guard.arm(number, meant);
        if (flash) this.effects.flash(findElement(engine, number));
        return located;
      },
      guard: ({ number }) => {
        this.guard.arm(number);
        return null;
      },
      unguard: () => ({ ...this.guard.disarm(), version: engine.watch.version }),
      guard_keys: ({ number, pauses, meant }) => {
        this.keys.arm(number, pauses, meant);
        return null;
      },
      unguard_keys: () => ({ ...this.keys.disarm(), version: engine.watch.version }),
      hit: ({ number, point }) => {
        const element = findElement(engine, number);
        const found = coverOf(engine.flat, element, point);
        const nothing = { ref: "", role: "nothing", name: "" };
        const cover = found === "outside" ? nothing : found && labelOf(engine, found);
        return { cover, came: this.pointerHistory.cameOver(element), version: engine.watch.version };
      },
      act: async ({ command, number, params, synthetic, timeout_ms, flash, meant, guard }) => {
        if (meant?.secret && number !== null) this.mask.keep(findElement(engine, number));
        const limit = { timeoutMs: timeout_ms, signal: this.begin() };
        const effects = flash ? this.effects : null;
        const act = { engine, number, params, synthetic, meant, effects, ...limit };
        const reply = await runAction(command, act);
        if (guard && !reply.done) this.keys.arm(number, guard.pauses, meant);
        return reply;
      },
      effect: ({ point, press }) => {
        this.effects.point(point, press);
        return null;
      },
      abort: () => {
        this.acting.abort(new Failure("stopped", "The action was ended early."));
        return null;
      },
      read: ({ command, number, params }) => read(engine, command, number, params),
      frame_box: ({ number, into_view }) => frameBox(engine, number, into_view),
      changed: async ({ version, timeout_ms }) => ({
        version: await engine.watch.changedFrom(version, timeout_ms),
      }),
      quiet: async ({ quiet_ms, timeout_ms }) => ({ quiet: await engine.watch.quiet(quiet_ms, timeout_ms) }),
      highlight: ({ numbers }) => {
        this.highlight.show(numbers);
        return null;
      },
      cover: async ({ on, texts }) => {
        if (on) await this.mask.show(texts);
        else this.mask.hide();
        return null;
      },
    } satisfies Handlers;
  }

  /** Answer a request; whatever goes wrong is an answer too. */
  async answer(request: ContentRequest): Promise<ContentReply> {
    this.readiness.asked();
    try {
      const handler = this.handlers[request.op] as (request: ContentRequest) => unknown;
      return { ok: true, value: await handler(request) };
    } catch (error) {
      return { ok: false, error: toWireError(error) };
    }
  }

  /** Input that is on its way was meant for another document: let none through for a moment. */
  blockInput(): void {
    this.guard.arm(null);
    this.keys.arm(null);
  }

  stop(): void {
    this.highlight.clear();
    this.effects.clear();
    this.guard.disarm();
    this.keys.disarm();
    this.readiness.stop();
    this.engine.stop();
  }

  /** What ends when the worker says so. */
  private begin(): AbortSignal {
    this.acting = new AbortController();
    return this.acting.signal;
  }

  private hello(frame: number, after: number): DocumentHello {
    const { engine } = this;
    engine.greet(frame, after);
    this.keepalive.start();
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return {
      key: engine.key,
      frame: engine.frame,
      highest: engine.refs.highest,
      nonces: [...this.nonces],
      status: navigation?.responseStatus ?? 0,
      version: engine.watch.version,
      url: engine.document.URL,
    };
  }
}

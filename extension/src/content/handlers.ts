// Answers to the service worker: one handler a request.

import type { Engine } from "../engine/dom/engine";
import { coverOf } from "../engine/dom/layout/hit_test";
import { locate } from "../hit_safety/actionability";
import { Target } from "../hit_safety/expected_target";
import { findElement, labelOf } from "../hit_safety/find_element";
import { KeyGuard, PointerGuard } from "../hit_safety/guards";
import { PointerHistory } from "../hit_safety/pointer_history";
import { Failure, toWireError } from "../shared/errors";
import type {
  ActReply,
  ActRequest,
  ContentOp,
  ContentReply,
  ContentReport,
  ContentRequest,
  DocumentHello,
  ReplyTo,
} from "../shared/messages";
import { runAction } from "./act";
import type { Keepalive } from "./keepalive";
import { Effects, Highlight } from "./overlay";
import { describe, frameBox, get, is } from "./read";
import { ScreenshotMask } from "./screenshot_mask";

type Handlers = {
  [Op in ContentOp]: (request: ContentRequest<Op>) => ReplyTo<Op> | Promise<ReplyTo<Op>>;
};

/** The document's side of every request. */
export class Handling {
  private readonly highlight: Highlight;
  private readonly effects: Effects;
  private readonly guard: PointerGuard;
  private readonly keys: KeyGuard;
  private readonly mask: ScreenshotMask;
  private readonly pointerHistory: PointerHistory;
  private acting = new AbortController();
  private readonly handlers: Handlers;

  constructor(
    private readonly engine: Engine,
    private readonly nonces: ReadonlySet<string>,
    send: (report: ContentReport) => void,
    private readonly keepalive: Keepalive,
  ) {
    this.highlight = new Highlight(engine);
    this.mask = new ScreenshotMask(engine);
    this.effects = new Effects(engine);
    const onHit = (): void => send({ report: "pressed" });
    this.guard = new PointerGuard(engine, window, onHit);
    this.keys = new KeyGuard(engine, window, onHit);
    this.pointerHistory = new PointerHistory(engine, window);
    this.handlers = {
      hello: ({ frame, after }) => this.hello(frame, after),
      snapshot: ({ offscreen, held }) => {
        const { tree, slots } = engine.snapshot(offscreen, held ?? null);
        const { key, refs, size, internals } = engine;
        const population = { elements: size, custom: [...internals.tags] };
        return { tree: JSON.stringify(tree), slots, key, highest: refs.highest, ...population };
      },
      locate: async ({ number, needs, timeout_ms, position, guard, expected, flash }) => {
        const limit = { timeoutMs: timeout_ms, signal: this.begin() };
        const located = await locate(engine, number, needs, limit, position);
        if (guard) this.guard.arm(new Target(engine, number, expected));
        if (flash) this.effects.flash(findElement(engine, number));
        return located;
      },
      guard: ({ number }) => {
        this.guard.arm(new Target(engine, number));
        return null;
      },
      unguard: () => this.guard.disarm(),
      guard_keys: ({ number, pauses, expected }) => {
        this.keys.arm(new Target(engine, number, expected), pauses);
        return null;
      },
      unguard_keys: () => this.keys.disarm(),
      hit: ({ number, point }) => {
        const element = findElement(engine, number);
        const found = coverOf(engine.flat, element, point);
        const nothing = { ref: "", role: "nothing", name: "" };
        const cover = found === "outside" ? nothing : found && labelOf(engine, found);
        return { cover, came: this.pointerHistory.cameOver(element) };
      },
      act: (request) => this.act(request),
      effect: ({ point, press }) => {
        this.effects.point(point, press);
        return null;
      },
      abort: () => {
        this.acting.abort(new Failure("stopped", "The action was ended early."));
        return null;
      },
      get: ({ number, params }) => get(engine, elementOrRoot(engine, number), params),
      is: ({ number, params }) => ({ value: is(engine, elementOrRoot(engine, number), params.what) }),
      describe: ({ number }) => describe(engine, elementOrRoot(engine, number)),
      frame_box: ({ number, into_view }) => frameBox(engine, number, into_view),
      changed: async ({ version, timeout_ms }) => ({
        version: await engine.watch.changedFrom(version, timeout_ms),
      }),
      quiet: async ({ quiet_ms, timeout_ms }) => ({ quiet: await engine.watch.quiet(quiet_ms, timeout_ms) }),
      highlight: ({ numbers }) => {
        this.highlight.show(numbers);
        return null;
      },
      mask: async ({ on, texts }) => {
        if (on) await this.mask.show(texts);
        else this.mask.hide();
        return null;
      },
    };
  }

  /** Answer a request; whatever goes wrong is an answer too. */
  async answer<Op extends ContentOp>(request: ContentRequest<Op>): Promise<ContentReply> {
    try {
      return { ok: true, value: await this.handlers[request.op](request) };
    } catch (error) {
      return { ok: false, error: toWireError(error) };
    }
  }

  /** Input on its way is for another document: let none through for a moment. */
  blockInput(): void {
    const none = new Target(this.engine, null);
    this.guard.arm(none);
    this.keys.arm(none);
  }

  stop(): void {
    this.highlight.clear();
    this.effects.clear();
    this.guard.disarm();
    this.keys.disarm();
    this.engine.stop();
  }

  private async act(request: ActRequest): Promise<ActReply> {
    const { number, synthetic, timeout_ms, flash, expected, guard } = request;
    const { engine } = this;
    if (expected?.secret && number !== null) this.mask.add(findElement(engine, number));
    const target = new Target(engine, number, expected);
    const limit = { timeoutMs: timeout_ms, signal: this.begin() };
    const act = { engine, target, synthetic, effects: flash ? this.effects : null, ...limit };
    const reply = await runAction(request.command, request.params, act);
    if (guard && !reply.done) this.keys.arm(target, guard.pauses);
    return reply;
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

function elementOrRoot(engine: Engine, number: number | null): Element {
  return number === null ? engine.document.documentElement : findElement(engine, number);
}

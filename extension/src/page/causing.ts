// What all kinds of causes have in common: whose code runs, and how its promises, events and messages are followed on the
// side, so that the page gets the same objects in the same order.

import { ALIVE_MS, FRAME_MS, LONGEST_MS, POLL_MS, TICK_MS } from "../shared/limits";
import type { Effect, Graph } from "./graph";
import { currentScriptOf, listen, NativePromise, react } from "./natives";
import { apply, defineProperty, deleteProperty, type Func, max, SafeWeakMap, slice, sourceOf } from "./safe";
import type { Wrapping } from "./wrapping";

const MESSAGES = ["message"];
const FAILURES = ["error", "messageerror", "close"];

/** What an effect of an object with events is to make of these. */
interface Following {
  effect: Effect | null;
  steps: readonly string[];
  ends: readonly string[];
  /** How long it is open after a step; 0 where only its ends end it. */
  pause: number;
  /** When it began, or the last step came. */
  at: number;
}

function has(types: readonly string[], type: string): boolean {
  for (let index = 0; index < types.length; index++) if (types[index] === type) return true;
  return false;
}

/** An interval that goes on. */
interface Ticking {
  ms: number;
  text: string;
  /** The last act of which a tick was waited for, and that tick. */
  act: number;
  tick: Effect | null;
}

export class Causing {
  /** The graphs of all documents here whose code can call this one's. */
  neighbours: Graph[] = [];
  /** Short intervals that go on, by their ids. */
  readonly #ticking: (Ticking | undefined)[] = [];
  /** The act that added a script, or fetched a response. */
  readonly owners = new SafeWeakMap<object, number>();
  readonly #attended = new SafeWeakMap<object, Following[]>();
  /** The last act that was announced, and when. */
  #latest = 0;
  #latestAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly graph: Graph,
    readonly wrapping: Wrapping,
    private readonly clock: () => number,
  ) {}

  /** The act whose code runs now; 0 for nobody's. */
  get act(): number {
    if (this.graph.now) return this.graph.now;
    // Code of another document of this origin may run: its functions call those of this one.
    for (let index = 0; index < this.neighbours.length; index++) {
      const { now } = this.neighbours[index] as Graph;
      if (now) return now;
    }
    const script = currentScriptOf(document);
    return (script && this.owners.get(script)) || this.graph.base;
  }

  /** An act is announced: what comes from elsewhere soon may be because of it. */
  announce(act: number): void {
    this.#latest = act;
    this.#latestAt = this.clock();
  }

  /** The act that something which comes from another document or worker may be because of. */
  fromElsewhere(source: string): number {
    if (this.clock() - this.#latestAt > LONGEST_MS || !this.#latest) return this.graph.base;
    return this.graph.isFlood(this.#latest, source) ? this.graph.base : this.#latest;
  }

  /** The same of what the browser renders and reports a frame later. */
  get rendered(): number {
    return this.graph.now || this.graph.ranWithin(FRAME_MS);
  }

  /** Follow a promise from the moment at which the page waits for it: one that nobody waits for holds nothing up. */
  follow(promise: unknown, begin: () => Effect | null, settled?: (value: unknown) => void): void {
    if (!(promise instanceof NativePromise)) return;
    const used = (): unknown => {
      deleteProperty(promise, "constructor");
      const effect = begin();
      const done = (): void => this.graph.end(effect);
      const fulfilled = (value: unknown): void => {
        settled?.(value);
        done();
      };
      // The page is about to do the same: ours comes first, and whether the promise counts as handled stays its doing.
      react(promise, fulfilled, done);
      return promise.constructor;
    };
    const set = (value: unknown): void => {
      const plain = { value, configurable: true, enumerable: true, writable: true };
      defineProperty(promise, "constructor", plain);
    };
    defineProperty(promise, "constructor", { configurable: true, get: used, set });
  }

  /**
   * Listen on an object as soon as it is made: outside of the tree of nodes an object's listeners run in the order in which
   * they came, and the page's run after ours only so.
   */
  attend(target: EventTarget, types: readonly string[]): void {
    const followed: Following[] = [];
    this.#attended.set(target, followed);
    for (let index = 0; index < types.length; index++) {
      const type = types[index] as string;
      listen(target, type, () => this.#came(followed, type), true);
    }
  }

  /** Follow an object with events: these are the act's code, and the last ones its end. */
  followEvents(
    target: EventTarget,
    effect: Effect | null,
    steps: readonly string[],
    ends: readonly string[],
  ): void {
    this.#follow(target, { effect, steps, ends, pause: 0, at: this.clock() });
  }

  /**
   * Follow what may send any number of messages: it is open until the first and a pause after each, which is as long as the
   * last message took where that is more. The answer ends it at once.
   */
  followMessages(target: EventTarget, effect: Effect | null, pause = POLL_MS): () => void {
    this.#follow(target, { effect, steps: MESSAGES, ends: FAILURES, pause, at: this.clock() });
    return () => this.graph.release(effect);
  }

  #follow(target: EventTarget, following: Following): void {
    if (!following.effect) return;
    const attended = this.#attended.get(target);
    if (attended) {
      for (let index = 0; index < attended.length; index++)
        if (!attended[index]?.effect?.isOpen) {
          attended[index] = following;
          return;
        }
      attended[attended.length] = following;
      return;
    }
    const { steps, ends } = following;
    const followed = [following];
    for (let index = 0; index < steps.length; index++)
      listen(target, steps[index] as string, () => this.#came(followed, steps[index] as string), true);
    for (let index = 0; index < ends.length; index++)
      listen(target, ends[index] as string, () => this.#came(followed, ends[index] as string), true);
  }

  #came(followed: readonly Following[], type: string): void {
    for (let index = 0; index < followed.length; index++) {
      const following = followed[index] as Following;
      const { effect, steps, ends, pause } = following;
      if (!effect?.isOpen) continue;
      if (has(ends, type)) this.graph.end(effect);
      else if (has(steps, type)) {
        this.graph.enter(effect.act, effect);
        const now = this.clock();
        const took = now - effect.at > LONGEST_MS ? 0 : now - following.at + POLL_MS;
        following.at = now;
        if (pause) this.graph.extend(effect, max(pause, took > ALIVE_MS ? ALIVE_MS : took));
      }
    }
  }

  /** An interval goes on: what an act leaves for it, it may show at its next tick. */
  tick(ms: number, text: string): { ticks: () => void; stop: () => void } {
    let place = 0;
    while (place < this.#ticking.length && this.#ticking[place]) place++;
    const ticking: Ticking = { ms, text, act: 0, tick: null };
    if (ms <= TICK_MS) this.#ticking[place] = ticking;
    return {
      ticks: () => this.graph.end(ticking.tick),
      stop: () => {
        this.graph.release(ticking.tick);
        if (this.#ticking[place] === ticking) this.#ticking[place] = undefined;
      },
    };
  }

  /** Have the next tick of each short interval hold an act up, once. */
  awaitTicks(act: number): void {
    for (let index = 0; index < this.#ticking.length; index++) {
      const ticking = this.#ticking[index];
      if (!ticking || ticking.act >= act) continue;
      ticking.act = act;
      ticking.tick = this.graph.hold(act, "interval", ticking.text, ticking.ms + FRAME_MS);
    }
  }

  /** The callback as the act's code: one more line of stack is all that the page sees of it. */
  callback<F>(callback: F, begin: () => void): F {
    if (typeof callback !== "function") return callback;
    return function (this: unknown, ...args: unknown[]) {
      begin();
      return apply(callback as Func, this, args);
    } as F;
  }

  /** By what a timer or frame that is set again is known. */
  sourceOf(kind: string, callback: object): string {
    return kind + slice(sourceOf(callback), 0, 120);
  }
}

/** Arguments with another one in a place. */
export function withArgument(args: readonly unknown[], place: number, argument: unknown): unknown[] {
  const changed: unknown[] = [];
  for (let index = 0; index < args.length; index++) changed[index] = index === place ? argument : args[index];
  return changed;
}

// What acts have caused in this document and hasn't ended: act, cause, effect. Pure: the clock and the end of a task are
// given. An act is a number that grows with time; a document's load is an act, too.

import { CLOCK_FRAMES, CLOCK_MS, CLOCK_TIMES, LONGEST_MS } from "./limits";
import { floor, SafeMap } from "./natives";

/** Something that has begun because of an act, and hasn't ended. */
export interface Effect {
  act: number;
  kind: string;
  detail: string;
  url: string | null;
  at: number;
  /** When it counts as something that never ends. */
  until: number;
  isOpen: boolean;
  previous: Effect | null;
  next: Effect | null;
}

export interface OpenEffect {
  kind: string;
  detail: string;
  url: string | null;
  age_ms: number;
}

/** How often one act had the same done, and since when. */
interface Source {
  times: number;
  since: number;
}

const MOST_EFFECTS = 400;
const MOST_NEVER = 20;
const MOST_SOURCES = 2_000;

export class Graph {
  /** The act whose code runs; 0 for nobody's. */
  now = 0;
  /** The act that all other code belongs to: the load, as long as that lasts. */
  base = 0;
  /** The act that a command or a person does at this moment; 0 for none. */
  acting = 0;
  /** The last act whose code ran, and when. */
  ranAct = 0;
  ranAt = Number.NEGATIVE_INFINITY;
  /** How often code of acts ran. */
  runs = 0;
  /** Called when something ended, or has another end. */
  onEnd: () => void = () => undefined;
  #first: Effect | null = null;
  #count = 0;
  #ending: Effect[] = [];
  /** Tasks whose end hasn't come yet. */
  #depth = 0;
  readonly #sources = new SafeMap<string, Source>();
  readonly #clocks = new SafeMap<string, true>();
  #never: OpenEffect[] = [];

  /** `atTaskEnd` has `taskEnded` called after the microtasks of the task that runs. */
  constructor(
    private readonly clock: () => number,
    private readonly atTaskEnd: () => void,
  ) {}

  /** Something begins because of an act; null if it is nobody's. */
  hold(
    act: number,
    kind: string,
    detail: string,
    ms: number = LONGEST_MS,
    url: string | null = null,
  ): Effect | null {
    if (!act || this.#count >= MOST_EFFECTS) return null;
    const at = this.clock();
    const effect = { act, kind, detail, url, at, until: at + ms, isOpen: true };
    const linked: Effect = { ...effect, previous: null, next: this.#first };
    if (this.#first) this.#first.previous = linked;
    this.#first = linked;
    this.#count++;
    return linked;
  }

  /** It lasts so long from now on. */
  extend(effect: Effect | null, ms: number): void {
    if (!effect?.isOpen) return;
    effect.until = this.clock() + ms;
    this.onEnd();
  }

  /** It ended, by code that doesn't run: a timer that was cleared. */
  release(effect: Effect | null): void {
    if (!effect?.isOpen) return;
    this.#unlink(effect);
    this.onEnd();
  }

  /** The code that an effect starts runs: it ends with the task. */
  end(effect: Effect | null): void {
    if (!effect?.isOpen) return;
    this.#ending[this.#ending.length] = effect;
    this.enter(effect.act);
  }

  /** From here to the end of this task an act's code runs. */
  enter(act: number): void {
    this.now = act;
    if (!act) return;
    this.ranAct = act;
    this.ranAt = this.clock();
    this.runs++;
    this.#depth++;
    this.atTaskEnd();
  }

  /** The end of a task that was entered. */
  taskEnded(): void {
    if (--this.#depth > 0) return;
    this.#depth = 0;
    this.now = this.base;
    const ending = this.#ending;
    if (!ending.length) return;
    this.#ending = [];
    for (let index = 0; index < ending.length; index++) {
      const effect = ending[index] as Effect;
      if (effect.isOpen) this.#unlink(effect);
    }
    this.onEnd();
  }

  /** The act whose code ran within so many milliseconds. */
  ranWithin(ms: number): number {
    return this.clock() - this.ranAt <= ms ? this.ranAct : 0;
  }

  /** Whether what comes from one source is a clock: set often, for long, by one act, or known as one. */
  isClock(act: number, source: string, describe: () => string, isFrame = false): boolean {
    if (this.#clocks.get(source)) return true;
    const key = `${act} ${source}`;
    const known = this.#sources.get(key);
    if (!known) {
      if (this.#sources.size > MOST_SOURCES) this.#sources.clear();
      this.#sources.set(key, { times: 1, since: this.clock() });
      return false;
    }
    known.times++;
    const isOld = this.clock() - known.since > CLOCK_MS;
    if (isFrame ? known.times <= CLOCK_FRAMES : known.times <= CLOCK_TIMES || !isOld) return false;
    this.goesOn(source, isFrame ? "frame" : "timer", describe(), null, known.since);
    return true;
  }

  /** Something goes on for ever, as far as one can see. */
  goesOn(
    source: string,
    kind: string,
    detail: string,
    url: string | null = null,
    since = this.clock(),
  ): void {
    if (this.#clocks.get(source)) return;
    this.#clocks.set(source, true);
    if (this.#never.length < MOST_NEVER)
      this.#never[this.#never.length] = { kind, detail, url, age_ms: floor(this.clock() - since) };
  }

  /** What acts from this one on have caused and is open, and what goes on for ever. */
  open(since: number): { waiting: OpenEffect[]; never: OpenEffect[] } {
    const waiting: OpenEffect[] = [];
    const now = this.clock();
    for (let effect = this.#first; effect; effect = effect.next) {
      if (effect.until <= now) this.#unlink(effect);
      else if (effect.act >= since) waiting[waiting.length] = viewOf(effect, now);
    }
    return { waiting, never: this.#never };
  }

  /** When the next of these ends by time; infinite if none does. */
  nextEnd(since: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (let effect = this.#first; effect; effect = effect.next)
      if (effect.act >= since && effect.until < next) next = effect.until;
    return next;
  }

  #unlink(effect: Effect): void {
    effect.isOpen = false;
    if (effect.previous) effect.previous.next = effect.next;
    else this.#first = effect.next;
    if (effect.next) effect.next.previous = effect.previous;
    this.#count--;
  }
}

function viewOf({ kind, detail, url, at }: Effect, now: number): OpenEffect {
  return { kind, detail, url, age_ms: floor(now - at) };
}

// What acts have caused in this document and hasn't ended: act, cause, effect. Pure: the clock and the end of a task are
// given. An act is a number that grows with time; a document's load is an act, too.

import { CLOCK_FRAMES, CLOCK_MS, CLOCK_TIMES, LONGEST_MS } from "../shared/limits";
import { floor, SafeMap, slice } from "./safe";

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
  /** By what it is known again: its code and delay. */
  source: string;
  /** How often the same has led to itself, and since when. */
  times: number;
  since: number;
  /** What has led to it, a few steps back. */
  cause: Effect | null;
  previous: Effect | null;
  next: Effect | null;
}

export interface OpenEffect {
  kind: string;
  detail: string;
  url: string | null;
  age_ms: number;
}

/** How often something came from elsewhere while one act lasted, and since when. */
interface Arrivals {
  act: number;
  times: number;
  since: number;
}

const MOST_EFFECTS = 400;
const MOST_NEVER = 20;
/** What leads to itself does so within so many steps. */
const MOST_STEPS = 8;

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
  /** What has led to the code that runs. */
  #cause: Effect | null = null;
  /** Called when something ended, or has another end. */
  onEnd: () => void = () => undefined;
  #first: Effect | null = null;
  #count = 0;
  #ending: Effect[] = [];
  /** Whether the end of the task is awaited: it comes after this task, whichever had it awaited. */
  #isEndAwaited = false;
  readonly #arrivals = new SafeMap<string, Arrivals>();
  readonly #clocks = new SafeMap<string, true>();
  #never: OpenEffect[] = [];

  /**
   * `atTaskEnd` has `taskEnded` called after the microtasks of the task that runs; `isWriting` says whether text of the
   * document has changed just now.
   */
  constructor(
    private readonly clock: () => number,
    private readonly atTaskEnd: () => void,
    private readonly isWriting: () => boolean,
  ) {}

  /** Something begins because of an act; null if it is nobody's. */
  hold(
    act: number,
    kind: string,
    detail: string,
    ms: number = LONGEST_MS,
    url: string | null = null,
    source = "",
  ): Effect | null {
    if (!act || this.#count >= MOST_EFFECTS) return null;
    const at = this.clock();
    const cause = this.#cause?.act === act ? this.#cause : null;
    const { times, since } = this.#ancestor(source, cause) ?? { times: 0, since: at };
    const known = { act, kind, detail, url, at, until: at + ms, isOpen: true };
    const effect: Effect = {
      ...known,
      source,
      times: times + 1,
      since,
      cause,
      previous: null,
      next: this.#first,
    };
    if (this.#first) this.#first.previous = effect;
    this.#first = effect;
    this.#count++;
    return effect;
  }

  /**
   * The same of what code sets again and again: null also for a clock, which has led to itself often and for long, or is
   * known to.
   */
  holdAgain(act: number, kind: string, detail: string, ms: number, source: string): Effect | null {
    if (this.#clocks.get(source)) return null;
    const found = act ? this.#ancestor(source, this.#cause?.act === act ? this.#cause : null) : null;
    if (!found || !this.isClock(kind, found.times, found.since))
      return this.hold(act, kind, detail, ms, null, source);
    this.goesOn(source, kind, detail, null, found.since);
    return null;
  }

  /** Whether what came so often since then is a clock: it goes on for long, and longer if it may count up to what it says. */
  isClock(kind: string, times: number, since: number): boolean {
    const isFrame = kind === "frame";
    const age = this.clock() - since;
    // Whether text changes is known a moment after the first question.
    const isWriting = times > (isFrame ? CLOCK_FRAMES / 2 : CLOCK_TIMES) && this.isWriting();
    const isOld = isFrame ? times >= CLOCK_FRAMES : times >= CLOCK_TIMES && age > CLOCK_MS;
    return isOld && (!isWriting || age > LONGEST_MS);
  }

  /** The last of the same source among the causes; what is further back is let go. */
  #ancestor(source: string, cause: Effect | null): Effect | null {
    let found: Effect | null = null;
    let last: Effect | null = null;
    let effect = cause;
    for (let step = 0; effect && step < MOST_STEPS; step++) {
      if (!found && source && effect.source === source) found = effect;
      last = effect;
      effect = effect.cause;
    }
    if (last && effect) last.cause = null;
    return found;
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
    this.enter(effect.act, effect);
  }

  /** From here to the end of this task an act's code runs. */
  enter(act: number, cause: Effect | null = null): void {
    this.now = act;
    this.#cause = cause;
    if (!act) return;
    this.ranAct = act;
    this.ranAt = this.clock();
    this.runs++;
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    this.atTaskEnd();
  }

  /** The end of a task that was entered. */
  taskEnded(): void {
    this.#isEndAwaited = false;
    this.now = 0;
    this.#cause = null;
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

  /** Whether what comes from elsewhere keeps coming, as a clock's messages do. */
  isFlood(act: number, source: string): boolean {
    const known = this.#arrivals.get(source);
    if (known?.act !== act) {
      this.#arrivals.set(source, { act, times: 1, since: this.clock() });
      return false;
    }
    known.times++;
    return known.times > CLOCK_TIMES && this.clock() - known.since > CLOCK_MS;
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
    // The platform's own functions serve a clock here and something else there.
    if (!isNative(source)) this.#clocks.set(source, true);
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

function isNative(source: string): boolean {
  for (let index = 0; index < source.length; index++)
    if (slice(source, index, index + NATIVE.length) === NATIVE) return true;
  return false;
}

const NATIVE = "[native code]";

function viewOf({ kind, detail, url, at }: Effect, now: number): OpenEffect {
  return { kind, detail, url, age_ms: floor(now - at) };
}

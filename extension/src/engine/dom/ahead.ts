// What the next picture needs, done in stretches, so that the page can work in between: the walk, then where things are.

import type { Changed } from "./changes";
import { EarlierWalk, type Walked } from "./earlier";
import type { Layout } from "./layout/boxes";
import { Measuring } from "./layout/measure";
import type { Rules } from "./rules";
import type { Walk } from "./walk/walk";
import { carried, type Told } from "./wire/columns";

/** By how much a stretch is longer than the one before it, where that got hardly further. */
const GROWTH = 1.12;
/** What took up its work again should get somewhere. */
const LEAST_MS = 8;
/** How many records a stretch of the walk should get further at least. */
const LEAST_GAIN = 200;

/** What a picture leaves to the next one. */
export interface Held {
  walk: Walked;
  /** Where things were; null where the walk, or the measuring, did not come to its end. */
  layout: Layout | null;
  told?: Told;
}

/** How a document is walked. */
export interface Walking {
  document: Document;
  rulesFor(from: EarlierWalk | null): Rules;
  walkOnce(from: EarlierWalk | null, rules: Rules, until: number): Walk;
  /** Look for closed shadow roots where that was put off; whether there are any. */
  askPending(): boolean;
}

export class Ahead {
  /** What a walk that goes on has learned of the document. */
  private rules: Rules | null = null;
  private measuring: Measuring | null = null;
  /** How much longer than others the next stretch may be. */
  private patience = 1;
  /** Whether work was begun that is not done. */
  isUnderWay = false;

  constructor(private readonly walking: Walking) {}

  /** The document may be other than it was: nothing that was learned of it holds. */
  unlearn(): void {
    this.rules = null;
  }

  /** Nothing that was done holds. */
  forget(): void {
    this.unlearn();
    this.measuring = null;
    this.isUnderWay = false;
  }

  /** Work for so long, given what is held and what changed since; null where everything has to begin anew. */
  advance(held: Held | null, changed: Changed | null, ms: number): Held | null {
    const until = performance.now() + Math.max(LEAST_MS, ms) * this.patience;
    const isAsItWas = held && this.measuring && changed && !changed.path.size && !changed.moved;
    if (!isAsItWas || !this.measuring?.stands) {
      // What was measured is of no use; next time it should be more at a stretch.
      if (this.measuring) this.patience *= GROWTH;
      this.measuring = null;
      const walked = this.walkOn(held, changed, until);
      if (!walked || !this.measuring) return walked;
      held = walked;
    }
    this.isUnderWay = !this.measuring.goOn(until);
    if (this.isUnderWay) return held;
    const { layout } = this.measuring;
    this.measuring = null;
    this.patience = 1;
    return { ...(held as Held), layout };
  }

  private walkOn(held: Held | null, changed: Changed | null, until: number): Held | null {
    const earlier = held && changed && new EarlierWalk(held.walk, changed);
    this.rules ??= this.walking.rulesFor(earlier);
    const walk = this.walking.walkOnce(earlier, this.rules, until);
    const { records, frames, modals } = walk;
    if (!walk.unfinished && this.walking.askPending()) {
      this.forget();
      return null;
    }
    const told = earlier && held?.told && carried(held.told, records);
    const walked = { walk: { records, frames, modals }, layout: null, ...(told && { told }) };
    this.isUnderWay = true;
    if (walk.unfinished) {
      // Taking over what was done costs time too: on a slow machine a stretch has to be longer to get anywhere.
      const gain = records.length - (held?.walk.records.length ?? 0);
      if (gain < LEAST_GAIN) this.patience *= GROWTH;
      return walked;
    }
    // What is dropped because it is nowhere may be somewhere the next time.
    walked.walk = { records: records.copy(), frames, modals };
    this.measuring = new Measuring(walk, this.walking.document, held?.layout ?? null, changed);
    return walked;
  }
}

// Keys that are sure to go where they are meant to.

import { changedSince } from "../../hit_safety/target_changed";
import { Failure } from "../../shared/errors";
import type { KeyVerdict, Seen } from "../../shared/messages";
import { splitRef } from "../../shared/refs";
import type { PageCall, Parts } from "../commands/context";
import { requireOrigin } from "../commands/origins";
import type { Watch } from "../commands/outcome";
import type { Doc } from "../tabs/registry";
import { findTarget, Landing, onlyGone, others, type Target } from "../tabs/targets";

/** What the focus was on: an element, or a document itself, whose number is 0. */
export async function findFocused(parts: Parts, call: PageCall, focused: string): Promise<Target> {
  if (splitRef(focused)) return findTarget(parts, call, focused);
  const doc = await parts.documents.byFrame(call.tab, Number(focused.slice(1)), call.deadline);
  requireOrigin(parts, call, doc);
  return { ref: "the document", doc, number: 0 };
}

/** Press keys wherever the focus is in a document, but in none that takes its place meanwhile. */
export async function pressAnywhere(
  parts: Parts,
  call: PageCall,
  doc: Doc,
  press: () => Promise<void>,
): Promise<void> {
  requireOrigin(parts, call, doc);
  const release = parts.documents.hold(call.tab);
  try {
    await press();
  } finally {
    release();
  }
}

export interface Typing {
  /** Give the element the focus and guard keys for it; false where nothing is left to type. */
  prepare: () => Promise<boolean>;
  type: () => Promise<void>;
  /** Milliseconds between keys. */
  pauses?: number;
}

/** Type while nothing but the element can get it; fails where the focus was elsewhere. */
export async function typeInto(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
  { prepare, type, pauses = 0 }: Typing,
): Promise<void> {
  const { documents } = parts;
  const landing = new Landing(parts, target);
  try {
    if (!(await prepare())) return;
    const rest = others(parts, call, target);
    const docs = [target.doc, ...rest];
    const guard = { op: "guard_keys", number: null, pauses, meant: null } as const;
    await Promise.all(
      rest.map((doc) =>
        documents.ask<null>(doc, guard, call.deadline).catch((error) => onlyGone(call, error)),
      ),
    );
    const verdicts: (KeyVerdict | null)[] = [];
    try {
      await type();
    } finally {
      const ask = (doc: Doc): Promise<KeyVerdict | null> =>
        documents
          .ask<KeyVerdict>(doc, { op: "unguard_keys" }, call.deadline)
          .catch((error) => onlyGone(call, error));
      verdicts.push(...(await Promise.all(docs.map(ask))));
    }
    const [own] = verdicts;
    if (own) watch.noteAfter(target.doc, own.version);
    if (own?.changed) throw changedSince(own.changed, call.meant);
    const missed = verdicts.find((verdict) => verdict?.missed)?.missed;
    if (missed || own?.reached === 0) throw focusLost(target, own?.reached ?? 0, missed ?? null);
    if (own?.refused) {
      const hint = "look at the page again: the page itself disables it";
      const text = `${target.ref} was disabled before it took the text.`;
      throw new Failure("not_actionable", text, hint, { reason: "disabled" });
    }
    if (!own) await landing.explainGone();
  } finally {
    landing.close();
  }
}

function focusLost({ ref }: Target, reached: number, focused: Seen | null): Failure {
  const name = focused?.name ? ` '${focused.name}'` : "";
  const where = focused ? ` to the ${focused.role}${name}${focused.ref ? ` [${focused.ref}]` : ""}` : "";
  const when = reached ? "After a part of the keys" : "Before any key came";
  const text = `${when} the keyboard focus left ${ref}${where}; nothing was typed there.`;
  const hint = "look at the page again: the page itself moves the focus";
  return new Failure("not_actionable", text, hint, { reason: "focus_lost", focused, reached });
}

// The keyboard: keys that are sure to go to the element they are for.

import { changedSince } from "../../hit_safety/target_changed";
import type {
  ActionOutcome,
  Commands,
  ElementParams,
  FillParams,
  PressParams,
  TypeParams,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { ActReply, KeyVerdict, NamedElement, Taken } from "../../shared/messages";
import { elementInWords, splitRef } from "../../shared/refs";
import { type CommandContext, callContent } from "../commands/context";
import type { Doc } from "../tabs/registry";
import { findTarget, requireOrigin, type Target } from "../tabs/targets";
import { act, actOn, type ElementAction, hasTrusted, inPage } from "./action";
import { ArrivalWatch, ignoreGone, keptByBrowser, others } from "./guards";

const SELECT_ALL = /Mac/.test(navigator.platform) ? "Meta+a" : "Control+a";

export function fill(context: CommandContext, params: FillParams): Promise<ActionOutcome> {
  return actOn(context, params.ref, async (action) => {
    const { trusted, watch } = action;
    const insert = async ({ editor, key }: ActReply): Promise<boolean> => {
      if (key) return trusted.keys(key).then(() => false);
      // An editor may hold more than it renders; its selection knows all of it.
      if (editor) await trusted.keys(SELECT_ALL);
      if (editor && (await paste(action, params.value))) return true;
      await (params.value ? trusted.insert(params.value) : trusted.keys("Delete"));
      return false;
    };
    try {
      await typeInto(action, "fill", params, true, insert);
    } catch (error) {
      const isLost = error instanceof Failure && error.code === "debugger_unavailable";
      if (!isLost || !watch.isTrusted || (await hasTrusted(action))) throw error;
      // A frame of another extension came meanwhile. To fill a field once more does nothing twice.
      watch.isTrusted = false;
      await typeInto(action, "fill", params, true, insert);
    }
  });
}

/** Paste lines into a code editor that renders itself; false for everything else, which is typed into. */
async function paste(action: ElementAction, text: string): Promise<boolean> {
  const { doc, number } = action.target;
  return /\n./.test(text) && callContent(action, doc, { op: "paste", number, text });
}

/** To empty a field is to fill it with nothing. */
export function clear(context: CommandContext, params: ElementParams): Promise<ActionOutcome> {
  return fill(context, { ...params, value: "" });
}

export function type(context: CommandContext, params: TypeParams): Promise<ActionOutcome> {
  const pauses = params.delay_ms ?? 0;
  return actOn(context, params.ref, async (action) => {
    const { trusted } = action;
    await typeInto(action, "type", params, params.text !== "", async ({ editor }) => {
      if (editor && params.clear) {
        await trusted.keys(SELECT_ALL);
        await trusted.keys("Delete");
      }
      if (await paste(action, params.text)) return true;
      await trusted.type(params.text, pauses, () =>
        callContent(action, action.target.doc, { op: "rendered" }).catch((error) =>
          ignoreGone(action, error),
        ),
      );
      return false;
    });
  });
}

export function press(context: CommandContext, params: PressParams): Promise<ActionOutcome> {
  return act(context, async (action) => {
    const { watch, services } = action;
    const focused = params.ref ?? action.expected?.focused;
    const target = focused == null ? null : await findFocused(action, focused);
    watch.isTrusted = await hasTrusted(action);
    const keys = (): Promise<void> => action.trusted.keys(params.key);
    if (target && watch.isTrusted) return pressKey({ ...action, target }, params.key, params.ref ?? null);
    const place = target ?? { doc: await services.documents.main(action.tab, action.deadline), number: null };
    await watch.baseline(watch.isTrusted ? null : place.doc);
    watch.acted = true;
    if (!watch.isTrusted) return void (await inPage(action, "press", place, params));
    // Wherever the focus is in the document, but in none that takes its place meanwhile.
    requireOrigin(action, place.doc);
    const release = services.documents.blockInput(action.tab);
    await keys().finally(release);
  });
}

/** Press a key on an element, with trusted input. */
export async function pressKey(
  action: ElementAction,
  key: string,
  ref: string | null = action.target.ref,
): Promise<void> {
  const keys = (): Promise<false> => action.trusted.keys(key).then(() => false as const);
  await typeInto(action, "press", { key, ref }, true, keys);
}

/** What the focus was on: an element, or a document itself, whose number is 0. */
async function findFocused(context: CommandContext, focused: string): Promise<Target> {
  if (splitRef(focused)) return findTarget(context, focused);
  const { documents } = context.services;
  const doc = await documents.byFrame(context.tab, Number(focused.slice(1)), context.deadline);
  requireOrigin(context, doc);
  return { ref: "the document", doc, number: 0 };
}

/**
 * Let the content script give the element the focus and do what it can, then type the rest while nothing but the
 * element can get it; fails where the focus was elsewhere, and where the field then holds something else than the text.
 * `typed` is false where no keys follow; `keys` says whether it pasted the text instead.
 */
async function typeInto<C extends "fill" | "type" | "press">(
  action: ElementAction,
  command: C,
  params: Commands[C]["params"],
  typed: boolean,
  keys: (reply: ActReply) => Promise<boolean>,
): Promise<void> {
  const { watch, target } = action;
  const arrival = new ArrivalWatch(action, target);
  try {
    await watch.baseline(target.doc);
    watch.acted = true;
    const reply = await inPage(action, command, target, params, typed);
    if (!typed || reply.done) return;
    let wasPasted = false;
    const [found, ...rest] = await whileGuarded(action, async () => {
      wasPasted = await keys(reply);
      return takenBy(command, params, wasPasted);
    });
    if (found?.changed) throw changedSince(found.changed, action.expected);
    const missed = [found, ...rest].find((verdict) => verdict?.missed)?.missed;
    // A single key that came did its work, also where the page then moves the focus on.
    const wasPressed = command === "press" && (found?.reached ?? 0) > 0;
    if (found && !found.came && !missed && !wasPasted)
      throw found.away ? focusLost(target, 0, found.away) : keptByBrowser(target, "keys");
    if ((missed && !wasPressed) || (found?.reached === 0 && !wasPasted))
      throw focusLost(target, found?.reached ?? 0, missed ?? null);
    if (found?.refused) {
      const text = `${target.ref} was disabled before it took the text.`;
      const hint = "look at the page again: the page itself disables it";
      throw new Failure("not_actionable", text, hint, { reason: "disabled" });
    }
    if (!found && !wasPasted) await arrival.explainGone();
    if (!found?.held) return;
    const { refusal, version } = found.held;
    // Where the page took the field away with the text, nothing can be said of it.
    if (refusal?.code === "not_actionable") throw Failure.fromWire(refusal);
    watch.noteAfter(target.doc, version);
  } finally {
    arrival.close();
  }
}

/** What a field has to hold after a command; null for keys. */
function takenBy<C extends "fill" | "type" | "press">(
  command: C,
  params: Commands[C]["params"],
  pasted: boolean,
): Taken | null {
  if (command === "fill" && "value" in params) return { value: params.value, typed: false, pasted };
  if (command === "type" && "text" in params) return { value: params.text, typed: true, pasted };
  return null;
}

/**
 * Type while the tab's other documents take no keys; what each document saw, the element's first, null where gone. The
 * element's also looks whether it took what `keys` returns.
 */
async function whileGuarded(
  action: ElementAction,
  keys: () => Promise<Taken | null>,
): Promise<(KeyVerdict | null)[]> {
  const { doc } = action.target;
  const rest = others(action, doc);
  const onGone = (error: unknown): null => ignoreGone(action, error);
  const ms = action.deadline.left();
  const guard = { op: "guard_keys", number: null, ms, expected: null } as const;
  await Promise.all(rest.map((each) => callContent(action, each, guard).catch(onGone)));
  const unguard = (taken: Taken | null): Promise<(KeyVerdict | null)[]> => {
    const end = (each: Doc): Promise<KeyVerdict> =>
      callContent(action, each, { op: "unguard_keys", taken: each === doc ? taken : null });
    return Promise.all([doc, ...rest].map((each) => end(each).catch(onGone)));
  };
  let taken: Taken | null;
  try {
    taken = await keys();
  } catch (error) {
    await unguard(null);
    throw error;
  }
  return unguard(taken);
}

function focusLost({ ref }: Target, reached: number, focused: NamedElement | null): Failure {
  const where = focused ? ` to the ${elementInWords(focused)}` : "";
  const when = reached ? "After a part of the keys" : "Before any key came";
  const text = `${when} the keyboard focus left ${ref}${where}; nothing was typed there.`;
  const hint =
    reached && focused?.role === "textbox"
      ? "where each character has a field of its own, fill them one by one"
      : "look at the page again: the page itself moves the focus";
  return new Failure("not_actionable", text, hint, { reason: "focus_lost", focused, reached });
}

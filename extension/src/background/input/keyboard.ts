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
import type { ActReply, KeyVerdict, NamedElement } from "../../shared/messages";
import { elementInWords, splitRef } from "../../shared/refs";
import { type CommandContext, callContent } from "../commands/context";
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
      if (await typeInto(action, "fill", params, 0, insert)) await requireTaken(action, params.value, false);
    } catch (error) {
      const isLost = error instanceof Failure && error.code === "debugger_unavailable";
      if (!isLost || !watch.isTrusted || (await hasTrusted(action))) throw error;
      // A frame of another extension came meanwhile. To fill a field once more does nothing twice.
      watch.isTrusted = false;
      await typeInto(action, "fill", params, 0, insert);
    }
  });
}

/** Paste lines into a code editor that renders itself; false for everything else, which is typed into. */
async function paste(action: ElementAction, text: string): Promise<boolean> {
  const { doc, number } = action.target;
  return /\n./.test(text) && callContent(action, doc, { op: "paste", number, text });
}

/** Fails where the field holds something else; where the page took it away with the text, nothing can be said. */
async function requireTaken(action: ElementAction, value: string, typed: boolean): Promise<void> {
  const { doc, number } = action.target;
  const check = callContent(action, doc, { op: "require_taken", number, value, typed });
  await check.catch((error) => {
    if (error instanceof Failure && error.code === "not_actionable") throw error;
    ignoreGone(action, error);
  });
}

/** To empty a field is to fill it with nothing. */
export function clear(context: CommandContext, params: ElementParams): Promise<ActionOutcome> {
  return fill(context, { ...params, value: "" });
}

export function type(context: CommandContext, params: TypeParams): Promise<ActionOutcome> {
  const pauses = params.delay_ms ?? 0;
  return actOn(context, params.ref, async (action) => {
    const { trusted } = action;
    const typed = await typeInto(action, "type", params, params.text ? pauses : null, async ({ editor }) => {
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
    if (typed) await requireTaken(action, params.text, true);
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
  await typeInto(action, "press", { key, ref }, 0, keys);
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
 * element can get it; fails where the focus was elsewhere. Answers whether keys were typed into what is still there.
 * `pauses` are the milliseconds between keys, null for no keys; `keys` says whether it pasted the text instead.
 */
async function typeInto<C extends "fill" | "type" | "press">(
  action: ElementAction,
  command: C,
  params: Commands[C]["params"],
  pauses: number | null,
  keys: (reply: ActReply) => Promise<boolean>,
): Promise<boolean> {
  const { watch, target } = action;
  const arrival = new ArrivalWatch(action, target);
  try {
    await watch.baseline(target.doc);
    watch.acted = true;
    const reply = await inPage(action, command, target, params, pauses === null ? null : { pauses });
    if (pauses === null || reply.done) return false;
    let wasPasted = false;
    const [found, ...rest] = await whileGuarded(action, pauses, async () => {
      wasPasted = await keys(reply);
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
    if (!found) await arrival.explainGone();
    return found != null;
  } finally {
    arrival.close();
  }
}

/** Type while the tab's other documents take no keys; what each document saw, the element's first, null where gone. */
async function whileGuarded(
  action: ElementAction,
  pauses: number,
  keys: () => Promise<void>,
): Promise<(KeyVerdict | null)[]> {
  const { doc } = action.target;
  const rest = others(action, doc);
  const onGone = (error: unknown): null => ignoreGone(action, error);
  const guard = { op: "guard_keys", number: null, pauses, expected: null } as const;
  await Promise.all(rest.map((each) => callContent(action, each, guard).catch(onGone)));
  const unguard = (): Promise<(KeyVerdict | null)[]> =>
    Promise.all(
      [doc, ...rest].map((each) => callContent(action, each, { op: "unguard_keys" }).catch(onGone)),
    );
  try {
    await keys();
  } catch (error) {
    await unguard();
    throw error;
  }
  return unguard();
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

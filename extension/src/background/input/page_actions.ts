// Actions other than the mouse's: made ready by the content script, done with trusted input where it is to be had.

import type {
  ActionOutcome,
  ElementParams,
  FillParams,
  HandleDialogParams,
  HighlightParams,
  PressParams,
  ScrollParams,
  SelectParams,
  TypeParams,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { ActReply } from "../../shared/messages";
import { splitRef } from "../../shared/refs";
import type { PageCall, Parts } from "../commands/context";
import { readVersion, type Watch } from "../commands/outcome";
import { dismissUnseen } from "../commands/unseen_dialog";
import { documentIn, findTarget, type Target } from "../tabs/targets";
import { act, hasTrusted, inPage, inputFor, pageOnly } from "./action";
import { findFocused, pressAnywhere, typeInto } from "./keyboard";

/** Actions that the content script does alone. */
export function inPageAction(
  parts: Parts,
  call: PageCall,
  command: "focus" | "select" | "submit",
  params: ElementParams | SelectParams,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    watch.trusted = false;
    await pageOnly(parts, call, watch, command, await findTarget(parts, call, params.ref), params);
  });
}

export function fill(parts: Parts, call: PageCall, params: FillParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    const input = inputFor(parts, call);
    let editor = false;
    const note = (reply: ActReply): void => {
      editor = reply.editor ?? false;
    };
    await typeInto(parts, call, watch, target, {
      prepare: () => prepareKeys(parts, call, watch, target, "fill", params, { pauses: 0 }, note),
      type: async () => {
        // An editor may hold more than it draws; its own selection knows all of it.
        if (editor) await input.keys(/Mac/.test(navigator.platform) ? "Meta+a" : "Control+a");
        await (params.value ? input.insert(params.value) : input.keys("Delete"));
      },
    });
  });
}

export function type(parts: Parts, call: PageCall, params: TypeParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    const input = inputFor(parts, call);
    const pauses = params.delay_ms ?? 0;
    const guard = params.text ? { pauses } : null;
    await typeInto(parts, call, watch, target, {
      prepare: () => prepareKeys(parts, call, watch, target, "type", params, guard),
      type: () => input.type(params.text, pauses),
      pauses,
    });
  });
}

export function press(parts: Parts, call: PageCall, params: PressParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const focused = params.ref ?? call.meant?.focused;
    const target = focused == null ? null : await findFocused(parts, call, focused);
    watch.trusted = await hasTrusted(parts, call);
    const type = (): Promise<void> => inputFor(parts, call).keys(params.key);
    if (target && watch.trusted) {
      const prepare = (): Promise<boolean> => prepareKeys(parts, call, watch, target, "press", params);
      return typeInto(parts, call, watch, target, { prepare, type });
    }
    const doc = target?.doc ?? (await parts.documents.main(call.tab, call.deadline));
    await watch.baseline();
    watch.acted = true;
    if (watch.trusted) return pressAnywhere(parts, call, doc, type);
    await inPage(parts, call, watch, doc, "press", target?.number ?? null, params);
  });
}

/** The in-page part of what the keyboard finishes; whether there is something to finish, for which keys are guarded. */
async function prepareKeys(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  { doc, number }: Target,
  command: "fill" | "type" | "press",
  params: object,
  guard: { pauses: number } | null = { pauses: 0 },
  note: (reply: ActReply) => void = () => {},
): Promise<boolean> {
  await watch.baseline(doc);
  watch.acted = true;
  const reply = await inPage(parts, call, watch, doc, command, number, params, guard);
  watch.noteBefore(doc, reply.before);
  note(reply);
  return guard !== null && !reply.done;
}

export function scroll(parts: Parts, call: PageCall, params: ScrollParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    watch.trusted = false;
    const target = params.ref ? await findTarget(parts, call, params.ref) : null;
    const moves = Boolean(params.dx || params.dy || params.to);
    const inner = target && moves ? await documentIn(parts, call, target) : null;
    const doc = inner ?? target?.doc ?? (await parts.documents.main(call.tab, call.deadline));
    await watch.baseline();
    watch.acted = true;
    await inPage(parts, call, watch, doc, "scroll", inner ? null : (target?.number ?? null), params);
  });
}

export async function highlight(
  parts: Parts,
  call: PageCall,
  params: HighlightParams,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    watch.trusted = false;
    const docs = await parts.documents.list(call.tab, call.deadline);
    await watch.baseline();
    watch.acted = true;
    const wanted = params.refs.map(splitRef);
    for (const doc of docs) {
      if (doc.frame === null || doc.problem !== null) continue;
      const numbers = wanted.flatMap((ref) => (ref?.frame === doc.frame ? [ref.number] : []));
      await parts.documents.ask<null>(doc, { op: "highlight", numbers }, call.deadline);
    }
  });
}

export function handleDialog(
  parts: Parts,
  call: PageCall,
  params: HandleDialogParams,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    // A worker that was restarted knows of no dialog; the browser does.
    const dialog = parts.dialogs.current(call.tab);
    const answer = params.text ?? (dialog?.kind === "prompt" ? dialog.default : undefined);
    const choice = { accept: params.accept ?? true, ...(answer == null ? {} : { promptText: answer }) };
    watch.acted = true;
    const { debuggers } = parts;
    const method = "Page.handleJavaScriptDialog";
    await debuggers.sendToBrowser(call.tab, method, choice, call.deadline).catch((error) => {
      if (!(error instanceof Failure) || !/no dialog/i.test(error.message)) throw error;
      return dismissUnseen(parts, call, choice.accept);
    });
    parts.dialogs.forget(call.tab, dialog);
    // Leaving a page was held up by its question: it goes on now.
    if (dialog?.kind === "beforeunload" && choice.accept) parts.navigations.state(call.tab).requests++;
    // What waited for the answer goes on now; it may end in another dialog, which interrupts us.
    const main = parts.documents.known(call.tab).find((doc) => doc.frameId === 0);
    if (main) await readVersion(parts, main, call.deadline);
  });
}

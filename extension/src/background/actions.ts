// Actions on elements: made ready by the content script, done with trusted input where it is to be had.

import type {
  ActionOutcome,
  ClickParams,
  CommandName,
  ElementParams,
  FillParams,
  HandleDialogParams,
  HighlightParams,
  PressParams,
  ScrollParams,
  SelectParams,
  TypeParams,
  UploadParams,
} from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { ActReply, GuardVerdict, Need } from "../shared/messages";
import { splitRef } from "../shared/refs";
import type { PageCall, Parts } from "./context";
import { withElement } from "./handles";
import { Input, modifierBits } from "./input";
import { Watch } from "./outcome";
import type { Doc } from "./registry";
import { findTarget, guardFrames, isHit, locate, type Spot, type Target, unguard } from "./targets";

const CLICK: Need[] = ["visible", "stable", "enabled", "receives_events"];
/** Time kept back to say what was in the way. */
const RESERVE_MS = 250;
const POLL_MS = 50;
const HOVER: Need[] = ["visible", "stable", "receives_events"];

/** Run an action under watch; a dialog that it opens ends it at once. */
export async function act(
  parts: Parts,
  call: PageCall,
  action: (watch: Watch) => Promise<void>,
): Promise<ActionOutcome> {
  const watch = new Watch(parts, call);
  try {
    await action(watch);
    return await watch.finish();
  } catch (error) {
    const dialog = parts.dialogs.current(call.tab);
    if (!watch.acted || !dialog || !(error instanceof Failure) || error.code !== "dialog_blocked")
      throw error;
    return await watch.outcome(false, { kind: dialog.kind, message: dialog.message });
  } finally {
    watch.close();
  }
}

/** Whether trusted input is to be had on the tab; where it isn't, the page's own events must do. */
export async function hasTrusted(parts: Parts, call: PageCall): Promise<boolean> {
  if (call.input === "synthetic") return false;
  try {
    await call.deadline.race(parts.debuggers.ensure(call.tab));
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "debugger_unavailable") return false;
    throw error;
  }
}

/** The in-page part of a command. */
export function inPage(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  doc: Doc,
  command: CommandName,
  number: number | null,
  params: object,
): Promise<ActReply> {
  const timeout_ms = Math.max(50, Math.round(call.deadline.left() * 0.8));
  const synthetic = !watch.trusted;
  const request = { op: "act", command, number, params: { ...params }, synthetic, timeout_ms } as const;
  return parts.documents.ask<ActReply>(doc, request, call.deadline);
}

export function click(
  parts: Parts,
  call: PageCall,
  params: ClickParams,
  count: 1 | 2,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    if (watch.trusted) return clickTrusted(parts, call, watch, target, params, count);
    await watch.baseline();
    watch.acted = true;
    await inPage(parts, call, watch, target.doc, count === 2 ? "dblclick" : "click", target.number, params);
  });
}

async function clickTrusted(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
  params: Pick<ClickParams, "button" | "modifiers">,
  count: number,
): Promise<void> {
  const input = new Input(parts.debuggers, call.tab, call.deadline);
  const bits = modifierBits(params.modifiers);
  const baseline = watch.baseline(target.doc);
  for (;;) {
    const [spot] = await Promise.all([locate(parts, call, target, CLICK, { guard: true }), baseline]);
    watch.noteBefore(target.doc, spot.version);
    if (target.doc.owner) {
      await waitUncovered(parts, call, spot);
      await guardFrames(parts, call, target);
    }
    watch.acted = true;
    // Sent together: a move alone waits for the next frame, a press makes it come at once.
    const button = params.button ?? "left";
    const detached = await Promise.all([
      input.move(spot.point, bits),
      input.click(spot.point, button, count, bits),
    ]).then(() => null, onlyDetached);
    const seen = await afterPress(parts, call, watch, target);
    // A press that made a frame leave for another program detaches the debugger, but it was made.
    if (detached && seen !== "left" && seen.presses < count) throw detached;
    if (seen === "left" || seen.verdict !== "missed") return;
    call.deadline.check();
  }
}

/** Wait until nothing around a frame covers it; a document alone sees only what is in it. */
async function waitUncovered(parts: Parts, call: PageCall, spot: Spot): Promise<void> {
  while (!(await isHit(parts, call, spot))) {
    if (call.deadline.left() < RESERVE_MS) {
      const hint = "close what is in front of it; a snapshot shows it";
      throw new Failure("not_actionable", `Something covers the frame that ${spot.target.ref} is in.`, hint);
    }
    await call.deadline.race(new Promise((resolve) => setTimeout(resolve, POLL_MS)));
  }
}

function onlyDetached(error: unknown): Failure {
  if (error instanceof Failure && error.data.detached) return error;
  throw error;
}

/** What the guard saw. A document that has gone by now was left because of the press. */
async function afterPress(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
): Promise<GuardVerdict | "left"> {
  try {
    const seen = await unguard(parts, call, target);
    watch.noteAfter(target.doc, seen.version);
    return seen;
  } catch (error) {
    if (error instanceof Failure && error.code === "page_navigated") return "left";
    throw error;
  }
}

/** Bring the mouse over an element and make sure, right before it matters, that the element gets the events. */
export async function aim(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  input: Input,
  target: Target,
  needs: Need[],
  bits = 0,
): Promise<Spot> {
  for (;;) {
    const spot = await locate(parts, call, target, needs);
    await watch.baseline(target.doc);
    watch.noteBefore(target.doc, spot.version);
    await input.move(spot.point, bits);
    if (await isHit(parts, call, spot)) return spot;
    call.deadline.check();
  }
}

export function hover(parts: Parts, call: PageCall, params: ElementParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    if (!watch.trusted) return pageOnly(parts, call, watch, "hover", target, params);
    watch.acted = true;
    await aim(parts, call, watch, new Input(parts.debuggers, call.tab, call.deadline), target, HOVER);
  });
}

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

async function pageOnly(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  command: CommandName,
  target: Target,
  params: object,
): Promise<void> {
  await watch.baseline();
  watch.acted = true;
  await inPage(parts, call, watch, target.doc, command, target.number, params);
}

export function fill(parts: Parts, call: PageCall, params: FillParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    await watch.baseline();
    watch.acted = true;
    const { done } = await inPage(parts, call, watch, target.doc, "fill", target.number, params);
    if (done) return;
    const input = new Input(parts.debuggers, call.tab, call.deadline);
    await (params.value ? input.insert(params.value) : input.keys("Delete"));
  });
}

export function type(parts: Parts, call: PageCall, params: TypeParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    await watch.baseline();
    watch.acted = true;
    const { done } = await inPage(parts, call, watch, target.doc, "type", target.number, params);
    if (!done)
      await new Input(parts.debuggers, call.tab, call.deadline).type(params.text, params.delay_ms ?? 0);
  });
}

export function press(parts: Parts, call: PageCall, params: PressParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = params.ref ? await findTarget(parts, call, params.ref) : null;
    watch.trusted = await hasTrusted(parts, call);
    const doc = target?.doc ?? (await parts.documents.main(call.tab, call.deadline));
    await watch.baseline();
    watch.acted = true;
    if (!watch.trusted)
      return void (await inPage(parts, call, watch, doc, "press", target?.number ?? null, params));
    if (target) await inPage(parts, call, watch, doc, "focus", target.number, { ref: target.ref });
    await new Input(parts.debuggers, call.tab, call.deadline).keys(params.key);
  });
}

/** Click only where the state differs, and make sure that it took. */
export function setChecked(
  parts: Parts,
  call: PageCall,
  params: ElementParams,
  wanted: boolean,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    if ((await isChecked(parts, call, target)) === wanted) return watch.baseline();
    if (watch.trusted) await clickTrusted(parts, call, watch, target, {}, 1);
    else await pageOnly(parts, call, watch, wanted ? "check" : "uncheck", target, params);
    const { pending } = parts.navigations.state(call.tab);
    if (pending.has(0) || (await isChecked(parts, call, target)) === wanted) return;
    const text = `The element was clicked but is ${wanted ? "not checked" : "still checked"}.`;
    throw new Failure(
      "not_actionable",
      text,
      wanted ? "" : "a radio button is unchecked by checking another",
    );
  });
}

async function isChecked(parts: Parts, call: PageCall, { doc, number, ref }: Target): Promise<boolean> {
  const request = { op: "read", command: "is", number, params: { what: "checked", ref } } as const;
  return (await parts.documents.ask<{ value: boolean }>(doc, request, call.deadline)).value;
}

export function scroll(parts: Parts, call: PageCall, params: ScrollParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    watch.trusted = false;
    const target = params.ref ? await findTarget(parts, call, params.ref) : null;
    const doc = target?.doc ?? (await parts.documents.main(call.tab, call.deadline));
    await watch.baseline();
    watch.acted = true;
    await inPage(parts, call, watch, doc, "scroll", target?.number ?? null, params);
  });
}

export function upload(parts: Parts, call: PageCall, params: UploadParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    await watch.baseline();
    await withElement(parts, call, target, async (objectId) => {
      watch.acted = true;
      const set = parts.debuggers.send(
        call.tab,
        "DOM.setFileInputFiles",
        { files: params.files, objectId },
        call.deadline,
      );
      await set.catch((error) => {
        if (!(error instanceof Failure) || !/not allowed/i.test(error.message)) throw error;
        const hint = "open chrome://extensions, skillbook, and turn on 'Allow access to file URLs'";
        throw new Failure("not_allowed", "The browser does not let the extension choose files.", hint);
      });
    });
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
    const answered = parts.debuggers.send(call.tab, "Page.handleJavaScriptDialog", choice, call.deadline);
    await answered.catch((error) => {
      if (!(error instanceof Failure) || !/no dialog/i.test(error.message)) throw error;
      throw new Failure("not_actionable", "No dialog is open.", "only an open dialog can be answered");
    });
    parts.dialogs.forget(call.tab);
    // Leaving a page was held up by its question: it goes on now.
    if (dialog?.kind === "beforeunload" && choice.accept) parts.navigations.state(call.tab).requests++;
  });
}

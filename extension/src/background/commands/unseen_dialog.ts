// Dialogs that opened while no debugger was attached: nobody is told of them, and the page answers nothing.

import { Failure } from "../../shared/errors";
import { within } from "../deadline";
import type { CdpEvent } from "../tabs/debuggers";
import type { PageCall, Parts } from "./context";

/** A page that nothing holds has answered by then. */
const READY_MS = 1_000;
/** The part of a command's time after which a page that is silent is asked for any sign of life. */
const PATIENCE = 0.8;
/** A page that loads has answered by then, unless a dialog or a script holds it. */
const SILENT_MS = 4_000;
/** An address that leads nowhere, and is answered here. */
const NOWHERE = "https://dialog.skillbook.invalid/";
const HINT =
  "page.handle_dialog(accept=False) dismisses a dialog that opened unseen; page.reload() loads the page again";

/**
 * Dismiss a dialog that the debugger doesn't know. The browser closes a page's dialogs when it begins to go somewhere
 * else; an answer without content makes it stay.
 */
export async function dismissUnseen(parts: Parts, call: PageCall, accept: boolean): Promise<void> {
  const { debuggers } = parts;
  const { tab, deadline } = call;
  const ready = debuggers.ensure(tab).then(() => true);
  if (await deadline.race(within(ready, READY_MS))) throw noDialog();
  if (accept) {
    const text = "The page answers nothing: it seems that a dialog opened before the debugger was attached.";
    throw new Failure("dialog_blocked", text, HINT, { kind: "unseen" });
  }
  const send = (method: string, params: object): Promise<unknown> =>
    debuggers.sendToBrowser(tab, method, params, deadline);
  let closed = false;
  const stop = debuggers.events.on((event: CdpEvent) => {
    if (event.tab !== tab) return;
    closed ||= event.method === "Page.javascriptDialogClosed";
    if (event.method !== "Fetch.requestPaused") return;
    const { requestId } = event.params;
    send("Fetch.fulfillRequest", { requestId, responseCode: 204 }).catch(() => undefined);
  });
  try {
    await send("Fetch.enable", { patterns: [{ urlPattern: `${NOWHERE}*` }] });
    await send("Page.navigate", { url: NOWHERE });
    if (!closed) throw noDialog();
    await deadline.race(ready);
  } finally {
    stop();
    await send("Fetch.disable", {}).catch(() => undefined);
  }
}

function noDialog(): Failure {
  return new Failure("not_actionable", "No dialog is open.", "only an open dialog can be answered");
}

function heldUnseen(why: string, data: object = {}): Failure {
  const text = `A JavaScript dialog that opened unseen seems to hold the page, or a script keeps it busy: ${why}`;
  return new Failure("dialog_blocked", text, HINT, { ...data, kind: "unseen" });
}

/** Any answer of the page; that it can't be read is one too. */
async function signOfLife(parts: Parts, call: PageCall): Promise<boolean> {
  try {
    const main = await parts.documents.main(call.tab, call.deadline);
    await parts.documents.ask(main, { op: "changed", version: -1, timeout_ms: 0 }, call.deadline);
  } catch {
    call.deadline.check();
  }
  return true;
}

/** Fails once a page without a debugger is silent for long while it loads; ends with `loaded`. */
export async function failOnSilence(parts: Parts, call: PageCall, loaded: AbortSignal): Promise<void> {
  const { dialogs, debuggers } = parts;
  while (!loaded.aborted && !debuggers.isReady(call.tab)) {
    const alive = await within(signOfLife(parts, call), SILENT_MS);
    if (loaded.aborted || debuggers.isReady(call.tab)) return;
    if (!alive) {
      dialogs.suspects.add(call.tab);
      throw heldUnseen(`it gave no sign of life for ${SILENT_MS / 1000} s while it loaded`);
    }
    await new Promise((resolve) => setTimeout(resolve, READY_MS));
  }
}

/** Notices that a page without a debugger gives no sign of life while a command waits for it. */
export class Silence {
  readonly #timer: ReturnType<typeof setTimeout>;
  #silent = false;
  #stopped = false;

  constructor(
    private readonly parts: Parts,
    private readonly call: PageCall,
    /** It may work on a page that answers nothing. */
    patient: boolean,
  ) {
    if (!patient && parts.dialogs.suspects.has(call.tab)) this.#insist();
    this.#timer = setTimeout(() => this.#ask(), call.deadline.left() * PATIENCE);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** What the command failed with; where it ran out of time because of the silence, that. */
  explain(error: unknown): unknown {
    const late = error instanceof Failure && error.code === "timeout";
    if (!late || !this.#silent) return error;
    return heldUnseen(error.message, error.data);
  }

  /** A page that was silent before has to answer soon. */
  #insist(): void {
    const { parts, call } = this;
    within(signOfLife(parts, call), READY_MS).then(
      (alive) => {
        if (alive) parts.dialogs.suspects.delete(call.tab);
        else if (!this.#stopped) call.deadline.cancel(heldUnseen("it gives no sign of life"));
      },
      () => undefined,
    );
  }

  #ask(): void {
    const { documents, debuggers } = this.parts;
    const main = documents.known(this.call.tab).find((doc) => doc.frameId === 0);
    if (!main || debuggers.isReady(this.call.tab)) return;
    this.#silent = true;
    const request = { op: "changed", version: -1, timeout_ms: 0 } as const;
    const heard = (): void => {
      this.#silent = false;
    };
    documents.ask(main, request, this.call.deadline).then(heard, (error) => {
      if (error !== this.call.deadline.signal.reason) heard();
    });
  }
}

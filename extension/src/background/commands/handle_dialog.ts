// Answering dialogs, and those that opened while no debugger was attached: the browser reports them to nobody, and the
// page answers nothing.

import type { ActionOutcome, HandleDialogParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS, DOCUMENT_MS } from "../../shared/limits";
import { within } from "../deadline";
import { act } from "../input/action";
import type { CommandContext } from "./context";

/** The part of a command's time after which a page that is silent gets a request for any sign of life. */
const PATIENCE = 0.8;
/** An address that leads nowhere; this extension answers requests to it. */
const NOWHERE = "https://dialog.skillbook.invalid/";
const HINT =
  "page.handle_dialog(accept=False) dismisses a dialog that opened unseen; page.reload() loads the page again";

export function handleDialog(context: CommandContext, params: HandleDialogParams): Promise<ActionOutcome> {
  return act(context, async (action) => {
    const { dialogs, debuggers, documents, navigations } = action.services;
    const { tab, deadline } = action;
    // A worker that was restarted knows of no dialog; the browser does.
    const dialog = dialogs.current(tab);
    const text = params.text ?? (dialog?.kind === "prompt" ? dialog.default : undefined);
    const answer = { accept: params.accept ?? true, ...(text == null ? {} : { promptText: text }) };
    action.watch.acted = true;
    await debuggers
      .sendToBrowser(tab, "Page.handleJavaScriptDialog", answer, deadline)
      .catch(async (error) => {
        if (!(error instanceof Failure) || !/no dialog/i.test(error.message)) throw error;
        await dismissUnseen(action, answer.accept);
      });
    dialogs.forget(tab, dialog);
    // Leaving a page waited for its question: it goes on now.
    if (dialog?.kind === "beforeunload" && answer.accept) navigations.state(tab).requests++;
    // What waited for the answer goes on now; it may end in another dialog, which interrupts us.
    const main = documents.knownMain(tab);
    if (main) await documents.readVersion(main, deadline);
  });
}

/**
 * Dismiss a dialog that the debugger doesn't know. The browser closes a page's dialogs when it begins to go somewhere
 * else; an answer without content makes it stay.
 */
async function dismissUnseen(context: CommandContext, accept: boolean): Promise<void> {
  const { services, tab, deadline } = context;
  const { debuggers } = services;
  const ready = debuggers.ensure(tab).then(() => true);
  // A page that nothing blocks has answered by then.
  if (await deadline.race(within(ready, ALIVE_MS))) throw noDialog();
  if (accept) {
    const text = "The page answers nothing: it seems that a dialog opened before the debugger was attached.";
    throw new Failure("dialog_blocked", text, HINT, { kind: "unseen" });
  }
  const send = (method: string, params: object): Promise<unknown> =>
    debuggers.sendToBrowser(tab, method, params, deadline);
  let closed = false;
  const stop = debuggers.events.on((event) => {
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

function blockedUnseen(why: string, data: object = {}): Failure {
  const text = `A JavaScript dialog that opened unseen seems to hold the page, or a script keeps it busy: ${why}`;
  return new Failure("dialog_blocked", text, HINT, { ...data, kind: "unseen" });
}

/** Any answer of the page; that it can't be read is one too. */
async function signOfLife({ services, tab, deadline }: CommandContext): Promise<boolean> {
  try {
    await services.documents.readVersion(await services.documents.main(tab, deadline), deadline);
  } catch {
    deadline.check();
  }
  return true;
}

/** Fails once a page without a debugger is silent for long while it loads; ends with `loaded`. */
export async function failOnSilence(context: CommandContext, loaded: AbortSignal): Promise<void> {
  const { dialogs, debuggers } = context.services;
  const isOver = (): boolean => loaded.aborted || debuggers.isReady(context.tab);
  while (!isOver()) {
    // A page that loads has answered by then, unless a dialog or a script blocks it.
    const alive = await within(signOfLife(context), DOCUMENT_MS);
    if (isOver()) return;
    if (!alive) {
      dialogs.suspects.add(context.tab);
      throw blockedUnseen(`it gave no sign of life for ${DOCUMENT_MS / 1000} s while it loaded`);
    }
    await new Promise((resolve) => setTimeout(resolve, ALIVE_MS));
  }
}

/** Notices that a page without a debugger gives no sign of life while a command waits for it. */
export class SilenceWatch {
  readonly #timer: ReturnType<typeof setTimeout>;
  #silent = false;
  #stopped = false;

  constructor(
    private readonly context: CommandContext,
    /** The command may work on a page that answers nothing. */
    patient: boolean,
  ) {
    const { services, tab, deadline } = context;
    if (!patient && services.dialogs.suspects.has(tab)) this.#requireAnswer();
    this.#timer = setTimeout(() => this.#listen(), deadline.left() * PATIENCE);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** What the command failed with; where it ran out of time because of the silence, that. */
  explain(error: unknown): unknown {
    const late = error instanceof Failure && error.code === "timeout";
    return late && this.#silent ? blockedUnseen(error.message, error.data) : error;
  }

  /** A page that was silent before has to answer soon. */
  #requireAnswer(): void {
    const { services, tab, deadline } = this.context;
    within(signOfLife(this.context), ALIVE_MS).then(
      (alive) => {
        if (alive) services.dialogs.suspects.delete(tab);
        else if (!this.#stopped) deadline.cancel(blockedUnseen("it gives no sign of life"));
      },
      () => undefined,
    );
  }

  #listen(): void {
    const { debuggers, documents } = this.context.services;
    const { tab, deadline } = this.context;
    const main = documents.knownMain(tab);
    if (!main || debuggers.isReady(tab)) return;
    this.#silent = true;
    const answered = (): void => {
      this.#silent = false;
    };
    documents.readVersion(main, deadline).then(answered, () => undefined);
  }
}

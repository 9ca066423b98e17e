// Guards in all documents of a tab, so that input which misses its element reaches nothing else.

import { Failure } from "../../shared/errors";
import { TICK_MS } from "../../shared/limits";
import type { PointerVerdict } from "../../shared/messages";
import { type CommandContext, callContent } from "../commands/context";
import type { Doc } from "../tabs/registry";
import type { Target } from "../tabs/targets";

/** The tab's documents apart from one. */
export function others(context: CommandContext, doc: Doc): Doc[] {
  return context.services.documents.known(context.tab).filter((each) => each !== doc);
}

/** A document that goes away meanwhile gets no input either. */
export function ignoreGone(context: CommandContext, error: unknown): null {
  if (context.deadline.signal.aborted || !(error instanceof Failure)) throw error;
  return null;
}

/**
 * In all other documents of the tab let no press through: one that is seen there did not go to the target. Those
 * that hold its frame let its frame have it.
 */
export async function guardOthers(context: CommandContext, target: Target): Promise<void> {
  const owners = new Map<Doc, number>();
  const ms = context.deadline.left();
  for (let at = target.doc.owner; at; at = at.doc.owner) owners.set(at.doc, at.number);
  await Promise.all(
    others(context, target.doc).map(async (doc) => {
      const armed = callContent(context, doc, { op: "guard", number: owners.get(doc) ?? null, ms });
      await (owners.has(doc) ? armed : armed.catch((error) => ignoreGone(context, error)));
    }),
  );
}

/**
 * End the guards; "missed" where any document kept a press from the page. A press that nobody saw was stopped by
 * a listener of the page, after it had gone to the right place.
 */
export async function unguard(context: CommandContext, target: Target): Promise<PointerVerdict> {
  const end = (doc: Doc): Promise<PointerVerdict> => callContent(context, doc, { op: "unguard" });
  const [found, ...rest] = await Promise.all([
    end(target.doc),
    ...others(context, target.doc).map((doc) => end(doc).catch((error) => ignoreGone(context, error))),
  ]);
  const missed = rest.some((verdict) => verdict?.verdict === "missed");
  return missed ? { ...found, verdict: "missed" } : found;
}

/**
 * Notices that the first press or key reached the target's document, also where the document goes away with it. What
 * takes its place meanwhile gets no input.
 */
export class ArrivalWatch {
  #arrived = false;
  readonly #stop: () => void;
  readonly #release: () => void;

  constructor(
    private readonly context: CommandContext,
    private readonly target: Target,
  ) {
    const { documents } = context.services;
    this.#release = documents.blockInput(target.doc.tab);
    this.#stop = documents.pressed.on((id) => {
      this.#arrived ||= id === target.doc.id;
    });
  }

  /** The document has gone: pass where the input had reached it, else say that nothing was done. */
  async explainGone(): Promise<void> {
    const { doc, ref } = this.target;
    const { pressed } = this.context.services.documents;
    // The report of a document that goes away, that input reached it, arrives within this.
    const patience = new Promise<void>((resolve) => setTimeout(resolve, TICK_MS));
    if (!this.#arrived) await pressed.nextOr((id) => id === doc.id, patience);
    if (this.#arrived) return;
    const text = `The document at ${doc.url} went away before the input reached ${ref}.`;
    throw new Failure("page_navigated", text);
  }

  close(): void {
    this.#stop();
    this.#release();
  }
}

/** The browser answers input that it drops: a dialog of its own lies over the tab, and stays until another site is there. */
export function keptByBrowser({ ref }: Target, what: "press" | "keys" = "press"): Failure {
  const dialog =
    "It may show a dialog of its own over this tab, such as one that asks to open another program.";
  const text = `The browser kept the ${what} from ${ref}: nothing was done. ${dialog}`;
  const hint = "close that dialog, or open the address in another tab; reading the page works as it is";
  return new Failure("page_unreachable", text, hint, { reason: "kept_by_browser" }, false);
}

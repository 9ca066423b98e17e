// JavaScript dialogs: noticed, reported, and answered on command.

import type { DialogOpened } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { Signal } from "../signal";
import type { CdpEvent } from "./debuggers";

export class Dialogs {
  readonly opened = new Signal<{ tab: number; dialog: DialogOpened }>();
  readonly closed = new Signal<number>();
  /** Tabs that were silent: a dialog that the browser reported to nobody may block them. */
  readonly suspects = new Set<number>();
  readonly #open = new Map<number, DialogOpened>();

  take(event: CdpEvent): void {
    if (event.method === "Page.javascriptDialogOpening") {
      const { type, message, defaultPrompt } = event.params;
      const dialog: DialogOpened = { kind: type, message, default: defaultPrompt ?? "" };
      this.#open.set(event.tab, dialog);
      this.opened.emit({ tab: event.tab, dialog });
    } else if (event.method === "Page.javascriptDialogClosed") {
      this.forget(event.tab);
    }
  }

  current(tab: number): DialogOpened | undefined {
    return this.#open.get(tab);
  }

  /** The dialog is answered, unless another one opened meanwhile. */
  forget(tab: number, answered?: DialogOpened): void {
    if (answered && this.#open.get(tab) !== answered) return;
    if (this.#open.delete(tab)) this.closed.emit(tab);
  }
}

/** What a command fails with where a dialog blocks the page. */
export function blockedBy(dialog: DialogOpened): Failure {
  const { kind, message } = dialog;
  const text = `A JavaScript ${kind} dialog holds the page: ${message.slice(0, 500)}`;
  return new Failure("dialog_blocked", text, "", { kind, message });
}

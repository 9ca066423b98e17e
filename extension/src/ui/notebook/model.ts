// A widget's model: the kernel writes traits, the widget sends messages.

import { useLayoutEffect, useReducer, useState } from "react";
import type { Message } from "../panel/page_view";

/** What anywidget gives a widget. */
export interface Model {
  get(name: string): unknown;
  on(event: string, act: (...given: never[]) => void): void;
  off(event: string, act: (...given: never[]) => void): void;
  send(message: Message): void;
  widget_manager?: { kernel?: { statusChanged?: Signal } };
}

interface Signal {
  connect(act: (kernel: unknown, status: string) => void): void;
  disconnect(act: (kernel: unknown, status: string) => void): void;
}

/** Have a component follow traits. */
export function useTraits(model: Model, ...names: string[]): void {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  const key = names.join(" ");
  useLayoutEffect(() => {
    const events = key.split(" ").map((name) => `change:${name}`);
    const changed = (): void => tick();
    for (const event of events) model.on(event, changed);
    return () => {
      for (const event of events) model.off(event, changed);
    };
  }, [model, key]);
}

const GONE: ReadonlySet<string> = new Set(["restarting", "autorestarting", "terminating", "dead"]);
const ENDED = "The kernel has ended or was restarted: this is what there was. Run its cell again.";

/** Says that the kernel has ended, as soon as it has: it takes no more clicks then. */
export function useKernelEnd(model: Model): string {
  const [ended, setEnded] = useState("");
  useLayoutEffect(() => {
    const changes = model.widget_manager?.kernel?.statusChanged;
    const check = (_: unknown, status: string): void => {
      if (GONE.has(status)) setEnded(ENDED);
    };
    changes?.connect(check);
    return () => changes?.disconnect(check);
  }, [model]);
  return ended;
}

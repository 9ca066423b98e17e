// A widget's model: the kernel writes traits, the widget sends messages.

import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "react";
import { ALIVE_MS, DOCUMENT_MS } from "../../shared/limits";
import type { Message } from "../panel/page_view";
import { silentFor } from "../panel/words";

/** What anywidget gives a widget. */
export interface Model {
  get(name: string): unknown;
  on(event: string, act: (...given: never[]) => void): void;
  off(event: string, act: (...given: never[]) => void): void;
  send(message: Message): void;
  widget_manager?: { kernel?: { statusChanged?: Signal }; get_model?(id: string): Promise<Model> };
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

export type Send = (message: Message) => void;

/** Sends what the kernel confirms by the trait `confirmed`, and says so where no sign of it has come for long. */
export function useConfirmed(model: Model): [send: Send, silence: string] {
  const waiting = useRef({ serial: "", since: 0 });
  const [silence, setSilence] = useState("");
  useLayoutEffect(() => {
    const end = (): void => {
      waiting.current = { serial: "", since: 0 };
      setSilence("");
    };
    const confirmed = (): void => {
      if (model.get("confirmed") === waiting.current.serial) end();
    };
    model.on("change:state", end);
    model.on("change:confirmed", confirmed);
    return () => {
      model.off("change:state", end);
      model.off("change:confirmed", confirmed);
    };
  }, [model]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { serial, since } = waiting.current;
      const passed = Date.now() - since;
      if (serial && passed >= DOCUMENT_MS) setSilence(silentFor(passed));
    }, ALIVE_MS);
    return () => clearInterval(timer);
  }, []);
  const send = (message: Message): void => {
    const serial = `${Date.now()} ${Math.random()}`;
    waiting.current = { serial, since: waiting.current.since || Date.now() };
    model.send({ ...message, serial });
  };
  return [send, silence];
}

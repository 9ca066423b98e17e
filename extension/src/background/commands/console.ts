// The console messages of tabs while a debugger is attached to them.

import type { ConsoleMessage, ConsoleParams } from "../../protocol/generated";
import type { CdpEvent } from "../tabs/debuggers";

const KEPT = 500;
const LONGEST = 10_000;
const LEVELS: Record<string, string> = { warn: "warning", assert: "error", verbose: "debug" };

interface RemoteObject {
  type: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
}

export class ConsoleLog {
  readonly #messages = new Map<number, ConsoleMessage[]>();

  take({ tab, method, params }: CdpEvent): void {
    if (method === "Runtime.consoleAPICalled") {
      const frame = params.stackTrace?.callFrames?.[0];
      const text = params.args.map(textOf).join(" ");
      this.#add(tab, params.type, text, frame?.url, frame?.lineNumber, params.timestamp);
    } else if (method === "Runtime.exceptionThrown") {
      const { exceptionDetails: details, timestamp } = params;
      const text = details.exception?.description ?? details.text;
      this.#add(tab, "error", text, details.url, details.lineNumber, timestamp);
    } else if (method === "Log.entryAdded") {
      const { entry } = params;
      this.#add(tab, entry.level, entry.text, entry.url, entry.lineNumber, entry.timestamp);
    }
  }

  list(tab: number, level: ConsoleParams["level"]): ConsoleMessage[] {
    const wanted = level === "errors" ? ["error"] : level === "warnings" ? ["error", "warning"] : null;
    return (this.#messages.get(tab) ?? []).filter((message) => !wanted || wanted.includes(message.level));
  }

  forget(tab: number): void {
    this.#messages.delete(tab);
  }

  #add(tab: number, kind: string, text: string, url = "", line = -1, ms = Date.now()): void {
    const level = LEVELS[kind] ?? kind;
    const message = { level, text: text.slice(0, LONGEST), url, line: line + 1, time: ms / 1000 };
    this.#messages.set(tab, [...(this.#messages.get(tab) ?? []), message].slice(-KEPT));
  }
}

function textOf(value: RemoteObject): string {
  if (value.type === "string") return String(value.value);
  return value.unserializableValue ?? value.description ?? JSON.stringify(value.value) ?? value.type;
}

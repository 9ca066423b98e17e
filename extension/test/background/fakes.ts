// Narrow stand-ins for what the browser gives the worker.

import type { Socket } from "../../src/background/connection/connection";

/** A socket whose other end is the test. */
export class FakeSocket implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  onerror: Socket["onerror"] = null;
  readonly sent: Record<string, unknown>[] = [];
  closed = false;

  constructor(readonly url: string) {}

  send(text: string): void {
    if (this.closed) throw new Error("send on a closed socket");
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.closed = true;
  }

  receive(message: unknown): void {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  /** The other end closes. */
  drop(code = 1006, reason = ""): void {
    this.closed = true;
    this.onclose?.({ code, reason });
  }

  last(): Record<string, unknown> | undefined {
    return this.sent.at(-1);
  }
}

/** A chrome.storage area in memory. */
export class FakeStorage {
  readonly items: Record<string, unknown> = {};

  async get(key: string): Promise<Record<string, unknown>> {
    return key in this.items ? { [key]: structuredClone(this.items[key]) } : {};
  }

  async set(items: Record<string, unknown>): Promise<void> {
    Object.assign(this.items, structuredClone(items));
  }
}

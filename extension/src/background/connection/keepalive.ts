// The ports that shared tabs hold, by which they notice that the worker ended and start it again.

import { NOT_SHARED } from "../../shared/messages";
import { Signal } from "../signal";
import type { Shares } from "../tabs/shares";

type KeepalivePort = Pick<chrome.runtime.Port, "postMessage" | "disconnect" | "onDisconnect">;

export class Keepalive {
  /** A shared tab's port is gone: its document left, or its program ended. */
  readonly left = new Signal<number>();
  readonly #ports = new Map<number, KeepalivePort>();

  constructor(private readonly shares: Shares) {
    shares.removed.on(({ tab }) => {
      const port = this.#ports.get(tab);
      if (port) this.#end(port);
    });
  }

  /** A document of a tab connected; one whose tab isn't shared has to stop. */
  connect(tab: number, port: KeepalivePort): void {
    if (!this.shares.get(tab)) {
      this.#end(port);
      return;
    }
    this.#ports.set(tab, port);
    port.onDisconnect.addListener(() => {
      if (this.#ports.get(tab) !== port) return;
      this.#ports.delete(tab);
      this.left.emit(tab);
    });
  }

  #end(port: KeepalivePort): void {
    port.postMessage(NOT_SHARED);
    port.disconnect();
  }
}

// A page's end of the port to the service worker; dials again when the worker was restarted.

import { TICK_MS } from "../../shared/limits";
import type { UiReply, UiRequest } from "../../shared/ui";

export type Connect = (info: { name: string }) => chrome.runtime.Port;

export interface Worker {
  send(request: UiRequest): void;
  close(): void;
}

/** Open the port, say `first`, and hand every reply to `take`; `dropped` learns that what was sent gets no answer. */
export function openWorker(
  connect: Connect,
  first: UiRequest,
  take: (reply: UiReply) => void,
  dropped: () => void = () => undefined,
): Worker {
  let port: chrome.runtime.Port;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const dial = (): void => {
    port = connect({ name: "ui" });
    port.onMessage.addListener(take);
    port.onDisconnect.addListener(() => {
      timer = setTimeout(dial, TICK_MS);
      dropped();
    });
    port.postMessage(first);
  };
  dial();
  return {
    send: (request) => port.postMessage(request),
    close: () => {
      clearTimeout(timer);
      port.disconnect();
    },
  };
}

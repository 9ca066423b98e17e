import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import type { KernelView, UiReply, UiRequest } from "../../../src/shared/ui";
import { Popup } from "../../../src/ui/popup/popup";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

it("connects at once between two attempts, and opens the panel", async () => {
  const sent: UiRequest[] = [];
  let opened = 0;
  let take: (reply: UiReply) => void = () => undefined;
  const port = {
    onMessage: { addListener: (listener: typeof take) => (take = listener) },
    onDisconnect: { addListener: () => undefined },
    postMessage: (request: UiRequest) => sent.push(request),
    disconnect: () => undefined,
  } as unknown as chrome.runtime.Port;
  document.body.innerHTML = "<div id=root></div>";
  const root = createRoot(document.getElementById("root") as HTMLElement);
  await act(async () => root.render(<Popup connect={() => port} openPanel={() => opened++} />));
  const kernel: KernelView = {
    id: "k",
    name: "prices.ipynb",
    base: "http://127.0.0.1:1",
    state: { phase: "waiting", reason: "the kernel is not there" },
    session: null,
    silentFor: null,
    heartbeat: 0,
    entries: 1,
    tabs: [],
    activity: [],
  };
  const state = {
    kernels: [kernel],
    current: null,
    sharedWith: null,
    pairable: null,
    keepsActs: false,
    shownAs: "",
  };
  await act(async () => take({ ui: "state", state }));
  const press = (words: string): void =>
    [...document.querySelectorAll("button")].find((each) => each.textContent === words)?.click();
  press("Connect now");
  expect(sent.at(-1)).toEqual({ ui: "retry", kernel: "k" });
  press("Open panel");
  expect(opened).toBe(1);
  expect(document.querySelector("summary")?.textContent).toContain("being debugged");
  await act(async () => root.unmount());
});

// A kernel that is away for a while: its page stays, and is asked for anew once it is back.

import { act } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, it } from "vitest";
import type { ConnectionState, KernelView, UiReply, UiRequest } from "../../../src/shared/ui";
import { KernelClient } from "../../../src/ui/side_panel/kernel_client";
import { pickKernel, SidePanel } from "../../../src/ui/side_panel/side_panel";

const kernelOf = (
  id: string,
  phase: ConnectionState["phase"],
  name = "prices.ipynb",
  entries = 1,
): KernelView => ({
  id,
  name,
  base: "ws://127.0.0.1:1",
  state: { phase },
  session: "s",
  silentFor: 0,
  heartbeat: 1,
  entries,
  tabs: [],
  activity: [],
});
const stateOf = (...kernels: KernelView[]) => ({
  kernels,
  current: null,
  sharedWith: null,
  pairable: null,
  keepsActs: false,
  shownAs: "",
});
const ANSWERS: Record<string, unknown> = {
  about: {
    name: "n",
    version: "1",
    model: null,
    notebook: true,
    autonomy: "ask",
    skills: 0,
    workflows: 0,
    can_record: false,
  },
  list_skills: { skills: [] },
  list_workflows: { workflows: [] },
  list_page_tools: { tools: [] },
  list_runs: { runs: [], more: false },
};

/** The whole panel over a port whose other end is the test. */
async function showPanel() {
  let take: (reply: UiReply) => void = () => undefined;
  const asked: string[] = [];
  const port = {
    onMessage: { addListener: (listener: typeof take) => (take = listener) },
    onDisconnect: { addListener: () => undefined },
    postMessage: (request: UiRequest) => {
      if (request.ui !== "ask") return;
      asked.push(request.name);
      queueMicrotask(() => take({ ui: "answer", id: request.id, result: ANSWERS[request.name] }));
    },
    disconnect: () => undefined,
  };
  const client = new KernelClient(() => port as never, { ui: "watch" });
  document.body.innerHTML = "<div id=root></div>";
  const root = createRoot(document.getElementById("root") as HTMLElement);
  await act(async () => root.render(<SidePanel client={client} />));
  const push = (...kernels: KernelView[]): Promise<void> =>
    act(async () => take({ ui: "state", state: stateOf(...kernels) }));
  return { push, asked, end: () => act(async () => root.unmount()) };
}

describe("a kernel that is away", () => {
  it("keeps what was typed, says so, and is asked anew once it is back", async () => {
    const { push, asked, end } = await showPanel();
    await push(kernelOf("k", "connected"));
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set;
    await act(async () => {
      set?.call(field, "Find a lamp");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    for (const phase of ["waiting", "connecting", "greeting"] as const) {
      await push(kernelOf("k", phase));
      expect(document.body.textContent).toContain("prices.ipynb is away");
      expect(document.querySelector("textarea")?.value).toBe("Find a lamp");
    }
    asked.length = 0;
    await push(kernelOf("k", "connected", "prices.ipynb", 2));
    expect(document.body.textContent).not.toContain("is away");
    expect(document.querySelector("textarea")?.value).toBe("Find a lamp");
    expect(asked).toEqual(expect.arrayContaining(["about", "list_skills", "list_workflows", "list_runs"]));
    await push(kernelOf("k", "ended"));
    expect(document.querySelector("textarea")).toBeNull();
    await end();
  });

  it("is asked anew where it came back before anybody saw that it was away", async () => {
    const { push, asked, end } = await showPanel();
    await push(kernelOf("k", "connected"));
    asked.length = 0;
    await push(kernelOf("k", "connected"));
    expect(asked).toEqual([]);
    await push(kernelOf("k", "connected", "prices.ipynb", 2));
    expect(asked).toContain("list_runs");
    await end();
  });

  it("is not waited for where it was never here", async () => {
    const { push, end } = await showPanel();
    await push(kernelOf("k", "waiting"));
    expect(document.body.textContent).toContain("until prices.ipynb is connected");
    await end();
  });
});

describe("the kernel that is shown", () => {
  it("is the chosen one, and after a restart the one of its name", () => {
    const [old, other] = [kernelOf("a", "waiting"), kernelOf("b", "connected", "else.ipynb")];
    expect(pickKernel(stateOf(old, other), "a")?.id).toBe("a");
    expect(pickKernel(stateOf(old, other, kernelOf("c", "connected")), "a")?.id).toBe("c");
    expect(pickKernel(stateOf(old, kernelOf("c", "connected")), "a", new Set(["c"]))?.id).toBe("a");
    expect(pickKernel(stateOf(old, kernelOf("c", "connected"), kernelOf("d", "connected")), "a")?.id).toBe(
      "a",
    );
    expect(pickKernel(stateOf(old, other), null)?.id).toBe("b");
    expect(pickKernel(stateOf(old), null)?.id).toBe("a");
    expect(pickKernel(stateOf(), "a")).toBeUndefined();
  });
});

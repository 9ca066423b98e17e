// The panel's parts in a document, over a port whose other end is the test.

import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import type { Notice } from "../../../src/shared/notices";
import type { UiReply, UiRequest } from "../../../src/shared/ui";
import type { AskName, Params, RunView } from "../../../src/ui/common/asks";
import { PanelContext } from "../../../src/ui/side_panel/context";
import { KernelClient } from "../../../src/ui/side_panel/kernel_client";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

type Answers = { [N in AskName]?: unknown | ((params: Params<N>) => unknown) };

/** A kernel that answers what it is given. */
export class FakeKernel {
  readonly asked: { name: string; params: Record<string, unknown> }[] = [];
  readonly client: KernelClient;
  #take: (reply: UiReply) => void = () => undefined;

  constructor(readonly answers: Answers = {}) {
    const connect = () =>
      ({
        onMessage: { addListener: (take: (reply: UiReply) => void) => (this.#take = take) },
        onDisconnect: { addListener: () => undefined },
        postMessage: (request: UiRequest) => this.#serve(request),
        disconnect: () => undefined,
      }) as unknown as chrome.runtime.Port;
    this.client = new KernelClient(connect, { ui: "watch" });
  }

  report(notice: Notice): void {
    this.#take({ ui: "notice", kernel: "k", notice });
  }

  taken(name: AskName): Record<string, unknown>[] {
    return this.asked.filter((each) => each.name === name).map(({ params }) => params);
  }

  #serve(request: UiRequest): void {
    if (request.ui !== "ask") return;
    const { id, name } = request;
    const params = request.params as Record<string, unknown>;
    this.asked.push({ name, params });
    const given = this.answers[name as AskName];
    queueMicrotask(() => {
      if (given === undefined) {
        const error = { code: "internal", message: `nobody answers ${name}`, hint: "" };
        this.#take({ ui: "answer", id, error });
      } else {
        const result = typeof given === "function" ? given(params) : given;
        this.#take({ ui: "answer", id, result });
      }
    });
  }
}

let root: Root | null = null;

/** Show a part of the panel, in the place of what was shown before. */
export async function show(part: React.ReactNode, kernel = new FakeKernel()): Promise<HTMLElement> {
  await act(async () => root?.unmount());
  document.body.innerHTML = "<div id=root></div>";
  const place = document.getElementById("root") as HTMLElement;
  root = createRoot(place);
  const panel = { client: kernel.client, kernel: "k", connection: "1", tab: 1, openRun: () => undefined };
  await act(async () => root?.render(<PanelContext value={panel}>{part}</PanelContext>));
  return place;
}

/** Show the same part anew, with other facts, or for another tab. */
export async function showAgain(part: React.ReactNode, kernel: FakeKernel, tab = 1): Promise<void> {
  const panel = { client: kernel.client, kernel: "k", connection: "1", tab, openRun: () => undefined };
  await act(async () => root?.render(<PanelContext value={panel}>{part}</PanelContext>));
}

export async function press(element: Element | null | undefined): Promise<void> {
  if (!(element instanceof HTMLElement)) throw new Error("nothing to press");
  await act(async () => element.click());
}

export const buttonOf = (place: ParentNode, words: string): HTMLButtonElement | undefined =>
  [...place.querySelectorAll("button")].find(
    // A button also shows its key.
    (each) => (each.querySelector("kbd")?.previousElementSibling ?? each).textContent?.trim() === words,
  );

/** A run with nothing special. */
export function viewOf(more: Partial<RunView> = {}): RunView {
  return {
    id: "r1",
    kind: "goal",
    name: "",
    title: "Find a lamp",
    state: "executing",
    words: "works",
    started: 0,
    ended: null,
    tab: 1,
    page: "",
    rows: 0,
    inputs: {},
    live: true,
    status: "running",
    progress: null,
    progress_words: "",
    under_way: "",
    since: 0,
    model: "",
    breadcrumbs: [],
    steps: [],
    question: null,
    more_questions: 0,
    variables: [],
    tasks: [],
    tasks_words: "",
    tokens: 0,
    cost: null,
    max_steps: 0,
    budget: null,
    budget_tokens: null,
    forecast: "",
    origin: "",
    warning: "",
    notice: "",
    result: "",
    error: "",
    hint: "",
    outputs: [],
    can: [],
    ...more,
  };
}

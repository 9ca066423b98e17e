// What a notebook's widgets show of their kernel, and what they send: each kind over a model whose kernel is the test.

import { act } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import widgets from "../../../src/ui/notebook/index";
import type { Model } from "../../../src/ui/notebook/model";
import { buttonOf, press, viewOf } from "../side_panel/fake_kernel";

type Act = (...given: unknown[]) => void;

/** A widget's model, whose traits the test writes. */
class FakeModel {
  readonly sent: Record<string, unknown>[] = [];
  /** Of the last message that has one. */
  serial: unknown;
  readonly #listeners = new Map<string, Set<Act>>();
  readonly #statuses = new Set<Act>();
  readonly widget_manager = {
    kernel: {
      statusChanged: {
        connect: (act: Act) => this.#statuses.add(act),
        disconnect: (act: Act) => this.#statuses.delete(act),
      },
    },
  };

  constructor(readonly traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.traits[name];
  }

  on(event: string, act: Act): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(act));
  }

  off(event: string, act: Act): void {
    this.#listeners.get(event)?.delete(act);
  }

  send({ serial, ...message }: Record<string, unknown>): void {
    this.sent.push(message);
    this.serial = serial ?? this.serial;
  }

  async write(name: string, value: unknown): Promise<void> {
    this.traits[name] = value;
    await act(async () => {
      for (const listener of this.#listeners.get(`change:${name}`) ?? []) listener();
    });
  }

  async kernelIs(status: string): Promise<void> {
    await act(async () => {
      for (const listener of this.#statuses) listener(null, status);
    });
  }

  get followers(): number {
    return this.#statuses.size;
  }
}

const rows = [
  ["e1", "main", "", 0, "", 0, null],
  ["e2", "button", "Buy", 1, "", 1, [10, 10, 90, 30]],
  ["e3", "button", "Sell", 1, "", 1, [10, 50, 90, 30]],
];
const page = {
  url: "https://shop.test/",
  title: "Shop",
  shown_as: "",
  rows,
  omitted: 0,
  key: "d 1",
  shot: null,
};
const question = {
  id: "q1",
  kind: "approve",
  words: "Click the button 'Buy'",
  place: "",
  why: "It writes.",
  said: "",
  risk: "write",
  obstacle: "",
  noticed: false,
  call: {
    tool: "click",
    args: { target: "e2" },
    json_schema: { type: "object", properties: { target: { type: "string" } }, required: ["target"] },
    targets: ["target"],
    phrase: "Click",
    target: "the button 'Buy'",
    target_ref: "e2",
    puts_text: false,
  },
  cell: null,
  editable: ["target"],
  choices: [],
  decisions: ["approve", "edit", "reject", "respond", "skip"],
  always: [],
  learn: "",
  form: "",
  second_press: false,
  refusal: "",
} as const;
const waiting = viewOf({
  state: "awaiting_user",
  status: "waiting",
  question: question as never,
  can: ["stop"],
});
const run = {
  run: waiting,
  refusals: 0,
  visited: "",
  offers: {},
  picking: false,
  picked: null,
  pick_problem: "",
  remote_input_problem: "",
  has_window: true,
  past: null,
  gone: "",
};
const frame = {
  columns: ["Name", "Price"],
  numeric: [false, true],
  limits: [],
  gone: "",
  rows: [["0", "Lamp", "9.50"]],
  first: 0,
  size: 10,
  count: 1,
  total: 1,
  sorted: null,
  descending: false,
  words: "",
  summaries: [],
  checked: { complete: true, reason: "", laws: [] },
  picked: null,
  facts: [],
  problem: "",
  busy: false,
};
const replay = { goal: "Buy", steps: 2, at: 0, call: "click", facts: [["Outcome", "done"]], target: "e2" };
const KINDS: Record<string, Record<string, unknown>> = {
  run: { kind: "run", state: run, view: page, shot: null, details: {}, listed: {} },
  view: { kind: "view", state: { status: "live", gone: "" }, view: page, shot: null },
  frame: { kind: "frame", state: frame, view: {}, shot: null },
  recorder: {
    kind: "recorder",
    state: { state: "recording", steps: ["Click"], codes: [""] },
    view: {},
    shot: null,
  },
  replay: { kind: "replay", state: replay, view: page, shot: null },
  skill: {
    kind: "skill",
    state: { name: "tidy-up", place: "skills/tidy-up", wants: ["click 'Delete'"], status: "asks" },
  },
  browsers: {
    kind: "browsers",
    state: {
      problem: "",
      browsers: [{ id: "1", words: "Chromium", gone: "", silent: "", pages: [{ id: "1/2", words: "Shop" }] }],
    },
  },
};

globalThis.IntersectionObserver ??= class {
  observe(): void {}
  disconnect(): void {}
} as never;

let ends: (() => void)[] = [];

async function show(kind: string): Promise<{ model: FakeModel; root: HTMLElement }> {
  const model = new FakeModel(structuredClone(KINDS[kind] as Record<string, unknown>));
  const el = document.body.appendChild(document.createElement("div"));
  await act(async () => {
    ends.push(widgets.render({ model: model as unknown as Model, el }));
  });
  return { model, root: el.querySelector(".sbp") as HTMLElement };
}

afterEach(async () => {
  await act(async () => {
    for (const end of ends) end();
  });
  ends = [];
  document.body.replaceChildren();
  Reflect.deleteProperty(globalThis, "skillbookLab");
});

const isDead = (root: HTMLElement): unknown[] => [
  root.dataset.status,
  root.hasAttribute("data-gone"),
  root.querySelector<HTMLElement>(".sbp-live")?.inert ??
    root.querySelector(".sbp-live")?.hasAttribute("inert"),
  root.querySelector(".sbp-gone")?.textContent,
];
const DEAD = [
  "gone",
  true,
  true,
  "The kernel has ended or was restarted: this is what there was. Run its cell again.",
];

describe("a widget whose kernel ends", () => {
  for (const kind of Object.keys(KINDS))
    it(`fault 88: says so and takes no more clicks: ${kind}`, async () => {
      const { model, root } = await show(kind);
      await model.kernelIs("busy");
      expect(root.hasAttribute("data-gone")).toBe(false);
      await model.kernelIs("restarting");
      expect(isDead(root)).toEqual(DEAD);
      await model.kernelIs("idle");
      expect(isDead(root), "another kernel makes it no live one").toEqual(DEAD);
    });

  it("fault 88: says so in the copy beside the notebook", async () => {
    let beside: HTMLElement | null = null;
    Object.assign(globalThis, {
      skillbookLab: {
        dock: (_: string, __: string, node: HTMLElement) => (beside = node),
        undock: () => undefined,
      },
    });
    const { model, root } = await show("run");
    await press(root.querySelector<HTMLElement>(".sbp-beside"));
    const copy = (beside as unknown as HTMLElement).querySelector(".sbp") as HTMLElement;
    await model.kernelIs("dead");
    expect([isDead(root), isDead(copy)]).toEqual([DEAD, DEAD]);
  });

  it("follows its kernel no longer than it is shown", async () => {
    const { model } = await show("run");
    expect(model.followers).toBe(1);
    await act(async () => ends.pop()?.());
    expect(model.followers).toBe(0);
  });
});

describe("a run whose page is gone", () => {
  it("fault 88: says why and can't be answered, but can be stopped", async () => {
    const { model, root } = await show("run");
    await model.write("state", { ...run, gone: "The page was closed. browser.open() opens one." });
    expect(root.dataset.status).toBe("gone");
    expect(root.querySelector(".sbp-status")?.textContent).toBe("Page gone");
    expect(root.querySelector(".sbp-answer")?.hasAttribute("inert")).toBe(true);
    expect(root.querySelector(".sbp-card")?.hasAttribute("inert")).toBe(true);
    await press(buttonOf(root, "Stop"));
    expect(model.sent).toContainEqual({ type: "stop" });
  });
});

const CLOSED = "The page was closed. browser.open() opens one.";

describe("what is shown of a page that is gone", () => {
  it("fault 88: a frame says so, and its cells still say where they came from", async () => {
    const { model, root } = await show("frame");
    await model.write("state", { ...frame, gone: CLOSED });
    expect(root.querySelector(".sbp-gone")?.textContent).toBe(CLOSED);
    expect(root.textContent).toContain("it can't be shown in the page any more");
    await press(root.querySelector<HTMLElement>("td"));
    expect(model.sent).toContainEqual({ type: "source", row: 0, column: 0 });
  });

  it("fault 88: a recorder greys what needs the page, with the reason, and can be stopped", async () => {
    const { model, root } = await show("recorder");
    await model.write("state", { state: "recording", steps: ["Click"], codes: [""], gone: CLOSED });
    expect(root.dataset.status).toBe("gone");
    expect(root.querySelector(".sbp-status")?.textContent).toBe("Page gone");
    const grey = [...root.querySelectorAll<HTMLButtonElement>("button:disabled")];
    expect(grey.filter(({ title }) => title === CLOSED).map(({ textContent }) => textContent)).toEqual([
      "Pause",
      "Read rows…",
      "Check…",
    ]);
    expect(root.textContent).toContain("Stop ends the recording; what was recorded is kept.");
    await press(buttonOf(root, "Stop"));
    expect(model.sent).toEqual([{ type: "stop" }]);
  });

  it("fault 88: a browser that has ended has no button to close it, and says how it ended", async () => {
    const { model, root } = await show("browsers");
    await press(buttonOf(root, "Close"));
    expect(model.sent).toEqual([{ type: "close_open", kind: "browser", id: "1" }]);
    const gone = "The browser has ended (killed). browser.relaunch() starts it again.";
    const ended = { id: "1", words: "Chromium", gone, silent: "", pages: [] };
    await model.write("state", { problem: "", browsers: [ended] });
    expect(root.querySelectorAll("button:enabled")).toHaveLength(0);
    expect(buttonOf(root, "Closed")?.title).toBe(gone);
    expect(root.querySelector("li")?.textContent).toContain(gone);
  });
});

describe("a kernel that gives no sign", () => {
  const said = (root: HTMLElement): string => root.querySelector(".sbp-gone")?.textContent ?? "";

  for (const [kind, name] of [
    ["skill", "Approve this version"],
    ["frame", "Name"],
    ["recorder", "Stop"],
    ["browsers", "Close"],
    ["replay", "▶"],
  ] as const)
    it(`fault 88: is said to be silent for so long, until it confirms: ${kind}`, async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
      const { model, root } = await show(kind);
      await press(buttonOf(root, name));
      await act(async () => vi.advanceTimersByTime(4_000));
      expect(said(root)).toBe("");
      await act(async () => vi.advanceTimersByTime(3_000));
      expect(said(root)).toBe("No answer for 7 s: the kernel may be at work");
      expect(root.dataset.status).not.toBe("gone");
      await model.write("confirmed", model.serial);
      expect(said(root)).toBe("");
      vi.useRealTimers();
    });
});

describe("a frame's columns", () => {
  it("are sorted and filtered by their menu, and numbers stand at the right", async () => {
    const { model, root } = await show("frame");
    const price = { kind: "number", blanks: 1, distinct: 9, says: "1 to 9", bars: [1, 0.5], values: [] };
    const names = {
      kind: "text",
      blanks: 0,
      distinct: 2,
      says: "",
      bars: [],
      ranges: [],
      values: [["Lamp", 3]],
    };
    const summaries = [names, { ...price, ranges: ["1 to 5: 6 rows", "5 to 9: 3 rows"] }];
    await model.write("state", { ...frame, total: 10, summaries });
    expect(root.querySelectorAll("td")[1]?.className).toBe("sbp-numeric");
    await press(root.querySelector<HTMLElement>('[aria-label="Only 5 to 9: 3 rows"]'));
    await press(buttonOf(root, "Lamp3"));
    await press(buttonOf(root, "Without blanks"));
    await press(buttonOf(root, "▼ Sort descending"));
    expect(model.sent).toEqual([
      { type: "limit", column: 1, by: "bar", value: 1 },
      { type: "limit", column: 0, by: "value", value: "Lamp" },
      { type: "limit", column: 1, by: "blank", value: false },
      { type: "sort", column: 0, descending: true },
    ]);
    await model.write("state", { ...frame, total: 10, summaries, limits: [[1, "bar", 1]] });
    await press(buttonOf(root, "Price: 5 to 9 ✕"));
    expect(model.sent.at(-1)).toEqual({ type: "limit", column: 1, by: "bar", value: 1 });
  });
});

describe("an answer in a notebook", () => {
  const ANSWER = {
    type: "decision",
    run: "r1",
    question: "q1",
    args: {},
    text: "",
    always: "",
    until: "call",
    confirmed: false,
  };
  const decisions = (model: FakeModel): unknown[] => model.sent.filter(({ type }) => type === "decision");

  it("goes out once, and again after a refusal", async () => {
    const { model, root } = await show("run");
    await press(buttonOf(root, "Approve"));
    await press(buttonOf(root, "Approve"));
    expect(decisions(model)).toEqual([{ ...ANSWER, decision: "approve" }]);
    const refused = { ...waiting, question: { ...question, refusal: "no" } };
    await model.write("state", { ...run, run: refused, refusals: 1 });
    expect(root.querySelector('[role="alert"]')?.textContent).toBe("no");
    await press(buttonOf(root, "Approve"));
    expect(decisions(model)).toHaveLength(2);
  });

  it("fault 88: says for how long nobody has taken it, and never that the kernel is dead", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const { model, root } = await show("run");
    const next = (): string => root.querySelector(".sbp-next")?.textContent ?? "";
    await press(buttonOf(root, "Approve"));
    await act(async () => vi.advanceTimersByTime(4_000));
    expect(next()).toContain("Next: ");
    await act(async () => vi.advanceTimersByTime(3_000));
    expect(next()).toBe("No answer for 7 s: the kernel may be at work");
    await model.write("state", { ...run, run: { ...waiting, question: null, status: "running" } });
    expect(next()).not.toContain("No answer");
    vi.useRealTimers();
  });

  it("is about the element that was pointed at in the tree", async () => {
    const { model, root } = await show("run");
    await press(root.querySelector<HTMLElement>('.sbp-tree [data-ref="e3"]'));
    expect(root.querySelector(".sbp-target")?.textContent).toBe("the button “Sell”");
    await press(buttonOf(root, "Approve edited"));
    expect(decisions(model)).toEqual([{ ...ANSWER, decision: "edit", args: { target: "e3" } }]);
  });
});

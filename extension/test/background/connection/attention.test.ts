import { beforeEach, describe, expect, it } from "vitest";
import { Attention } from "../../../src/background/connection/attention";
import type { Kernels } from "../../../src/background/connection/kernels";
import { Signal } from "../../../src/background/signal";
import type { RunSummary } from "../../../src/protocol/generated";
import type { Notice } from "../../../src/shared/notices";

let badges: string[];
let notified: [string, string, string][];
let isOpen: boolean;
let attention: Attention;

beforeEach(() => {
  badges = [];
  notified = [];
  isOpen = false;
  const api = {
    badge: (text: string) => void badges.push(text),
    notify: (...given: [string, string, string]) => void notified.push(given),
    clear: () => undefined,
  };
  attention = new Attention(api, () => isOpen);
});

const changed = (run: string, state: RunSummary["state"], title = "Find a lamp"): void =>
  attention.take("k", { notice: "run_changed", data: { run, title, state, words: `is ${state}` } });

describe("attention", () => {
  it("counts the runs that wait", () => {
    changed("a", "awaiting_user");
    changed("b", "blocked");
    expect(badges.at(-1)).toBe("2");
    changed("a", "executing");
    expect(badges.at(-1)).toBe("1");
    attention.leave("k");
    expect(badges.at(-1)).toBe("");
  });

  it("reports a question and an end, once, and nothing while the panel is open", () => {
    attention.take("k", {
      notice: "question_open",
      data: { run: "a", title: "T", question: "q", words: "Buy?" },
    });
    changed("a", "executing");
    changed("a", "succeeded");
    changed("a", "succeeded");
    isOpen = true;
    changed("b", "executing");
    changed("b", "failed");
    expect(notified.map(([, title, words]) => [title, words])).toEqual([
      ["Waits for you: T", "Buy?"],
      ["Find a lamp", "is succeeded"],
    ]);
  });

  it("shows the words of a page on one line, with nothing hidden", () => {
    changed("a", "executing");
    changed("a", "failed", "a\u202eb\nc\u0000d");
    expect(notified[0]?.[1]).toBe("a b c d");
  });

  it("knows the runs of a kernel that is there again", () => {
    const run = { id: "a", kind: "goal", title: "T", state: "awaiting_user", words: "", started: 0 } as const;
    attention.refresh("k", [run, { ...run, id: "b", live: false }]);
    expect(badges.at(-1)).toBe("1");
    attention.refresh("k", []);
    expect(badges.at(-1)).toBe("");
  });

  it("follows kernels: what they report, one that is back, and one that is gone", async () => {
    const run = { id: "a", kind: "goal", title: "T", state: "awaiting_user", words: "", started: 0 } as const;
    const connected = new Set<string>();
    const resumed = new Set<string>();
    const asked: string[] = [];
    const kernels = {
      changed: new Signal<void>(),
      notices: new Signal<{ kernel: string; notice: Notice }>(),
      connected: () => [...connected],
      resumed: (kernel: string) => resumed.has(kernel),
      ask: async (kernel: string) => {
        asked.push(kernel);
        return { runs: [run] };
      },
    };
    attention.follow(kernels as unknown as Kernels);
    connected.add("new");
    kernels.changed.emit();
    expect(asked, "nothing waits in a session that begins").toEqual([]);
    connected.add("back");
    resumed.add("back");
    kernels.changed.emit();
    await Promise.resolve();
    await Promise.resolve();
    expect([asked, badges.at(-1)]).toEqual([["back"], "1"]);
    const data = { run: "b", title: "U", state: "blocked", words: "" } as const;
    kernels.notices.emit({ kernel: "new", notice: { notice: "run_changed", data } });
    expect(badges.at(-1)).toBe("2");
    connected.delete("back");
    kernels.changed.emit();
    expect(badges.at(-1)).toBe("1");
  });
});

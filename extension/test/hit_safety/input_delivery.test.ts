import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline } from "../../src/background/deadline";
import { type Kind, Navigations } from "../../src/background/tabs/navigations";
import { InputDelivery } from "../../src/hit_safety/input_delivery";

const TAB = 1;

/** A tab, how it answers, and what came of an input event. */
function world() {
  const navigations = new Navigations();
  const sent: string[] = [];
  const answers: Record<string, () => Promise<unknown>> = {
    input: async () => null,
    script: async () => null,
  };
  const send = async <T>(_: number, method: string): Promise<T> => {
    sent.push(method);
    return (await answers[method.startsWith("Input.") ? "input" : "script"]?.()) as T;
  };
  const delivery = new InputDelivery({ send }, navigations);
  const happen = (kind: Kind): void =>
    navigations.take(kind, { tabId: TAB, frameId: 0, url: "http://example.test/" });
  const press = (): { outcome: string } => {
    const state = { outcome: "" };
    const deadline = new Deadline(30_000, "click");
    delivery.send(TAB, "Input.insertText", {}, deadline).then(
      () => {
        state.outcome = "over";
      },
      (error: { code: string }) => {
        state.outcome = error.code;
      },
    );
    return state;
  };
  return { sent, answers, happen, press };
}

const never = (): Promise<never> => new Promise(() => undefined);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("input before a document is there", () => {
  it("sends at once where nothing is on its way", async () => {
    const { sent, press } = world();
    const pressed = press();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["Input.insertText"]);
    expect(pressed.outcome).toBe("over");
  });

  it("waits for a document that is on its way", async () => {
    const { sent, happen, press } = world();
    happen("before");
    press();
    press();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([]);
    happen("committed");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
  });

  it("waits for a slow one once, and not for long", async () => {
    const { sent, happen, press } = world();
    happen("before");
    press();
    await vi.advanceTimersByTimeAsync(310);
    expect(sent).toHaveLength(1);
    press();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
    happen("before");
    press();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
  });
});

describe("input without an answer", () => {
  it("is over when the document was replaced, though no answer came", async () => {
    const { answers, happen, press } = world();
    press();
    await vi.advanceTimersByTimeAsync(0);
    answers.input = never;
    const pressed = press();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pressed.outcome).toBe("");
    happen("committed");
    await vi.advanceTimersByTimeAsync(400);
    expect(pressed.outcome).toBe("");
    await vi.advanceTimersByTimeAsync(200);
    expect(pressed.outcome).toBe("over");
  });

  it("fails where a new document answers scripts and no input", async () => {
    const { answers, happen, press } = world();
    happen("committed");
    answers.input = never;
    const pressed = press();
    await vi.advanceTimersByTimeAsync(1_400);
    expect(pressed.outcome).toBe("");
    await vi.advanceTimersByTimeAsync(200);
    expect(pressed.outcome).toBe("page_unreachable");
  });

  it("waits while a page answers nothing at all, as under a dialog", async () => {
    const { answers, happen, press } = world();
    happen("committed");
    answers.input = answers.script = never;
    const pressed = press();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(pressed.outcome).toBe("");
  });

  it("waits for a page that has answered input before", async () => {
    const { answers, happen, press } = world();
    happen("committed");
    press();
    await vi.advanceTimersByTimeAsync(0);
    answers.input = never;
    const pressed = press();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(pressed.outcome).toBe("");
  });
});

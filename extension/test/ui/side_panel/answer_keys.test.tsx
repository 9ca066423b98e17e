import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../../src/ui/common/asks";
import { ShownRun } from "../../../src/ui/side_panel/run/run_area";
import { FakeKernel, show, showAgain, viewOf } from "./fake_kernel";

const question: Question = {
  id: "q1",
  kind: "approve",
  words: "Fill in the search field",
  place: "",
  why: "",
  said: "",
  risk: "write",
  obstacle: "",
  noticed: false,
  call: {
    tool: "fill",
    args: { value: "lamp" },
    json_schema: { type: "object", properties: { value: { type: "string" } } },
    targets: [],
    phrase: "Fill in",
    target: "",
    target_ref: "",
    puts_text: false,
  },
  cell: null,
  editable: ["value"],
  choices: [],
  decisions: ["approve", "edit", "reject", "respond", "skip"],
  always: [],
  learn: "",
  form: "",
  second_press: false,
  refusal: "",
};

let kernel: FakeKernel;
let place: HTMLElement;
const decided = (): unknown[] => kernel.taken("decide").map(({ decision }) => decision);
const steered = (): string[] => kernel.asked.map(({ name }) => name);

async function press(key: string, on: Element = place, more: KeyboardEventInit = {}): Promise<void> {
  await act(async () => on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more })));
}

beforeEach(async () => {
  kernel = new FakeKernel({
    decide: { taken: true, words: "approved" },
    pause_run: { state: "awaiting_user", words: "" },
    stop_run: { state: "cancelled", words: "" },
  });
  const view = viewOf({ question, status: "waiting", state: "awaiting_user", can: ["pause", "stop"] });
  place = await show(<ShownRun view={view} reload={() => undefined} />, kernel);
});

describe("a key of the run", () => {
  it("gives the answer of its button", async () => {
    await press("a");
    expect(decided()).toEqual(["approve"]);
  });

  it("steers the run", async () => {
    await press("w");
    await press("X");
    expect(steered()).toEqual(["pause_run", "stop_run"]);
  });

  it("is a letter in a field, and with Control the browser's", async () => {
    const field = place.querySelector<HTMLElement>(".sbp-form .sbp-input");
    expect(field).not.toBeNull();
    await press("a", field as HTMLElement);
    await press("a", place, { ctrlKey: true });
    await press("a", place, { repeat: true });
    expect(kernel.asked).toEqual([]);
  });

  it("leads to the form while nothing is edited, and to a field for words", async () => {
    await press("e");
    expect(document.activeElement?.closest(".sbp-form")).not.toBeNull();
    expect(kernel.asked).toEqual([]);
    await press("r");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("What to tell the agent");
  });

  it("answers no question that came a moment ago, in place of another", async () => {
    await press("a");
    const next = viewOf({ question: { ...question, id: "q2" }, status: "waiting", state: "awaiting_user" });
    await showAgain(<ShownRun view={next} reload={() => undefined} />, kernel);
    await press("a");
    await press("Enter", place, { ctrlKey: true });
    expect(decided()).toEqual(["approve"]);
    await vi.waitFor(() => expect(place.querySelector(".sbp-guarded")).toBeNull());
    await press("a");
    expect(decided()).toEqual(["approve", "approve"]);
  });

  it("does nothing where no button has it", async () => {
    await press("q");
    await press("g");
    expect(kernel.asked).toEqual([]);
  });
});

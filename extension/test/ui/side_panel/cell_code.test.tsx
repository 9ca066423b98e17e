// A cell that waits: shown as code, stepped into, changed; and what cells have left.

import { act } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import type { Question, Variable } from "../../../src/ui/common/asks";
import { ShownRun } from "../../../src/ui/side_panel/run/run_area";
import { buttonOf, FakeKernel, press, show, viewOf } from "./fake_kernel";

const CODE = 'for n in range(3):\n    page.click("e1")';
const whole: Question = {
  id: "q1",
  kind: "approve",
  words: "Run a cell (2 lines)",
  place: "",
  why: "",
  said: "",
  risk: "write",
  obstacle: "",
  noticed: false,
  call: {
    tool: "run_cell",
    args: { code: CODE },
    json_schema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    targets: [],
    phrase: "Run a cell",
    target: "",
    target_ref: "",
    puts_text: false,
  },
  cell: {
    number: 1,
    line: 0,
    forecast: "1 write: click e1 (line 2, loop)",
    lines: CODE.split("\n").map((text) => [{ kind: "" as const, text, here: false }]),
    steps: [
      { until: "call", words: "Step into" },
      { until: "write", words: "To the first write" },
    ],
  },
  editable: ["code"],
  choices: [],
  decisions: ["approve", "edit", "reject", "respond", "skip", "step"],
  always: [],
  learn: "",
  form: "",
  second_press: false,
  refusal: "",
};
const steps: Variable = {
  name: "rows",
  type: "list",
  size: 30,
  text: "",
  columns: ["a\u202eb"],
  rows: [["<b>1</b>"]],
};

let kernel: FakeKernel;
const shown = (question: Question | null, variables: Variable[] = []): Promise<HTMLElement> =>
  show(<ShownRun view={viewOf({ question, variables })} reload={() => undefined} />, kernel);

beforeEach(() => {
  kernel = new FakeKernel({ decide: { taken: true, words: "approved" } });
});

describe("a cell", () => {
  it("is approved step by step, as far as the button says", async () => {
    const place = await shown(whole);
    expect(place.querySelector(".sbp-forecast")?.textContent).toBe(whole.cell?.forecast);
    await press(buttonOf(place, "To the first write"));
    expect(kernel.taken("decide")[0]).toMatchObject({ question: "q1", decision: "step", until: "write" });
  });

  it("is changed in a text area, which only Approve edited sends", async () => {
    const place = await shown({ ...whole, id: "q2" });
    expect(place.querySelector("textarea")).toBeNull();
    await press(buttonOf(place, "Edit"));
    const area = place.querySelector("textarea") as HTMLTextAreaElement;
    expect(area.value).toBe(CODE);
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(area, "page.title");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(buttonOf(place, "Step into")).toBeUndefined();
    await press(buttonOf(place, "Approve edited"));
    expect(kernel.taken("decide")[0]).toMatchObject({ decision: "edit", args: { code: "page.title" } });
  });

  it("marks the line at which it waits, and no other", async () => {
    const cell = { ...(whole.cell as NonNullable<Question["cell"]>), line: 2 };
    const place = await shown({ ...whole, id: "q3", cell });
    const marked = place.querySelectorAll(".sbp-code > [aria-current=step]");
    expect([...marked].map((each) => each.textContent)).toEqual(['    page.click("e1")']);
  });

  it("leaves variables; nothing of a page is parsed in them, and nothing hides", async () => {
    const place = await shown(null, [steps]);
    expect(place.querySelector(".sbp-variables")?.textContent).toContain("… and 29 more");
    expect(place.querySelector(".sbp-variables b")).toBeNull();
    expect(place.querySelector(".sbp-variables th")?.textContent).toBe("a⟨U+202E⟩b");
  });
});

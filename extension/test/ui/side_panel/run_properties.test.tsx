// What the panel shows of any run, whatever the words in it.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Question, RunView, Task } from "../../../src/ui/common/asks";
import { showHidden } from "../../../src/ui/common/text";
import { ShownRun } from "../../../src/ui/side_panel/run/run_area";
import { isOver } from "../../../src/ui/side_panel/words";
import { buttonOf, FakeKernel, press, show, viewOf } from "./fake_kernel";

const RUNS = { numRuns: 100 };
/** A hundred whole panels take seconds, and on a busy machine many. */
vi.setConfig({ testTimeout: 120_000 });
const verbs = fc.constantFrom(
  "Search for",
  "Open",
  "Put into the cart:",
  "Compare",
  "Download",
  "Sign in to",
);
const things = fc.constantFrom("a lamp", "the invoice of May", "the cheapest flight", "<b>the account</b>");
/** What a person or a page might say: sentences, any script, markup, and characters that hide. */
const words = fc.oneof(
  fc.tuple(verbs, things).map((pair) => pair.join(" ")),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  fc.constantFrom("<img src=x onerror=alert(1)>", "مصباح السرير", "a\u202eb", "x".repeat(500)),
);
const statuses = fc.constantFrom<Task["status"]>(
  ...(["pending", "executing", "completed", "failed", "requires_assistance", "dropped"] as const),
);
const states = fc.constantFrom<RunView["state"]>(
  ...(["created", "planning", "exploring", "executing", "awaiting_user", "blocked"] as const),
  ...(["succeeded", "failed", "cancelled"] as const),
);
const task = fc.record({
  title: words,
  type: fc.constantFrom("click", "input", "navigate"),
  status: statuses,
});
type Given = Pick<Task, "title" | "type" | "status">;
const numbered = (tasks: Given[]): Task[] =>
  tasks.map((each, at) => ({ ...each, id: at + 1, parameters: {}, after: [], why: "", risk: "read" }));
const taskLists = fc.array(task, { minLength: 1, maxLength: 8 }).map(numbered);

const shownTitles = (place: ParentNode): string[] =>
  [...place.querySelectorAll<HTMLElement>(".sbp-task")].map((task) => {
    const field = task.querySelector("input");
    return field ? field.value : (task.querySelector(".words")?.textContent ?? "");
  });
/** A field of one line takes no line break, so none may have been in what is shown. */
const asShown = ({ title }: Task): string => showHidden(title);
const run = (view: RunView): React.ReactNode => <ShownRun view={view} reload={() => undefined} />;

describe("a task list", () => {
  it("is shown task by task, in its order", async () => {
    // **Feature: browser-automation-assistant, Property 2: UI reflects task interpretation results**
    // For any completed task interpretation, the user interface should display the generated task list in the UI state
    await fc.assert(
      fc.asyncProperty(taskLists, states, async (tasks, state) => {
        const place = await show(run(viewOf({ tasks, state })));
        expect(shownTitles(place)).toEqual(tasks.map(asShown));
        expect(place.querySelector("img, b script")).toBeNull();
      }),
      RUNS,
    );
  });

  it("shows how far it is, and how each task stands", async () => {
    // **Feature: browser-automation-assistant, Property 13: Progress visualization**
    // For any executing task list, the user interface should display visual progress indicators that reflect the
    // current execution state
    await fc.assert(
      fc.asyncProperty(taskLists, states, fc.boolean(), async (tasks, state, hasModel) => {
        const can: RunView["can"] = hasModel ? ["tell"] : [];
        const counted = tasks.filter(({ status }) => status !== "dropped");
        const done = counted.filter(({ status }) => status === "completed").length;
        const progress = counted.length > 0 ? done / counted.length : 0;
        const place = await show(run(viewOf({ tasks, state, progress, can, words: `is ${state}` })));
        const bar = place.querySelector<HTMLProgressElement>('progress[aria-label="Tasks completed"]');
        expect([bar?.getAttribute("value"), bar?.getAttribute("max")]).toEqual([
          String(done),
          String(Math.max(counted.length, 1)),
        ]);
        expect(place.querySelector(".sbp-tasks")?.textContent).toContain(`${done} of ${counted.length}`);
        const signs = [...place.querySelectorAll(".sbp-task > .sbp-mark")].map((each) =>
          each.getAttribute("aria-label"),
        );
        expect(signs).toEqual(tasks.map(({ status }) => status.replaceAll("_", " ")));
        const whole = place.querySelector('progress[aria-label="Progress"]');
        expect(Number(whole?.getAttribute("value"))).toBeCloseTo(progress);
        const status = place.querySelector(".sbp-status");
        expect(status?.textContent).toBe(`is ${state}`);
        expect(place.querySelectorAll('.sbp-task button[title="Take out"]').length).toBe(
          isOver(state) || !hasModel ? 0 : tasks.length,
        );
      }),
      RUNS,
    );
  });
});

const obstacles = fc.constantFrom(
  "captcha",
  "login",
  "two_factor",
  "cookies",
  "permission",
  "failure",
  "custom",
);
const helps = fc.record({ obstacle: obstacles, words, noticed: fc.boolean() }).map(
  ({ obstacle, words, noticed }): Question => ({
    id: "q1",
    kind: "assist",
    words,
    place: "",
    why: "",
    said: "",
    risk: "read",
    obstacle,
    noticed,
    call: null,
    cell: null,
    editable: [],
    choices: [],
    decisions: ["done", "respond", "reject"],
    always: [],
    learn: "",
    form: "",
    second_press: false,
    refusal: "",
  }),
);

describe("a request for help", () => {
  it("is the first thing below its answers, with what to do", async () => {
    // **Feature: browser-automation-assistant, Property 14: Assistance request display**
    // For any created assistance request, the user interface should prominently display the request with clear
    // instructions for user response
    await fc.assert(
      fc.asyncProperty(helps, fc.array(task, { maxLength: 2 }).map(numbered), async (question, tasks) => {
        const kernel = new FakeKernel({ decide: { taken: true, words: "done" } });
        const view = viewOf({ question, tasks, state: "blocked", words: "needs your help" });
        const place = await show(run(view), kernel);
        const body = place.querySelector(".sbp-side");
        expect(body?.firstElementChild?.classList.contains("sbp-card")).toBe(true);
        const alert = body?.firstElementChild?.querySelector('[role="alert"]');
        expect(alert?.querySelector("strong")?.textContent).toBeTruthy();
        expect(alert?.querySelector("p")?.textContent).toBe(showHidden(question.words));
        expect(alert?.textContent).toContain("Done, go on");
        expect(place.querySelector(".sbp-noticed") !== null).toBe(question.noticed);
        const answers = place.querySelector(".sbp-actions") as HTMLElement;
        expect(answers.compareDocumentPosition(body as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
        await press(buttonOf(answers, "Done, go on"));
        const taken = kernel.taken("decide");
        expect(taken[0]).toMatchObject({ run: "r1", question: "q1", decision: "done" });
      }),
      RUNS,
    );
  });
});

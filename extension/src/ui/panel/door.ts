// What the panel needs of whoever shows it: how an answer reaches the kernel, and what there is beside the run.

import type { Decision, Params } from "../common/asks";
import type { Draft } from "./arguments";

/** A person's answer to one question. */
export interface Given {
  question: string;
  decision: Decision;
  args: Record<string, unknown>;
  text: string;
  always: Params<"decide">["always"];
  until: Params<"decide">["until"];
  /** The second press, where the question needs one. */
  confirmed: boolean;
}

/** What a person pointed at in the page: a ref, or why there is none. */
export interface Pointed {
  ref: string;
  words: string;
}

export type TaskEdit = Params<"change_tasks">["edits"][number];
export type Reach = "write" | "irreversible";

/** The way to a kernel: a browser's port here, a widget's model there. It holds nothing of a run. */
export interface Door {
  /** What a person has typed, by question, where a kernel that was away for a moment shows its question anew. */
  typed?: Map<string, Draft>;
  /** Give an answer; why it wasn't taken, in words, or "". Rejects where the kernel refuses it. */
  decide(given: Given): Promise<string>;
  /** Have the page wait for the person's click, or no longer; settles when that ends. */
  point(question: string, on: boolean): Promise<Pointed>;
  steer(how: "pause" | "resume" | "stop"): Promise<unknown>;
  changeTask(edit: TaskEdit): Promise<unknown>;
  /** A step's small screenshot as an address; "" where there is none. */
  thumbnail?(step: number): Promise<string>;
  /** Let calls pass: so many, or any number, until one has this effect. */
  letPass?(count: number | null, until: Reach): void;
  /** Request all that is known of a step. */
  openStep?(step: number): void;
  fork?(step: number): void;
  /** Show the page as it was before a step; null shows it as it is now. */
  look?(step: number | null): void;
}

/** Says why something was not done, and what to try. */
export interface Failed {
  message: string;
  hint?: string;
}

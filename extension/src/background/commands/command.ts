// What is known of one command, apart from its parameters.

import type { ExpectedTarget, Welcome } from "../../protocol/generated";
import type { Deadline } from "../deadline";

export interface Command {
  kernel: string;
  allowEvaluate: boolean;
  input: Welcome["input"];
  /** Show in the page what is done to it. */
  effects: boolean;
  deadline: Deadline;
  /** The origin that the command was judged for; null where it may go to any. */
  origin: string | null;
  /** What the element was when the command was judged; null where that doesn't matter. */
  expected: ExpectedTarget | null;
  /** The tab that it works on; -1 for commands on the browser. */
  tab: number;
}

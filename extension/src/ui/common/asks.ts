// The asks as the panel uses them: a kernel fills in every field that has a default.

import type { AskName, Asks } from "../../protocol/generated";

export type { AskName };

export type Whole<T> = T extends readonly (infer E)[]
  ? Whole<E>[]
  : T extends object
    ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

export type Params<N extends AskName> = Asks[N]["params"];
export type Result<N extends AskName> = Whole<Asks[N]["result"]>;

export type About = Result<"about">;
export type SkillCard = Result<"list_skills">["skills"][number];
export type WorkflowCard = Result<"list_workflows">["workflows"][number];
export type FormInput = SkillCard["inputs"][number];
export type RunSummary = Result<"list_runs">["runs"][number];
export type RunView = Result<"show_run">;
export type Question = NonNullable<RunView["question"]>;
export type Cell = NonNullable<Question["cell"]>;
export type Variable = RunView["variables"][number];
export type StepLine = RunView["steps"][number];
export type Task = RunView["tasks"][number];
export type Output = RunView["outputs"][number];
export type Rows = Result<"read_rows">;
export type Recording = NonNullable<Result<"show_recording">["recording"]>;
export type Preference = Result<"list_preferences">["preferences"][number];
export type Decision = Params<"decide">["decision"];

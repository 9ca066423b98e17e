// One run: where it is, what it waits for, what it did and what it gave.

import { useEffect, useRef } from "react";
import type { RunView } from "../asks";
import { useNotices, useQuery } from "../context";
import { Outputs } from "../output/outputs";
import { Problem } from "../problem";
import { AnswerBar } from "./answer_bar";
import { pressKey } from "./answer_keys";
import { QuestionCard } from "./question_card";
import { RunEnd } from "./run_end";
import { RunHead } from "./run_head";
import { Steps } from "./steps";
import { TaskList } from "./task_list";
import { useAnswer } from "./use_answer";
import { VariableList } from "./variable_list";

export function RunArea({ run }: { run: string | null }): React.ReactNode {
  if (run === null)
    return <p className="empty soft">Nothing runs. Ask for something under Start, or run a skill there.</p>;
  return <LoadedRun key={run} run={run} />;
}

function LoadedRun({ run }: { run: string }): React.ReactNode {
  const { data, error, reload } = useQuery("show_run", { run });
  useNotices(({ data }) => {
    if ("run" in data && data.run === run) reload();
  });
  if (!data)
    return (
      <div className="page">
        <Problem error={error} />
      </div>
    );
  return <ShownRun view={data} reload={reload} />;
}

export function ShownRun({ view, reload }: { view: RunView; reload: () => void }): React.ReactNode {
  const answer = useAnswer(view.id, view.question, reload);
  const body = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (whole.current) pressKey(event, whole.current);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  const question = view.question?.id;
  // What waits is never below what was scrolled to before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is at the top
  useEffect(() => {
    // A promise in newer browsers, which an effect must not give.
    body.current?.scrollTo({ top: 0 });
  }, [question]);
  return (
    <section className="run" aria-label="Run" ref={whole}>
      <RunHead view={view} reload={reload} />
      <AnswerBar view={view} answer={answer} />
      <div className="body" ref={body}>
        {view.question && <QuestionCard key={view.question.id} question={view.question} answer={answer} />}
        <RunEnd view={view} />
        <TaskList view={view} changed={reload} />
        <VariableList view={view} />
        <Outputs view={view} />
        <Steps view={view} />
      </div>
    </section>
  );
}

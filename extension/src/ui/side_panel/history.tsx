// The last runs, each to be shown, or run again with the same or other inputs.

import { useEffect, useState } from "react";
import type { RunSummary } from "../common/asks";
import { showHidden } from "../common/text";
import { useAction, usePanel, useQuery } from "./context";
import { Problem } from "./problem";
import { InputForm } from "./start/input_form";
import { NoTab } from "./start/no_tab";
import { describeRun, toneOf } from "./words";

const PAGE = 20;

export function History({ changes }: { changes: number }): React.ReactNode {
  const [limit, setLimit] = useState(PAGE);
  const { data, error, reload } = useQuery("list_runs", { limit });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run began or ended
  useEffect(reload, [changes, reload]);
  return (
    <div className="page">
      <Problem error={error} />
      {data?.runs.length === 0 && <p className="empty soft">Nothing was run yet.</p>}
      <ul className="cards" aria-label="Last runs">
        {data?.runs.map((run) => (
          <Entry key={run.id} run={run} />
        ))}
      </ul>
      {data?.more && limit < 200 && (
        <button type="button" onClick={() => setLimit(limit + PAGE)}>
          Older runs
        </button>
      )}
    </div>
  );
}

function Entry({ run }: { run: RunSummary }): React.ReactNode {
  const { openRun } = usePanel();
  const [again, setAgain] = useState(false);
  return (
    <li className="card">
      <button type="button" className="head" onClick={() => openRun(run.id)}>
        <span className="row">
          <span className={`dot ${toneOf(run.state)}`} />
          <span className="title clip" dir="auto">
            {showHidden(run.title)}
          </span>
        </span>
        <span className="soft clip" dir="auto">
          {showHidden(describeRun(run))}
        </span>
      </button>
      {run.kind !== "recording" && (
        <button
          type="button"
          className="small again"
          aria-expanded={again}
          aria-label={`Run again: ${showHidden(run.title)}`}
          onClick={() => setAgain(!again)}
        >
          Run again
        </button>
      )}
      {again && <Again run={run} />}
    </li>
  );
}

function Again({ run }: { run: RunSummary }): React.ReactNode {
  return (
    <div className="inside">{run.kind === "goal" ? <GoalAgain run={run} /> : <CallAgain run={run} />}</div>
  );
}

function GoalAgain({ run }: { run: RunSummary }): React.ReactNode {
  const { client, kernel, tab, openRun } = usePanel();
  const goal = {
    name: "goal",
    type: "text",
    label: "Goal",
    help: "",
    required: true,
    default: run.title,
    choices: [],
  };
  const { busy, error, act } = useAction(async (values: Record<string, unknown>) => {
    if (tab !== null) openRun((await client.ask(kernel, "run_goal", { tab, goal: String(values.goal) })).run);
  });
  return (
    <>
      <InputForm
        inputs={[goal as never]}
        submit="Run on this tab"
        disabled={busy || tab === null}
        send={act}
      />
      {tab === null && <NoTab />}
      <Problem error={error} />
    </>
  );
}

/** The form of the skill or workflow as it is now, with the inputs of then. */
function CallAgain({ run }: { run: RunSummary }): React.ReactNode {
  const { client, kernel, tab, openRun } = usePanel();
  const isSkill = run.kind === "skill";
  const skills = useQuery("list_skills", { tab });
  const workflows = useQuery("list_workflows", {});
  const cards = isSkill ? skills.data?.skills : workflows.data?.workflows;
  const card = cards?.find(({ name }) => name === run.name);
  const { busy, error, act } = useAction(async (inputs: Record<string, unknown>) => {
    const ask = isSkill ? "run_skill" : "run_workflow";
    if (tab !== null) openRun((await client.ask(kernel, ask, { tab, name: run.name, inputs })).run);
  });
  if (!cards) return <Problem error={skills.error ?? workflows.error} />;
  if (!card)
    return <p className="note">There is no {isSkill ? "skill" : "workflow"} of this name any more.</p>;
  return (
    <>
      <InputForm
        inputs={card.inputs}
        given={run.inputs}
        submit="Run on this tab"
        disabled={busy || tab === null}
        send={act}
      />
      {tab === null && <NoTab />}
      <Problem error={error} />
    </>
  );
}

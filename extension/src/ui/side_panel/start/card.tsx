// A skill, a workflow or a tool of the page: one line, which opens to what it does, its inputs and Run.

import { useId, useState } from "react";
import type { FormInput, RunSummary } from "../../common/asks";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";
import { describeRun } from "../words";
import { InputForm } from "./input_form";
import { NoTab } from "./no_tab";

interface CardView {
  name: string;
  title: string;
  description: string;
  inputs: FormInput[];
  last: RunSummary | null;
  problem?: string;
  /** Of a page's tool that a frame declares. */
  frame?: string;
}

interface Props {
  card: CardView;
  ask: "run_skill" | "run_workflow" | "run_page_tool";
  /** Why it fits the page. */
  why: string;
  children?: React.ReactNode;
}

export function Card({ card, ask, why, children }: Props): React.ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li className="card">
      <button
        type="button"
        className="head"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className="title clip" dir="auto">
          {showHidden(card.title || card.name)}
        </span>
        {why && (
          <span className="why clip" dir="auto">
            {showHidden(why)}
          </span>
        )}
        {!why && card.description && (
          <span className="soft clip" dir="auto">
            {showHidden(card.description)}
          </span>
        )}
      </button>
      {open && (
        <div className="inside" id={id}>
          {card.description && (
            <p dir="auto" className="words">
              {showHidden(card.description)}
            </p>
          )}
          {children}
          {card.problem ? (
            <p className="problem" dir="auto">
              {showHidden(card.problem)}
            </p>
          ) : (
            <RunForm card={card} ask={ask} />
          )}
          {card.last && <LastRun run={card.last} />}
        </div>
      )}
    </li>
  );
}

function RunForm({ card, ask }: Pick<Props, "card" | "ask">): React.ReactNode {
  const { client, kernel, tab, openRun } = usePanel();
  const { busy, error, act } = useAction(async (inputs: Record<string, unknown>) => {
    if (tab === null) return;
    const what = { tab, name: card.name, inputs };
    const { run } = await (ask === "run_page_tool"
      ? client.ask(kernel, ask, { ...what, frame: card.frame ?? "" })
      : client.ask(kernel, ask, what));
    openRun(run);
  });
  return (
    <>
      <InputForm inputs={card.inputs} submit="Run on this tab" disabled={busy || tab === null} send={act} />
      {tab === null && <NoTab />}
      <Problem error={error} />
    </>
  );
}

function LastRun({ run }: { run: RunSummary }): React.ReactNode {
  const { openRun } = usePanel();
  return (
    <p className="row note">
      <span className="clip">Last: {describeRun(run)}</span>
      <button type="button" className="small" onClick={() => openRun(run.id)}>
        Show
      </button>
    </p>
  );
}

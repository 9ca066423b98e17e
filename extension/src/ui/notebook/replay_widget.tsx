// A run that is over, step by step: nothing here reaches a browser.

import { useLayoutEffect, useRef } from "react";
import { shorten, showHidden } from "../common/text";
import { Button } from "../panel/button";
import { isIn } from "../panel/keys";
import { markAll } from "../panel/marks";
import type { PageView } from "../panel/page_view";
import { Tree } from "../panel/tree";
import { type Model, type Send, useTraits } from "./model";
import { Root } from "./root";

interface State {
  goal: string;
  steps: number;
  at: number;
  call: string;
  facts: [string, string][];
  target: string | null;
}

export function ReplayWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state", "view");
  const { goal, steps, at, call, facts, target } = model.get("state") as State;
  const view = model.get("view") as Partial<PageView>;
  const move = (step: number, send: Send): void => {
    if (at + step >= 0 && at + step < steps) send({ type: "show", at: at + step });
  };
  const keys = (event: KeyboardEvent, send: Send): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isIn(event, "input, textarea, select, [role=tree]")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(step, send);
  };
  const turn = (sign: string, name: string, step: number, send: Send): React.ReactNode => {
    const isEnd = at + step < 0 || at + step >= steps;
    return (
      <Button title={name} aria-label={name} disabled={isEnd} onClick={() => move(step, send)}>
        {sign}
      </Button>
    );
  };
  return (
    <Root
      model={model}
      kind="sbp-replay"
      label="Replay of a run; arrow keys go from step to step"
      tabIndex={0}
      keys={keys}
    >
      {(send) => (
        <>
          <div className="sbp-header">
            <div className="sbp-lead">
              {turn("◀", "Previous step", -1, send)}
              {turn("▶", "Next step", 1, send)}
              <span className="sbp-status" role="status" aria-live="polite">
                {steps ? `Step ${at + 1} of ${steps}: ${showHidden(call)}` : "No steps"}
              </span>
            </div>
            <h2 className="sbp-goal" dir="auto">
              {showHidden(goal)}
            </h2>
          </div>
          <dl className="sbp-detail">
            {facts.map(([name, text]) => (
              <Fact key={name} name={name} text={text} />
            ))}
          </dl>
          {view.rows && <Then view={view as PageView} target={target ?? ""} />}
        </>
      )}
    </Root>
  );
}

function Fact({ name, text }: { name: string; text: string }): React.ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{shorten(showHidden(text), 600)}</dd>
    </>
  );
}

/** The page before the step, with what it acted on marked. */
function Then({ view, target }: { view: PageView; target: string }): React.ReactNode {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => markAll(root.current, "sbp-aim", target, true));
  return (
    <div className="sbp-page" style={{ gridTemplateColumns: "1fr" }} ref={root}>
      <Tree
        view={view}
        hovered={(ref) => markAll(root.current, "sbp-hover", ref ?? "", false)}
        picked={() => undefined}
      />
    </div>
  );
}

// The head of a run: its state in words, how far it is, what it cost, the pages it came over; pause and stop.

import { shorten, showHidden } from "../../common/text";
import type { RunView } from "../asks";
import { useAction, usePanel } from "../context";
import type { KernelError } from "../kernel_client";
import { Problem } from "../problem";
import { countOf, describeCost, isOver, toneOf } from "../words";
import { Breadcrumbs } from "./breadcrumbs";

type Steer = "pause_run" | "resume_run" | "stop_run";

export function RunHead({ view, reload }: { view: RunView; reload: () => void }): React.ReactNode {
  const { client, kernel } = usePanel();
  const { busy, error, act } = useAction(async (ask: Steer) => {
    await client.ask(kernel, ask, { run: view.id });
    reload();
  });
  const button = (
    can: RunView["can"][number],
    words: string,
    key: string,
    ask: Steer,
    kind: string,
  ): React.ReactNode =>
    view.can.includes(can) && (
      <button
        type="button"
        className={kind}
        disabled={busy}
        aria-keyshortcuts={key}
        title={`Key ${key}`}
        onClick={() => act(ask)}
      >
        {words}
      </button>
    );
  return (
    <header className="run-head">
      <div className="row lead">
        <span className={`status ${toneOf(view.state)}`} role="status">
          {showHidden(view.words)}
        </span>
        <span className="grow" />
        {button("pause", "Pause", "W", "pause_run", "")}
        {button("resume", "Go on", "G", "resume_run", "")}
        {button("stop", "Stop", "X", "stop_run", "stop")}
      </div>
      <h1 className="clip" dir="auto" title={showHidden(view.title)}>
        {showHidden(view.title)}
      </h1>
      <Progress view={view} />
      <p className="soft line clip" dir="auto">
        {view.under_way ? shorten(showHidden(view.under_way), 300) : factsOf(view).join(" · ")}
      </p>
      <Breadcrumbs crumbs={view.breadcrumbs} />
      {error && <Steering error={error} />}
    </header>
  );
}

/** Why pause, go on or stop failed: over the page below, so that nothing moves. */
function Steering({ error }: { error: KernelError }): React.ReactNode {
  return (
    <div className="over">
      <Problem error={error} />
    </div>
  );
}

/** How far it is; without a measure, that it works. */
function Progress({ view }: { view: RunView }): React.ReactNode {
  const { progress, state } = view;
  const words = view.progress_words || (progress === null ? "" : `${Math.round(progress * 100)} %`);
  return (
    <div className="row progress">
      <progress
        aria-label="Progress"
        max={1}
        value={progress ?? (isOver(state) ? (state === "succeeded" ? 1 : 0) : undefined)}
      />
      <span className="soft line clip">{showHidden(words)}</span>
    </div>
  );
}

export function factsOf(view: RunView): string[] {
  const { steps, max_steps, model, forecast } = view;
  const limit = max_steps > 0 && !isOver(view.state) ? ` of at most ${max_steps}` : "";
  const counted = steps.length > 0 ? [`${countOf(steps.length, "step")}${limit}`] : [];
  const ahead = forecast && !isOver(view.state) ? [showHidden(forecast)] : [];
  return [...counted, ...describeCost(view), ...ahead, ...(model ? [showHidden(model)] : [])];
}

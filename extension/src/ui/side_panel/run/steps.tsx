// The steps of a run, the newest first; a line opens to everything that is known of its step.

import { useState } from "react";
import { shorten, showHidden, showLines } from "../../common/text";
import type { RunView, StepLine } from "../asks";
import { useQuery } from "../context";
import { DECIDED, formatDuration } from "../words";

/** So many are shown at first: a run may have thousands. */
const SHOWN = 60;

export function Steps({ view }: { view: RunView }): React.ReactNode {
  const [all, setAll] = useState(false);
  const { steps } = view;
  if (steps.length === 0) return null;
  const newest = steps.toReversed();
  return (
    <section className="steps" aria-label="Steps">
      <h2>Steps</h2>
      <ol reversed>
        {(all ? newest : newest.slice(0, SHOWN)).map((step) => (
          <Step key={step.number} run={view.id} step={step} />
        ))}
      </ol>
      {!all && steps.length > SHOWN && (
        <button type="button" className="small" onClick={() => setAll(true)}>
          All {steps.length} steps
        </button>
      )}
    </section>
  );
}

function Step({ run, step }: { run: string; step: StepLine }): React.ReactNode {
  const [open, setOpen] = useState(false);
  const failed = !step.ok && !step.declined;
  const words = [step.words, step.record && `in ${step.record}`].filter(Boolean).join(" ");
  return (
    <li className={failed ? "step failed" : "step"}>
      <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span
          className="sign"
          role="img"
          aria-label={step.ok ? "done" : step.declined ? "not made" : "failed"}
        >
          {step.ok ? "✓" : step.declined ? "–" : "✕"}
        </span>
        <span className="soft number">{step.number}</span>
        <span className="clip" dir="auto">
          {shorten(showHidden(words), 200)}
        </span>
        <span className={`tag ${step.decision}`}>{DECIDED[step.decision] ?? showHidden(step.decision)}</span>
        {(step.error || step.outcome) && (
          <span className="outcome clip" dir="auto">
            {shorten(showHidden(step.error || step.outcome), 220)}
          </span>
        )}
      </button>
      {open && <Details run={run} step={step} />}
    </li>
  );
}

function Details({ run, step }: { run: string; step: StepLine }): React.ReactNode {
  const facts = [
    ["Outcome", step.error || step.outcome],
    ["What to try", step.hint],
    ["The model said", step.said],
    ["Why it asked", step.reason],
    ["Address", step.url],
    ["Took", formatDuration(step.elapsed_ms)],
  ].filter(([, text]) => text);
  return (
    <div className="inside">
      {step.thumbnail && <Thumbnail run={run} step={step.number} />}
      <dl className="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{showLines(text ?? "")}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A screenshot is nothing but data of an image: nothing is loaded for it. */
const IMAGE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/;

function Thumbnail({ run, step }: { run: string; step: number }): React.ReactNode {
  const { data } = useQuery("read_thumbnail", { run, step });
  if (!data?.image || !IMAGE.test(data.image)) return null;
  return <img className="thumbnail" src={data.image} alt={`The page after step ${step}`} />;
}

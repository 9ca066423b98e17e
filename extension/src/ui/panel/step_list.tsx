// The run's steps, one line each; a line opens to everything that is known of its step.

import { useEffect, useState } from "react";
import type { StepLine } from "../common/asks";
import { shorten, showHidden } from "../common/text";
import { Button } from "./button";
import type { Door } from "./door";
import { Insert } from "./insert";
import { DECIDED, formatCount, formatDollars, formatDuration, signOf } from "./words";

/** What is known of a step beside its line, once it was requested. */
export interface StepDetails {
  outcome: string;
  changes: string;
}

interface Props {
  steps: readonly StepLine[];
  details: Readonly<Record<string, StepDetails>>;
  /** Pictures of the page as a step left it, as addresses. */
  pictures: ReadonlyMap<number, string>;
  door: Door;
  /** Nothing is under way, so that a run may go another way. */
  isAtRest: boolean;
}

/** So many are shown at first: a run may have thousands. */
const SHOWN = 100;

export function StepList({ steps, ...more }: Props): React.ReactNode {
  const [all, setAll] = useState(false);
  if (steps.length === 0) return null;
  const shown = all ? steps : steps.slice(-SHOWN);
  return (
    <section className="sbp-timeline" aria-label="Steps">
      {shown.length < steps.length && (
        <Button kind="sbp-quiet" onClick={() => setAll(true)}>
          {`All ${steps.length} steps`}
        </Button>
      )}
      <ol className="sbp-steps" start={shown[0]?.number}>
        {shown.map((step) => (
          <Step key={step.number} step={step} {...more} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, ...more }: Omit<Props, "steps"> & { step: StepLine }): React.ReactNode {
  const [open, setOpen] = useState(false);
  const { number, words, record } = step;
  const toggle = (): void => {
    if (!open && !more.details[number]) more.door.openStep?.(number);
    setOpen(!open);
  };
  const call = [words, record && `in ${record}`].filter(Boolean).join(" ");
  const has = more.pictures.get(number);
  return (
    <li className={step.ok || step.declined ? "sbp-step" : "sbp-step sbp-failed"}>
      <button type="button" className="sbp-line" aria-expanded={open} onClick={toggle}>
        <span
          className="sbp-mark"
          role="img"
          aria-label={step.ok ? "done" : step.declined ? "not made" : "failed"}
        >
          {signOf(step)}
        </span>
        <span className="sbp-number">{number}</span>
        <span className="sbp-call" dir="auto">
          {shorten(showHidden(call), 140)}
        </span>
        <span className={`sbp-tag sbp-${step.decision}`}>
          {DECIDED[step.decision] ?? showHidden(step.decision)}
        </span>
        <span className="sbp-ms">{formatDuration(step.elapsed_ms)}</span>
        <span className="sbp-outcome" dir="auto">
          {shorten(showHidden(step.error || step.outcome), 220)}
        </span>
      </button>
      {open && <Details step={step} picture={has ?? ""} {...more} />}
    </li>
  );
}

/** What a step shows when it is open, as pairs of a name and lines; what says nothing is left out. */
function factsOf(step: StepLine, detail: StepDetails | undefined, inCells: boolean): [string, string[]][] {
  const cost = step.cost ? `, ${formatDollars(step.cost)}` : "";
  const tokens = step.tokens ? `, ${formatCount(step.tokens)} tokens${cost}` : "";
  const outcome = detail?.outcome || step.error || step.outcome;
  const facts: [string, string[]][] = [
    ["Call", [step.tool && `${step.tool} ${step.args}`]],
    ["The model said", [step.said]],
    ["Outcome", outcome.split("\n")],
    ["What to try", [step.hint]],
    ["What changed", (detail?.changes ?? "").split("\n")],
    ["Why it asked", [step.reason]],
    ["Address", [step.url]],
    ["Used", [`${formatDuration(step.elapsed_ms)}${tokens}`]],
    [
      "In a cell",
      inCells ? [`branch = run.fork(at=${step.number})`, `run.replay()[${step.number - 1}]`] : [],
    ],
  ];
  return facts.filter(([, lines]) => lines.some(Boolean));
}

interface DetailsProps extends Omit<Props, "steps"> {
  step: StepLine;
  picture: string;
}

function Details({ step, picture, door, details, isAtRest }: DetailsProps): React.ReactNode {
  const { number } = step;
  return (
    <dl className="sbp-detail">
      {factsOf(step, details[number], Boolean(door.fork)).map(([name, lines]) => (
        <Fact key={name} name={name}>
          {lines.map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may read alike
            <div key={place}>{showHidden(line)}</div>
          ))}
        </Fact>
      ))}
      {step.code && (
        <Fact name="The call">
          <code>{step.code.split("\n").map(showHidden).join("\n")}</code>
          <Insert code={step.code} />
        </Fact>
      )}
      {door.fork && (
        <Fact name="Another way">
          <Button
            kind="sbp-fork"
            title="Leave this step and what came after it out, and let the agent go on anew; the browser isn't turned back"
            disabled={!isAtRest}
            onClick={() => door.fork?.(number)}
          >
            Fork from here
          </Button>
          <Button
            kind="sbp-fork"
            title="Show the page as it was before this step, and go on step by step; nothing is done again"
            onClick={() => door.look?.(number)}
          >
            Replay from here
          </Button>
        </Fact>
      )}
      <Picture step={step} picture={picture} door={door} />
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }): React.ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </>
  );
}

function Picture({ step, picture, door }: Pick<DetailsProps, "step" | "picture" | "door">): React.ReactNode {
  const [loaded, setLoaded] = useState("");
  const { number, thumbnail } = step;
  useEffect(() => {
    if (thumbnail && door.thumbnail) door.thumbnail(number).then(setLoaded, () => undefined);
  }, [thumbnail, number, door]);
  const source = picture || loaded;
  if (!source) return null;
  return (
    <Fact name="The page then">
      <img className="sbp-thumbnail" src={source} alt={`The page after step ${number}`} />
    </Fact>
  );
}

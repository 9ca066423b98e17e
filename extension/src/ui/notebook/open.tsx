// What is open in the kernel, in the panel that stands beside the notebook: browsers, their pages, runs; each closes here.

import { shorten, showHidden } from "../common/text";
import { Button } from "../panel/button";
import type { Message } from "../panel/page_view";

interface Thing {
  id: string;
  words: string;
  can_close?: boolean;
}

export interface OpenBrowser extends Thing {
  pages: Thing[];
  /** How it has ended, and the way on. */
  gone?: string;
  /** Why it doesn't answer now. */
  silent?: string;
}

export interface Opened {
  browsers?: OpenBrowser[];
  runs?: OpenRun[];
  /** What names the panel that asked. */
  panel?: string;
}

interface OpenRun extends Thing {
  goal: string;
  /** The question that it waits with; "" where it waits for nobody. */
  waits: string;
  /** What names its panel. */
  panel: string;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

type Send = (message: Message) => void;

/** A line with the button that ends what it is about; `gone` says why there is nothing to end. */
function Line({
  kind,
  thing,
  gone = "",
  send,
}: {
  kind: string;
  thing: Thing;
  gone?: string;
  send: Send;
}): React.ReactNode {
  const label = gone ? "Closed" : kind === "run" ? "Stop" : "Close";
  const text = showHidden(thing.words);
  return (
    <div className="sbp-openline">
      <span dir="auto" title={text}>
        {shorten(text, 120)}
      </span>
      <Button
        kind="sbp-quiet"
        aria-label={gone ? undefined : `${label} ${kind} ${shorten(text, 60)}`}
        title={gone || undefined}
        disabled={gone !== ""}
        hidden={thing.can_close === false}
        onClick={() => send({ type: "close_open", kind, id: thing.id })}
      >
        {label}
      </Button>
    </div>
  );
}

export function BrowserLines({
  browsers,
  send,
}: {
  browsers: readonly OpenBrowser[];
  send: Send;
}): React.ReactNode {
  return (
    <ul className="sbp-openlist">
      {browsers.map((browser) => (
        <li key={browser.id} data-gone={browser.gone ? "" : undefined}>
          <Line kind="browser" thing={browser} gone={browser.gone} send={send} />
          <p className="sbp-note">{showHidden(browser.gone || browser.silent || "")}</p>
          <ul>
            {browser.pages.map((page) => (
              <li key={page.id}>
                <Line kind="page" thing={page} send={send} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

export function Open({
  listed,
  send,
}: {
  listed: Opened;
  send: (message: Message) => void;
}): React.ReactNode {
  const { browsers = [], runs = [] } = listed;
  const pages = browsers.reduce((sum, each) => sum + each.pages.length, 0);
  const running = runs.length ? [counted(runs.length, "run")] : [];
  return (
    <details
      className="sbp-open"
      onToggle={(event) => event.currentTarget.open && send({ type: "list_open" })}
    >
      <summary>
        {`Open: ${[counted(browsers.length, "browser"), counted(pages, "page"), ...running].join(", ")}`}
      </summary>
      <BrowserLines browsers={browsers} send={send} />
      <ul className="sbp-openlist">
        {runs.map((run) => (
          <li key={run.id}>
            <Line kind="run" thing={run} send={send} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** All runs that wait for the person, where one that isn't shown here does; a press shows it here. */
export function Inbox({ listed, show }: { listed: Opened; show: (panel: string) => void }): React.ReactNode {
  const { panel } = listed;
  const waiting = (listed.runs ?? []).filter(({ waits }) => waits);
  if (!waiting.some((run) => run.panel !== panel)) return null;
  return (
    <nav className="sbp-inbox" aria-label="Runs that wait for you">
      <strong>{`Waiting for you: ${counted(waiting.length, "run")}`}</strong>
      {waiting.map(({ id, goal, waits, panel: other }) => (
        <Button
          key={id}
          aria-current={other === panel ? "true" : undefined}
          title={`${showHidden(goal)}: ${showHidden(waits)}`}
          onClick={() => show(other)}
        >
          <span dir="auto">{shorten(showHidden(goal), 80)}</span>
          <span className="sbp-dim" dir="auto">
            {shorten(showHidden(waits), 80)}
          </span>
        </Button>
      ))}
    </nav>
  );
}

// What is open in the kernel, in the panel that stands beside the notebook: browsers, their pages, runs; each closes here.

import { shorten, showHidden } from "../common/text";
import { Button } from "../panel/button";
import type { Message } from "../panel/page_view";

interface Thing {
  id: string;
  words: string;
  can_close?: boolean;
}

export interface Opened {
  browsers?: (Thing & { pages: Thing[] })[];
  runs?: Thing[];
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

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
  const line = (kind: string, thing: Thing): React.ReactNode => {
    const label = kind === "run" ? "Stop" : "Close";
    const text = showHidden(thing.words);
    return (
      <div className="sbp-openline">
        <span dir="auto" title={text}>
          {shorten(text, 120)}
        </span>
        <Button
          kind="sbp-quiet"
          aria-label={`${label} ${kind} ${shorten(text, 60)}`}
          hidden={thing.can_close === false}
          onClick={() => send({ type: "close_open", kind, id: thing.id })}
        >
          {label}
        </Button>
      </div>
    );
  };
  return (
    <details
      className="sbp-open"
      onToggle={(event) => event.currentTarget.open && send({ type: "list_open" })}
    >
      <summary>
        {`Open: ${[counted(browsers.length, "browser"), counted(pages, "page"), ...running].join(", ")}`}
      </summary>
      <ul className="sbp-openlist">
        {browsers.map((browser) => (
          <li key={browser.id}>
            {line("browser", browser)}
            <ul>
              {browser.pages.map((page) => (
                <li key={page.id}>{line("page", page)}</li>
              ))}
            </ul>
          </li>
        ))}
        {runs.map((run) => (
          <li key={run.id}>{line("run", run)}</li>
        ))}
      </ul>
    </details>
  );
}

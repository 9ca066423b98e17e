// The toolbar's popup: each kernel with its connection, its tabs, and what it did last.

import { useEffect, useState } from "react";
import type { Tab } from "../../protocol/generated";
import { describeBase } from "../../shared/address";
import type { Activity, KernelView, UiRequest, UiState } from "../../shared/ui";
import { DebuggingBar } from "../common/debugging_bar";
import { RetryButton, ShareButton, UnshareButton } from "../common/kernel_buttons";
import { describePhase, describeSilence, formatTime } from "../common/words";
import { type Connect, openWorker } from "../common/worker";

type Send = (request: UiRequest) => void;

interface Props {
  connect: Connect;
  /** Open the side panel beside the page. */
  openPanel: () => void;
}

export function Popup({ connect, openPanel }: Props): React.ReactNode {
  const [state, setState] = useState<UiState | null>(null);
  const [send, setSend] = useState<Send>(() => () => undefined);
  useEffect(() => {
    const worker = openWorker(connect, { ui: "watch" }, (reply) => {
      if (reply.ui === "state") setState(reply.state);
    });
    setSend(() => worker.send);
    // The worker stays awake while the popup is open, and sends the ages anew.
    const timer = setInterval(() => worker.send({ ui: "watch" }), 2_000);
    return () => {
      clearInterval(timer);
      worker.close();
    };
  }, [connect]);
  if (!state) return null;
  return (
    <main>
      <header className="row">
        <img src="icons/32.png" alt="" />
        <h1 className="grow">skillbook</h1>
        <button type="button" onClick={openPanel}>
          Open panel
        </button>
      </header>
      <PairPage state={state} send={send} />
      <CurrentTab state={state} send={send} />
      {state.kernels.map((kernel) => (
        <Kernel key={kernel.id} kernel={kernel} send={send} />
      ))}
      {state.kernels.length === 0 && (
        <p className="empty soft">
          Nothing is paired. Run <code>sb.connect()</code> in a notebook, or <code>skillbook serve</code> in a
          terminal, and open the link that it shows.
        </p>
      )}
      <DebuggingBar />
    </main>
  );
}

function PairPage({ state, send }: { state: UiState; send: Send }): React.ReactNode {
  const { current, pairable } = state;
  if (!current || pairable === null) return null;
  return (
    <section className="current" aria-label="Pairing">
      <p className="clip" title={pairable}>
        {describeBase(pairable)}
      </p>
      <div className="row">
        <span className="soft clip">a notebook on another computer</span>
        <button type="button" className="primary" onClick={() => send({ ui: "invite", tab: current.id })}>
          Pair with this page
        </button>
      </div>
    </section>
  );
}

function CurrentTab({ state, send }: { state: UiState; send: Send }): React.ReactNode {
  const { current, sharedWith, keepsActs, shownAs, kernels } = state;
  const ready = kernels.filter((kernel) => kernel.state.phase === "connected");
  if (!current || (ready.length === 0 && !sharedWith)) return null;
  const owner = kernels.find((kernel) => kernel.id === sharedWith);
  return (
    <section className="current" aria-label="This tab">
      <p className="clip" title={current.url}>
        {current.title || current.url}
      </p>
      {owner ? (
        <div className="row">
          <span className="soft clip">
            shared with {owner.name}
            {shownAs && `, as on ${shownAs}`}
          </span>
          <UnshareButton tab={current.id} send={send} />
        </div>
      ) : (
        ready.map((kernel) => (
          <div className="row" key={kernel.id}>
            <span className="soft clip">{kernel.name} can't see this tab</span>
            <ShareButton kernel={kernel.id} tab={current.id} send={send} />
          </div>
        ))
      )}
      {keepsActs && (
        <div className="soft" title="Unsharing forgets them.">
          Keeps your last acts here, to save them as a skill
        </div>
      )}
    </section>
  );
}

function Kernel({ kernel, send }: { kernel: KernelView; send: Send }): React.ReactNode {
  const { tone, text } = describePhase(kernel.state);
  const silence =
    kernel.silentFor === null ? "" : ` · ${describeSilence(kernel.silentFor, kernel.heartbeat)}`;
  const over = kernel.state.phase === "refused" || kernel.state.phase === "ended";
  return (
    <section className="kernel" aria-label={kernel.name}>
      <div className="row">
        <span className={`dot ${tone}`} />
        <h2 className="clip" title={kernel.name}>
          {kernel.name}
        </h2>
        <RetryButton kernel={kernel} send={send} />
        {kernel.state.phase === "connected" && (
          <button type="button" className="stop" onClick={() => send({ ui: "stop", kernel: kernel.id })}>
            Stop
          </button>
        )}
        <button type="button" onClick={() => send({ ui: "forget", kernel: kernel.id })}>
          {over ? "Remove" : "Disconnect"}
        </button>
      </div>
      <p className="soft">
        {text} · {describeBase(kernel.base)}
        {silence}
      </p>
      {kernel.session && kernel.state.phase === "connected" && (
        <p className="soft">session {kernel.session.slice(0, 8)}</p>
      )}
      {kernel.state.reason && <p className="facts reason">{kernel.state.reason}</p>}
      <Tabs tabs={kernel.tabs} send={send} />
      <Log activity={kernel.activity} />
    </section>
  );
}

function Tabs({ tabs, send }: { tabs: Tab[]; send: Send }): React.ReactNode {
  if (tabs.length === 0) return <p className="soft">sees no tab</p>;
  return (
    <ul className="tabs">
      {tabs.map((tab) => (
        <li className="row" key={tab.id}>
          <span className="clip" title={tab.url}>
            {tab.title || tab.url}
          </span>
          <UnshareButton tab={tab.id} send={send} />
        </li>
      ))}
    </ul>
  );
}

function Log({ activity }: { activity: Activity[] }): React.ReactNode {
  if (activity.length === 0) return null;
  const newest = [...activity].reverse().slice(0, 12);
  return (
    <details>
      <summary>Last commands</summary>
      <table>
        <tbody>
          {newest.map((entry) => (
            <tr key={`${entry.time}-${entry.command}-${entry.ms}`}>
              <td className="soft">{formatTime(entry.time)}</td>
              <td>{entry.command}</td>
              <td className={entry.error ? "reason" : "soft"}>{entry.error ?? "ok"}</td>
              <td className="soft number">{Math.round(entry.ms)} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

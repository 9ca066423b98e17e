// The page that asks the user whether a notebook may be paired: which notebook, what it would be allowed, one click.

import { useEffect, useState } from "react";
import { describeBase, isLocal } from "../../shared/address";
import { STANDING_MS } from "../../shared/limits";
import type { PairRequest, UiReply } from "../../shared/ui";
import { DebuggingBar } from "../common/debugging_bar";
import { type Connect, openWorker, type Worker } from "../common/worker";

type Stage =
  | { at: "loading" }
  | { at: "gone" }
  | { at: "asking"; request: PairRequest }
  | { at: "pairing"; request: PairRequest }
  | { at: "done"; ok: boolean; message: string };

interface Props {
  id: string;
  connect: Connect;
  close: () => void;
}

export function Confirm({ id, connect, close }: Props): React.ReactNode {
  const [stage, setStage] = useState<Stage>({ at: "loading" });
  const [worker, setWorker] = useState<Worker | null>(null);
  useEffect(() => {
    const opened = openWorker(connect, { ui: "pair_request", id }, (reply) => {
      setStage((stage) => advance(stage, reply));
      if (reply.ui === "pair_done" && reply.ok) close();
    });
    setWorker(opened);
    // Often enough that the worker stays awake while the user thinks.
    const timer = setInterval(() => opened.send({ ui: "pair_request", id }), STANDING_MS);
    return () => {
      clearInterval(timer);
      opened.close();
    };
  }, [id, connect, close]);

  if (stage.at === "loading") return null;
  if (stage.at === "gone")
    return <Notice text="This request is over. Open the pairing link again." close={close} />;
  if (stage.at === "done") return <Notice text={stage.message} close={close} />;
  const { kernel, base } = stage.request;
  const pair = (): void => {
    setStage({ at: "pairing", request: stage.request });
    worker?.send({ ui: "pair", id });
  };
  const cancel = (): void => {
    worker?.send({ ui: "cancel", id });
    close();
  };
  return (
    <main>
      <h1>Pair this browser with the notebook “{kernel.name}”?</h1>
      <dl className="who">
        <dt className="soft">Notebook</dt>
        <dd>{kernel.name}</dd>
        <dt className="soft">Address</dt>
        <dd>
          {isLocal(base)
            ? `127.0.0.1, ${describeBase(base)} (this computer)`
            : `${describeBase(base)} (elsewhere)`}
        </dd>
      </dl>
      <h2>It will be able to</h2>
      <ul className="list">
        <li>open new tabs, in a group with its name</li>
        <li>see and use those tabs, and tabs that you share with it</li>
      </ul>
      <h2>It will not see</h2>
      <ul className="list not">
        <li>any other tab, your history, or what you type elsewhere</li>
      </ul>
      <DebuggingBar />
      <p className="soft">Pair only if you have just asked for it in a notebook of yours.</p>
      <div className="row choice">
        <button type="button" onClick={cancel}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={stage.at === "pairing"} onClick={pair}>
          Pair
        </button>
      </div>
    </main>
  );
}

function Notice({ text, close }: { text: string; close: () => void }): React.ReactNode {
  return (
    <main>
      <p role="status">{text}</p>
      <div className="row choice">
        <button type="button" className="primary" onClick={close}>
          Close
        </button>
      </div>
    </main>
  );
}

function advance(stage: Stage, reply: UiReply): Stage {
  if (reply.ui === "pair_done") return { at: "done", ok: reply.ok, message: reply.message };
  if (reply.ui !== "pair_request" || stage.at === "pairing" || stage.at === "done") return stage;
  return reply.request ? { at: "asking", request: reply.request } : { at: "gone" };
}

// The live view: a page's tree beside its screenshot, as it is now.

import { useRef, useState } from "react";
import { shorten, showHidden } from "../common/text";
import { Copied, Insert } from "../panel/insert";
import { PagePane } from "../panel/page_pane";
import type { PageView } from "../panel/page_view";
import type { ShotHandle } from "../panel/shot";
import { type Model, useTraits } from "./model";
import { Root } from "./root";

interface Picked {
  ref: string;
  selector: string;
  code: string;
}

interface State {
  status?: string;
  gone?: string;
  picked?: Picked | null;
  remote_input_problem?: string;
  has_window?: boolean;
}

const STATUSES: Record<string, [string, string]> = {
  live: ["Live", "Follows the page while the notebook runs"],
  still: ["Still", "Shows the page as it was; it no longer follows"],
  closed: ["Gone", "The page or its browser isn't there"],
};

export function ViewWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state", "view", "shot");
  const shot = useRef<ShotHandle | null>(null);
  const [aim, setAim] = useState("");
  const {
    status = "",
    gone = "",
    picked,
    remote_input_problem = "",
    has_window = false,
  } = model.get("state") as State;
  const view = model.get("view") as PageView;
  const [word, meaning] = STATUSES[status] ?? ["", ""];
  return (
    <Root model={model} label="Page" status={status} gone={gone}>
      {(send, ended) => (
        <>
          <div className="sbp-header">
            <div className="sbp-lead">
              <span className="sbp-status" role="status" title={meaning}>
                {ended || word}
              </span>
              <strong className="sbp-title" dir="auto">
                {shorten(showHidden(view.title ?? ""), 160) || "Untitled page"}
              </strong>
            </div>
          </div>
          {view.rows && (
            <PagePane
              view={view}
              bytes={model.get("shot") as DataView | null}
              aim={aim}
              problem={remote_input_problem}
              hasWindow={has_window}
              inert={Boolean(gone)}
              picked={(ref) => {
                setAim(ref);
                send({ type: "pick", ref });
              }}
              send={(message) => model.send(message)}
              handle={shot}
            />
          )}
          <Names picked={picked ?? null} inert={Boolean(gone)} />
        </>
      )}
    </Root>
  );
}

/** The line that says how to name the element that was clicked, to copy into a cell. */
function Names({ picked, inert }: { picked: Picked | null; inert: boolean }): React.ReactNode {
  if (!picked)
    return (
      <div className="sbp-picked" inert={inert}>
        Click an element to see how to name it in a cell.
      </div>
    );
  const names = [picked.ref, picked.selector].filter(Boolean).map(showHidden);
  return (
    <div className="sbp-picked" inert={inert}>
      <span className="sbp-dim">Copy</span>
      {names.map((name) => (
        <Copied key={name} text={name} />
      ))}
      {picked.code && <Insert key={picked.code} code={picked.code} />}
    </div>
  );
}

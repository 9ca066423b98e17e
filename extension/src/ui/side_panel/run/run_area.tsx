// One run: where it is, what it waits for, what it did and what it gave.

import { useMemo, useRef } from "react";
import type { RunView } from "../../common/asks";
import { showHidden } from "../../common/text";
import { RunPanel } from "../../panel/run_panel";
import { useNotices, usePanel, useQuery } from "../context";
import { Outputs } from "../output/outputs";
import { Problem } from "../problem";
import { isOver } from "../words";
import { Breadcrumbs } from "./breadcrumbs";
import { PortDoor } from "./port_door";
import { SaveSkill } from "./save_skill";

export function RunArea({ run }: { run: string | null }): React.ReactNode {
  if (run === null)
    return <p className="empty soft">Nothing runs. Ask for something under Start, or run a skill there.</p>;
  return <LoadedRun key={run} run={run} />;
}

function LoadedRun({ run }: { run: string }): React.ReactNode {
  const { data, error, reload } = useQuery("show_run", { run });
  useNotices(({ data }) => {
    if ("run" in data && data.run === run) reload();
  });
  if (!data)
    return (
      <div className="page">
        <Problem error={error} />
      </div>
    );
  return <ShownRun view={data} reload={reload} />;
}

export function ShownRun({ view, reload }: { view: RunView; reload: () => void }): React.ReactNode {
  const { client, kernel } = usePanel();
  const latest = useRef(reload);
  latest.current = reload;
  const door = useMemo(
    () => new PortDoor(client, kernel, view.id, () => latest.current()),
    [client, kernel, view.id],
  );
  return (
    <RunPanel
      view={view}
      door={door}
      status={showHidden(view.words)}
      isGuest={false}
      hasWindow
      head={
        <>
          <Progress view={view} />
          <Breadcrumbs crumbs={view.breadcrumbs} />
        </>
      }
      outputs={
        <>
          {view.can.includes("save_skill") && <SaveSkill run={view.id} />}
          <Outputs view={view} />
        </>
      }
    />
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

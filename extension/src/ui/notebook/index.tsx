// What a notebook's widgets are: one module for all, which shows what its model says it is.

import { createRoot } from "react-dom/client";
import "../panel/panel.css";
import { BrowsersWidget } from "./browsers_widget";
import { FrameWidget } from "./frame_widget";
import type { Model } from "./model";
import { RecorderWidget } from "./recorder_widget";
import { ReplayWidget } from "./replay_widget";
import { DockedRun, RunWidget } from "./run_widget";
import { SkillWidget } from "./skill_widget";
import { ViewWidget } from "./view_widget";

/** Show into an element; ends with the returned function. */
function show(what: React.ReactNode, into: Element): () => void {
  const root = createRoot(into);
  root.render(what);
  return () => root.unmount();
}

function widgetOf(model: Model): React.ReactNode {
  switch (model.get("kind")) {
    case "run":
      return <RunWidget model={model} copy={(into) => show(<DockedRun model={model} />, into)} />;
    case "browsers":
      return <BrowsersWidget model={model} />;
    case "skill":
      return <SkillWidget model={model} />;
    case "frame":
      return <FrameWidget model={model} />;
    case "recorder":
      return <RecorderWidget model={model} />;
    case "replay":
      return <ReplayWidget model={model} />;
    default:
      return <ViewWidget model={model} />;
  }
}

export default {
  render: ({ model, el }: { model: Model; el: Element }): (() => void) => show(widgetOf(model), el),
};

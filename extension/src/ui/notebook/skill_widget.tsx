// A skill that nobody has approved: what it wants, and the button that approves this version.

import { showHidden } from "../common/text";
import { Button } from "../panel/button";
import { type Model, useTraits } from "./model";
import { Root } from "./root";

interface State {
  name: string;
  place: string;
  wants: string[];
  status: "asks" | "approved" | "changed";
}

const WORDS = { asks: "Not approved", approved: "Approved", changed: "Changed" };
const STATUS = { asks: "waiting", approved: "succeeded", changed: "failed" };
const NEXT = {
  asks: "Nobody has approved this version.",
  approved: "Run the cell again.",
  changed: "The skill is another one by now: run the cell again to see what it wants.",
};

export function SkillWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state");
  const { name, place, wants, status } = model.get("state") as State;
  return (
    <Root model={model} kind="sbp-skill" label={`The skill ${name}`} status={STATUS[status]}>
      {(send, ended) => (
        <>
          <div className="sbp-header">
            <div className="sbp-lead">
              <span className="sbp-status" role="status">
                {ended || WORDS[status]}
              </span>
              <strong className="sbp-title" dir="auto">
                {showHidden(name)}
              </strong>
              <span className="sbp-dim" dir="auto">
                {showHidden(place)}
              </span>
            </div>
          </div>
          <p className="sbp-note">{`${NEXT[status]} It wants to:`}</p>
          <ul className="sbp-wants">
            {wants.map((line) => (
              <li key={line} dir="auto">
                {showHidden(line)}
              </li>
            ))}
          </ul>
          <div className="sbp-lead sbp-foot">
            <Button
              kind="sbp-primary"
              title={status === "asks" ? "This version only, once and for all" : NEXT[status]}
              disabled={status !== "asks"}
              onClick={() => send({ type: "approve" })}
            >
              Approve this version
            </Button>
          </div>
        </>
      )}
    </Root>
  );
}

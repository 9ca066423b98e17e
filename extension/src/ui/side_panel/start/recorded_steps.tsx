// The steps of a recording; each can be marked as an input, or left out.

import type { Recording } from "../../common/asks";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";

interface Props {
  steps: Recording["steps"];
  reload: () => void;
}

export function RecordedSteps({ steps, reload }: Props): React.ReactNode {
  const { client, kernel } = usePanel();
  const { error, act } = useAction(async (mark: "input" | "delete", step: number) => {
    await client.ask(kernel, "mark_recording", { mark, step });
    reload();
  });
  if (steps.length === 0) return null;
  return (
    <>
      <ol className="recorded" aria-label="Recorded steps">
        {steps.map((step) => (
          <li key={step.number}>
            <span className="words" dir="auto">
              {showHidden(step.words)}
            </span>
            {step.input && <span className="chip">input {showHidden(step.input)}</span>}
            {step.can_be_input && !step.input && (
              <button
                type="button"
                className="small"
                aria-label={`Step ${step.number} is an input`}
                title="What was typed or chosen here is an input of the skill"
                onClick={() => act("input", step.number)}
              >
                Input
              </button>
            )}
            <button
              type="button"
              className="small"
              aria-label={`Delete step ${step.number}`}
              title="Leave this step out"
              onClick={() => act("delete", step.number)}
            >
              Delete
            </button>
          </li>
        ))}
      </ol>
      <Problem error={error} />
    </>
  );
}

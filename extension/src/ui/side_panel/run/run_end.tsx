// How a run ended, and what to know before it goes on.

import { useState } from "react";
import { showHidden, showLines } from "../../common/text";
import type { RunView } from "../asks";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";

export function RunEnd({ view }: { view: RunView }): React.ReactNode {
  const { error, hint, notice, result, warning } = view;
  return (
    <>
      {warning && (
        <p className="end warn" dir="auto">
          {showLines(warning)}
        </p>
      )}
      {error && (
        <p className="end bad" role="alert" dir="auto">
          {showLines(error)}
          {hint && <span className="hint">{showLines(hint)}</span>}
        </p>
      )}
      {result && (
        <p className="end good" role="status" dir="auto">
          {showLines(result)}
        </p>
      )}
      {notice && <p className="end note">{showHidden(notice)}</p>}
      {view.can.includes("save_skill") && <SaveSkill run={view.id} />}
    </>
  );
}

function SaveSkill({ run }: { run: string }): React.ReactNode {
  const { client, kernel } = usePanel();
  const [name, setName] = useState<string | null>(null);
  const [saved, setSaved] = useState("");
  const { busy, error, act } = useAction(async (name: string) => {
    const skill = await client.ask(kernel, "save_run", { run, name });
    setSaved(`Saved as ${skill.name}. ${skill.words}`);
  });
  if (saved)
    return (
      <p className="end note" role="status" dir="auto">
        {showHidden(saved)}
      </p>
    );
  if (name === null)
    return (
      <div className="end">
        <button type="button" onClick={() => setName("")}>
          Save as skill…
        </button>
      </div>
    );
  return (
    <form
      className="end"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) act(name.trim());
      }}
    >
      <div className="row">
        <input
          className="grow"
          aria-label="Name of the skill"
          placeholder="Name of the skill"
          value={name}
          dir="auto"
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="primary" disabled={busy || !name.trim()}>
          Save
        </button>
      </div>
      <Problem error={error} />
    </form>
  );
}

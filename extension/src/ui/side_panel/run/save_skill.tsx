// Saves what a run did as a skill, under a name.

import { useState } from "react";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";

export function SaveSkill({ run }: { run: string }): React.ReactNode {
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

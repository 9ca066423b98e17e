// What was recorded becomes a skill.

import { useId, useState } from "react";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";

interface Props {
  /** A name to begin with. */
  name: string;
  enabled: boolean;
  saved: () => void;
  drop: () => void;
}

export function SaveRecording({ name: suggested, enabled, saved, drop }: Props): React.ReactNode {
  const { client, kernel } = usePanel();
  const [name, setName] = useState(suggested);
  const [words, setWords] = useState("");
  const id = useId();
  const { busy, error, act } = useAction(async () => {
    const skill = await client.ask(kernel, "save_recording", { name: name.trim() });
    setWords(`Saved as ${skill.name}. ${skill.words}`);
    saved();
  });
  const save = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    if (enabled && name.trim() && !busy) act();
  };
  return (
    <form className="inputs" onSubmit={save}>
      <div className="field">
        <label htmlFor={id}>Name of the skill</label>
        <input id={id} value={name} dir="auto" onChange={(event) => setName(event.target.value)} />
      </div>
      <div className="row">
        <button type="submit" className="primary" disabled={!enabled || busy || !name.trim()}>
          Save
        </button>
        <button type="button" onClick={drop}>
          Drop
        </button>
      </div>
      {words && (
        <p className="note" role="status" dir="auto">
          {showHidden(words)}
        </p>
      )}
      <Problem error={error} />
    </form>
  );
}

// One field of a form, by the type of its input.

import { useId } from "react";
import type { FormInput } from "../../common/asks";
import { showHidden } from "../../common/text";

interface FieldProps {
  input: FormInput;
  value: string | boolean;
  problem: string;
  change: (value: string | boolean) => void;
}

export function Field({ input, value, problem, change }: FieldProps): React.ReactNode {
  const id = useId();
  const help = input.type === "secret" ? `${input.help} The name of a saved secret.`.trim() : input.help;
  const shared = {
    id,
    name: input.name,
    "aria-required": input.required,
    "aria-invalid": problem !== "",
    "aria-describedby": `${id}-help ${id}-problem`,
  };
  const isBox = input.type === "boolean";
  return (
    <div className={isBox ? "field box" : "field"}>
      <label htmlFor={id} dir="auto">
        {showHidden(input.label || input.name)}
        {input.required && <span aria-hidden="true"> *</span>}
      </label>
      <Control input={input} value={value} change={change} shared={shared} />
      <p className="note" id={`${id}-help`} dir="auto">
        {help && showHidden(help)}
      </p>
      <p className="problem" id={`${id}-problem`}>
        {problem}
      </p>
    </div>
  );
}

const KINDS = { date: "date", number: "text", integer: "text", text: "text", secret: "text" } as const;

function Control({ input, value, change, shared }: Omit<FieldProps, "problem"> & { shared: object }) {
  const set = (event: { target: { value: string } }): void => change(event.target.value);
  const text = String(value);
  if (input.type === "boolean")
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  if (input.type === "choice")
    return (
      <select {...shared} value={text} onChange={set}>
        {(text === "" || !input.required) && <option value="">—</option>}
        {input.choices.map((choice, place) => (
          <option key={String(choice)} value={String(place)}>
            {showHidden(choice)}
          </option>
        ))}
      </select>
    );
  if (input.type === "list" || input.type === "table" || text.includes("\n"))
    return (
      <textarea
        {...shared}
        rows={3}
        value={text}
        onChange={set}
        dir="auto"
        spellCheck={false}
        placeholder={input.type === "list" ? "one on each line" : undefined}
      />
    );
  return (
    <input
      {...shared}
      type={KINDS[input.type]}
      inputMode={input.type === "number" || input.type === "integer" ? "decimal" : undefined}
      value={text}
      onChange={set}
      dir="auto"
      autoComplete="off"
      spellCheck={false}
    />
  );
}

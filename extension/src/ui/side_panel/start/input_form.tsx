// A form made from the inputs of a skill or a workflow.

import { useState } from "react";
import type { FormInput } from "../../common/asks";
import { Field } from "./input_field";
import { type Draft, draftOf, readDraft } from "./input_values";

interface Props {
  inputs: FormInput[];
  /** What the inputs were at an earlier run. */
  given?: Readonly<Record<string, unknown>>;
  submit: string;
  disabled: boolean;
  send: (values: Record<string, unknown>) => void;
}

export function InputForm({ inputs, given, submit, disabled, send }: Props): React.ReactNode {
  const [draft, setDraft] = useState<Draft>(() => draftOf(inputs, given));
  const [tried, setTried] = useState(false);
  const { values, problems } = readDraft(inputs, draft);
  const submitForm = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    const wrong = inputs.find(({ name }) => problems[name]);
    const form = event.currentTarget as HTMLFormElement;
    if (wrong) form.querySelector<HTMLElement>(`[name="${CSS.escape(wrong.name)}"]`)?.focus();
    else send(values);
  };
  return (
    <form className="inputs" onSubmit={submitForm} noValidate>
      {inputs.map((input) => (
        <Field
          key={input.name}
          input={input}
          value={draft[input.name] ?? ""}
          problem={tried ? (problems[input.name] ?? "") : ""}
          change={(value) => setDraft({ ...draft, [input.name]: value })}
        />
      ))}
      <button type="submit" className="primary" disabled={disabled}>
        {submit}
      </button>
    </form>
  );
}

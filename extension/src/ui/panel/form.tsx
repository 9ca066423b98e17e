// The form of a call's arguments.

import { useId } from "react";
import { showHidden } from "../common/text";
import type { Answer } from "./answer";
import { type Field, optionsOf, type Raw } from "./arguments";
import { Button } from "./button";

interface Props {
  fields: readonly Field[];
  answer: Answer;
  /** What an argument that names another element names, in words; "" as proposed. */
  describe: (name: string) => string;
}

export function Form({ fields, answer, describe }: Props): React.ReactNode {
  const main = fields.filter(({ isMain }) => isMain);
  const rest = fields.filter(({ isMain }) => !isMain);
  const show = (field: Field): React.ReactNode => (
    <Argument key={field.name} field={field} answer={answer} note={describe(field.name)} />
  );
  return (
    <div className="sbp-form">
      <div className="sbp-fields">{main.map(show)}</div>
      {rest.length > 0 && (
        <details className="sbp-more">
          <summary>{`${rest.length} more option${rest.length > 1 ? "s" : ""}`}</summary>
          <div className="sbp-fields">{rest.map(show)}</div>
        </details>
      )}
    </div>
  );
}

function Argument({ field, answer, note }: { field: Field; answer: Answer; note: string }): React.ReactNode {
  const { name, kind, required, schema, isTarget } = field;
  const id = useId();
  const problem = answer.edit.problems[name] ?? "";
  const shared = {
    id,
    "aria-describedby": `${id}-problem ${id}-note`,
    "aria-required": required || undefined,
    "aria-invalid": problem !== "",
    "data-arg": name,
  };
  return (
    <div className={`sbp-field sbp-${kind}`}>
      <label htmlFor={id} className="sbp-label" title={schema.description}>
        {showHidden(name)}
      </label>
      <div className="sbp-control">
        <Control
          field={field}
          raw={answer.draft[name] ?? ""}
          change={(raw) => answer.change(name, raw)}
          shared={shared}
        />
        {isTarget && (
          <Button
            kind="sbp-point"
            aria-pressed={answer.pointing && answer.armed === name}
            aria-label="Point at another element"
            title="Point at another element"
            onClick={() => answer.togglePointing(name)}
          >
            <span aria-hidden="true" className="sbp-aim-sign" />
            Point
          </Button>
        )}
      </div>
      <div className="sbp-note" id={`${id}-note`}>
        {note}
      </div>
      <div className="sbp-problem" id={`${id}-problem`}>
        {problem}
      </div>
    </div>
  );
}

interface ControlProps {
  field: Field;
  raw: Raw;
  change: (raw: Raw) => void;
  shared: object;
}

function Control({ field, raw, change, shared }: ControlProps): React.ReactNode {
  const { kind, proposed, schema } = field;
  const given = { ...shared, className: "sbp-input" };
  const set = (event: { target: { value: string } }): void => change(event.target.value);
  const text = String(raw);
  if (kind === "boolean")
    return (
      <input
        {...given}
        type="checkbox"
        checked={raw === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  if (kind === "choices")
    return <Choices field={field} chosen={raw as unknown[]} change={change} shared={shared} />;
  if (kind === "enum") {
    const empty = proposed === undefined || proposed === null;
    return (
      <select {...given} value={text} onChange={set}>
        {empty && (
          <option value="">{schema.default === undefined ? "—" : `(${showHidden(schema.default)})`}</option>
        )}
        {optionsOf(field).map((option, place) => (
          <option key={String(option)} value={String(place)}>
            {showHidden(option)}
          </option>
        ))}
      </select>
    );
  }
  const isLong =
    kind === "string" && (String(proposed ?? "").length > 60 || /[\n\r]/.test(String(proposed ?? "")));
  if (isLong || kind === "lines" || kind === "json") {
    const lines = kind === "lines" ? Math.min(Math.max(text.split("\n").length, 2), 6) : 3;
    const rows = field.name === "code" ? Math.min(text.split("\n").length + 1, 18) : lines;
    const hint = kind === "lines" ? "one on each line" : undefined;
    return (
      <textarea
        {...given}
        rows={rows}
        placeholder={hint}
        spellCheck={false}
        dir="auto"
        value={text}
        onChange={set}
      />
    );
  }
  const mode = kind === "number" ? "decimal" : undefined;
  return (
    <input
      {...given}
      type="text"
      inputMode={mode}
      spellCheck={false}
      dir="auto"
      value={text}
      onChange={set}
    />
  );
}

function Choices({
  field,
  chosen,
  change,
  shared,
}: Omit<ControlProps, "raw"> & { chosen: unknown[] }): React.ReactNode {
  const options = optionsOf(field);
  const set = (option: unknown, on: boolean): void =>
    change(options.filter((each) => (each === option ? on : chosen.includes(each))));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a label names it by its id
    <div {...shared} role="group" className="sbp-choices">
      {options.map((option) => (
        <label key={String(option)}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={(event) => set(option, event.target.checked)}
          />
          {showHidden(option)}
        </label>
      ))}
    </div>
  );
}

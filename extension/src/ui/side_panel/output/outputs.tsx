// What a run gave: rows, facts, texts and files, each to be copied or kept.

import { useState } from "react";
import type { Output, RunView } from "../../common/asks";
import { showHidden, showLines } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";
import { countOf } from "../words";
import { CopyButton } from "./copy_button";
import { type Form, readWhole, save } from "./files";
import { RowsTable } from "./rows_table";
import { copyableRows } from "./tsv";

export function Outputs({ view }: { view: RunView }): React.ReactNode {
  if (view.outputs.length === 0) return null;
  return (
    <section className="outputs" aria-label="Output">
      <h2>Output</h2>
      {view.outputs.map((output) => (
        <OneOutput key={output.id} run={view.id} output={output} />
      ))}
      {view.can.includes("write_notebook") && <AsNotebook run={view.id} />}
    </section>
  );
}

const COUNTED: Record<Output["kind"], string> = {
  rows: "row",
  facts: "fact",
  text: "character",
  file: "byte",
};

function OneOutput({ run, output }: { run: string; output: Output }): React.ReactNode {
  const { client, kernel } = usePanel();
  const title = showHidden(output.title);
  const saving = useAction(async (form: Form) => {
    save(await readWhole(client, kernel, { run, output: output.id, form }));
  });
  const keep = (words: string, form: Form): React.ReactNode => (
    <button type="button" className="small" disabled={saving.busy} onClick={() => saving.act(form)}>
      {words}
    </button>
  );
  return (
    <article className="output" aria-label={title}>
      <div className="row wrap">
        <strong className="clip" dir="auto">
          {title}
        </strong>
        <span className="note">{countOf(output.count, COUNTED[output.kind])}</span>
        {output.complete === false && <span className="chip warn">not complete</span>}
      </div>
      {output.note && (
        <p className="note" dir="auto">
          {showHidden(output.note)}
        </p>
      )}
      <Body run={run} output={output} />
      <div className="row wrap keep">
        {output.kind !== "file" && <CopyButton read={() => textOf(run, output, client, kernel)} />}
        {output.kind === "rows" && keep("CSV", "csv")}
        {(output.kind === "rows" || output.kind === "facts") && keep("JSON", "json")}
        {output.kind === "text" && keep("Save", "text")}
        {output.kind === "file" && keep("Save", "")}
      </div>
      <Problem error={saving.error} />
    </article>
  );
}

function Body({ run, output }: { run: string; output: Output }): React.ReactNode {
  const [all, setAll] = useState(false);
  if (output.kind === "rows") return output.count > 0 ? <RowsTable run={run} output={output} /> : null;
  if (output.kind === "facts")
    return (
      <dl className="facts">
        {Object.entries(output.facts).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{showHidden(name)}</dt>
            <dd dir="auto">{showLines(value)}</dd>
          </div>
        ))}
      </dl>
    );
  if (output.kind === "file" || !output.text) return null;
  return (
    <>
      <p className={all ? "text" : "text short"} dir="auto">
        {showLines(output.text)}
      </p>
      {output.text.length > 600 && (
        <button type="button" className="small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Less" : "More"}
        </button>
      )}
    </>
  );
}

type Client = ReturnType<typeof usePanel>["client"];

/** What is copied: rows as a spreadsheet takes them, facts as lines, a text as it is. */
async function textOf(run: string, output: Output, client: Client, kernel: string): Promise<string> {
  if (output.kind === "rows")
    return copyableRows((start, count) =>
      client.ask(kernel, "read_rows", { run, output: output.id, start, count }),
    );
  if (output.kind === "facts")
    return Object.entries(output.facts)
      .map((pair) => pair.join("\t"))
      .join("\n");
  const file = await readWhole(client, kernel, { run, output: output.id, form: "text" });
  return file.blob.text();
}

function AsNotebook({ run }: { run: string }): React.ReactNode {
  const { client, kernel } = usePanel();
  const [path, setPath] = useState("");
  const [address, setAddress] = useState<string | null>(null);
  const { busy, error, act } = useAction(async () => {
    const written = await client.ask(kernel, "write_notebook", { run });
    setPath(written.path);
    const isWeb = /^https?:\/\//.test(written.address ?? "");
    setAddress(isWeb ? written.address : null);
    if (isWeb && written.address) window.open(written.address, "_blank", "noopener");
  });
  return (
    <div className="keep">
      <button type="button" className="small" disabled={busy} onClick={act}>
        Open as notebook
      </button>
      {path && (
        <p className="note" role="status">
          Written to <code>{showHidden(path)}</code>{" "}
          {address && (
            <a href={address} target="_blank" rel="noopener noreferrer">
              Open
            </a>
          )}
        </p>
      )}
      <Problem error={error} />
    </div>
  );
}

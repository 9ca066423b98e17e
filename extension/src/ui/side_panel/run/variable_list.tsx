// What the cells of a run have left: name, type, size, and the value; rows as a table.

import { showHidden } from "../../common/text";
import type { RunView, Variable } from "../asks";
import { countOf } from "../words";

export function VariableList({ view }: { view: RunView }): React.ReactNode {
  if (view.variables.length === 0) return null;
  return (
    <details className="variables">
      <summary>{countOf(view.variables.length, "variable")}</summary>
      {view.variables.map((each) => (
        <Line key={each.name} variable={each} />
      ))}
    </details>
  );
}

function Line({ variable }: { variable: Variable }): React.ReactNode {
  const { name, type, size, text, columns } = variable;
  return (
    <div className="variable words">
      <code>{showHidden(name)}</code>{" "}
      <span className="note">{showHidden(size === null ? type : `${type}, ${size}`)}</span>{" "}
      {columns.length > 0 ? (
        <Rows variable={variable} />
      ) : (
        <span className="value" dir="auto">
          {showHidden(text)}
        </span>
      )}
    </div>
  );
}

/* biome-ignore-start lint/suspicious/noArrayIndexKey: two fields may read alike */
function Rows({ variable: { name, size, columns, rows } }: { variable: Variable }): React.ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <section className="rows" tabIndex={0} aria-label={`Rows of ${showHidden(name)}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={place} dir="auto">
                {showHidden(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((field, place) => (
                <td key={place} dir="auto">
                  {showHidden(field)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {size !== null && size > rows.length && <p className="note">… and {size - rows.length} more</p>}
    </section>
  );
}
/* biome-ignore-end lint/suspicious/noArrayIndexKey: see above */

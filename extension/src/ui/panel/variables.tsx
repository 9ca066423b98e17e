// What the cells of a run have left: name, type, size, and the value; rows as a table.

import type { Variable } from "../common/asks";
import { showHidden } from "../common/text";

export function Variables({ variables }: { variables: readonly Variable[] }): React.ReactNode {
  if (variables.length === 0) return null;
  return (
    <details className="sbp-variables">
      <summary>Variables</summary>
      {variables.map((each) => (
        <Line key={each.name} variable={each} />
      ))}
    </details>
  );
}

function Line({ variable }: { variable: Variable }): React.ReactNode {
  const { name, type, size, text, columns } = variable;
  return (
    <div className="sbp-variable">
      <code>{showHidden(name)}</code>
      <span className="sbp-note">{showHidden(size === null ? type : `${type}, ${size}`)}</span>
      {columns.length > 0 ? (
        <Rows variable={variable} />
      ) : (
        <span className="sbp-value" dir="auto">
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
    <section className="sbp-rows" tabIndex={0} aria-label={`Rows of ${showHidden(name)}`}>
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
      {size !== null && size > rows.length && (
        <p className="sbp-note">{`… and ${size - rows.length} more`}</p>
      )}
    </section>
  );
}
/* biome-ignore-end lint/suspicious/noArrayIndexKey: see above */
